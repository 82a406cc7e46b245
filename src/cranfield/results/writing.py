"""Values for other programs as CSV, safe in spreadsheets, and JSON, with all digits unless fewer are requested.

Decided here: how undefined and infinite numbers are written, and which cells a spreadsheet could run as a formula.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

Value = str | float | None  # None where a value is undefined

_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


_UNSEEN = re.compile(r"[^\n -~]")  # possibly unprintable characters


def decoded(text: str) -> str:
    """The text with bytes that are not UTF-8 escaped."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def comma_separated(heads: Sequence[str], rows: Iterable[Sequence[Value]], *, digits: int | None = None) -> str:
    """The rows as CSV; an undefined value is an empty cell."""
    import csv  # not needed for tables

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
    """The text, preceded by an apostrophe if a spreadsheet would run it as a formula."""
    clean = decoded(text)
    start = clean.lstrip()  # spreadsheets may drop white space
    formula = (start[:1] in tuple("=+-@") or clean[:1] in ("\t", "\r")) and not _NUMBER.fullmatch(clean)
    return f"'{clean}" if formula else clean


def json_text(content: Any) -> str:
    """The content as JSON, over several lines; unprintable characters are escaped."""
    import json  # not needed for tables

    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    if text != decoded(text):
        return json_text(_decoded(content))
    return _UNSEEN.sub(_escaped, text) + "\n"


def _escaped(character: re.Match[str]) -> str:
    import json

    return character[0] if character[0].isprintable() else json.dumps(character[0])[1:-1]


def _decoded(content: Any) -> Any:
    if isinstance(content, dict):
        return {decoded(str(key)): _decoded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_decoded(value) for value in content]
    return decoded(content) if isinstance(content, str) else content


def rounded(content: Any, digits: int | None = None) -> Any:
    """Plain values for JSON: None for undefined numbers, infinity as text, and this many decimals if requested."""
    if isinstance(content, dict):
        return {str(name): rounded(value, digits) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [rounded(value, digits) for value in content]
    number = content.item() if hasattr(content, "item") else content  # of NumPy
    if not isinstance(number, float):
        return number
    if math.isnan(number):
        return None
    if math.isinf(number):
        return "infinity" if number > 0 else "-infinity"
    return number if digits is None else round(number, digits)
