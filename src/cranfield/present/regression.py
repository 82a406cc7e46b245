"""Predicted values as tables: measures, groups, and how the residuals spread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.assessment.regression import Regression
from cranfield.present.results import DIGITS, overview
from cranfield.present.table import Column, Table, row

_SPREAD = {
    "mean": "mean",
    "deviation": "deviation",
    "lowest": "lowest",
    "quarter": "quarter",
    "median": "median",
    "three_quarters": "three quarters",
    "highest": "highest",
}


def tables(given: Regression, *, digits: int = DIGITS) -> Iterator[Table]:
    """The measures of each system, of each group, and the residuals."""
    values = given.result.micro[:, :, None]
    whole = replace(given.result, values=values, queries=("all",), counted=_all(given), bounded=given.intervals)
    shown = overview(whole, digits=digits)
    yield replace(shown, title="Measures", notes=(*shown.notes[:2], *_undefined(given)))
    if given.groups:
        yield groups(given, digits=digits)
    yield residuals(given, digits=digits)


def groups(given: Regression, *, digits: int = DIGITS) -> Table:
    """The values of each group, their mean, and why some are undefined."""
    result = given.result
    heads = (Column("group"), Column("system"), *(Column(str(m), numeric=True, digits=digits) for m in result.measures))
    lines = [
        row(group, system, *map(_number, result.values[s, :, q]))
        for q, group in enumerate(result.queries)
        for s, system in enumerate(result.systems)
    ]
    means = [
        row("mean", system, *map(_number, result.aggregated("mean")[s])) for s, system in enumerate(result.systems)
    ]
    undefined = tuple(_undefined_in_groups(given))
    counted = [
        row("groups in the mean", system, *(len(result.counted_values(s, m)[0]) for m in range(len(result.measures))))
        for s, system in enumerate(result.systems)
    ]
    return Table(heads, tuple(lines), (*means, *counted * bool(undefined)), title="Groups", notes=undefined)


def _undefined_in_groups(given: Regression) -> Iterator[str]:
    result = given.result
    for s, m, q in np.argwhere(np.isnan(result.values)).tolist():
        system, measure = given.systems[s], result.measures[m]
        part = given.of(system).take(np.flatnonzero(given.group == q))
        yield f"{measure} of {system} in {given.groups[q]} is undefined: {measure.why_undefined(part)}"


def residuals(given: Regression, *, digits: int = DIGITS) -> Table:
    """How predicted less actual spreads."""
    heads = (
        Column("system"),
        Column("items", numeric=True),
        *(Column(name, numeric=True, digits=digits) for name in _SPREAD.values()),
    )
    summaries = {system: given.of(system).summary for system in given.systems}
    lines = [
        row(system, summary.n, *(_number(getattr(summary, name)) for name in _SPREAD))
        for system, summary in summaries.items()
    ]
    return Table(heads, tuple(lines), title="Residuals, predicted less actual")


def _all(given: Regression) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    return np.ones((len(given.systems), 1), np.bool_)


def _undefined(given: Regression) -> Iterator[str]:
    for s, system in enumerate(given.systems):
        for m, measure in enumerate(given.result.measures):
            if np.isnan(given.result.micro[s, m]):
                yield f"{measure} of {system} is undefined: {measure.why_undefined(given.of(system))}"


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
