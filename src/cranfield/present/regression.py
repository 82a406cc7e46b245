"""Regression as tables: measures, groups, and the distribution of the residuals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.evidence.residuals import Summary
from cranfield.present.result_tables import DIGITS, overview
from cranfield.present.table import Column, Table, known, numbers, row
from cranfield.results.rankings import Result
from cranfield.results.regression import Regression

_SPREAD = Summary._fields[1:]


def tables(regression: Regression, *, digits: int = DIGITS) -> Iterator[Table]:
    """The measures of each system, of each group, and the residuals."""
    shown = overview(over_items(regression), digits=digits)
    yield replace(shown, title="Measures", notes=(*shown.notes[:2], *_undefined(regression)))
    if regression.groups:
        yield groups(regression, digits=digits)
    yield residuals(regression, digits=digits)


def over_items(regression: Regression) -> Result:
    """The values over all items, also where items have groups."""
    values, every = regression.result.micro[:, :, None], np.ones((len(regression.systems), 1), np.bool_)
    return replace(regression.result, values=values, units=("all",), counted=every, bounded=regression)


def groups(regression: Regression, *, digits: int = DIGITS) -> Table:
    """The values of each group, their mean, and why some are undefined."""
    result = regression.result
    heads = (Column("group"), Column("system"), *numbers(*map(str, result.measures), digits=digits))
    lines = [
        row(group, system, *map(known, result.values[s, :, q]))
        for q, group in enumerate(result.units)
        for s, system in enumerate(result.systems)
    ]
    means = [row("mean", system, *map(known, result.aggregated("mean")[s])) for s, system in enumerate(result.systems)]
    undefined = tuple(_undefined_in_groups(regression))
    counted = [
        row("groups in the mean", system, *(len(result.counted_values(s, m)[0]) for m in range(len(result.measures))))
        for s, system in enumerate(result.systems)
    ]
    return Table(heads, tuple(lines), (*means, *counted * bool(undefined)), title="Groups", notes=undefined)


def _undefined_in_groups(regression: Regression) -> Iterator[str]:
    result = regression.result
    for s, m, q in np.argwhere(np.isnan(result.values)).tolist():
        system, measure = regression.systems[s], result.measures[m]
        part = regression.of(system).take(np.flatnonzero(regression.group == q))
        yield f"{measure} of {system} in {regression.groups[q]} is undefined: {measure.why_undefined(part)}"


def residuals(regression: Regression, *, digits: int = DIGITS) -> Table:
    """The distribution of the residuals, predicted minus actual."""
    names = (name.replace("_", " ") for name in _SPREAD)
    heads = (Column("system"), *numbers("items"), *numbers(*names, digits=digits))
    summaries = {system: regression.of(system).summary for system in regression.systems}
    lines = [row(system, summary.n, *map(known, summary[1:])) for system, summary in summaries.items()]
    return Table(heads, tuple(lines), title="Residuals (predicted minus actual)")


def _undefined(regression: Regression) -> Iterator[str]:
    for s, system in enumerate(regression.systems):
        for m, measure in enumerate(regression.result.measures):
            if np.isnan(regression.result.micro[s, m]):
                yield f"{measure} of {system} is undefined: {measure.why_undefined(regression.of(system))}"
