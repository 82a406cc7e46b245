"""Goals: what a threshold is chosen for, as text and as a thing that can be computed."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.exact import NEAR, ROUNDING, Numbers, decimal
from cranfield.registry import Measure, parse

Mask = NDArray[np.bool_]

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


@dataclass(frozen=True)
class Constraint:
    """What a measure must be at least or at most."""

    measure: Measure
    relation: str
    bound: float

    def __str__(self) -> str:
        return f"{self.measure} {self.relation} {self.bound:g}"

    @property
    def monotone(self) -> bool:
        """Whether more true and fewer false positives never break it."""
        upwards = self.relation.startswith(">")
        return self.measure.family.monotone and bool(self.measure.family.higher_is_better) == upwards

    def met(self, cells: Cells) -> Mask:
        """Which units satisfy it; an undefined value does not."""
        value = self.measure.values(cells)
        met: Mask = _RELATIONS[self.relation](value, self.bound)
        if not cells.whole:  # what differs by rounding alone is the same
            return np.where(np.abs(value - self.bound) < ROUNDING, "=" in self.relation, met)
        if self.measure.family.parts is not None:  # one division, rounded as the bound is
            return met
        close = np.flatnonzero(np.abs(value - self.bound) < NEAR)
        if len(close):
            exact = exact_values(self.measure, cells.take(close))
            met[close] = [_RELATIONS[self.relation](number, decimal(self.bound)) for number in exact]
        return met

    def nearest(self, cells: Cells) -> str:
        """How near units come to it, in words; nothing if some satisfy it."""
        value = self.measure.values(cells)
        value = value[~np.isnan(value)]
        if not len(value):
            return f"{self.measure} is undefined at all of them"
        if self.met(cells).any():
            return ""
        upwards = self.relation.startswith(">")
        best = f"at most {value.max():.4g}" if upwards else f"at least {value.min():.4g}"
        return f"{self.measure} is {best}"


@dataclass(frozen=True)
class Goal:
    """A measure to make as good as can be, within constraints."""

    measure: Measure
    constraints: tuple[Constraint, ...] = ()

    def __str__(self) -> str:
        within = " and ".join(map(str, self.constraints))
        return f"{self.measure} where {within}" if within else str(self.measure)

    @property
    def sign(self) -> int:
        """1 if the measure is to be high, -1 if it is to be low."""
        return -1 if self.measure.family.higher_is_better is False else 1

    @cached_property
    def monotone(self) -> bool:
        """Whether one of the best thresholds is among those that no other beats on both counts."""
        return self.measure.family.monotone and all(constraint.monotone for constraint in self.constraints)

    @cached_property
    def strict(self) -> bool:
        """Whether a true positive less and a false positive more always make it worse: tried on all small counts."""
        if self.constraints:
            return False  # what is out of bounds already cannot get worse
        tp, fp, fn, tn = np.indices((3, 3, 3, 3), float).reshape(4, -1)
        here, less, more = map(
            self.worth, (Cells(tp + 1, fp, fn, tn + 1), Cells(tp, fp, fn + 1, tn + 1), Cells(tp + 1, fp + 1, fn, tn))
        )
        return bool(((less < here) & (more < here)).all())

    @cached_property
    def _function(self) -> Callable[[Cells], Numbers]:
        return partial(self.measure.family.function, **self.measure.options)

    @cached_property
    def text(self) -> str:
        """The goal as it is written."""
        return str(self)

    def worth(self, cells: Cells) -> Numbers:
        """The measure, turned so that higher is better; minus infinity where it is undefined or not allowed."""
        worth = self.sign * self._function(cells)
        allowed = ~np.isnan(worth)
        for constraint in self.constraints:
            allowed &= constraint.met(cells)
        return worth if allowed.all() else np.where(allowed, worth, -np.inf)


def exact_values(measure: Measure, cells: Cells) -> Numbers:
    """The values of a measure without rounding."""
    settings = {name: _exact(value) for name, value in measure.options.items()}
    return measure.family.function(cells.exact, **settings)


def _exact(value: Any) -> Any:
    return decimal(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


@cache
def parse_goal(text: str) -> Goal:
    """The goal a text names: a measure, or one within limits, as in `Recall where Specificity >= 0.9`."""
    form = _FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if form is None:
        raise BadSetting("a goal is needed, such as 'Accuracy' or 'Recall where Specificity >= 0.9'")
    constraints = re.split(r"\s+and\s+|\s*,\s*(?![^()]*\))", form["constraints"]) if form["constraints"] else []
    return Goal(_measure(form["measure"]), tuple(map(_constraint, constraints)))


def _constraint(text: str) -> Constraint:
    form = _CONSTRAINT.fullmatch(text.strip())
    if form is None:
        raise BadSetting(f"{text!r} is no limit; one is written as in Specificity >= 0.9")
    relation = {"≥": ">=", "≤": "<="}.get(form["relation"], form["relation"])
    return Constraint(_measure(form["measure"]), relation, float(form["bound"]))


def _measure(text: str) -> Measure:
    measure = parse(text, "binary")
    if measure.family.evidence is not Cells:
        raise BadSetting(f"{measure} looks at all thresholds, and cannot be the goal of choosing one")
    measure.require_settings()
    return measure
