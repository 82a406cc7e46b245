"""Regression as tables: measures, groups, and the distribution of the residuals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.evidence.curves import quantile_calibration
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Summary
from cranfield.present.table import DIGITS, Column, Table, numbers, row
from cranfield.present.values import overview
from cranfield.regression.result import Regression
from cranfield.results.values import Result
from cranfield.statistics.intervals import wilson

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


def tables(regression: Regression, *, digits: int = DIGITS) -> Iterator[Table]:
    """The measures of each system, of each group, and the residuals."""
    shown = overview(over_items(regression), digits=digits)
    yield replace(
        shown, title="Measures", notes=(*shown.notes[:2], *_undefined(regression), *regression.forecast_notes)
    )
    if regression.outputs:
        yield outputs(regression, digits=digits)
    if regression.groups:
        yield groups(regression, digits=digits)
    if regression.forecasts:
        yield quantiles(regression, digits=digits)
    if regression.residuals:
        yield residuals(regression, digits=digits)


def over_items(regression: Regression) -> Result:
    """The values over all items, even if items have groups."""
    values, every = regression.result.micro[:, :, None], np.ones((len(regression.systems), 1), np.bool_)
    return replace(regression.result, values=values, units=("all",), counted=every, bounded=regression)


def outputs(regression: Regression, *, digits: int = DIGITS) -> Table:
    """The values of each output, and how they are averaged."""
    result = regression.by_output
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


def groups(regression: Regression, *, digits: int = DIGITS) -> Table:
    """The values of each group, their mean, and why some are undefined."""
    result = regression.result
    means = [row("mean", system, *result.aggregated("mean")[s].tolist()) for s, system in enumerate(result.systems)]
    undefined = tuple(_undefined_in_groups(regression))
    counted = [
        row("groups in the mean", system, *(len(result.counted_values(s, m)[0]) for m in range(len(result.measures))))
        for s, system in enumerate(result.systems)
    ]
    summary = (*means, *counted * bool(undefined))
    return replace(_by_unit("group", result, digits), summary=summary, title="Groups", notes=undefined)


def _undefined_in_groups(regression: Regression) -> Iterator[str]:
    result = regression.result
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


def _undefined(regression: Regression) -> Iterator[str]:
    for s, (system, predicted) in enumerate(regression.predictions.items()):
        for m, measure in enumerate(regression.result.measures):
            if np.isnan(regression.result.micro[s, m]):
                yield f"{measure} of {system} is undefined: {regression.why_undefined(measure, predicted)}"
