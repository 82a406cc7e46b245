"""Whether a system passes a release gate: a value, or a one-sided test against a baseline with a margin.

A gate is failed if the observed value misses the requirement, passed if it meets it with enough evidence, and undecided
otherwise. What counts as enough evidence is in `Needs`; what the data provide is found by `gate_evidence`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal, TypeGuard

import numpy as np

from cranfield.errors import BadSetting, require_one_of
from cranfield.evidence.rounding import less
from cranfield.evidence.samples import Pairs, Samples, counted, is_number, plural, scales
from cranfield.frozen import frozen
from cranfield.inference.distributions import t_quantile, t_tail
from cranfield.inference.superiority import least_units, require_one_sided, superiority, units_to_show
from cranfield.results.gates import Change, Gate, Outcome, Requirement
from cranfield.results.records import fields_of
from cranfield.results.result_samples import intervals_of_samples, is_summed, on_tested_scale
from cranfield.results.settings_on_scale import require_below_range, require_in_range

WORST = 10  # units listed
DISTINCT = 8  # different values of which all occur equally often only if units are repeated

Unchanged = Literal["undecided", "pass"]


def _is_finite(value: object) -> TypeGuard[float]:
    return is_number(value) and math.isfinite(value)


@frozen
class Needs:
    """The evidence that a gate needs for a verdict; with less it is undecided.

    `complete` is the proportion of the judged queries that the run and the baseline must answer, `min_queries` the
    number of queries that must count, `min_defined` the proportion of them on which the measure must be defined, and
    `min_judged` the proportion of judged documents among the top 10 (or k, if the measure has a smaller cutoff), out of
    as many as there are judged. `unchanged="pass"` accepts a run whose values are those of the baseline on every query
    as not worse.
    """

    complete: float = 1.0
    min_queries: int = 10
    min_defined: float = 0.9
    min_judged: float = 0.5
    unchanged: Unchanged = "undecided"

    def __post_init__(self) -> None:
        for name in ("complete", "min_defined", "min_judged"):
            value = getattr(self, name)
            if not is_number(value) or not 0 <= value <= 1:
                raise BadSetting(f"{name} must be a proportion from 0 to 1, not {value!r}")
        if not is_number(self.min_queries) or self.min_queries % 1 or self.min_queries < 1:
            raise BadSetting(f"min_queries must be a whole number of 1 or more, not {self.min_queries!r}")
        require_one_of("unchanged", self.unchanged, Unchanged)

    def __str__(self) -> str:
        """The needs that differ from the default."""
        chosen, usual = fields_of(self), fields_of(Needs())
        return ", ".join(f"{name} {value}" for name, value in chosen.items() if value != usual[name])


@frozen
class Demand:
    """What is required of a system on one measure: a value, or a comparison with a baseline.

    With a `confidence`, not only the value but its one-sided confidence limit must reach what is required.
    """

    measure: str
    system: str
    requirement: Requirement
    value: float | None = None
    baseline: str | float | None = None
    margin: float | None = None
    level: float = 0.05
    confidence: float | None = None
    needs: Needs = Needs()

    def __post_init__(self) -> None:
        if self.is_absolute and not _is_finite(self.value):
            raise BadSetting(f"{self.words}: the value must be a finite number, not {self.value!r}")
        if not self.is_absolute and self.baseline is None:
            raise BadSetting(f"{self.measure}, {self.requirement}: a baseline is needed: a run or a number")
        if self.baseline == self.system:
            raise BadSetting(f"{self.words}: the run is its own baseline; give two different runs")
        if self.requirement == "not worse" and not (_is_finite(self.margin) and self.margin > 0):
            raise BadSetting(
                f"{self.measure}, not worse: the margin must be a number above 0, the largest loss that is acceptable, "
                f"not {self.margin!r}"
            )
        require_one_sided(self.margin or 0, self.level)
        if self.confidence is not None and not (_is_finite(self.confidence) and 0.5 < self.confidence < 1):
            raise BadSetting(f"{self.words}: confidence must be between 0.5 and 1, not {self.confidence!r}")

    @property
    def is_absolute(self) -> bool:
        """Whether a value is required, rather than a comparison."""
        return self.requirement in ("at least", "at most")

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems whose values decide."""
        return (self.system, self.baseline) if isinstance(self.baseline, str) else (self.system,)

    @property
    def words(self) -> str:
        """The requirement as text."""
        what = f"{self.measure} of {self.system}"
        if self.is_absolute:
            sure = f" with {100 * self.confidence:g} % confidence" if is_number(self.confidence) else ""
            return f"{what} is {self.requirement} {self.value:g}{sure}" if is_number(self.value) else what
        named = f"{self.baseline:g}" if is_number(self.baseline) else str(self.baseline)
        if self.requirement == "better":
            return f"{what} is better than that of {named}"
        return f"{what} is not worse than that of {named} (margin {self.margin:g})"


