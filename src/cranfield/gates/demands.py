"""What is demanded of a system: the requirement of a release gate, and the evidence that a verdict needs."""

from __future__ import annotations

import math
from typing import Literal, TypeGuard

from cranfield.errors import BadSetting, require_one_of
from cranfield.evidence.samples import is_number
from cranfield.frozen import frozen
from cranfield.gates.result import Requirement
from cranfield.measures.naming import known_measure
from cranfield.results.verb_result import fields_of
from cranfield.statistics.pairs import require_one_sided

LEVEL = 0.05  # of a comparison, if none is chosen

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
    level: float = LEVEL
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
        known = known_measure(self.measure)
        if not self.is_absolute and known is not None and known.declaration.higher_is_better is None:
            raise BadSetting(
                f"{self.words}: of {self.measure}, neither higher nor lower values are better; "
                "require 'at least' or 'at most' a value"
            )

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
        terms = [f"margin {self.margin:g}"] if self.margin else []
        terms += [f"level {self.level:g}"] if self.level != LEVEL else []
        return f"{what} is {self.requirement} than that of {named}" + f" ({', '.join(terms)})" * bool(terms)
