"""Score distributions of the two classes, and what a threshold makes of them: right and wrong answers as areas."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.assessment.assessed import HALF
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import Scorers, in_use, one, scorers
from cranfield.present.plots.series import WIDTH, data, inline, told
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines

Floats = NDArray[np.float64]

TALL = 150
LEAST = 0.5  # of a bin, that the first and the last are wide at least
CELLS = {
    ("negative", False): "true negatives",
    ("negative", True): "false positives",
    ("positive", False): "false negatives",
    ("positive", True): "true positives",
}


def distributions(given: Scorers, *, system: str | None = None, threshold: float | None = None, bins: int = 40) -> Plot:
    """How the scores of negatives and positives are distributed, parted by the threshold into the four cells.

    The threshold is that of the classification unless another is given, or a half where there is none.
    """
    name = one(given, system)
    scores = scorers(given)[name]
    cut = in_use(given, threshold).get(name, HALF)
    threshold = _drawable(cut, scores, bins)
    edges = parted(scores, threshold, bins)
    parts = [
        _histogram("negative", scores.negative, scores.negative_weight, edges, threshold),
        _histogram("positive", scores.positive, scores.positive_weight, edges, threshold),
    ]
    table = pa.concat_tables(parts)
    return Plot(
        "distributions",
        "Scores of the two classes" + ("" if system is None else f": {system}"),
        table,
        partial(_drawn, table, edges, threshold),
        sketch=Lines("from", "share", by="class", across="score", mark=(threshold, "threshold")),
        about=f"share of the class; {_answered(cut, scores)}",
    )


def _answered(threshold: float, scores: Thresholds) -> str:
    """What the threshold makes of the scores."""
    if threshold > max(scores.positive[-1], scores.negative[-1]):
        return "the threshold is above every score: no item is a yes"
    return f"a score from {threshold:.4g} on is a yes"


def _drawable(threshold: float, scores: Thresholds, bins: int) -> float:
    """A threshold with a place beside the scores: one that is endless stands a bin above the highest."""
    if np.isfinite(threshold):
        return threshold
    low, high = min(scores.positive[0], scores.negative[0]), max(scores.positive[-1], scores.negative[-1])
    return float(high + ((high - low) or max(abs(high), 1.0)) / bins)


def parted(scores: Thresholds, threshold: float, bins: int) -> Floats:
    """Edges of bins that hold all scores and nothing beyond them, of equal width but at the ends.

    One of the edges is the threshold.
    """
    low = float(min(scores.positive[0], scores.negative[0], threshold))
    high = float(max(scores.positive[-1], scores.negative[-1], threshold))
    width = (high - low) / bins or 1.0
    before, after = int(np.ceil((threshold - low) / width)), int(np.ceil((high - threshold) / width))
    edges = threshold + width * np.arange(-before, after + 1)
    inner = edges[(edges > low + LEAST * width) & (edges < high - LEAST * width)]
    end = high if high > threshold else threshold + width
    return np.unique(np.concatenate([[low, threshold], inner, [end]]))


def _histogram(class_: str, ascending: Floats, weight: Floats | None, edges: Floats, threshold: float) -> pa.Table:
    """A row for each bin, its lower edge within and its upper edge not, as the threshold has it, save for the last."""
    ends = np.searchsorted(ascending, edges, side="left")
    ends[-1] = len(ascending)
    n = np.diff(ends if weight is None else np.append(0.0, np.cumsum(weight))[ends]).astype(np.float64)
    accepted = edges[:-1] >= threshold
    return pa.table(
        {
            "class": pa.array([class_] * len(n), pa.string()),
            "cell": pa.array([CELLS[class_, bool(yes)] for yes in accepted], pa.string()),
            "from": edges[:-1],
            "to": edges[1:],
            "n": n,
            "share": n / n.sum(),
        }
    )


def _drawn(table: pa.Table, edges: Floats, threshold: float) -> Chart:
    top = 1.15 * float(np.max(table["share"].to_numpy()))
    panels = [_panel(class_, table, edges, threshold, top) for class_ in ("negative", "positive")]
    return alt.vconcat(*panels, spacing=10)


def _panel(class_: str, table: pa.Table, edges: Floats, threshold: float, top: float) -> Chart:
    last = class_ == "positive"
    x = alt.X(
        "from:Q",
        title="score" if last else None,
        scale=alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False, zero=False),
        axis=alt.Axis(labels=last),
    )
    y = alt.Y("share:Q", title=f"{class_}s", scale=alt.Scale(domain=[0, top]), axis=alt.Axis(format="~%", tickCount=4))
    tips = told("cell", numbers=("from", "to", "n", "share"))
    right, wrong = (
        ("true negatives", "false positives") if class_ == "negative" else ("true positives", "false negatives")
    )
    layers = [
        data(cell=cell)
        .mark_rect(style=style, strokeWidth=0)
        .encode(x=x, x2="to:Q", y=y, y2=alt.Y2Datum(0), tooltip=tips)
        for cell, style in ((right, "good"), (wrong, "bad"))
    ]
    rule = inline([{"from": threshold}]).mark_rule(style="reference").encode(x="from:Q")
    return alt.layer(*layers, rule, *_named(class_, table, threshold)).properties(width=WIDTH, height=TALL)


def _named(class_: str, table: pa.Table, threshold: float) -> list[Chart]:
    """The two cells of a class, named to either side of the threshold with their counts and shares."""
    texts = []
    for accepted in (False, True):
        cell = CELLS[class_, accepted]
        own = [row for row in table.to_pylist() if row["cell"] == cell]
        n, share = sum(row["n"] for row in own), sum(row["share"] for row in own)
        words = inline([{"from": threshold, "shown": f"{cell} {n:,.6g} ({share:.1%})"}])
        text = words.mark_text(style="label", align="left" if accepted else "right", dx=6 if accepted else -6)
        texts.append(text.encode(x="from:Q", y=alt.value(8), text="shown:N"))
    return texts
