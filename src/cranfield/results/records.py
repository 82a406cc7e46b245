"""Rows of results as records: plain values for tables, CSV and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any


def fields_of(row: Any) -> dict[str, Any]:
    """The fields of a dataclass, without cached properties."""
    return {field.name: getattr(row, field.name) for field in fields(row)}


def records(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """One dict per row, which is a dataclass; None where a number is not finite."""
    return [{name: plain(value) for name, value in asdict(row).items()} for row in rows]


def plain(value: Any) -> Any:
    """The value; None for a number that is not finite, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def number(value: float) -> float | None:
    """The value as a plain number; None if it is undefined."""
    return None if math.isnan(value) else float(value)
