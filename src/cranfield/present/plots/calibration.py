"""Calibration: how often what was given a probability came true."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from cranfield.curves import calibration as curves
from cranfield.evidence.probabilities import Bounds
from cranfield.inference.intervals import wilson
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.roc import diagonal
from cranfield.present.plots.scorers import Scorers, points, scorers
from cranfield.present.plots.series import (
    SQUARE,
    coloured,
    dashed,
    data,
    named_beside,
    quantity,
    shaped,
    told,
)
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines

TALL = 70  # pixels of the panel that counts items


def calibration(given: Scorers, *, bins: int = 10, by: Bounds = "width", confidence: float = 0.95) -> Plot:
    """The share that came true against the mean probability, bin by bin, with Wilson's intervals."""
    known = scorers(given)
    parts = []
    for name, scores in known.items():
        curves.require_probabilities(scores, f"{name}: calibration")
        found = curves.calibration(scores, bins=bins, by=by)
        interval = wilson(found.positive, found.n, confidence)
        parts.append(points(name, "bin", **found._asdict(), share_low=interval.low, share_high=interval.high))
    table = pa.concat_tables(parts)
    return Plot(
        "calibration",
        "Calibration",
        table,
        partial(_drawn, list(known), [float(part["share"][-1].as_py()) for part in parts]),
        sketch=Lines("given", "share", by="system", across="mean probability given", up="share that came true"),
        about=f"{bins} bins of equal {by}",
        key=f"lines: {confidence:.0%} Wilson intervals; dashed: perfect calibration",
    )


def _drawn(names: list[str], ends: list[float]) -> Chart:
    x = alt.X(**quantity("given", "mean probability given", 0, 1))
    y = alt.Y(**quantity("share", "share that came true", 0, 1))
    colour = coloured(names)
    tips = told("system", numbers=("lower", "upper", "given", "share", "positive", "n"))
    rules = (
        data()
        .mark_rule(strokeWidth=1.5, opacity=0.7)
        .encode(x=x, y=alt.Y("share_low:Q", title=""), y2="share_high:Q", color=colour)
    )
    lines = data().mark_line().encode(x=x, y=y, color=colour, strokeDash=dashed(names))
    dots = data().mark_point(size=60).encode(x=x, y=y, color=colour, shape=shaped(names), tooltip=tips)
    layers = [diagonal("given", "share"), rules, lines, dots]
    if len(names) > 1:
        layers.append(named_beside(names, ends, (0, 1), pixels=SQUARE, right=SQUARE))
    upper = alt.layer(*layers).properties(width=SQUARE, height=SQUARE)
    return alt.vconcat(upper, _counts(colour), spacing=8)


def _counts(colour: alt.Color) -> Chart:
    """How many items each bin has."""
    marks = data().mark_rule(strokeWidth=4, opacity=0.7)
    x = alt.X("given:Q", scale=alt.Scale(domain=[0, 1]), title=None, axis=alt.Axis(labels=False))
    y = alt.Y("n:Q", title="items", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=3, format="~s"))
    return marks.encode(x=x, y=y, y2=alt.Y2Datum(0), color=colour).properties(width=SQUARE, height=TALL)
