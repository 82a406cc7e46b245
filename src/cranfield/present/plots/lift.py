"""Gain and lift: what is found among the highest scores."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from cranfield.curves import roc as curves
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.roc import diagonal
from cranfield.present.plots.scorers import Scorers, coarse, left_out, of_coarse, points, scorers
from cranfield.present.plots.series import (
    HEIGHT,
    SQUARE,
    WIDTH,
    coloured,
    dashed,
    inline,
    named_below,
    named_beside,
    path,
    quantity,
    shortened,
    told,
)
from cranfield.present.plots.thinning import coarsened, levels
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines

LEVELS = levels(0, 1, SQUARE)
LEAST = 0.01  # of the items, below which the lift of a few swings too much to show its scale


def gain(given: Scorers) -> Plot:
    """The share of the positives that is found in a share of the items, the highest scores first."""
    known = scorers(given)
    parts: list[pa.Table] = []
    notes: list[str] = []
    for name, scores in known.items():
        drawn = coarsened(scores, LEVELS, LEVELS)
        found = curves.lift(drawn, every=True)
        parts.append(points(name, "curve", **found._asdict()))
        if drawn is not scores:
            notes += left_out(name, len(found.share), len(scores.positive) + len(scores.negative))
    return Plot(
        "gain",
        "Cumulative gain",
        pa.concat_tables(parts),
        partial(_gains, list(known)),
        sketch=Lines("share", "gain", by="system", across="share of the items"),
        key="dashed: in any order",
        notes=tuple(notes),
    )


def lift(given: Scorers) -> Plot:
    """How many times denser positives are in a share of the items, the highest scores first, than in all."""
    known = scorers(given)
    parts: list[pa.Table] = []
    notes: list[str] = []
    for name, scores in known.items():
        drawn = coarse(scores, LEVELS, WIDTH)
        found = {column: values[1:] for column, values in curves.lift(drawn, every=True)._asdict().items()}
        kept, said = of_coarse(name, drawn, scores, found["share"], found["lift"], pixels=WIDTH)
        parts.append(points(name, "curve", **{column: values[kept] for column, values in found.items()}))
        notes += said
    table = pa.concat_tables(parts)
    return Plot(
        "lift",
        "Lift",
        table,
        partial(_lifts, table, list(known)),
        sketch=Lines("share", "lift", by="system", across="share of the items"),
        key="dashed: in any order",
        notes=tuple(notes),
    )


def _gains(names: list[str]) -> Chart:
    x = alt.X(**quantity("share", "share of the items accepted", 0, 1))
    y = alt.Y(**quantity("gain", "gain: share of the positives found", 0, 1))
    layers = [diagonal("share", "gain"), _curve(names, x, y)]
    if len(names) > 1:
        layers.append(named_below(names, [*map(shortened, names)]))
    return alt.layer(*layers).properties(width=SQUARE, height=SQUARE)


def _lifts(table: pa.Table, names: list[str]) -> Chart:
    system, share, lifts = (table[column].to_numpy(zero_copy_only=False) for column in ("system", "share", "lift"))
    highest = [float(lifts[(system == name) & (share >= LEAST)].max()) for name in names]
    top = 1.08 * max(*highest, 1.2)
    x = alt.X(**quantity("share", "share of the items accepted", 0, 1))
    y = alt.Y(**quantity("lift", "lift: times as dense as in all", 0, top))
    same = inline([{"lift": 1}]).mark_rule(style="reference").encode(y="lift:Q")
    layers = [same, _curve(names, x, y)]
    if len(names) > 1:
        layers.append(named_beside(names, highest, (0, top), dashes=True))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _curve(names: list[str], x: alt.X, y: alt.Y) -> Chart:
    tips = told("system", numbers=("threshold", "share", "gain", "lift"))
    return path().mark_line(clip=True).encode(x=x, y=y, color=coloured(names), strokeDash=dashed(names), tooltip=tips)
