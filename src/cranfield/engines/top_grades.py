"""The top grade of measures whose scale depends on one: the highest grade of all judgments, set before scoring.

Decided here: which top grade a measure on a scale has.
"""

from __future__ import annotations

from collections.abc import Iterable

from cranfield.arrays import Floats
from cranfield.measures.graded import takes_top_grade
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.tables.numbers import short_number


def with_top_grade(measures: Iterable[Measure], grade: Floats) -> tuple[Measure, ...]:
    """The measures, on the scale of judgments with these grades where they leave the top grade to them."""
    top = highest_grade(grade)
    return tuple(_with_top_grade(measure, top) for measure in measures)


def highest_grade(grade: Floats) -> float:
    """The highest of the grades, or 1 if no document is relevant, so that every gain is 0."""
    highest = float(grade.max(initial=0))
    return short_number(highest) if highest > 0 else 1


def _with_top_grade(measure: Measure, top: float) -> Measure:
    if "of" in measure.options:
        base = parse(str(measure.options["of"]))
        return measure(of=str(base(top=top))) if takes_top_grade(base.options) else measure
    return measure(top=top) if takes_top_grade(measure.options) else measure
