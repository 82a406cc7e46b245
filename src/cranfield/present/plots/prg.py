"""Precision-recall-gain curves, on which straight lines join what can be reached and areas may be compared."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.curves import prg as curves
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.scores import area_under_gain
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import Floats, Scorers, coarse, of_coarse, points, scorers
from cranfield.present.plots.series import (
    SQUARE,
    coloured,
    dashed,
    inline,
    named_below,
    path,
    quantity,
    told,
    with_figures,
)
from cranfield.present.plots.thinning import BOX, levels
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines

LEVELS = (0.2, 0.4, 0.6, 0.8)
SKETCH = Lines(
    "recall_gain",
    "precision_gain",
    by="system",
    only=("part", "curve"),
    across="recall gain",
    up="precision gain",
)


def prg(given: Scorers) -> Plot:
    """Precision gain against recall gain, with its convex hull, from where recall is what the prevalence is."""
    known = scorers(given)
    parts: list[pa.Table] = []
    notes: list[str] = []
    areas: dict[str, float] = {}
    for name, scores in known.items():
        drawn = coarse(scores, recalls(scores), SQUARE)
        found = curves.gains(drawn)
        kept, said = of_coarse(name, drawn, scores, found.recall_gain, found.precision_gain, pixels=SQUARE)
        parts.append(points(name, "curve", **{field: column[kept] for field, column in found._asdict().items()}))
        parts.append(_hull(name, drawn))
        notes += [*said, *_below(name, found)]
        areas[name] = float(area_under_gain(scores))
    return Plot(
        "prg",
        "Precision-recall-gain curve" + "s" * (len(known) > 1),
        pa.concat_tables(parts),
        partial(_drawn, areas),
        sketch=SKETCH,
        about="0 is what accepting everything gives",
        key="thin: convex hull; grey: lines of equal F-gain",
        notes=tuple(notes),
    )


def recalls(scores: Thresholds, pixels: float = SQUARE) -> Floats:
    """The recalls at levels of recall gain."""
    odds = scores.n_positive / scores.n_negative
    return np.asarray(odds / (odds + 1 - levels(0, 1, pixels, BOX)))


def _below(name: str, found: curves.Gains) -> tuple[str, ...]:
    """What is said of a curve that lies below the picture."""
    seen = found.precision_gain[(found.recall_gain >= 0) & (found.recall_gain < 1)]
    return () if (seen >= 0).any() or not len(seen) else (f"{name}: below 0 throughout, and so not in the picture",)


def _hull(name: str, scores: Thresholds) -> pa.Table:
    """The corners of the hull that lie in the picture, where recall gain is not negative."""
    hull = curves.gain_hull(scores)
    shown = hull.recall_gain >= 0
    return points(
        name,
        "hull",
        threshold=hull.threshold[shown],
        recall_gain=hull.recall_gain[shown],
        precision_gain=hull.precision_gain[shown],
    )


def _drawn(areas: dict[str, float]) -> Chart:
    names = list(areas)
    axes = {
        "x": alt.X(**quantity("recall_gain", "recall gain", 0, 1)),
        "y": alt.Y(**quantity("precision_gain", "precision gain", 0, 1)),
        "color": coloured(names),
    }
    tips = told("system", numbers=("threshold", "recall_gain", "precision_gain"))
    hull = path(part="hull").mark_line(strokeWidth=1, opacity=0.8, clip=True).encode(**axes)
    line = path(part="curve").mark_line(clip=True).encode(**axes, strokeDash=dashed(names), tooltip=tips)
    texts = with_figures(areas, "AUPRG")
    key = named_below(names, texts)
    return alt.layer(*_isolines(), hull, line, key).properties(width=SQUARE, height=SQUARE)


def _isolines() -> list[Chart]:
    """Lines along which the F-gain, the mean of precision gain and recall gain, is the same."""
    rows, labels = [], []
    for level in LEVELS:
        first = max(0.0, 2 * level - 1)
        last = min(1.0, 2 * level)
        for recall in (first, last):
            rows.append({"level": level, "recall_gain": recall, "precision_gain": 2 * level - recall})
        labels.append({**rows[-2], "label": f"FG = {level:g}"})
    x, y = alt.X("recall_gain:Q"), alt.Y("precision_gain:Q")
    lines = inline(rows).mark_line(style="isoline", strokeWidth=1).encode(x=x, y=y, detail="level:N")
    texts = inline(labels).mark_text(style="isoline-name", align="left", dx=4, dy=-6).encode(x=x, y=y, text="label:N")
    return [lines, texts]