def decided(demand: Demand, samples: Samples, value: Mapping[str, float], doubts: tuple[str, ...] = ()) -> Gate:
    """The gate for a demand, from the samples of its measure and the aggregated value of each system.

    `doubts` are reasons found elsewhere why the data allow no verdict.
    """
    for what, required in (("the value", demand.value), ("the baseline", demand.baseline)):
        require_in_range(f"{demand.words}: {what}", required, demand.measure, samples)
    require_below_range(f"{demand.words}: the margin", demand.margin, demand.measure, samples)
    reached = value[demand.system]
    gate = Gate(
        gate=demand.words,
        outcome="undecided",
        measure=demand.measure,
        system=demand.system,
        requirement=demand.requirement,
        value=reached,
        n=len(samples),
        unit=samples.unit,
        needs=str(demand.needs),
    )
    doubts += tuple(_doubts(demand, samples))
    if demand.is_absolute:
        return _settled(_reached(demand, samples, gate), doubts)
    baseline = str(demand.baseline)
    if is_number(demand.baseline):
        samples = samples.with_constant(float(demand.baseline) / _parts(demand, samples))
        baseline = samples.systems[-1]
        value = {**value, baseline: float(demand.baseline)}
    return _settled(_compared(demand, samples, replace(gate, baseline_value=value[baseline]), baseline), doubts)


def _settled(gate: Gate, doubts: tuple[str, ...]) -> Gate:
    """The gate, undecided if there are doubts about its data."""
    return replace(gate, outcome="undecided", reasons=(*doubts, *gate.reasons)) if doubts else gate


def _doubts(demand: Demand, samples: Samples) -> Iterator[str]:
    """Why the values, wherever they come from, allow no verdict."""
    n, units = len(samples), plural(samples.unit)
    if n < demand.needs.min_queries:
        yield f"{counted(n, samples.unit)}, but a verdict needs {demand.needs.min_queries:g} (min_queries)"
    values = samples.values[[samples.system(name) for name in demand.systems]]
    distinct, times = np.unique(values, axis=1, return_counts=True)
    if distinct.shape[1] >= DISTINCT and (copies := int(np.gcd.reduce(times))) > 1:
        yield f"every value occurs {copies} times: are {units} repeated? there may be only {n // copies} {units}"
    if demand.is_absolute:
        yield from scales({"the requirement": np.array([demand.value]), demand.system: values[0]})
    elif isinstance(demand.baseline, str):
        yield from scales(dict(zip(demand.systems, values, strict=True)))
        if demand.needs.unchanged != "pass" and not less(*values).any():
            yield (
                f"{demand.system} has the same values as {demand.baseline} on all {n} {units}, so nothing was tested: "
                'is it a copy? (unchanged = "pass" accepts it as not worse)'
            )


def _reached(demand: Demand, samples: Samples, gate: Gate) -> Gate:
    """The gate for a value to reach."""
    confidence = 0.95 if demand.confidence is None else demand.confidence
    low, high, method = _interval(demand, samples, 2 * confidence - 1)
    beyond = float(less(np.array([gate.value]), np.array([demand.value]))[0])
    limit = low if demand.requirement == "at least" else high
    reaches = beyond >= 0 if demand.requirement == "at least" else beyond <= 0
    outcome: Outcome = "passed" if reaches else "failed"
    reasons: tuple[str, ...] = ()
    if reaches and demand.confidence is not None:
        if limit is None:
            outcome, reasons = "undecided", (f"there is no confidence limit: {method.removeprefix('none: ')}",)
        elif limit < demand.value if demand.requirement == "at least" else limit > demand.value:  # type: ignore[operator]
            sure = f"the one-sided {100 * confidence:g} % confidence limit is {limit:.4f}"
            outcome, reasons = "undecided", (f"the value reaches {demand.value:g}, but {sure}",)
    return replace(
        gate,
        outcome=outcome,
        reasons=reasons,
        required=demand.value,
        low=low,
        high=high,
        confidence=2 * confidence - 1,
        interval=method,
        worst=_furthest(samples, demand),
    )


