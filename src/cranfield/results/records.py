"""Rows of findings as records: plain values for tables, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa


def records(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """A dict for each row, itself a dataclass; None where a number is not finite."""
    return [{name: _plain(value) for name, value in asdict(row).items()} for row in rows]


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def arrow_table(rows: Iterable[Any]) -> pa.Table:
    """The rows as one Arrow table."""
    return pa.Table.from_pylist(records(rows))


def csv_text(rows: Sequence[Any]) -> str:
    """The rows as CSV; what is not known is an empty cell."""
    content = records(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(content[0]) if content else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(content)
    return text.getvalue()


def json_text(content: Mapping[str, Any]) -> str:
    """The content as JSON, over several lines."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
