"""Goals for which a threshold is chosen: parsed from text, and evaluated on counts."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from cranfield.arrays import Mask
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import Numbers, decimal
from cranfield.evidence.rounding import LONG_SUMS, NEAR
from cranfield.frozen import cached_property, frozen
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure

STANDARD = ("Accuracy", "Informedness", "CornerDistance", "F", "FGain", "RateGap")

_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(r"(?P<measure>.+?)(?:\s+(?:where|with)\s+(?P<constraints>.+))?", re.DOTALL)
_NUMBER = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e-?[0-9]+)?"
_CONSTRAINT = re.compile(rf"(?P<measure>.+?)\s*(?P<relation>>=|<=|≥|≤|>|<)\s*(?P<bound>{_NUMBER})")


@frozen
class Constraint:
    """A lower or upper limit of a measure."""

    measure: Measure
    relation: str
    bound: float

    def __str__(self) -> str:
        return f"{self.measure} {self.relation} {self.bound:g}"

    @property
    def monotone(self) -> bool:
        """Whether more true positives or fewer false positives never violate it."""
        upwards = self.relation.startswith(">")
        return self.measure.declaration.monotone and bool(self.measure.declaration.higher_is_better) == upwards

    def met(self, cells: Cells) -> Mask:
        """Which units satisfy it; an undefined value does not."""
        value = self.measure.values(cells)
        met: Mask = _RELATIONS[self.relation](value, self.bound)
        if not cells.whole:  # values that differ only by rounding are equal
            return np.where(np.abs(value - self.bound) < LONG_SUMS, "=" in self.relation, met)
        if self.measure.declaration.parts is not None:  # one division, rounded like the bound
            return met
        close = np.flatnonzero(np.abs(value - self.bound) < NEAR)
        if len(close):
            exact = exact_values(self.measure, cells.take(close))
            met[close] = [_RELATIONS[self.relation](number, decimal(self.bound)) for number in exact]
        return met

    def nearest(self, cells: Cells) -> str:
        """A description of how close units come to it; empty if some satisfy it."""
        value = self.measure.values(cells)
        value = value[~np.isnan(value)]
        if not len(value):
            return f"{self.measure} is undefined at all of them"
        if self.met(cells).any():
            return ""
        upwards = self.relation.startswith(">")
        best = f"at most {value.max():.4g}" if upwards else f"at least {value.min():.4g}"
        return f"{self.measure} is {best}"


@frozen
class Goal:
    """A measure to optimise, subject to constraints."""

    measure: Measure
    constraints: tuple[Constraint, ...] = ()

    def __str__(self) -> str:
        within = " and ".join(map(str, self.constraints))
        return f"{self.measure} where {within}" if within else str(self.measure)

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is better."""
        return -1 if self.measure.declaration.higher_is_better is False else 1

    @cached_property
    def monotone(self) -> bool:
        """Whether some optimal threshold is not dominated in true and false positives by another one."""
        return self.measure.declaration.monotone and all(constraint.monotone for constraint in self.constraints)

    @cached_property
    def strict(self) -> bool:
        """Whether one true positive fewer or one false positive more always makes it worse, on all small counts."""
        if self.constraints:
            return False  # a violated constraint cannot get worse
        tp, fp, fn, tn = np.indices((3, 3, 3, 3), float).reshape(4, -1)
        here, less, more = map(
            self.worth, (Cells(tp + 1, fp, fn, tn + 1), Cells(tp, fp, fn + 1, tn + 1), Cells(tp + 1, fp + 1, fn, tn))
        )
        return bool(((less < here) & (more < here)).all())

    @cached_property
    def _function(self) -> Callable[[Cells], Numbers]:
        return partial(self.measure.declaration.function, **self.measure.options)

    def worth(self, cells: Cells) -> Numbers:
        """The measure with its sign such that higher is better; minus infinity if undefined or not allowed."""
        worth = self.sign * self._function(cells)
        allowed = ~np.isnan(worth)
        for constraint in self.constraints:
            allowed &= constraint.met(cells)
        return worth if allowed.all() else np.where(allowed, worth, -np.inf)


def exact_values(measure: Measure, cells: Cells) -> Numbers:
    """The exact values of a measure."""
    settings = {name: _exact(value) for name, value in measure.options.items()}
    return measure.declaration.function(cells.exact, **settings)


def _exact(value: Any) -> Any:
    exact = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return decimal(value) if exact else value


@cache
def parse_goal(text: str) -> Goal:
    """The goal in a text: a measure, optionally with constraints, such as `Recall where Specificity >= 0.9`."""
    form = _FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if form is None:
        raise BadSetting("a goal is required, such as 'Accuracy' or 'Recall where Specificity >= 0.9'")
    constraints = re.split(r"\s+and\s+|\s*,\s*(?![^()]*\))", form["constraints"]) if form["constraints"] else []
    return Goal(_measure(form["measure"]), tuple(map(_constraint, constraints)))


def _constraint(text: str) -> Constraint:
    form = _CONSTRAINT.fullmatch(text.strip())
    if form is None:
        raise BadSetting(f"{text!r} is not a constraint; write, for example, Specificity >= 0.9")
    relation = {"≥": ">=", "≤": "<="}.get(form["relation"], form["relation"])
    return Constraint(_measure(form["measure"]), relation, float(form["bound"]))


def _measure(text: str) -> Measure:
    measure = parse(text, "binary")
    if measure.name == "EER":
        measure = parse("RateGap", "binary")  # which is 0 at the equal error rate
    if measure.declaration.evidence is not Cells:
        raise BadSetting(f"{measure} depends on all thresholds and cannot be used to choose one")
    measure.require_settings()
    return measure
