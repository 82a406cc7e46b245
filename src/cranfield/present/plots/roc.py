"""ROC curves with their hulls, lines of equal accuracy, and the threshold in use."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.curves import roc as curves
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.scores import area_under_roc
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import Scorers, in_use, left_out, points, scorers
from cranfield.present.plots.series import (
    SQUARE,
    coloured,
    dashed,
    data,
    inline,
    named_below,
    path,
    quantity,
    told,
    with_figures,
)
from cranfield.present.plots.thinning import coarsened, levels
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines

ACCURACIES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
LEVELS = levels(0, 1, SQUARE)
APART = 0.11  # of the frame, that the names of two lines need


def roc(given: Scorers, *, threshold: float | None = None) -> Plot:
    """Recall against fall-out at every threshold, the convex hull, and the threshold in use if one is given."""
    known, chosen = scorers(given), in_use(given, threshold)
    parts: list[pa.Table] = []
    notes: list[str] = []
    areas: dict[str, float] = {}
    for name, scores in known.items():
        drawn = coarsened(scores, LEVELS, LEVELS)
        hull = curves.roc_hull(drawn)
        parts.append(points(name, "curve", **curves.roc(drawn, every=True)._asdict()))
        parts.append(points(name, "hull", threshold=hull.threshold, fallout=hull.fallout, recall=hull.recall))
        if name in chosen:
            parts.append(_chosen(name, scores, chosen[name]))
        if drawn is not scores:
            notes += left_out(name, len(drawn.positive), len(scores.positive) + len(scores.negative))
        areas[name] = float(area_under_roc(scores))
    prevalence = _prevalence(next(iter(known.values())))
    return Plot(
        "roc",
        "ROC curve" if len(known) == 1 else "ROC curves",
        pa.concat_tables(parts),
        partial(_drawn, areas, chosen, prevalence),
        sketch=Lines("fallout", "recall", by="system", only=("part", "curve"), across="fall-out"),
        key="thin: convex hull; grey: lines of equal accuracy" + _rings(chosen),
        notes=tuple(notes),
    )


def _rings(chosen: dict[str, float]) -> str:
    """What the rings stand for; where several scorers have a threshold each, it stands beside the name."""
    values = [*dict.fromkeys(chosen.values())]
    if not values:
        return ""
    return f"; ring: {_threshold(values[0])}" if len(values) == 1 else "; rings: the thresholds in use"


def _threshold(value: float) -> str:
    return f"threshold {value:.4g}" if np.isfinite(value) else "a threshold above every score"


def _prevalence(scores: Thresholds) -> float:
    return float(scores.n_positive / (scores.n_positive + scores.n_negative))


def _chosen(name: str, scores: Thresholds, threshold: float) -> pa.Table:
    cells = scores.at(threshold)
    return points(
        name,
        "chosen",
        threshold=np.array([threshold]),
        fallout=cells.fp / cells.negative,
        recall=cells.tp / cells.positive,
    )


def _drawn(areas: dict[str, float], chosen: dict[str, float], prevalence: float) -> Chart:
    names = list(areas)
    axes = {
        "x": alt.X(**quantity("fallout", "fall-out: share of the negatives accepted", 0, 1)),
        "y": alt.Y(**quantity("recall", "recall: share of the positives accepted", 0, 1)),
        "color": coloured(names),
    }
    tips = told("system", numbers=("threshold", "fallout", "recall"))
    hull = path(part="hull").mark_line(strokeWidth=1, opacity=0.8).encode(**axes)
    line = path(part="curve").mark_line().encode(**axes, strokeDash=dashed(names), tooltip=tips)
    ring = (
        data(part="chosen")
        .mark_point(style="hollow", size=110, opacity=1)
        .encode(x=axes["x"], y=axes["y"], tooltip=tips)
    )
    texts = with_figures(areas, "AUC")
    if len(set(chosen.values())) > 1:
        own = [f", {_threshold(chosen[name])}" if name in chosen else "" for name in names]
        texts = [text + at for text, at in zip(texts, own, strict=True)]
    key = named_below(names, texts)
    layers = [*isolines(prevalence), diagonal("fallout", "recall"), hull, line, ring, key]
    return alt.layer(*layers).properties(width=SQUARE, height=SQUARE)


def diagonal(x: str, y: str) -> Chart:
    """The line that chance would give."""
    return inline([{x: 0, y: 0}, {x: 1, y: 1}]).mark_line(style="reference").encode(x=f"{x}:Q", y=f"{y}:Q")


def isolines(prevalence: float) -> list[Chart]:
    """Lines along which accuracy is the same, named where they leave the frame at the top."""
    rows, labels, last = [], [], np.inf
    for accuracy in ACCURACIES:
        top = (1 - accuracy) / (1 - prevalence)  # the fall-out at which all positives may be accepted
        if not 0.08 < top < 1 or last - top < APART:
            continue
        last = top
        left = (accuracy - 1 + prevalence) / prevalence  # the recall at a fall-out of 0
        start = (0.0, left) if left >= 0 else ((1 - prevalence - accuracy) / (1 - prevalence), 0.0)
        for fallout, recall in (start, (top, 1.0)):
            rows.append({"level": accuracy, "fallout": fallout, "recall": recall})
        labels.append({"fallout": top, "recall": 1.0, "label": f"{accuracy:g}"})
    if labels:
        labels[-1]["label"] = f"accuracy {labels[-1]['label']}"
    x, y = alt.X("fallout:Q"), alt.Y("recall:Q")
    lines = inline(rows).mark_line(style="isoline", strokeWidth=1).encode(x=x, y=y, detail="level:N")
    texts = inline(labels).mark_text(style="isoline-name", dy=-7).encode(x=x, y=y, text="label:N")
    return [lines, texts]
