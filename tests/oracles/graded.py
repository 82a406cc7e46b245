"""Rankings with relevance in grades, rank by rank."""

from __future__ import annotations

from math import log

from oracles.declared import at_least, first, n_relevant, oracle, share
from reference.ranking import Ranking

Gain = str | tuple[tuple[float, float], ...]


def worth(grade: float | None, gain: Gain, rel: float | None = None) -> float:
    """What a document of this grade is worth; an unjudged one or one below the level nothing."""
    if grade is None or (rel is not None and grade < rel):
        return 0
    if isinstance(gain, tuple) and grade in dict(gain):
        return dict(gain)[grade]
    known = max(grade, 0)
    return 2**known - 1 if gain == "exp2" else known


def ideal(grades: list[float], gain: Gain) -> list[float]:
    """The gains of these documents, best first, as far as they are worth having."""
    return sorted((worth(grade, gain) for grade in grades if worth(grade, gain) > 0), reverse=True)


def discounted(gains: list[float], k: int | None, discount: str, base: float) -> float:
    """Each gain divided by a logarithm of its rank."""
    total = 0.0
    for rank, gain in enumerate(gains if k is None else gains[:k], 1):
        if discount == "log(i+1)":
            total += gain / log(rank + 1, base)
        else:
            total += gain if rank < base else gain / log(rank, base)
    return total


@oracle("CG")
def cumulative_gain(ranking: Ranking, k: int | None, gain: Gain) -> float:
    return sum(worth(grade, gain) for grade in first(ranking, k))


@oracle("nCG")
def normalised_cumulative_gain(ranking: Ranking, k: int | None, top: float | str) -> float:
    shown = first(ranking, k)
    return share(sum(of_top(ranking, grade, top) for grade in shown), len(shown) if k is None else k)


def of_top(ranking: Ranking, grade: float | None, top: float | str) -> float:
    """A grade as a share of the top grade, at most the whole of it."""
    best = top_grade(ranking, top)
    return 0 if grade is None or grade <= 0 else min(grade / best, 1)


def top_grade(ranking: Ranking, top: float | str) -> float:
    """The top grade itself, or the highest of the query; a ranking alone does not tell that of all judgments."""
    return max([0.0, *ranking.pool]) if top == "query" else float(top)


@oracle("RelCG")
def gain_over_ideal(ranking: Ranking, k: int | None, gain: Gain) -> float:
    return share(cumulative_gain(ranking, k, gain), sum(ideal(ranking.pool, gain)[:k]))


@oracle("DCG")
def discounted_gain(
    ranking: Ranking, k: int | None, gain: Gain, discount: str, base: float, rel: float | None
) -> float:
    return discounted([worth(grade, gain, rel) for grade in ranking.grades], k, discount, base)


@oracle("IDCG")
def ideal_gain(
    ranking: Ranking, k: int | None, gain: Gain, discount: str, base: float, ideal: str, rel: float | None
) -> float:
    retrieved = [grade for grade in ranking.grades if grade is not None]
    among = ranking.pool if ideal == "judged" else retrieved
    return discounted(_ideal([grade for grade in among if rel is None or grade >= rel], gain), k, discount, base)


_ideal = ideal


@oracle("nDCG")
def normalised_gain(
    ranking: Ranking, k: int | None, gain: Gain, discount: str, base: float, ideal: str, rel: float | None
) -> float:
    best = ideal_gain(ranking, k, gain, discount, base, ideal, rel)
    return share(discounted_gain(ranking, k, gain, discount, base, rel), best)


def expected_rank(grades: tuple[float | None, ...], top: float) -> float:
    """A user reads downwards and stops at a document of grade g with probability (2^g - 1)/2^top."""
    total, reading = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        stops = (2 ** min(max(grade or 0, 0), top) - 1) / 2**top
        total += reading * stops / rank
        reading *= 1 - stops
    return total


@oracle("ERR")
def expected_reciprocal_rank(ranking: Ranking, k: int | None, top: float) -> float:
    return expected_rank(first(ranking, k), top)


@oracle("nERR")
def normalised_expected_rank(ranking: Ranking, k: int | None, top: float) -> float:
    best = Ranking(tuple(sorted(ranking.pool, reverse=True)))
    return share(expected_rank(first(ranking, k), top), expected_rank(first(best, k), top))


@oracle("Q")
def q_measure(ranking: Ranking, k: int | None, rel: float, beta: float) -> float:
    """At each relevant document, what was gained and found so far over the ideal gains so far and the rank."""
    best = sorted((grade for grade in ranking.pool if grade >= rel), reverse=True)
    total = gained = found = 0.0
    for rank, grade in enumerate(first(ranking, k), 1):
        if grade is not None and grade >= rel:
            gained, found = gained + grade, found + 1
            total += (found + beta * gained) / (rank + beta * sum(best[:rank]))
    return share(total, n_relevant(ranking, rel))


@oracle("GAP")
def graded_average_precision(ranking: Ranking, k: int | None) -> float:
    """Two documents agree on as many thresholds as the lower of their grades passes."""
    known = [max(grade or 0, 0) for grade in first(ranking, k)]
    total = sum(sum(min(above, grade) for above in known[:rank]) / rank for rank, grade in enumerate(known, 1))
    return share(total, sum(max(grade, 0) for grade in ranking.pool))


@oracle("RBP")
def rank_biased_precision(ranking: Ranking, k: int | None, p: float, rel: float, gain: Gain, top: float | str) -> float:
    best = 1.0 if gain == "binary" else top_grade(ranking, top)
    total = 0.0
    for rank, grade in enumerate(first(ranking, k), 1):
        if gain == "binary":
            satisfied = float(at_least(rel, grade))
        elif isinstance(gain, tuple):
            largest = max([1.0, worth(best, gain), *(value for _, value in gain)])
            satisfied = min(max(worth(grade, gain), 0), largest) / largest
        elif grade is None or grade <= 0:
            satisfied = 0
        else:
            satisfied = worth(min(grade, best), gain) / worth(best, gain)
        total += satisfied * p ** (rank - 1)
    return (1 - p) * total


@oracle("RBPRes")
def rank_biased_residual(ranking: Ranking, k: int | None, p: float, rule: str) -> float:
    """The weight of the ranks that hold no judged document, down to infinity; trec_eval asks whether one was seen."""
    shown = first(ranking, k)
    open_ranks = [rank for rank, grade in enumerate(shown, 1) if grade is None or grade < 0]
    if rule == "trec" and not open_ranks:
        return 0.0
    return p ** len(shown) + (1 - p) * sum(p ** (rank - 1) for rank in open_ranks)
