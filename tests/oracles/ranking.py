"""Rankings with relevance in two kinds, rank by rank."""

from __future__ import annotations

from math import ceil, floor, log, log2, nan, sqrt

from oracles.declared import at_least, first, n_relevant, oracle, share
from reference.ranking import Ranking

Point = tuple[float, float]


def relevance(ranking: Ranking, rel: float, k: int | None = None) -> list[bool]:
    """Whether each of the first k is relevant."""
    return [at_least(rel, grade) for grade in first(ranking, k)]


def precision_at(ranking: Ranking, rel: float, rank: int) -> float:
    """Precision at a rank of the ranking."""
    return sum(relevance(ranking, rel, rank)) / rank


def points(ranking: Ranking, rel: float) -> list[Point]:
    """Recall and precision at each rank."""
    total = n_relevant(ranking, rel)
    return [
        (sum(relevance(ranking, rel, rank)) / total, precision_at(ranking, rel, rank))
        for rank in range(1, len(ranking.grades) + 1)
    ]


def ranks(ranking: Ranking, rel: float, k: int | None = None) -> list[int]:
    """The ranks at which relevant documents stand."""
    return [rank for rank, relevant in enumerate(relevance(ranking, rel, k), 1) if relevant]


@oracle("RR")
def reciprocal_rank(ranking: Ranking, k: int | None, rel: float) -> float:
    found = ranks(ranking, rel, k)
    return 1 / found[0] if found else 0


@oracle("Success")
def success(ranking: Ranking, k: int | None, rel: float) -> float:
    return float(any(relevance(ranking, rel, k)))


@oracle("AP", "GMAP")
def average_precision(ranking: Ranking, k: int | None, rel: float) -> float:
    total = sum(precision_at(ranking, rel, rank) for rank in ranks(ranking, rel, k))
    return share(total, n_relevant(ranking, rel))


@oracle("Rprec")
def r_precision(ranking: Ranking, rel: float, multiple: float) -> float:
    """trec_eval adds 0.9 to the rank before cutting it down to a whole number."""
    depth = floor(multiple * n_relevant(ranking, rel) + 0.9)
    return share(sum(relevance(ranking, rel, depth)), depth)


@oracle("BEP")
def break_even_point(ranking: Ranking, rel: float) -> float:
    """Precision and recall have one numerator, so they meet at the rank that is the number of relevant documents."""
    for rank in range(1, len(ranking.grades) + 1):
        if rank == n_relevant(ranking, rel):
            return precision_at(ranking, rel, rank)
    return nan


def needed(recall: float, total: int, rounding: str) -> int:
    """How many relevant documents a recall stands for."""
    if rounding == "exact":
        return next(count for count in range(total + 1) if count / total >= recall - 1e-9)
    return floor(recall * total + {"trec9": 0.9, "trec10": 0.5}[rounding])


@oracle("IPrec")
def interpolated_precision(ranking: Ranking, recall: float, rel: float, rounding: str) -> float:
    total = n_relevant(ranking, rel)
    if not total:
        return nan
    count = needed(recall, total, rounding)
    best = 0.0
    for rank in range(1, len(ranking.grades) + 1):
        if sum(relevance(ranking, rel, rank)) >= count:
            best = max(best, precision_at(ranking, rel, rank))
    return best


@oracle("IAP")
def interpolated_average(ranking: Ranking, rel: float, levels: tuple[float, ...], rounding: str) -> float:
    return sum(interpolated_precision(ranking, level, rel, rounding) for level in levels) / len(levels)


@oracle("PAtR")
def precision_at_recall(ranking: Ranking, recall: float, rel: float, reading: str) -> float:
    total = n_relevant(ranking, rel)
    if not total:
        return nan
    count = ceil(recall * total - 1e-9)
    reached = [
        precision_at(ranking, rel, rank)
        for rank in range(1, len(ranking.grades) + 1)
        if (so_far := sum(relevance(ranking, rel, rank))) >= count and (so_far or reading == "highest")
    ]
    if not reached:
        return 0
    return reached[0] if reading == "first" else max(reached)


@oracle("SysEff")
def system_efficiency(ranking: Ranking, rel: float) -> float:
    """The distance of (0, 0) leaves no efficiency, so a run that finds nothing has none."""
    if not n_relevant(ranking, rel):
        return nan
    distance = min((sqrt((1 - r) ** 2 + (1 - p) ** 2) for r, p in points(ranking, rel)), default=sqrt(2))
    return 1 - distance / sqrt(2)


@oracle("AUPR")
def area(ranking: Ranking, rel: float, rule: str) -> float:
    if not n_relevant(ranking, rel):
        return nan
    curve = points(ranking, rel)
    total = 0.0
    before: Point = (0, 1)
    for place, (recall, precision) in enumerate(curve):
        height = {
            "trapezoid": (before[1] + precision) / 2,
            "step": precision,
            "interpolated": max(later for _, later in curve[place:]),
        }[rule]
        total += height * (recall - before[0])
        before = recall, precision
    return total


@oracle("BinG")
def binary_g(ranking: Ranking, rel: float) -> float:
    total = 0.0
    for rank in ranks(ranking, rel):
        total += 1 / log2(2 + relevance(ranking, rel, rank).count(False))
    return share(total, n_relevant(ranking, rel))


@oracle("Yaap")
def yaap(ranking: Ranking, rel: float) -> float:
    total = n_relevant(ranking, rel)
    gained = sum(precision_at(ranking, rel, rank) for rank in ranks(ranking, rel))
    return log((1 + gained) / (1 + total - gained))


@oracle("Accuracy")
def pairwise_accuracy(ranking: Ranking, k: int | None, rel: float) -> float:
    relevant = relevance(ranking, rel, k)
    pairs = [(i, j) for i in range(len(relevant)) for j in range(len(relevant)) if relevant[i] and not relevant[j]]
    return share(sum(i < j for i, j in pairs), len(pairs))
