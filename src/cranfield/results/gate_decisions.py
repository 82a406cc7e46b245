"""Whether a value reaches what is required of it: a number, or the value of a baseline, in a one-sided test.

A gate is failed if the observed value misses the requirement, passed if it meets it with enough evidence, and undecided
otherwise. Whether the data allow a verdict at all is decided in `gate_verdicts`.

Decided here: whether a system passes a release gate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from cranfield.errors import BadSetting
from cranfield.evidence.rounding import less
from cranfield.evidence.samples import Pairs, Samples, is_number
from cranfield.inference.distributions import t_quantile, t_tail
from cranfield.inference.superiority import least_units, standard_error, superiority, units_to_show
from cranfield.measures.naming import known_measure
from cranfield.measures.settings import CONFIDENCE
from cranfield.results.gate_demands import Demand
from cranfield.results.gate_values import is_copy
from cranfield.results.gates import Change, Gate, Outcome
from cranfield.results.result_samples import bounds_of, intervals_of_samples, is_geometric, is_summed, on_tested_scale
from cranfield.results.settings_on_scale import require_below_range, require_in_range
from cranfield.text import counted, plural

WORST = 10  # units listed


def decided(demand: Demand, samples: Samples, value: Mapping[str, float]) -> Gate:
    """The gate for a demand, from the samples of its measure and the aggregated value of each system."""
    _require_possible(demand, samples)
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
        warnings=(*samples.notes, *_of_folds(demand, samples)),
    )
    if demand.is_absolute:
        return _reached(demand, samples, gate)
    baseline = str(demand.baseline)
    if is_number(demand.baseline):
        samples = samples.with_constant(float(demand.baseline) / _parts(demand, samples))
        baseline = samples.systems[-1]
        value = {**value, baseline: float(demand.baseline)}
    return _compared(demand, samples, replace(gate, baseline_value=value[baseline]), baseline)


def _of_folds(demand: Demand, samples: Samples) -> Iterator[str]:
    """A warning that folds may share training data, of which the test knows nothing."""
    if samples.unit == "fold" and not samples.overlap and not demand.is_absolute:
        yield (
            "folds of a cross-validation share training data, but the test assumes independence and passes too often; "
            "the result of cross_validate knows the overlap"
        )


def _require_possible(demand: Demand, samples: Samples) -> None:
    """Refuse requirements that no system, or every system, meets."""
    for what, required in (("the value", demand.value), ("the baseline", demand.baseline)):
        require_in_range(f"{demand.words}: {what}", required, demand.measure, samples)
    require_below_range(f"{demand.words}: the margin", demand.margin, demand.measure, samples)
    if known_measure(demand.measure) is None or is_geometric(demand.measure):
        return
    low, high = (_parts(demand, samples) * bound for bound in bounds_of(demand.measure, samples))
    if demand.is_absolute:
        end = low if demand.requirement == "at least" else high
        met = demand.value == end
    else:
        end = high if samples.lower_is_better else low
        met = is_number(demand.baseline) and abs(demand.baseline - end) <= (demand.margin or 0)
    if met:
        beyond = "above" if end == high else "below"
        raise BadSetting(f"{demand.words}: {demand.measure} is never {beyond} {end:g}, so every system passes")


def _reached(demand: Demand, samples: Samples, gate: Gate) -> Gate:
    """The gate for a value to reach."""
    confidence = CONFIDENCE if demand.confidence is None else demand.confidence
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
    if samples.overlap:
        return None, None, "none: the training sets of the folds overlap"
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
    unchanged = isinstance(demand.baseline, str) and is_copy(samples.values[first], samples.values[second])
    outcome: Outcome = "undecided"
    reasons: list[str] = []
    n_differ = int((gained != 0).sum())
    if unchanged and demand.needs.unchanged != "pass":
        pass  # the reason is among those of gate_values
    elif shown.improvement <= -margin or (unchanged and demand.requirement == "better"):
        outcome = "failed"
    elif unchanged:
        outcome = "passed"
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
    half = float(t_quantile(1 - demand.level, pairs.n_units - 1)) * standard_error(pairs) if varies else math.nan
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
        interval=("corrected paired t" if samples.overlap else "paired t")
        if varies
        else "none: the differences do not vary",
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
    return float(t_tail(pairs.mean / standard_error(pairs), pairs.n_units - 1)[0])


def _furthest(samples: Samples, demand: Demand) -> tuple[Change, ...]:
    """The units whose values are furthest from the requirement."""
    values = samples.values[samples.system(demand.system)]
    order = np.argsort(values if demand.requirement == "at least" else -values, kind="stable")
    return tuple(Change(samples.units[u], None, float(values[u])) for u in order[:WORST].tolist())
