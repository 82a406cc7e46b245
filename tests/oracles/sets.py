"""Sets and counts: everything follows from how many documents are retrieved, relevant, or both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import sqrt
from typing import Any

from oracles.declared import MICRO, ORACLES, at_least, first, n_relevant, oracle, seen, share
from reference.ranking import Ranking


@dataclass(frozen=True)
class Counts:
    """What there is to count in one query, or in several together."""

    queries: int
    both: int  # retrieved and relevant
    retrieved: int
    ranks: int  # looked at, whether a document stands there or not
    relevant: int
    judged: int
    judged_retrieved: int
    nonrelevant_retrieved: int
    at_level: int  # retrieved with at least the grade that NumRet asks for
    collection: int

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


def counts(ranking: Ranking, k: int | None = None, rel: float | None = 1, collection: int = 0, **_: Any) -> Counts:
    """What one ranking counts."""
    level = 1 if rel is None else rel
    top = first(ranking, k)
    judged = [grade for grade in top if grade is not None and grade >= 0]
    return Counts(
        queries=1,
        both=sum(at_least(level, grade) for grade in top),
        retrieved=len(top),
        ranks=len(top) if k is None else k,
        relevant=n_relevant(ranking, level),
        judged=len(ranking.judged),
        judged_retrieved=len(judged),
        nonrelevant_retrieved=sum(grade < level for grade in judged),
        at_level=len(top) if rel is None else sum(at_least(level, grade) for grade in top),
        collection=collection,
    )


def of_counts(name: str) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Declare an oracle that needs the counts alone, of one query or, for the micro-average, of all of them."""

    def declare(function: Callable[..., float]) -> Callable[..., float]:
        def one(ranking: Ranking, **settings: Any) -> float:
            return function(counts(ranking, **settings), **settings)

        def micro(rankings: list[Ranking], settings: dict[str, Any]) -> float:
            total = Counts(*[0] * len(fields(Counts)))
            for ranking in rankings:
                given = dict(settings)
                total += counts(seen(ranking, given), **given)
            return function(total, **given)

        ORACLES[name], MICRO[name] = one, micro
        return function

    return declare


of_counts("P")(lambda n, **_: share(n.both, n.ranks))
of_counts("R")(lambda n, **_: share(n.both, n.relevant))
of_counts("GMeasure")(lambda n, **_: share(n.both, sqrt(n.ranks * n.relevant)))
of_counts("Jaccard")(lambda n, **_: share(n.both, n.ranks + n.relevant - n.both))
of_counts("Dice")(lambda n, **_: share(2 * n.both, n.ranks + n.relevant))
of_counts("Fallout")(lambda n, **_: share(n.retrieved - n.both, n.collection - n.relevant))
of_counts("MissRate")(lambda n, **_: share(n.relevant - n.both, n.relevant))
of_counts("Specificity")(
    lambda n, **_: share(n.collection - n.relevant - n.retrieved + n.both, n.collection - n.relevant)
)
of_counts("NPV")(lambda n, **_: share(n.collection - n.retrieved - n.relevant + n.both, n.collection - n.retrieved))
of_counts("ErrorRate")(lambda n, **_: share(n.retrieved - n.both + n.relevant - n.both, n.collection))
of_counts("Generality")(lambda n, **_: share(n.relevant, n.collection))
of_counts("NumQ")(lambda n, **_: n.queries)
of_counts("NumRet")(lambda n, **_: n.at_level)
of_counts("NumRel")(lambda n, **_: n.relevant)
of_counts("NumRelRet")(lambda n, **_: n.both)
of_counts("Hits")(lambda n, **_: n.both)
of_counts("NumNonrelRet")(lambda n, **_: n.nonrelevant_retrieved)
of_counts("NumJudged")(lambda n, **_: n.judged)
of_counts("NumUnjudgedRet")(lambda n, **_: n.retrieved - n.judged_retrieved)


@of_counts("F")
def f_measure(n: Counts, beta: float, alpha: float | None, **_: Any) -> float:
    """1/F = alpha/P + (1 - alpha)/R, which is alpha * ranks/both + (1 - alpha) * relevant/both."""
    weight = 1 / (1 + beta * beta) if alpha is None else alpha
    return share(n.both, weight * n.ranks + (1 - weight) * n.relevant)


@of_counts("SetAccuracy")
def set_accuracy(n: Counts, **_: Any) -> float:
    """Right are the relevant ones retrieved and the others left out."""
    left_out = n.collection - n.retrieved - (n.relevant - n.both)
    return share(n.both + left_out, n.collection)


@oracle("RelP")
def relative_precision(ranking: Ranking, k: int | None, rel: float) -> float:
    n = counts(ranking, k, rel)
    return share(n.both, min(n.ranks, n.relevant))


@oracle("SetAP")
def set_average_precision(ranking: Ranking, rel: float) -> float:
    n = counts(ranking, None, rel)
    return share(n.both, n.retrieved) * share(n.both, n.relevant)


@oracle("Utility")
def utility(
    ranking: Ranking,
    found_relevant: float,
    found_other: float,
    missed: float,
    spared: float,
    collection: float,
    rel: float,
) -> float:
    n = counts(ranking, None, rel)
    found, wrong, lost = n.both, n.retrieved - n.both, n.relevant - n.both
    return found * found_relevant + wrong * found_other + lost * missed + (collection - found - wrong - lost) * spared


@oracle("Judged")
def judged(ranking: Ranking, k: int | None) -> float:
    n = counts(ranking, k)
    return share(n.judged_retrieved, n.retrieved)


@oracle("Unjudged")
def unjudged(ranking: Ranking, k: int | None) -> float:
    n = counts(ranking, k)
    return share(n.retrieved - n.judged_retrieved, n.ranks)
