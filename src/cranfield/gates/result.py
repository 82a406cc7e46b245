"""Release gates: the requirements of a system, whether they are met, and the queries that got worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.verb_result import Records, VerbResult, fields_of, plain

Requirement = Literal["at least", "at most", "better", "not worse"]
Outcome = Literal["passed", "failed", "undecided"]


@frozen
class Change:
    """One query: its value before (the baseline's) and after; without a baseline, only after."""

    unit: str
    before: float | None
    after: float

    @property
    def difference(self) -> float | None:
        """After minus before."""
        return None if self.before is None else self.after - self.before


@frozen
class Gate:
    """One requirement and its outcome; fields that do not apply are None.

    A gate is failed if the observed value misses the requirement, undecided if there is too little evidence for a
    verdict, and passed otherwise. `low` and `high` are the interval of the value or, with a baseline, of the
    difference, at a `confidence` whose bounds are the one-sided limits. `p` is the p-value of the hypothesis that the
    requirement is not met; `difference_p` is that of the two-sided paired t-test.
    """

    gate: str  # the requirement as text
    outcome: Outcome
    measure: str
    system: str
    requirement: Requirement
    value: float
    n: int
    unit: str
    reasons: tuple[str, ...] = ()  # why it is undecided
    low: float | None = None
    high: float | None = None
    confidence: float | None = None  # of the interval
    interval: str = ""  # the method of the interval, or why there is none
    required: float | None = None
    baseline: str | None = None
    baseline_value: float | None = None
    difference: float | None = None
    margin: float | None = None
    p: float | None = None
    difference_p: float | None = None
    level: float | None = None
    n_fell: int | None = None
    n_rose: int | None = None
    needed: int | None = None  # units needed to show it, if it was not shown
    needs: str = ""  # what a verdict needs, where it is not the default
    settings: str = ""  # of the evaluation, where they are not the default
    warnings: tuple[str, ...] = ()  # of the evaluation, about its systems
    worst: tuple[Change, ...] = ()  # the units that got worse the most; without a baseline, those with the worst values

    @property
    def passed(self) -> bool:
        """Whether the requirement is met, with enough evidence."""
        return self.outcome == "passed"


@frozen(eq=False)
class Checked(VerbResult):
    """Every gate, and whether all were passed."""

    kind = "gates"

    gates: tuple[Gate, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Provenance = NOTHING_READ

    @property
    def passed(self) -> bool:
        """Whether every gate was passed."""
        return all(gate.passed for gate in self.gates)

    @property
    def failed(self) -> tuple[Gate, ...]:
        """The gates whose requirement is missed."""
        return tuple(gate for gate in self.gates if gate.outcome == "failed")

    @property
    def undecided(self) -> tuple[Gate, ...]:
        """The gates with too little evidence for a verdict."""
        return tuple(gate for gate in self.gates if gate.outcome == "undecided")

    def records(self) -> Records:
        """One row per gate, and for each gate one per query that got worse or has one of the worst values."""
        gates = [
            {
                name: "; ".join(value) if isinstance(value, tuple) else plain(value)
                for name, value in fields_of(gate).items()
                if name != "worst"
            }
            for gate in self.gates
        ]
        worst = [
            {"gate": gate.gate, **vars(change), "difference": change.difference}
            for gate in self.gates
            for change in gate.worst
        ]
        return {"gates": gates, "worst": worst}

    def content(self) -> Records:
        """The records, with reasons and warnings as lists."""
        content = self.records()
        for row, gate in zip(content["gates"], self.gates, strict=True):
            row |= {"reasons": list(gate.reasons), "warnings": list(gate.warnings)}
        return content

    def about(self) -> dict[str, Any]:
        """Whether all gates were passed, and the settings."""
        return {"passed": self.passed} | super().about()

    def to_junit(self) -> str:
        """The gates as JUnit XML, one test case per gate."""
        from cranfield.catalogue import provided

        return provided("junit")(self)
