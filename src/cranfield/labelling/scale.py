"""The grade scale of a benchmark: ordered labels, their gains, and the lowest relevant grade."""

from __future__ import annotations

import math
from itertools import pairwise

from cranfield.errors import BadInput
from cranfield.frozen import frozen


@frozen
class Grade:
    """One grade: the number in the qrels, the label that assessors see, and the gain that measures use."""

    value: int
    label: str
    gain: float


@frozen
class Scale:
    """All grades, lowest first; documents are relevant at grade `relevant_from` or higher."""

    grades: tuple[Grade, ...]
    relevant_from: int

    def __post_init__(self) -> None:
        values = [grade.value for grade in self.grades]
        labels = [grade.label.strip() for grade in self.grades]
        if len(values) < 2:
            raise BadInput(f"a scale needs at least two grades; got {len(values)}")
        for lower, higher in pairwise(self.grades):
            if lower.value >= higher.value:
                raise BadInput(f"grades must ascend: {higher.value} ({higher.label!r}) follows {lower.value}")
            if lower.gain > higher.gain:
                raise BadInput(f"the gain of {higher.label!r} must be at least that of {lower.label!r}, {lower.gain:g}")
        if not all(math.isfinite(grade.gain) and grade.gain >= 0 for grade in self.grades):
            raise BadInput("gains must be finite and not negative")
        if values[0] < 0:
            raise BadInput(f"grades must not be negative, got {values[0]}: negative grades mean unjudged in qrels")
        if "" in labels or len({label.casefold() for label in labels}) < len(labels):
            raise BadInput(f"the labels of the grades must be distinct; got {', '.join(map(repr, labels))}")
        if self.relevant_from not in values[1:]:
            choices = ", ".join(map(str, values[1:]))
            raise BadInput(f"the lowest relevant grade must be one of {choices}, not {self.relevant_from}")

    def __contains__(self, value: object) -> bool:
        return any(grade.value == value for grade in self.grades)

    def __getitem__(self, value: int) -> Grade:
        """The grade with this value."""
        self.require(value)
        return next(grade for grade in self.grades if grade.value == value)

    def require(self, value: int) -> None:
        """Refuse a value that is not on the scale."""
        if value not in self:
            raise BadInput(f"{value!r} is not on the scale {', '.join(str(grade.value) for grade in self.grades)}")

    def relevant(self, value: int) -> bool:
        """Whether a document with this grade is relevant."""
        return self[value].value >= self.relevant_from


_FOUR = ((0, "Not relevant", 0), (1, "Somewhat relevant", 1), (2, "Relevant", 3), (3, "Highly relevant", 7))
FOUR_GRADES = Scale(tuple(Grade(*grade) for grade in _FOUR), relevant_from=1)
