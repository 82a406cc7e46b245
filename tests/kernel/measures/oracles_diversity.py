"""Diversity as its papers define it, query by query and rank by rank.

Clarke and others 2008 (gain with a price on repetition, and the greedy ideal ranking), Clarke and others 2009 (novelty-
and rank-biased precision), Agrawal and others 2009 (a measure taken for each intent, and the mean over intents),
Chapelle and others 2009 (expected reciprocal rank), Zhai and others 2003 (subtopic recall).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import log2, nan

Covers = dict[str, set[str]]  # document: the subtopics it is relevant to


def gain(ranking: list[str], covers: Covers, alpha: float, discount: Callable[[int], float]) -> float:
    """What a ranking is worth to a user who cares less for a subtopic with every document on it."""
    total, seen = 0.0, Counter[str]()
    for rank, document in enumerate(ranking, 1):
        for subtopic in covers.get(document, ()):
            total += (1 - alpha) ** seen[subtopic] / discount(rank)
            seen[subtopic] += 1
    return total


def ideal(covers: Covers, alpha: float) -> list[str]:
    """The ranking that takes, at each rank, what gains most there; of equals the last by name."""
    left, chosen, seen = set(covers), [], Counter[str]()
    while left:
        worth = {document: sum((1 - alpha) ** seen[topic] for topic in sorted(covers[document])) for document in left}
        best = max(left, key=lambda document: (worth[document], document))
        left.remove(best)
        chosen.append(best)
        seen.update(covers[best])
    return chosen


def subtopics(covers: Covers) -> set[str]:
    return set().union(*covers.values())


def bounded(ranking: list[str], covers: Covers, k: int, alpha: float, discount: Callable[[int], float]) -> float:
    everything = {str(rank): subtopics(covers) for rank in range(k)}
    most = gain(list(everything), everything, alpha, discount)
    return gain(ranking[:k], covers, alpha, discount) / most if most else nan


def normalised(ranking: list[str], covers: Covers, k: int, alpha: float, discount: Callable[[int], float]) -> float:
    best = gain(ideal(covers, alpha)[:k], covers, alpha, discount)
    return gain(ranking[:k], covers, alpha, discount) / best if best else nan


def logarithm(rank: int) -> float:
    return log2(rank + 1)


def alpha_dcg(ranking: list[str], covers: Covers, k: int, alpha: float) -> float:
    return bounded(ranking, covers, k, alpha, logarithm)


def alpha_ndcg(ranking: list[str], covers: Covers, k: int, alpha: float) -> float:
    return normalised(ranking, covers, k, alpha, logarithm)


def err_ia(ranking: list[str], covers: Covers, k: int, alpha: float) -> float:
    """Expected reciprocal rank for each intent, the mean, and that as a share of the most it could be."""
    topics = subtopics(covers)
    total = 0.0
    for topic in topics:
        unsatisfied = 1.0
        for rank, document in enumerate(ranking[:k], 1):
            satisfies = alpha if topic in covers.get(document, ()) else 0
            total += unsatisfied * satisfies / rank / len(topics)
            unsatisfied *= 1 - satisfies
    most = sum(alpha * (1 - alpha) ** (rank - 1) / rank for rank in range(1, k + 1))
    return total / most if topics else nan


def nerr_ia(ranking: list[str], covers: Covers, k: int, alpha: float) -> float:
    return normalised(ranking, covers, k, alpha, float)


def nrbp(ranking: list[str], covers: Covers, alpha: float, beta: float) -> float:
    topics = subtopics(covers)
    whole = gain(ranking, covers, alpha, lambda rank: beta ** (1 - rank))
    return whole * (1 - (1 - alpha) * beta) / len(topics) if topics else nan


def nnrbp(ranking: list[str], covers: Covers, alpha: float, beta: float) -> float:
    best = nrbp(ideal(covers, alpha), covers, alpha, beta)
    return nrbp(ranking, covers, alpha, beta) / best


def of_intents(covers: Covers, value: Callable[[set[str]], float]) -> float:
    """The mean over the intents of a measure, given the documents that are relevant to each."""
    topics = subtopics(covers)
    each = [value({document for document in covers if topic in covers[document]}) for topic in topics]
    return sum(each) / len(each) if each else nan


def p_ia(ranking: list[str], covers: Covers, k: int) -> float:
    return of_intents(covers, lambda relevant: sum(document in relevant for document in ranking[:k]) / k)


def ap_ia(ranking: list[str], covers: Covers) -> float:
    def average_precision(relevant: set[str]) -> float:
        ranks = [rank for rank, document in enumerate(ranking, 1) if document in relevant]
        return sum(count / rank for count, rank in enumerate(ranks, 1)) / len(relevant)

    return of_intents(covers, average_precision)


def subtopic_recall(ranking: list[str], covers: Covers, k: int) -> float:
    return of_intents(covers, lambda relevant: float(any(document in relevant for document in ranking[:k])))
