"""Classifiers without scores in ROC space: one point each, their convex hull, and those better inverted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import ratio
from cranfield.evidence.hull import upper_hull
from cranfield.present.plots.axes import SQUARE
from cranfield.present.plots.layers import beside_points, data, inline, path, placed
from cranfield.present.plots.scorers import points
from cranfield.present.plots.series import coloured, shaped, shortened, uncrowded
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible

INVERTED, HULL = "inverted", "joint hull"


class Point(NamedTuple):
    """A classifier in ROC space, with its predictive values."""

    name: str
    fallout: float
    recall: float
    precision: float
    negative_precision: float
    prevalence: float
    specificity: float
    miss_rate: float

    @property
    def below(self) -> bool:
        """Whether it is below the diagonal."""
        return self.recall < self.fallout


def classifier_points(answers: Mapping[str, Cells]) -> list[Point]:
    """The point of each classifier."""
    return [
        Point(
            name,
            *(float(ratio(part, whole)[0]) for part, whole in (
                (cells.fp, cells.negative),
                (cells.tp, cells.positive),
                (cells.tp, cells.accepted),
                (cells.tn, cells.rejected),
                (cells.positive, cells.total),
                (cells.tn, cells.negative),
                (cells.fn, cells.positive),
            )),
        )
        for name, cells in answers.items()
    ]  # fmt: skip


def inverted_points(settings: Sequence[Point]) -> list[tuple[str, float, float]]:
    """Name, false positive rate and recall of the classifiers below the diagonal, with all predictions inverted."""
    return [(point.name, point.specificity, point.miss_rate) for point in settings if point.below]


def joint_hull(table: pa.Table, settings: Sequence[Point]) -> tuple[Floats, Floats]:
    """The convex hull of all points and curves, attainable by mixing classifiers."""
    if not settings:
        return np.empty(0), np.empty(0)
    rows = [row for row in table.to_pylist() if row["part"] == "hull"]
    x = [0.0, 1.0, *(point.fallout for point in settings), *(row["fallout"] for row in rows)]
    y = [0.0, 1.0, *(point.recall for point in settings), *(row["recall"] for row in rows)]
    order = np.lexsort((y, x))
    fallout, recall = np.array(x)[order], np.array(y)[order]
    # both ends, and points with a higher recall than all those with a lower false positive rate
    rising = recall > np.append(-1.0, np.maximum.accumulate(recall)[:-1])
    rising[-1] = True
    fallout, recall = fallout[rising], recall[rising]
    corners = upper_hull(fallout, recall)
    return fallout[corners], recall[corners]


def of_labels(settings: Sequence[Point], hull: tuple[Floats, Floats]) -> list[pa.Table]:
    """The rows of the points, of the inverted ones and of the joint hull."""
    if not settings:
        return []
    parts = [("point", point.name, point.fallout, point.recall) for point in settings]
    parts += [(INVERTED, *inverted) for inverted in inverted_points(settings)]
    rows = [
        points(name, part, threshold=np.array([np.nan]), fallout=np.array([fallout]), recall=np.array([recall]))
        for part, name, fallout, recall in parts
    ]
    corners = points("", HULL, threshold=np.full(len(hull[0]), np.nan), fallout=hull[0], recall=hull[1])
    return [*rows, corners]


def labelled(point: Point) -> str:
    """A point with its rates and predictive values, which depend on the prevalence."""
    figures = {"TPR": point.recall, "FPR": point.fallout, "PPV": point.precision, "NPV": point.negative_precision}
    shown = [f"{name} {value:.2f}" if np.isfinite(value) else f"{name} undefined" for name, value in figures.items()]
    return f"{shortened(point.name)}: {', '.join(shown)}"


def point_layers(
    settings: Sequence[Point], names: Sequence[str], x: alt.X, y: alt.Y, tips: list[alt.Tooltip], connect: bool
) -> list[Chart]:
    """The points with their names, the joint hull, and the inversions of points below the diagonal."""
    colour, shape = coloured(names), shaped(names)
    layers = [path(part=HULL).mark_line(style="soft", strokeWidth=1).encode(x=x, y=y)]
    if connect:
        layers.append(path(part="point").mark_line(style="ink", strokeWidth=1.5).encode(x=x, y=y))
    below = [point for point in settings if point.below]
    if below:
        ways = [
            {"system": visible(point.name), "fallout": fallout, "recall": recall}
            for point in below
            for fallout, recall in ((point.fallout, point.recall), (point.specificity, point.miss_rate))
        ]
        hollow = data(part=INVERTED).mark_point(filled=False, size=90, strokeWidth=1.8)
        way = inline(ways).mark_line(style="reference", strokeWidth=1)
        layers += [
            way.encode(**placed("fallout", "recall"), detail=alt.Detail("system:N")),
            hollow.encode(x=x, y=y, color=colour, shape=shape, tooltip=tips),
        ]
    dots = data(part="point").mark_point(size=90).encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    return [*layers, dots, *_names(settings)]


def _names(settings: Sequence[Point]) -> list[Chart]:
    """Names beside the points with enough room, on the left near the right edge of the frame."""
    spots = [(shortened(point.name), point.fallout, point.recall) for point in settings]
    spots += [(f"{shortened(name)} inverted", fallout, recall) for name, fallout, recall in inverted_points(settings)]
    across, up = (np.array([spot[axis] for spot in spots]) * SQUARE for axis in (1, 2))
    labelled = [spots[place] for place in uncrowded([spot[0] for spot in spots], across, up)]
    rows = [dict(zip(("text", "fallout", "recall"), spot, strict=True)) for spot in labelled]
    return beside_points(rows, [spot[1] > 0.8 for spot in labelled], "fallout", "recall", ("halo", "label"))
