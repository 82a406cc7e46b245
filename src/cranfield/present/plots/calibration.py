"""Calibration curves: observed frequency against mean predicted probability."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.curves.calibration import calibration as calibration_curve
from cranfield.curves.calibration import require_probabilities
from cranfield.evidence.probabilities import BINS, Binning
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.consistency import usual_test
from cranfield.inference.intervals import wilson
from cranfield.measures.naming import parse
from cranfield.measures.settings import CONFIDENCE
from cranfield.present.plots.axes import SQUARE, quantity, tooltip
from cranfield.present.plots.layers import data, diagonal
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.scorers import Scorers, points, scores_by_name
from cranfield.present.plots.series import coloured, dashed, named_beside, shaped
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.results.classification import Classification
from cranfield.text import percent, probability

PREDICTED, OBSERVED = "mean predicted probability", "observed frequency"
PERFECT = "perfect calibration"  # the diagonal
_ERROR = parse("ECE", "binary")
LEAST = 10  # fewest items of a bin that is joined to its neighbours
TALL = 70  # pixels of the panel with item counts


@plot_of(Classification)
def calibration(scorers: Scorers, *, bins: int = BINS, by: Binning = "width", confidence: float = CONFIDENCE) -> Plot:
    """Observed frequency against mean predicted probability, by bin, with Wilson's confidence intervals."""
    by_name = scores_by_name(scorers)
    parts = []
    for name, scores in by_name.items():
        require_probabilities(scores, f"{name}: calibration")
        columns = calibration_curve(scores, bins=bins, by=by)._asdict()
        interval = wilson(columns["positive"], columns["n"], confidence)
        bounds = {"observed_low": interval.low, "observed_high": interval.high}
        parts.append(points(name, "bin", **columns, **bounds, stretch=stretches(columns["n"])))
    table = pa.concat_tables(parts)
    thin = any(part["stretch"].null_count for part in parts)
    return Plot(
        "Calibration",
        table,
        partial(_drawn, list(by_name), [float(part["observed"][-1].as_py()) for part in parts]),
        sketch=Lines(
            *("mean_predicted", "observed", "system"),
            across=PREDICTED,
            up=OBSERVED,
            stretch="stretch",
            points=True,
            diagonal=PERFECT,
        ),
        about=f"{bins} bins of equal {by}" + f"; not joined: bins with fewer than {LEAST} items" * thin,
        notes=tuple(_error(name, scores, bins, by) for name, scores in by_name.items()),
        key=key(confidence),
    )


def _error(name: str, scores: Thresholds, bins: int, by: Binning) -> str:
    """The calibration error of one scorer, and what it would be if the probabilities were calibrated."""
    measure = _ERROR(bins=bins, by=by)
    test = usual_test(scores, measure)
    expected = "" if test is None else f" ({test.expected:.4f} if calibrated, {probability(test.p)})"
    return f"ECE of {name}: {float(measure.values(scores)):.4f}{expected}"


def key(confidence: float) -> str:
    """The meaning of the lines."""
    return f"vertical lines: {percent(confidence)} Wilson confidence intervals; dashed: {PERFECT}"


def stretches(n: Floats) -> Floats:
    """The index of the line that each bin belongs to, NaN for bins with too few items to be joined.

    If fewer than two bins have enough items, all are joined.
    """
    few = n < LEAST
    if (~few).sum() < 2:
        return np.zeros(len(n))
    return np.where(few, np.nan, np.cumsum(few))


def _drawn(names: list[str], ends: list[float]) -> Chart:
    x, y = quantity("mean_predicted", PREDICTED, 0, 1), quantity("observed", OBSERVED, 0, 1)
    tips = tooltip("system", numbers=("lower", "upper", "mean_predicted", "observed", "positive", "n"))
    joined = data().transform_filter("isValid(datum.stretch)").encode(detail=alt.Detail("stretch:N"))
    return alt.vconcat(against_diagonal(names, ends, x, y, tips, joined), _counts(coloured(names)), spacing=8)


def against_diagonal(
    names: list[str], ends: list[float], x: dict[str, Any], y: dict[str, Any], tips: list[alt.Tooltip], joined: Chart
) -> Chart:
    """Points with confidence intervals, joined by lines, and the diagonal of perfect calibration."""
    low, high, colour = f"{y['field']}_low:Q", f"{y['field']}_high:Q", coloured(names)
    axes: dict[str, Any] = {"x": alt.X(**x), "y": alt.Y(**y), "color": colour}
    intervals = data().mark_rule(strokeWidth=1.5, opacity=0.7)
    layers = [
        diagonal(x["field"], y["field"]),
        intervals.encode(x=axes["x"], y=alt.Y(low, title=""), y2=alt.Y2(high), color=colour),
        joined.mark_line().encode(**axes, strokeDash=dashed(names)),
        data().mark_point(size=60).encode(**axes, shape=shaped(names), tooltip=tips),
    ]
    if len(names) > 1:
        layers.append(named_beside(names, ends, (0, 1), pixels=SQUARE, right=SQUARE))
    return alt.layer(*layers).properties(width=SQUARE, height=SQUARE)


def _counts(colour: alt.Color) -> Chart:
    """The number of items in each bin."""
    marks = data().mark_rule(strokeWidth=4, opacity=0.7)
    x = alt.X("mean_predicted:Q", scale=alt.Scale(domain=[0, 1]), title=None, axis=alt.Axis(labels=False))
    y = alt.Y("n:Q", title="items", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=3, format="~s"))
    return marks.encode(x=x, y=y, y2=alt.Y2Datum(0), color=colour).properties(width=SQUARE, height=TALL)
