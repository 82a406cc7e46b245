"""Whether a system passes a release gate: a value, or a one-sided test against a baseline with a margin."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any, TypeGuard

import numpy as np

from cranfield.errors import BadSetting, CranfieldWarning
from cranfield.evidence.rounding import less
from cranfield.evidence.samples import Pairs, Samples, is_number, scales
from cranfield.frozen import frozen
from cranfield.inference.distributions import t_tail
from cranfield.inference.superiority import require_one_sided, superiority, units_to_show
from cranfield.results.gates import Change, Gate, Requirement
from cranfield.results.result_samples import is_summed, on_tested_scale
from cranfield.results.settings_on_scale import require_below_range, require_in_range

WORST = 10  # units listed


def _is_finite(value: object) -> TypeGuard[float]:
    return is_number(value) and math.isfinite(value)


@frozen
class Demand:
    """What is required of a system on one measure: a value, or a comparison with a baseline."""

    measure: str
    system: str
    requirement: Requirement
    value: float | None = None
    baseline: str | float | None = None
    margin: float | None = None
    level: float = 0.05

    def __post_init__(self) -> None:
        absolute = self.requirement in ("at least", "at most")
        if absolute and not _is_finite(self.value):
            raise BadSetting(f"{self.words}: the value must be a finite number, not {self.value!r}")
        if not absolute and self.baseline is None:
            raise BadSetting(f"{self.measure}, {self.requirement}: a baseline is needed: a run or a number")
        if self.baseline == self.system:
            raise BadSetting(f"{self.words}: the run is its own baseline; give two different runs")
        if self.requirement == "not worse" and not (_is_finite(self.margin) and self.margin > 0):
            raise BadSetting(
                f"{self.measure}, not worse: the margin must be a number above 0, the largest loss that is acceptable, "
                f"not {self.margin!r}"
            )
        require_one_sided(self.margin or 0, self.level)

    @property
    def words(self) -> str:
        """The requirement as text."""
        what = f"{self.measure} of {self.system}"
        if self.requirement in ("at least", "at most"):
            return f"{what} is {self.requirement} {self.value:g}" if is_number(self.value) else what
        named = f"{self.baseline:g}" if is_number(self.baseline) else str(self.baseline)
        if self.requirement == "better":
            return f"{what} is better than that of {named}"
        return f"{what} is not worse than that of {named} (margin {self.margin:g})"


def decided(demand: Demand, samples: Samples, value: Mapping[str, float]) -> Gate:
    """The gate for a demand, from the samples of its measure and the aggregated value of each system."""
    for what, required in (("the value", demand.value), ("the baseline", demand.baseline)):
        require_in_range(f"{demand.words}: {what}", required, demand.measure, samples)
    require_below_range(f"{demand.words}: the margin", demand.margin, demand.measure, samples)
    _warn_of_percentages(demand, samples)
    fields: dict[str, Any] = {
        "gate": demand.words,
        "measure": demand.measure,
        "system": demand.system,
        "requirement": demand.requirement,
        "value": value[demand.system],
        "n": len(samples),
        "unit": samples.unit,
    }
    if demand.value is not None:
        reached = value[demand.system]
        beyond = float(less(np.array([reached]), np.array([demand.value]))[0])
        passed = beyond >= 0 if demand.requirement == "at least" else beyond <= 0
        return Gate(passed=passed, required=demand.value, worst=_furthest(samples, demand), **fields)
    baseline = str(demand.baseline)
    if is_number(demand.baseline):
        samples = samples.with_constant(float(demand.baseline) / _parts(demand, samples))
        baseline = samples.systems[-1]
        value = {**value, baseline: float(demand.baseline)}
    return Gate(baseline_value=value[baseline], **fields, **_compared(demand, samples, baseline))


def _warn_of_percentages(demand: Demand, samples: Samples) -> None:
    """Warn of a required value that seems to be a percentage of values that are proportions, or the reverse."""
    if demand.value is not None:
        values = samples.values[samples.system(demand.system)]
        for remark in scales({"the requirement": np.array([demand.value]), demand.system: values}):
            warnings.warn(f"{demand.words}: {remark}", CranfieldWarning, stacklevel=5)


def _compared(demand: Demand, samples: Samples, baseline: str) -> dict[str, Any]:
    """The comparison with the baseline: its outcome, and the units that got worse."""
    tested = on_tested_scale({demand.measure: samples})[demand.measure]
    first, second = samples.system(demand.system), samples.system(baseline)
    pairs = Pairs(tested, np.array([first]), np.array([second]))
    gained = pairs.difference[:, 0] * (-1 if samples.lower_is_better else 1)
    parts = _parts(demand, samples)
    margin = (demand.margin or 0.0) / parts
    shown = superiority(pairs, margin, demand.level)
    passed = shown.p < demand.level
    return {
        "passed": passed,
        "baseline": f"{demand.baseline:g}" if is_number(demand.baseline) else baseline,
        "difference": float(pairs.mean[0]) * parts,
        "margin": demand.margin,
        "bound": shown.bound * parts if np.isfinite(shown.bound) else None,
        "p": shown.p,
        "difference_p": _two_sided(pairs),
        "level": demand.level,
        "n_fell": int((gained < 0).sum()),
        "n_rose": int((gained > 0).sum()),
        "needed": None if passed else units_to_show(pairs, margin, demand.level),
        "worst": tuple(
            Change(samples.units[u], float(samples.values[second, u]), float(samples.values[first, u]))
            for u in np.argsort(gained, kind="stable")[:WORST].tolist()
            if gained[u] < 0
        ),
    }


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
