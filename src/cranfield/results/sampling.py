"""Results as samples: the values of all systems on the queries they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.evidence.samples import Samples, counted
from cranfield.inference.intervals import Method, mean_interval
from cranfield.results.intervals import Intervals
from cranfield.results.values import LEAST, Result

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def samples_by_measure(result: Result) -> dict[str, Samples]:
    """The samples of each measure of a result, on the scale on which its differences are tested."""
    return {str(measure): tested_samples(result, place) for place, measure in enumerate(result.measures)}


def tested_samples(result: Result, place: int) -> Samples:
    """The samples of one measure, as logarithms where it has a geometric mean: means of these are compared."""
    own, measure = samples_of(result, place), result.measures[place]
    if measure.family.aggregate != "geometric":
        return own
    note = f"{measure}: differences are those of the logarithms, whose mean the geometric mean is"
    return replace(own, values=np.log(np.maximum(own.values, LEAST)), notes=(*own.notes, note))


def samples_of(result: Result, place: int) -> Samples:
    """The samples of one measure of a result.

    Only queries that count for every system are kept. Undefined values count as the result has it: as 0, or not at
    all, and then for no system.
    """
    values, measure, unit = result.values[:, place], result.measures[place], result.unit
    shared: Mask = np.asarray(result.counted.all(axis=0))
    notes = _left_out(~shared, f"{measure}: not every system answers", unit)
    if not shared.any():
        raise BadInput(f"no {unit} is answered by all systems: a paired comparison needs what they share")
    if result.undefined == "skip":
        undefined = shared & np.isnan(values).any(axis=0)
        notes += _left_out(undefined, f"{measure}: undefined for some system on", unit)
        shared &= ~undefined
        if not shared.any():
            raise BadInput(f"{measure}: there is no {unit} on which it is defined for every system")
    return Samples(
        systems=result.systems,
        units=tuple(name for name, kept in zip(result.queries, shared, strict=True) if kept),
        values=np.where(np.isnan(values[:, shared]), 0.0, values[:, shared]),
        kind=unit,
        lower_is_better=measure.family.higher_is_better is False,
        notes=notes,
    )


def _left_out(out: Mask, why: str, unit: str) -> tuple[str, ...]:
    return (f"{why} {out.sum()} of the {counted(len(out), unit)}, which are left out",) if out.any() else ()


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
