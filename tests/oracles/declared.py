"""The oracles by the name of the measure they check."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

from reference.ranking import Ranking

Oracle = Callable[..., float]

ORACLES: dict[str, Oracle] = {}
MICRO: dict[str, Callable[..., float]] = {}


def oracle(*names: str) -> Callable[[Oracle], Oracle]:
    """Declare what the measures of these names ought to be."""

    def declare(function: Oracle) -> Oracle:
        ORACLES.update(dict.fromkeys(names, function))
        return function

    return declare


def share(part: float, whole: float) -> float:
    """The part as a share of the whole, NaN of nothing."""
    return part / whole if whole else nan


def at_least(rel: float, grade: float | None) -> bool:
    """Whether a document is relevant: it has a grade, and that is high enough."""
    return grade is not None and grade >= rel


def first(ranking: Ranking, k: int | None) -> tuple[float | None, ...]:
    """The grades of the first k."""
    return ranking.grades if k is None else ranking.grades[:k]


def n_relevant(ranking: Ranking, rel: float) -> int:
    """How many relevant documents there are, retrieved or not."""
    return sum(grade >= rel for grade in ranking.pool)


def expected(name: str, ranking: Ranking, settings: dict[str, Any]) -> float:
    """What the measure ought to be for one query."""
    given = dict(settings)
    return ORACLES[name](seen(ranking, given), **given)


def seen(ranking: Ranking, settings: dict[str, Any]) -> Ranking:
    """The ranking as the settings take its unjudged documents; that setting is used up."""
    unjudged = settings.pop("unjudged", None)
    if unjudged == "skip":
        return ranking.condensed()
    return ranking if unjudged is None else ranking.filled(unjudged, settings.get("k"))
