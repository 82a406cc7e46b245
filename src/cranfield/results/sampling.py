"""Results as samples: the values of all systems on the queries they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.evidence.samples import Samples
from cranfield.inference.intervals import Method, mean_interval
from cranfield.results.comparing import compare
from cranfield.results.comparison import Comparison
from cranfield.results.intervals import Intervals
from cranfield.results.values import LEAST, Result

Floats = NDArray[np.float64]


def samples_of(result: Result, place: int, kind: str = "query") -> tuple[Samples, tuple[str, ...]]:
    """The samples of one measure of a result, and what has to be said of them.

    Only queries that count for every system are kept. Undefined values count as the result has it: as 0, or not at
    all, and then for no system.
    """
    values = result.values[:, place]
    name = str(result.measures[place])
    shared: NDArray[np.bool_] = np.asarray(result.counted.all(axis=0))
    notes = _left_out(len(shared) - int(shared.sum()), len(shared), f"{name}: not every system answers")
    if not shared.any():
        raise BadInput("no query is answered by all systems: a paired comparison needs queries that they share")
    if result.undefined == "skip":
        undefined = shared & np.isnan(values).any(axis=0)
        notes += _left_out(int(undefined.sum()), len(shared), f"{name}: undefined for some system on")
        shared &= ~undefined
        if not shared.any():
            raise BadInput(f"{name}: there is no query on which it is defined for every system")
    queries = tuple(query for query, kept in zip(result.queries, shared, strict=True) if kept)
    known = np.where(np.isnan(values[:, shared]), 0.0, values[:, shared])
    return Samples(result.systems, queries, known, kind), notes


def _left_out(n_out: int, n_all: int, why: str) -> tuple[str, ...]:
    return (f"{why} {n_out} of the {n_all} queries, which are left out",) if n_out else ()


def means_of_samples(samples: Mapping[str, Samples]) -> Floats:
    """The mean of each system, for each measure of `{measure: samples}`: `means[system, measure]`."""
    return np.array([own.values.mean(axis=1) for own in samples.values()], np.float64).T


def intervals_of_samples(
    samples: Mapping[str, Samples], *, confidence: float = 0.95, method: Method = "auto", seed: int = 0
) -> Intervals:
    """The interval of the mean of each system, for each measure of `{measure: samples}`."""
    found = [[mean_interval(row, confidence, method, seed=seed) for row in own.values] for own in samples.values()]
    return Intervals(
        systems=next(iter(samples.values())).systems,
        measures=tuple(samples),
        low=np.array([[each.low[0] for each in row] for row in found]).T,
        high=np.array([[each.high[0] for each in row] for row in found]).T,
        method=tuple(zip(*([each.reason or each.method for each in row] for row in found), strict=True)),
        confidence=confidence,
    )


def compare_result(result: Result, kind: str = "query", **settings: Any) -> Comparison:
    """The systems of a result compared on all its measures; where a geometric mean is asked for, by logarithms."""
    tables: dict[str, Samples] = {}
    notes: list[str] = []
    for place, measure in enumerate(result.measures):
        own, said = samples_of(result, place, kind)
        notes += said
        name = str(measure)
        if measure.family.aggregate == "geometric":
            own = replace(own, values=np.log(np.maximum(own.values, LEAST)))
            notes.append(f"{name}: differences are those of the logarithms, whose mean the geometric mean is")
        tables[name] = own
    lower = frozenset(str(measure) for measure in result.measures if measure.family.higher_is_better is False)
    return compare(tables, lower_is_better=lower, notes=tuple(dict.fromkeys(notes)), **settings)
