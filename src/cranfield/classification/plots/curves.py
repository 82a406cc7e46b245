"""The detection error trade-off (DET): false negative rate against false positive rate on probit scales."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.classification.plots.scorers import (
    Drawn,
    Scorers,
    coarse,
    coarse_note,
    curves_of,
    of_coarse,
    points,
    scores_by_name,
)
from cranfield.classification.result import Classification
from cranfield.evidence.curves import Det, Gains, cost_curve, decision_curve, gain_hull, require_probabilities
from cranfield.evidence.curves import calibration as calibration_curve
from cranfield.evidence.curves import det as det_curve
from cranfield.evidence.curves import gains as gains_of
from cranfield.evidence.curves import lift as lift_curve
from cranfield.evidence.probabilities import BINS, Binning
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.naming import parse
from cranfield.measures.scores import area_under_gain, equal_error_rate
from cranfield.present.plots.data import BOX, Lines, coarsened, levels, near
from cranfield.present.plots.drawing import (
    HEIGHT,
    SQUARE,
    WIDTH,
    coloured,
    dashed,
    data,
    diagonal,
    isolines,
    named_below,
    named_beside,
    path,
    quantity,
    reference,
    reference_line,
    series_lines,
    shaped,
    shortened,
    tooltip,
    with_figures,
)
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.settings import CONFIDENCE
from cranfield.statistics.calibration import usual_test
from cranfield.statistics.distributions import normal_cdf, normal_quantile
from cranfield.statistics.intervals import wilson
from cranfield.text import percent, probability

RATES = (0.001, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95)
DOMAIN = (-3.3, 1.9)  # normal deviates: rates from 0.05 % to 97 %
BEYOND = (DOMAIN[0] - 0.5, DOMAIN[1] + 0.5)  # where rates of 0 and 1, whose deviates are infinite, are drawn


@plot_of(Classification)
def det(scorers: Scorers) -> Plot:
    """False negative rate against false positive rate on probit scales.

    If the scores are normally distributed in both classes, the curve is a straight line.
    """
    table, errors, notes = curves_of(scores_by_name(scorers), _det)
    return Plot(
        "Detection error trade-off",
        table,
        partial(_det_drawn, errors),
        sketch=Lines(
            *("drawn_fallout", "drawn_miss", "system"),
            across="false positive rate",
            up="false negative rate",
            figure=_rate,
        ),
        about="probit scales",
        key="dashed: equal error rates (EER)",
        notes=notes,
    )


def _det(name: str, scores: Thresholds) -> Drawn:
    rates = normal_cdf(levels(*DOMAIN, SQUARE))
    drawn = coarsened(scores, rates, 1 - rates)
    curve = det_curve(drawn, every=True)
    across, up = (np.clip(deviate, *BEYOND) for deviate in (curve.fallout_deviate, curve.miss_deviate))
    table = points(name, "curve", **curve._asdict(), drawn_fallout=across, drawn_miss=up)
    error = float(equal_error_rate(scores if drawn is scores else where_equal(scores, curve)))
    return Drawn([table], coarse_note(name, len(drawn.positive), drawn, scores), error)


def where_equal(scores: Thresholds, coarse: Det) -> Thresholds:
    """The scores near the equal error rate, located on a coarse curve."""
    after = int(np.argmax(coarse.fallout >= coarse.miss_rate))
    last = len(coarse.threshold) - 1
    return near(scores, float(coarse.threshold[min(after + 1, last)]), float(coarse.threshold[max(after - 2, 0)]))


def _det_drawn(errors: dict[str, float]) -> Chart:
    names = list(errors)
    x, y = _deviates("drawn_fallout", "false positive rate"), _deviates("drawn_miss", "false negative rate")
    tips = tooltip("system", numbers=("threshold", "fallout", "miss_rate"))
    lines = series_lines(path().mark_line(clip=True), names, alt.X(**x), alt.Y(**y), tips)
    ends = [{"drawn_fallout": end, "drawn_miss": end} for end in DOMAIN]
    equal = reference_line(ends, "drawn_fallout", "drawn_miss")
    key = named_below(names, with_figures(errors, "EER"))
    return alt.layer(equal, lines, key).properties(width=SQUARE, height=SQUARE)


def _deviates(field: str, title: str) -> dict[str, Any]:
    """An axis of normal deviates, labelled with rates."""
    places = [float(normal_quantile(rate)) for rate in RATES]
    labels = " : ".join(
        f"abs(datum.value - {place:.6f}) < 1e-4 ? '{_percent(rate)}'" for place, rate in zip(places, RATES)
    )
    axis: dict[str, Any] = {"values": places, "labelOverlap": False, "tickCount": len(places)}
    return quantity(field, title, *DOMAIN, labelExpr=f"{labels} : ''", **axis)


def _rate(deviate: float) -> str:
    return _percent(float(f"{normal_cdf(np.array([deviate]))[0]:.2g}"))


def _percent(rate: float) -> str:
    return f"{100 * rate:g} %"


# Calibration curves: observed frequency against mean predicted probability


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


# Cost curves and decision curves: the expected cost or net benefit of scores over operating conditions


@plot_of(Classification)
def cost(scorers: Scorers) -> Plot:
    """The normalised expected cost at the best threshold against the weight of the positives."""
    table, names, _ = curves_of(
        scores_by_name(scorers),
        lambda name, scores: Drawn([points(name, "curve", **cost_curve(scores)._asdict())]),
    )
    return Plot(
        "Cost curve" + "s" * (len(names) > 1),
        table,
        partial(_costs, table, list(names)),
        sketch=Lines("weight", "cost", by="system"),
        about="lower envelope over thresholds",
        key="dashed: trivial classifiers",
    )


def _costs(table: pa.Table, names: list[str]) -> Chart:
    top = 0.52
    x = alt.X(**quantity("weight", "weight of positives (prevalence × cost of a false negative)", 0, 1))
    y = alt.Y(**quantity("cost", "normalised expected cost", 0, top))
    corners = [{"weight": weight, "cost": height} for weight, height in ((0, 0), (0.5, 0.5), (1, 0))]
    trivial = reference_line(corners, "weight", "cost")
    lines = series_lines(data().mark_line(), names, x, y, tooltip("system", numbers=("weight", "cost", "threshold")))
    rows = table.to_pylist()
    highest = [max(row["cost"] for row in rows if row["system"] == name) for name in names]
    return _named([trivial, lines], names, highest, (0, top))


@plot_of(Classification)
def decision(scorers: Scorers) -> Plot:
    """Net benefit against the threshold probability, compared with treating all items and none."""
    table, names, _ = curves_of(scores_by_name(scorers), _decision)
    return Plot(
        "Decision curve" + "s" * (len(names) > 1),
        table,
        partial(_decisions, table, list(names)),
        sketch=Lines("threshold", "net_benefit", by="system", across="threshold probability", up="net benefit"),
        about="net benefit of treating items at or above the threshold; 0: treating none",
        key="thin: treating all",
    )


def _decision(name: str, scores: Thresholds) -> Drawn:
    require_probabilities(scores, f"{name}: net benefit")
    return Drawn([points(name, "curve", **decision_curve(scores)._asdict())])


def _decisions(table: pa.Table, names: list[str]) -> Chart:
    highest = max(float(np.max(table[column].to_numpy())) for column in ("net_benefit", "act_on_all"))
    top = 1.08 * max(highest, 0.01)
    low = -0.2 * top
    x = alt.X(**quantity("threshold", "threshold probability", 0, 1))
    y = alt.Y(**quantity("net_benefit", "net benefit", low, top))
    tips = tooltip("system", numbers=("threshold", "net_benefit", "act_on_all"))
    thin = data().mark_line(style="soft", clip=True, strokeWidth=1.2)
    every = thin.encode(x=x, y=alt.Y("act_on_all:Q", title=""), detail=alt.Detail("system:N"))
    none = reference(y="net_benefit", at=0)
    lines = series_lines(data().mark_line(clip=True), names, x, y, tips)
    rows = [row for row in table.to_pylist() if row["threshold"] >= 0.5]
    middle = [next(row["net_benefit"] for row in rows if row["system"] == name) for name in names]
    return _named([every, none, lines], names, middle, (low, top))


def _named(layers: list[Chart], names: list[str], heights: list[float], domain: tuple[float, float]) -> Chart:
    """The layers, with the names next to the frame if there are several."""
    labels = [named_beside(names, heights, domain, dashes=True)] if len(names) > 1 else []
    return alt.layer(*layers, *labels).properties(width=WIDTH, height=HEIGHT)


# Cumulative gain and lift: how many positives are among the highest scores


LEVELS = levels(0, 1, SQUARE)
LEAST_PROPORTION = 0.01  # proportion of items; the lift of fewer varies too much to set the scale
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
    highest = [float(lifts[(system == name) & (proportion >= LEAST_PROPORTION)].max()) for name in names]
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


# Precision-recall-gain curves, whose points interpolate linearly and whose areas are comparable


F_GAINS = (0.2, 0.4, 0.6, 0.8)
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
        partial(_prg_drawn, areas),
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


def _prg_drawn(areas: dict[str, float]) -> Chart:
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
    for level in F_GAINS:
        for recall in (max(0.0, 2 * level - 1), min(1.0, 2 * level)):
            rows.append({"level": level, "recall_gain": recall, "precision_gain": 2 * level - recall})
        labels.append({**rows[-2], "label": f"FG = {level:g}"})
    return isolines(rows, labels, "recall_gain", "precision_gain", align="left", dx=4, dy=-6)
