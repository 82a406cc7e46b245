"""Cutoff labels for the points of a precision-recall curve, where there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import pyarrow as pa

from cranfield.present.plots.axes import SQUARE
from cranfield.present.plots.layers import inline
from cranfield.present.plots.series import LETTER, ROOM
from cranfield.present.plots.vega import Chart, alt


def cutoff_labels(axes: Mapping[str, Any], table: pa.Table) -> Chart:
    """The cutoffs below the points of the lowest system; the points of the others are in the same order."""
    rows = _lowest(table)
    marks = inline([rows[place] for place in _labelled(rows)])
    texts = marks.mark_text(style="aside", align="right", dx=-7, dy=5)
    return texts.encode(x=axes["x"], y=axes["y"], text=alt.Text("rank:Q"))


def _lowest(table: pa.Table) -> list[dict[str, Any]]:
    """The points at cutoffs of the system with the lowest precision."""
    points: dict[str, list[dict[str, Any]]] = {}
    for row in table.select(["system", "part", "rank", "recall", "precision"]).to_pylist():
        if row["part"] == "cutoffs":
            points.setdefault(row["system"], []).append(row)
    return min(points.values(), key=lambda rows: fmean(row["precision"] for row in rows), default=[])


def _labelled(rows: Sequence[dict[str, Any]]) -> list[int]:
    """The points whose labels do not overlap: the first, the last, and those in between with enough room."""
    uncrowded_places: list[int] = []
    end = [row["recall"] * SQUARE for row in rows]
    start = [right - LETTER * len(str(row["rank"])) - 2 for right, row in zip(end, rows, strict=True)]
    height = [row["precision"] * SQUARE for row in rows]
    for place in dict.fromkeys([0, len(rows) - 1, *range(len(rows))] if rows else []):
        free = (
            abs(height[place] - height[other]) >= ROOM or start[place] >= end[other] or start[other] >= end[place]
            for other in uncrowded_places
        )
        if all(free):
            uncrowded_places.append(place)
    return sorted(uncrowded_places)


def left_out(table: pa.Table) -> str:
    """A note if some cutoffs are not labelled."""
    rows = _lowest(table)
    return "" if len(_labelled(rows)) == len(rows) else "labels of cutoffs that would overlap are left out"
