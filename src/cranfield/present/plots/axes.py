"""Axes: the sizes of plots, scales of numbers, and tooltips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.present.plots.vega import alt

WIDTH, HEIGHT = 480, 340
SQUARE = 400
TITLES = {"fallout": "false positive rate", "miss_rate": "false negative rate"}  # of columns in tooltips


def quantity(field: str, title: str, low: float, high: float, **axis: Any) -> dict[str, Any]:
    """A quantitative axis from low to high."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": alt.Scale(domain=[low, high], nice=False, zero=False),
        "title": title,
        "axis": alt.Axis(**axis),
    }


def tooltip(*words: str, numbers: Sequence[str]) -> list[alt.Tooltip]:
    """The columns shown in the tooltip of a mark."""
    return [
        *(alt.Tooltip(word, type="nominal") for word in words),
        *(alt.Tooltip(name, type="quantitative", format=".4~g", title=_title(name)) for name in numbers),
    ]


def _title(column: str) -> str:
    return TITLES.get(column, column.replace("_", " "))


def roomy(values: Floats, *, zero: bool = False, tight: bool = False) -> tuple[float, float]:
    """A domain slightly wider than the values; 0 to 1 if they lie within, unless `tight`."""
    low, high = float(np.min(values, initial=np.inf)), float(np.max(values, initial=-np.inf))
    if not np.isfinite([low, high]).all():
        return 0.0, 1.0
    if not (zero or tight) and low >= 0 and high <= 1:
        return 0.0, 1.0
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.05 * (high - low) or 0.5
    return (low - margin if low else low), (high + margin if high else high)
