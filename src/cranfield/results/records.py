"""Rows of findings as records: plain values for tables, CSV and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from cranfield.results.writing import comma_separated


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
    return comma_separated(list(content[0]) if content else [], [list(row.values()) for row in content])
