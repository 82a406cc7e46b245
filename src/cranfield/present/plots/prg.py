"""Precision-recall-gain curves, whose points interpolate linearly and whose areas are comparable."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.curves.prg import Gains, gain_hull
from cranfield.curves.prg import gains as gains_of
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.scores import area_under_gain
from cranfield.present.plots.axes import SQUARE, quantity, tooltip
from cranfield.present.plots.layers import isolines, path
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.scorers import Drawn, Scorers, coarse, curves_of, of_coarse, points, scores_by_name
from cranfield.present.plots.series import coloured, named_below, series_lines, with_figures
from cranfield.present.plots.thinning import BOX, levels
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.results.classification import Classification

LEVELS = (0.2, 0.4, 0.6, 0.8)
SKETCH = Lines(
    *("recall_gain", "precision_gain", "system"), only=("part", "curve"), across="recall gain", up="precision gain"
)


@plot_of(Classification)
def prg(scorers: Scorers) -> Plot:
    """Precision gain against recall gain with the convex hull, where recall is at least the prevalence."""
    table, areas, notes = curves_of(scores_by_name(scorers), _prg)
    return Plot(
        "Precision-recall-gain curve" + "s" * (len(areas) > 1),
        table,
        partial(_drawn, areas),
        sketch=SKETCH,
        about="0: predicting everything positive",
        key="thin: convex hull; grey: F-gain isolines",
        notes=notes,
    )


def _prg(name: str, scores: Thresholds) -> Drawn:
    drawn = coarse(scores, recalls(scores), SQUARE)
    gains = gains_of(drawn)
    thin, notes = of_coarse(name, drawn, scores, gains.recall_gain, gains.precision_gain, pixels=SQUARE)
    table = points(name, "curve", **{field: column[thin] for field, column in gains._asdict().items()})
    return Drawn([table, _hull(name, drawn)], [*notes, *_below(name, gains)], float(area_under_gain(scores)))


def recalls(scores: Thresholds, pixels: float = SQUARE) -> Floats:
    """The recalls at evenly spaced recall gains."""
    odds = scores.n_positive / scores.n_negative
    return np.asarray(odds / (odds + 1 - levels(0, 1, pixels, BOX)))


def _below(name: str, gains: Gains) -> tuple[str, ...]:
    """A note if a curve lies entirely below the plot."""
    visible = gains.precision_gain[(gains.recall_gain >= 0) & (gains.recall_gain < 1)]
    return () if (visible >= 0).any() or not len(visible) else (f"{name}: below 0 throughout, so not visible",)


def _hull(name: str, scores: Thresholds) -> pa.Table:
    """The corners of the convex hull with a recall gain of at least 0."""
    hull = gain_hull(scores)
    columns = {name: getattr(hull, name) for name in ("threshold", "recall_gain", "precision_gain")}
    return points(name, "hull", **{column: values[hull.recall_gain >= 0] for column, values in columns.items()})


def _drawn(areas: dict[str, float]) -> Chart:
    names = list(areas)
    x = alt.X(**quantity("recall_gain", "recall gain", 0, 1))
    y = alt.Y(**quantity("precision_gain", "precision gain", 0, 1))
    tips = tooltip("system", numbers=("threshold", "recall_gain", "precision_gain"))
    hull = path(part="hull").mark_line(strokeWidth=1, opacity=0.8, clip=True).encode(x=x, y=y, color=coloured(names))
    line = series_lines(path(part="curve").mark_line(clip=True), names, x, y, tips)
    key = named_below(names, with_figures(areas, "AUPRG"))
    return alt.layer(*_isolines(), hull, line, key).properties(width=SQUARE, height=SQUARE)


def _isolines() -> list[Chart]:
    """Lines of equal F-gain, the mean of precision gain and recall gain."""
    rows, labels = [], []
    for level in LEVELS:
        for recall in (max(0.0, 2 * level - 1), min(1.0, 2 * level)):
            rows.append({"level": level, "recall_gain": recall, "precision_gain": 2 * level - recall})
        labels.append({**rows[-2], "label": f"FG = {level:g}"})
    return isolines(rows, labels, "recall_gain", "precision_gain", align="left", dx=4, dy=-6)
