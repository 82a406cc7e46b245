"""Values for other programs, as CSV and JSON: every digit kept unless fewer are asked for."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

Value = str | float | None  # None where a value is undefined

_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


_IRREGULAR = {"query": "queries", "class": "classes"}


def plural(unit: str) -> str:
    """What several units are called."""
    return _IRREGULAR.get(unit, f"{unit}s")


def decoded(text: str) -> str:
    """The text with bytes that are not UTF-8 written out."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def comma_separated(heads: Sequence[str], rows: Iterable[Sequence[Value]], *, digits: int | None = None) -> str:
    """The rows as CSV; an undefined value is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(safe, heads))
    writer.writerows([_field(value, digits) for value in row] for row in rows)
    return text.getvalue()


def _field(value: Value, digits: int | None) -> Value:
    if isinstance(value, str):
        return safe(value)
    return f"{value:z.{digits}f}" if isinstance(value, float) and digits is not None else value


def safe(text: str) -> str:
    """The text with an apostrophe before it where a spreadsheet would run it as a formula."""
    clean = decoded(text)
    formula = clean.startswith(("=", "+", "-", "@", "\t", "\r")) and not _NUMBER.fullmatch(clean)
    return f"'{clean}" if formula else clean


def json_text(content: Any) -> str:
    """The content as JSON, over several lines."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text if text == decoded(text) else json_text(_decoded(content))


def _decoded(content: Any) -> Any:
    if isinstance(content, dict):
        return {decoded(str(key)): _decoded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_decoded(value) for value in content]
    return decoded(content) if isinstance(content, str) else content


def rounded(records: list[dict[str, Any]], digits: int | None) -> list[dict[str, Any]]:
    """The records with so many decimals, all of them unless fewer are asked for."""
    if digits is None:
        return records
    return [
        {name: round(value, digits) if isinstance(value, float) else value for name, value in record.items()}
        for record in records
    ]
