"""Cumulative gain and lift: how many positives are among the highest scores."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.curves.roc import lift as lift_curve
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.plots.axes import HEIGHT, SQUARE, WIDTH, quantity, tooltip
from cranfield.present.plots.layers import diagonal, path, reference
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.scorers import (
    Drawn,
    Scorers,
    coarse,
    coarse_note,
    curves_of,
    of_coarse,
    points,
    scores_by_name,
)
from cranfield.present.plots.series import named_below, named_beside, series_lines, shortened
from cranfield.present.plots.thinning import coarsened, levels
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.results.classification import Classification

LEVELS = levels(0, 1, SQUARE)
LEAST = 0.01  # proportion of items; the lift of fewer varies too much to set the scale
ITEMS = "proportion of items, highest scores first"


@plot_of(Classification)
def gain(scorers: Scorers) -> Plot:
    """The proportion of positives found among the top-scored proportion of the items."""
    by_name = scores_by_name(scorers)
    table, _, notes = curves_of(by_name, _gain)
    return Plot(
        "Cumulative gain",
        table,
        partial(_gains, list(by_name)),
        sketch=Lines("proportion", "gain", by="system", across=ITEMS),
        key="dashed: random order",
        notes=notes,
    )


def _gain(name: str, scores: Thresholds) -> Drawn:
    drawn = coarsened(scores, LEVELS, LEVELS)
    columns = _columns(drawn)
    return Drawn([points(name, "curve", **columns)], coarse_note(name, len(columns["gain"]), drawn, scores))


def _columns(scores: Thresholds) -> dict[str, Floats]:
    curve = lift_curve(scores, every=True)
    return {"threshold": curve.threshold, "proportion": curve.proportion, "gain": curve.gain, "lift": curve.lift}


@plot_of(Classification)
def lift(scorers: Scorers) -> Plot:
    """The ratio of the prevalence among the highest scores to the prevalence among all items."""
    by_name = scores_by_name(scorers)
    table, _, notes = curves_of(by_name, _lift)
    return Plot(
        "Lift",
        table,
        partial(_lifts, table, list(by_name)),
        sketch=Lines("proportion", "lift", by="system", across=ITEMS),
        key="dashed: random order",
        notes=notes,
    )


def _lift(name: str, scores: Thresholds) -> Drawn:
    drawn = coarse(scores, LEVELS, WIDTH)
    columns = {column: values[1:] for column, values in _columns(drawn).items()}
    thin, notes = of_coarse(name, drawn, scores, columns["proportion"], columns["lift"], pixels=WIDTH)
    return Drawn([points(name, "curve", **{column: values[thin] for column, values in columns.items()})], notes)


def _gains(names: list[str]) -> Chart:
    y = alt.Y(**quantity("gain", "cumulative gain: proportion of positives", 0, 1))
    layers = [diagonal("proportion", "gain"), _curve(names, y)]
    if len(names) > 1:
        layers.append(named_below(names, [*map(shortened, names)]))
    return alt.layer(*layers).properties(width=SQUARE, height=SQUARE)


def _lifts(table: pa.Table, names: list[str]) -> Chart:
    columns = ("system", "proportion", "lift")
    system, proportion, lifts = (table[column].to_numpy(zero_copy_only=False) for column in columns)
    highest = [float(lifts[(system == name) & (proportion >= LEAST)].max()) for name in names]
    top = 1.08 * max(*highest, 1.2)
    same = reference(y="lift", at=1)
    layers = [same, _curve(names, alt.Y(**quantity("lift", "lift", 0, top)))]
    if len(names) > 1:
        layers.append(named_beside(names, highest, (0, top), dashes=True))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _curve(names: list[str], y: alt.Y) -> Chart:
    x = alt.X(**quantity("proportion", ITEMS, 0, 1))
    tips = tooltip("system", numbers=("threshold", "proportion", "gain", "lift"))
    return series_lines(path().mark_line(clip=True), names, x, y, tips)
