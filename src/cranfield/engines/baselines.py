"""Measures that see several systems: computed from the values of another measure once all runs are evaluated.

Decided here: which system is the baseline of a measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadSetting, did_you_mean
from cranfield.evidence.system_values import Gains, SystemValues
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure


def sees_systems(measure: Measure) -> bool:
    """Whether a measure is computed from the values of several systems."""
    return measure.declaration.evidence in (Gains, SystemValues)


def needs_baseline(measures: Iterable[Measure]) -> bool:
    """Whether one of the measures compares systems with a baseline."""
    return any(measure.declaration.evidence is Gains for measure in measures)


def with_baseline(measures: Iterable[Measure], baseline: str | None, systems: Sequence[str]) -> tuple[Measure, ...]:
    """The measures, compared with this baseline unless they name their own, which must be one of the systems."""
    measures = tuple(measures)
    if baseline is not None and not needs_baseline(measures):
        raise BadSetting("baseline applies to measures that compare systems, such as URisk; none was requested")
    return tuple(dict.fromkeys(_with_baseline(measure, baseline, systems) for measure in measures))


def _with_baseline(measure: Measure, baseline: str | None, systems: Sequence[str]) -> Measure:
    if measure.declaration.evidence is not Gains:
        return measure
    name = measure.options["baseline"] or baseline
    if name is None:
        raise BadSetting(f"{measure.name} needs a baseline: name one of the systems, {', '.join(systems)}")
    if name not in systems:
        hint = did_you_mean(name, systems) or f"; there are {', '.join(systems)}"
        raise BadSetting(f"{measure.name}: no system is called {name!r}{hint}")
    return measure(baseline=name)


def counted_first(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """The measures computed from one run: those requested, then those that the others are computed from."""
    of_runs = [measure for measure in measures if not sees_systems(measure)]
    bases = [_base(measure) for measure in measures if sees_systems(measure)]
    return tuple(dict.fromkeys([*of_runs, *bases]))


def _base(measure: Measure) -> Measure:
    """The measure whose values are compared."""
    base = parse(str(measure.options["of"]))
    base.require_settings()
    declared = base.declaration
    if sees_systems(base) or not declared.per_unit or declared.higher_is_better is None:
        raise BadSetting(f"{measure.name}: of={str(base)!r} has no value per query that is better if higher or lower")
    if measure.declaration.evidence is SystemValues and (declared.bounds[0] < 0 or not declared.higher_is_better):
        raise BadSetting(f"{measure.name} needs a measure without negative values that is better if higher, not {base}")
    return base


class RunValues(NamedTuple):
    """The values of all runs: `values[system, measure, query]` and, over all queries, `micro[system, measure]`."""

    measures: Sequence[Measure]
    values: Floats
    micro: Floats
    counted: Mask


def across_systems(
    measures: Sequence[Measure], done: RunValues, systems: Sequence[str], queries: Iterable[bytes], *, zero: bool
) -> tuple[Floats, Floats]:
    """The values of all requested measures, by query and pooled; undefined ones count as declared if `zero`."""
    place = {measure: m for m, measure in enumerate(done.measures)}
    if list(place) == list(measures):
        return done.values, done.micro
    names = tuple(queries)
    values = np.full((len(systems), len(measures), len(names)), np.nan)
    micro = np.full((len(systems), len(measures)), np.nan)
    for m, measure in enumerate(measures):
        if not sees_systems(measure):
            values[:, m], micro[:, m] = done.values[:, place[measure]], done.micro[:, place[measure]]
            continue
        base = _base(measure)
        directed = _directed(done.values[:, place[base]], done.counted, base, zero=zero)
        for s in range(len(systems)):
            values[s, m], micro[s, m] = _computed(measure, _evidence(measure, directed, s, systems, names))
    return values, micro


def _directed(values: Floats, counted: Mask, base: Measure, *, zero: bool) -> Floats:
    """The values of each system, higher for better ones; NaN for queries that do not count for it."""
    known = np.nan_to_num(values, nan=base.declaration.undefined_value) if zero else values
    return np.where(counted, known if base.declaration.higher_is_better else -known, np.nan)


def _evidence(
    measure: Measure, values: Floats, s: int, systems: Sequence[str], queries: tuple[bytes, ...]
) -> Gains | SystemValues:
    """What a measure sees of a system: its values and those of the baseline, or those of all systems."""
    units = queries, np.arange(len(queries))
    if measure.declaration.evidence is SystemValues:
        return SystemValues(*units, np.ascontiguousarray(values.T), s)
    return Gains(*units, values[s], values[systems.index(str(measure.options["baseline"]))])


def _computed(measure: Measure, evidence: Gains | SystemValues) -> tuple[Any, float]:
    """The values by query, NaN if there are none, and the value over all queries."""
    if measure.declaration.per_unit:
        return measure.values(evidence), np.nan
    return np.nan, measure.micro(evidence)