def _interval(demand: Demand, samples: Samples, confidence: float) -> tuple[float | None, float | None, str]:
    """The interval of the value of the system, and its method; without bounds, why there are none."""
    if is_summed(demand.measure):
        return None, None, f"none: a sum over these {plural(samples.unit)} does not generalise to others"
    bounds = intervals_of_samples({demand.measure: samples}, confidence=confidence)
    s = samples.system(demand.system)
    low, high = float(bounds.low[s, 0]), float(bounds.high[s, 0])
    return (None if math.isnan(low) else low), (None if math.isnan(high) else high), bounds.method[s][0]


def _compared(demand: Demand, samples: Samples, gate: Gate, baseline: str) -> Gate:
    """The gate for a comparison with the baseline: its outcome, and the units that got worse."""
    tested = on_tested_scale({demand.measure: samples})[demand.measure]
    first, second = samples.system(demand.system), samples.system(baseline)
    pairs = Pairs(tested, np.array([first]), np.array([second]))
    gained = pairs.difference[:, 0] * (-1 if samples.lower_is_better else 1)
    parts = _parts(demand, samples)
    margin = (demand.margin or 0.0) / parts
    shown = superiority(pairs, margin, demand.level)
    varies = pairs.n_units > 1 and bool(pairs.deviation[0] > 0)
    unchanged = not gained.any() and isinstance(demand.baseline, str)
    outcome: Outcome = "undecided"
    reasons: list[str] = []
    n_differ = int((gained != 0).sum())
    if unchanged and demand.needs.unchanged == "pass":
        outcome = "passed" if demand.requirement == "not worse" else "failed"
    elif unchanged:
        pass  # the reason is among the doubts
    elif shown.improvement <= -margin:
        outcome = "failed"
    elif not varies:
        reasons.append(
            f"the difference is the same on all {pairs.n_units} {plural(samples.unit)}, so its variance is unknown"
        )
    elif demand.requirement == "better" and n_differ < least_units(demand.level):
        reasons.append(
            f"only {counted(n_differ, samples.unit)} {'differs' if n_differ == 1 else 'differ'}: "
            f"too few to show an improvement at the level {demand.level:g}"
        )
    elif shown.p < demand.level:
        outcome = "passed"
    else:
        reasons.append(_not_shown(demand, samples, shown.bound * parts, shown.p))
    mean = float(pairs.mean[0])
    half = float(t_quantile(1 - demand.level, pairs.n_units - 1)) * float(pairs.error[0]) if varies else math.nan
    return replace(
        gate,
        outcome=outcome,
        reasons=tuple(reasons),
        baseline=f"{demand.baseline:g}" if is_number(demand.baseline) else baseline,
        difference=mean * parts,
        margin=demand.margin,
        low=(mean - half) * parts if varies else None,
        high=(mean + half) * parts if varies else None,
        confidence=1 - 2 * demand.level,
        interval="paired t" if varies else "none: the differences do not vary",
        p=shown.p if varies else None,
        difference_p=_two_sided(pairs),
        level=demand.level,
        n_fell=int((gained < 0).sum()),
        n_rose=int((gained > 0).sum()),
        needed=None if outcome == "passed" else units_to_show(pairs, margin, demand.level),
        worst=tuple(
            Change(samples.units[u], float(samples.values[second, u]), float(samples.values[first, u]))
            for u in np.argsort(gained, kind="stable")[:WORST].tolist()
            if gained[u] < 0
        ),
    )


def _not_shown(demand: Demand, samples: Samples, bound: float, p: float) -> str:
    """Why a comparison whose observed difference is good enough is no pass."""
    least = f"-{demand.margin:g}" if demand.margin else "0"
    if not math.isfinite(bound):
        return f"{counted(len(samples), samples.unit)} cannot show that the improvement exceeds {least}: too few"
    return (
        f"the {plural(samples.unit)} do not show that the improvement exceeds {least}: its one-sided "
        f"{100 * (1 - demand.level):g} % confidence limit is {bound:.4f} (p = {p:.4g})"
    )


def _parts(demand: Demand, samples: Samples) -> int:
    """The number of values that add up to the value of a system; 1 for means."""
    return len(samples) if is_summed(demand.measure) else 1


def _two_sided(pairs: Pairs) -> float | None:
    """The p-value of the paired t-test; None if the differences have no variance."""
    if pairs.n_units < 2 or pairs.deviation[0] == 0:
        return None
    return float(t_tail(pairs.mean / pairs.error, pairs.n_units - 1)[0])


def _furthest(samples: Samples, demand: Demand) -> tuple[Change, ...]:
    """The units whose values are furthest from the requirement."""
    values = samples.values[samples.system(demand.system)]
    order = np.argsort(values if demand.requirement == "at least" else -values, kind="stable")
    return tuple(Change(samples.units[u], None, float(values[u])) for u in order[:WORST].tolist())
