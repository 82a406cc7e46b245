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
    """The values of each group, and their mean."""
    result = given.result
    heads = (Column("group"), Column("system"), *(Column(str(m), numeric=True, digits=digits) for m in result.measures))
    lines = [
        row(group, system, *(None if np.isnan(value) else float(value) for value in result.values[s, :, q]))
        for q, group in enumerate(result.queries)
        for s, system in enumerate(result.systems)
    ]
    means = [row("mean", system, *map(float, result.aggregated("mean")[s])) for s, system in enumerate(result.systems)]
    return Table(heads, tuple(lines), tuple(means), title="Groups")


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
                yield f"{measure} of {system} is undefined: {measure.family.undefined}"


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
