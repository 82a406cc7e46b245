"""Estimates from a few human and many machine judgments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cranfield.arrays import Ints
from cranfield.errors import BadInput
from cranfield.evidence.samples import Samples, scales
from cranfield.frozen import frozen
from cranfield.results.samples import bounds_of, require_below_range
from cranfield.results.verb_result import AnnotatedResult, number
from cranfield.statistics.distributions import require_confidence, require_half_width
from cranfield.statistics.intervals import UNBOUNDED
from cranfield.statistics.sampling import ENOUGH, CombinedEstimate, powered_mean
from cranfield.text import counted, plural

LEAST = 5  # human-judged units
SUSPICIOUS = 0.01  # p-value of the difference between the units that people judged and the others


@frozen
class Estimated:
    """A mean, or a difference from the baseline, from both kinds of judgments together and from each alone."""

    measure: str
    system: str
    baseline: str  # empty for a mean
    estimate: float
    low: float
    high: float
    human: float
    human_low: float
    human_high: float
    machine: float
    bias: float  # machine minus human, on the units that have both
    weight: float  # of the machine's values
    worth: float | None  # human-judged units that would give an equally short interval
    needed: int | None  # human-judged units needed for the desired half-width

    @classmethod
    def of(cls, measure: object, system: str, baseline: str, estimate: CombinedEstimate) -> Estimated:
        """The row of an estimate."""
        return cls(
            str(measure), system, baseline, estimate.value, estimate.low, estimate.high, estimate.human,
            estimate.human_low, estimate.human_high, estimate.machine, estimate.difference, estimate.weight,
            number(estimate.worth), estimate.needed,
        )  # fmt: skip


@frozen(eq=False)
class Estimation(AnnotatedResult):
    """The estimates of every system and measure, and of differences from the baseline."""

    kind = "estimation"
    record_fields = (("estimates", "rows"),)

    rows: tuple[Estimated, ...]
    n_judged: int = 0  # units or documents judged by people
    leniency: float = float("nan")  # mean of the machine's grade minus the human one, if documents are known


def estimated(
    human: Mapping[str, Samples],
    machine: Mapping[str, Samples],
    baseline: str | None,
    *,
    confidence: float,
    half_width: float | None,
) -> Estimation:
    """The estimates for every measure that both judged."""
    require_confidence(confidence)
    require_half_width(half_width)
    if human.keys() != machine.keys():
        raise BadInput(f"human and machine judgments have different measures: {', '.join(human)}; {', '.join(machine)}")
    rows, notes = [], dict[str, None]()
    for measure, judged in human.items():
        require_below_range("half_width", half_width, measure, judged)
        both = _Aligned(measure, judged, machine[measure])
        ranges = scales({"people": judged.values.ravel(), "the machine": machine[measure].values.ravel()})
        notes |= dict.fromkeys([*judged.notes, *machine[measure].notes, *ranges, *both.notes()])
        for system, other, people, judge, rest in both.quantities(baseline):
            bounds = UNBOUNDED if other else bounds_of(measure, judged)
            estimate = powered_mean(people, judge, rest, confidence, half_width, bounds=bounds)
            rows.append(Estimated.of(measure, system, other, estimate))
            if math.isnan(estimate.low):
                what = " - ".join(filter(None, (system, other)))
                notes[f"{measure}, {what}: no interval: people's values are all the same, so they show no variance"] = (
                    None
                )
    settings = {"over": "topics", "baseline": baseline, "confidence": confidence, "half_width": half_width}
    n_judged = len(next(iter(human.values())))
    return Estimation(tuple(rows), n_judged=n_judged, settings=settings, notes=tuple(notes))


@frozen(eq=False)
class _Aligned:
    """The values of one measure by people and by the machine, of the same systems."""

    measure: str
    human: Samples
    machine: Samples

    def __post_init__(self) -> None:
        human, machine = self.human, self.machine
        if set(human.systems) != set(machine.systems):
            raise BadInput(
                f"{self.measure}: people judged {', '.join(human.systems)}, but the machine judged other systems"
            )
        missing = [unit for unit in human.units if unit not in set(machine.units)]
        if missing:
            raise BadInput(f"{human.unit} {missing[0]!r} has human judgments, but none by the machine")
        if len(human) < LEAST:
            raise BadInput(f"at least {LEAST} {plural(human.unit)} with human judgments are needed; got {len(human)}")

    @property
    def judged(self) -> Ints:
        """The indices of the units that people judged among those of the machine."""
        place = {unit: number for number, unit in enumerate(self.machine.units)}
        return np.array([place[unit] for unit in self.human.units])

    def quantities(self, baseline: str | None) -> Iterator[tuple[Any, ...]]:
        """System, baseline, human values, the machine's on the same units, and the machine's on the others."""
        judged = self.judged
        rest = np.setdiff1d(np.arange(len(self.machine)), judged)
        order = [self.machine.system(system) for system in self.human.systems]
        machine = self.machine.values[order]
        for place, system in enumerate(self.human.systems):
            yield system, "", self.human.values[place], machine[place][judged], machine[place][rest]
        if baseline is None:
            return
        base = self.human.system(baseline)
        for place, system in enumerate(self.human.systems):
            if place != base:
                people, judge = self.human.values[place] - self.human.values[base], machine[place] - machine[base]
                yield system, baseline, people, judge[judged], judge[rest]

    def notes(self) -> Iterator[str]:
        """The assumptions, and whether the units that people judged look like a random sample."""
        unit, n_rest = self.human.unit, len(self.machine) - len(self.human)
        yield (
            f"{counted(len(self.human), unit)} judged by people and by the machine, {n_rest:,} by the machine alone; "
            f"the {plural(unit)} judged by people are assumed to be a random sample of all"
        )
        order = [self.machine.system(system) for system in self.human.systems]
        if np.array_equal(self.machine.values[order][:, self.judged], self.human.values):
            yield f"{self.measure}: people and machine have the same values; were the same judgments passed twice?"
        if len(self.human) < ENOUGH:
            yield f"with fewer than {ENOUGH} {plural(unit)} judged by people, intervals are as long as from these alone"
        if (p := self._apart()) < SUSPICIOUS:
            yield (
                f"{self.measure}: the machine scores the {plural(unit)} judged by people differently from the others "
                f"(p = {p:.2g}); if they are not a random sample, the estimates are biased"
            )

    def _apart(self) -> float:
        """P-value of Welch's test between the machine's mean values on both kinds of units."""
        from scipy.stats import ttest_ind

        mean, judged = self.machine.values.mean(axis=0), self.judged
        rest = np.delete(mean, judged)
        if len(rest) < 2 or not (mean[judged].std() or rest.std()):
            return 1.0
        return float(ttest_ind(mean[judged], rest, equal_var=False).pvalue)
