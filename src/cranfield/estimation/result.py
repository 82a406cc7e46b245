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
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.statistics.intervals import UNBOUNDED
from cranfield.statistics.sampling import ENOUGH, CombinedEstimate, powered_mean
from cranfield.text import counted, interval, listed, number, percent, plural, signed

LEAST = 5  # human-judged units
SUSPICIOUS = 0.01  # p-value of the difference between the units that people judged and the others


ESTIMATES = Schema(
    "estimates",
    "Estimates from human and machine judgments",
    (
        *texts("measure", "system"),
        Field("baseline", kind="text", optional=True),  # empty for a mean
        *figures("estimate", "low", "high"),
        Field("human"),
        *(Field(f"human_{end}", f"human {end}") for end in ("low", "high")),
        Field("machine"),
        Field("bias"),  # machine minus human, on the units that have both
        Field("weight"),  # of the machine's values
        Field("worth", digits=0),  # human-judged units that would give an equally short interval
        Field("needed", digits=0, optional=True),  # human-judged units needed for the desired half-width
    ),
)


def estimate_row(measure: object, system: str, baseline: str, of: CombinedEstimate) -> tuple[Any, ...]:
    """The row of an estimate."""
    human = (of.human, of.human_low, of.human_high)
    names = (str(measure), system, baseline)
    return (*names, of.value, of.low, of.high, *human, of.machine, of.difference, of.weight, of.worth, of.needed)


@frozen(eq=False)
class Estimation(AnnotatedResult):
    """The estimates of every system and measure, and of differences from the baseline."""

    kind = "estimation"
    shows_findings = True

    rows: Columns
    n_judged: int = 0  # units or documents judged by people
    leniency: float = float("nan")  # mean of the machine's grade minus the human one, if documents are known

    @property
    def answer(self) -> str:
        """The estimate of the best system on the first measure, and what the machine alone says."""
        first = [row for row in self.rows if row.measure == self.rows[0].measure]
        means = [row for row in first if not row.baseline]
        told = [f"{row.system} {number(row.estimate)}{_bounds(row)}" for row in means]
        over = f"{self.n_judged:,} {self.settings['over']} judged by people"
        text = f"From {over} and machine judgments of all, {means[0].measure} is {listed(told)}."
        text += f" The machine alone gives {listed([number(row.machine) for row in means])}."
        apart = [
            f"{row.system} minus {row.baseline} is {signed(row.estimate)}{_bounds(row)}"
            for row in first
            if row.baseline
        ]
        return f"{text} {listed(apart)}." if apart else text

    @property
    def explanations(self) -> tuple[str, ...]:
        """What the columns mean, and how many human judgments the machine saved."""
        return tuple(self._explained())

    def _explained(self) -> Iterator[str]:
        judged, half_width = f"{self.settings['over']} judged by people", self.settings["half_width"]
        confidence = percent(self.settings["confidence"])
        both = "estimate: from both kinds of judgments"
        yield f"{both}; low, high: {confidence} intervals, also from human judgments alone"
        alone = "machine: mean from the machine alone"
        yield f"{alone}; bias: machine minus human, where both judged; weight: of the machine"
        yield f"worth: number of {judged} that would give an interval of this length from human judgments alone"
        documents = self.settings["over"] == "documents"
        if half_width is not None:
            beyond = not documents and any(needed is None for needed in self.rows["needed"])
            missing = "; –: more than the machine judged" * beyond
            yield f"needed: number of {judged} for an interval of ± {half_width:g}{missing}"
        worth = [known for known in self.rows["worth"] if known is not None]
        if documents and worth:
            least, most = (max(round(bound(worth)) - self.n_judged, 0) for bound in (min, max))
            saved = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            yield f"the machine saved {saved} human judgments of documents"


def _bounds(row: Any) -> str:
    return "" if row.low is None else f" ({interval(row.low, row.high)})"


def estimated(
    human: Mapping[str, Samples],
    machine: Mapping[str, Samples],
    baseline: str | None,
    *,
    confidence: float,
    half_width: float | None,
) -> Estimation:
    """The estimates for every measure that both judged."""
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
            rows.append(estimate_row(measure, system, other, estimate))
            if math.isnan(estimate.low):
                what = " - ".join(filter(None, (system, other)))
                notes[f"{measure}, {what}: no interval: people's values are all the same, so they show no variance"] = (
                    None
                )
    settings = {"over": "topics", "baseline": baseline, "confidence": confidence, "half_width": half_width}
    n_judged = len(next(iter(human.values())))
    return Estimation(ESTIMATES.of(rows), n_judged=n_judged, settings=settings, notes=tuple(notes))


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
