"""Regression as tables: measures, groups, and the distribution of the residuals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.evidence.curves import quantile_calibration
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Summary
from cranfield.measures.registry import Measure
from cranfield.present.table import DIGITS, Column, Table, numbers, row
from cranfield.present.values import overview, ranked
from cranfield.regression.result import Regression
from cranfield.results.values import Result, of_measures
from cranfield.statistics.intervals import wilson
from cranfield.text import counted, listed, percent, value

# Predicted distributions as a table: how often actual values are at or below each predicted quantile


_LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)  # shown for samples and normal distributions
_NOTE = (
    "observed: proportion of actual values at or below the predicted quantile, with Wilson's 95 % interval; "
    "it should equal the level"
)


def quantiles(regression: Regression, *, digits: int) -> Table:
    """The observed proportion and the pinball loss of each quantile."""
    heads = (
        Column("system"), *numbers("level", digits=3), *numbers("observed", "low", "high", digits=digits),
        *numbers("pinball", digits=digits),
    )  # fmt: skip
    lines = [
        row(system, *figures) for system, forecasts in regression.forecasts.items() for figures in _figures(forecasts)
    ]
    return Table(heads, tuple(lines), title="Quantiles", notes=(_NOTE,))


def _figures(forecasts: Forecasts) -> list[tuple[float, ...]]:
    calibration = quantile_calibration(forecasts, forecasts.levels or tuple(filter(forecasts.reaches, _LEVELS)))
    interval = wilson(calibration.observed * calibration.effective, calibration.effective)
    columns = calibration.level, calibration.observed, interval.low, interval.high, calibration.pinball
    return [tuple(map(float, figures)) for figures in zip(*columns, strict=True)]


_SPREAD = Summary._fields[1:]
_ESSENTIAL = ("MAE", "RMSE", "MedianAE", "R2")
_OF_FORECASTS = ("CRPS", "IntervalCoverage", "IntervalWidth", "MAE")


def answer(regression: Regression) -> str:
    """How far predictions are from the actual values, of the best system first."""
    whole, measure = over_items(regression), essential(regression)[0]
    ordered = ranked(whole, measure)
    place = ordered.place(measure)
    first, *others = ordered.systems
    values, bounds = ordered.micro[:, place], ordered.intervals()
    if np.isnan(values[0]):
        return f"{measure} is undefined: {regression.why_undefined(measure, regression.predictions[first])}."
    low, high = bounds.low[0, bounds.measures.index(str(measure))], bounds.high[0, bounds.measures.index(str(measure))]
    between = "" if np.isnan(low) else f"{percent(bounds.confidence)} CI {value(low)}–{value(high)}"
    items, best = counted(regression.n_items, "item"), value(values[0])
    if measure.name == "MAE":
        whose = f"{first}'s predictions" if others else "Predictions"
        inside = ", ".join(filter(None, (f"MAE over {items}", between)))
        told = f"{whose} are {best} off on average ({inside})"
    else:
        named = f"{measure} of {first}" if others else f"{measure}"
        told = f"{named} is {best} over {items}" + f" ({between})" * bool(between)
    rest = [f"{system} {value(figure)}" for system, figure in zip(others, values[1:], strict=True)]
    directed = others and measure.declaration.higher_is_better is not None
    return told + (f", before {listed(rest)}" if directed else "") + f"{_coverage(regression)}."


def _coverage(regression: Regression) -> str:
    """How many actual values the predicted intervals of the only system hold."""
    covering = [measure for measure in essential(regression) if measure.name == "IntervalCoverage"]
    if len(regression.systems) > 1 or not covering or covering[0] == essential(regression)[0]:
        return ""
    level: Any = covering[0].options["level"]
    observed = regression.result.micro[0, regression.result.place(covering[0])]
    return (
        "" if np.isnan(observed) else f"; intervals of {percent(level)} hold {percent(observed)} of the actual values"
    )


def essential(regression: Regression) -> list[Measure]:
    """The measures that were requested, or the few that say most about data of this kind."""
    if regression.requested:
        return list(regression.measures)
    by_name = {measure.name: measure for measure in regression.measures}
    names = _OF_FORECASTS if regression.forecasts else _ESSENTIAL
    return [by_name[name] for name in names if name in by_name]


def tables(regression: Regression, *, every: bool = False, digits: int = DIGITS) -> Iterator[Table]:
    """The essential measures of each system, best first, and of groups and outputs.

    With `every`, all measures, the quantiles of forecasts, and the residuals.
    """
    chosen = regression.measures if every else essential(regression)
    whole = over_items(regression)
    places = [*map(whole.place, chosen)]
    shown = overview(ranked(of_measures(whole, places), chosen[0]), digits=digits)
    notes = (*shown.notes[:2], *_undefined(regression, chosen), *regression.forecast_notes)
    yield replace(shown, title="Measures", notes=(*notes, *(() if every else _more(regression, len(chosen)))))
    if regression.outputs:
        yield outputs(regression, places, digits=digits)
    if regression.groups:
        yield groups(regression, places, digits=digits)
    if regression.forecasts and every:
        yield quantiles(regression, digits=digits)
    if regression.residuals and every:
        yield residuals(regression, digits=digits)


def _more(regression: Regression, n_shown: int) -> Iterator[str]:
    """What else there is."""
    n_more = len(regression.measures) - n_shown
    more = [counted(n_more, "measure")] * (n_more > 0) + ["quantiles"] * bool(regression.forecasts)
    more += ["residuals"] * bool(regression.residuals)
    yield f"more: {listed(more)}: --all, or shown(every=True) in Python"


def over_items(regression: Regression) -> Result:
    """The values over all items, even if items have groups."""
    values, every = regression.result.micro[:, :, None], np.ones((len(regression.systems), 1), np.bool_)
    return replace(regression.result, values=values, units=("all",), counted=every, bounded=regression)


def outputs(regression: Regression, places: Sequence[int], *, digits: int = DIGITS) -> Table:
    """The values of each output, and how they are averaged."""
    result = of_measures(regression.by_output, places)
    averages = {"uniform": "mean over outputs", "variance": "mean over outputs, weighted by the variance of each"}
    undefined = tuple(
        f"{result.measures[m]} of {result.systems[s]} for {result.units[o]} is undefined and left out of the mean"
        for s, m, o in np.argwhere(np.isnan(result.values)).tolist()
    )
    notes = (f"the measures above are the {averages[regression.average]}", *undefined)
    return replace(_by_unit("output", result, digits), title="Outputs", notes=notes)


def _by_unit(unit: str, result: Result, digits: int) -> Table:
    """The values of each system for each output or group."""
    heads = (Column(unit), Column("system"), *numbers(*map(str, result.measures), digits=digits))
    lines = [
        row(name, system, *result.values[s, :, place].tolist())
        for place, name in enumerate(result.units)
        for s, system in enumerate(result.systems)
    ]
    return Table(heads, tuple(lines))


def groups(regression: Regression, places: Sequence[int], *, digits: int = DIGITS) -> Table:
    """The values of each group, their mean, and why some are undefined."""
    result = of_measures(regression.result, places)
    means = [row("mean", system, *result.aggregated("mean")[s].tolist()) for s, system in enumerate(result.systems)]
    undefined = tuple(_undefined_in_groups(regression, result))
    counted = [
        row("groups in the mean", system, *(len(result.counted_values(s, m)[0]) for m in range(len(result.measures))))
        for s, system in enumerate(result.systems)
    ]
    summary = (*means, *counted * bool(undefined))
    return replace(_by_unit("group", result, digits), summary=summary, title="Groups", notes=undefined)


def _undefined_in_groups(regression: Regression, result: Result) -> Iterator[str]:
    for s, m, q in np.argwhere(np.isnan(result.values)).tolist():
        system, measure = regression.systems[s], result.measures[m]
        part = regression.predictions[system].take(np.flatnonzero(regression.group == q))
        yield f"{measure} of {system} in {regression.groups[q]} is undefined: {regression.why_undefined(measure, part)}"


def residuals(regression: Regression, *, digits: int = DIGITS) -> Table:
    """The distribution of the residuals, predicted minus actual."""
    names = (name.replace("_", " ") for name in _SPREAD)
    several = bool(regression.outputs)
    heads = (Column("system"), *[Column("output")] * several, *numbers("items"), *numbers(*names, digits=digits))
    lines = [
        row(system, *[output] * several, residuals.summary.n, *residuals.summary[1:])
        for system, whole in regression.residuals.items()
        for output, residuals in zip(regression.outputs or ("",), whole.by_output, strict=True)
    ]
    return Table(heads, tuple(lines), title="Residuals (predicted minus actual)")


def _undefined(regression: Regression, measures: Sequence[Measure]) -> Iterator[str]:
    for s, (system, predicted) in enumerate(regression.predictions.items()):
        for measure in measures:
            if np.isnan(regression.result.micro[s, regression.result.place(measure)]):
                yield f"{measure} of {system} is undefined: {regression.why_undefined(measure, predicted)}"
