"""Risk-sensitive measures straight from their papers, from judgments and runs as dicts."""

from __future__ import annotations

import statistics
from math import nan, sqrt

Table = dict[str, dict[str, float]]


def ranking(scores: dict[str, float]) -> list[str]:
    """The documents by score; those with the same score by name, the last first, as trec_eval has them."""
    return sorted(sorted(scores, reverse=True), key=lambda document: -scores[document])


def average_precision(judged: dict[str, float], scores: dict[str, float]) -> float:
    """Average precision of one query."""
    relevant = {document for document, grade in judged.items() if grade >= 1}
    hits, total = 0, 0.0
    for rank, document in enumerate(ranking(scores), start=1):
        if document in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant) if relevant else 0.0


def non_relevant(judged: dict[str, float], scores: dict[str, float]) -> float:
    """Number of documents judged not relevant that were retrieved: better if lower."""
    return sum(0 <= judged.get(document, -1) < 1 for document in scores)


def robustness_index(own: list[float], baseline: list[float]) -> float:
    """(n+ - n-) / n."""
    better = sum(a > b for a, b in zip(own, baseline, strict=True))
    worse = sum(a < b for a, b in zip(own, baseline, strict=True))
    return (better - worse) / len(own)


def differences(own: list[float], baseline: list[float], alpha: float) -> list[float]:
    """The difference on each query, a loss 1 + alpha times."""
    return [(a - b) if a > b else (1 + alpha) * (a - b) for a, b in zip(own, baseline, strict=True)]


def utility(own: list[float], baseline: list[float], alpha: float) -> float:
    """URisk of Wang, Bennett and Collins-Thompson."""
    return statistics.fmean(differences(own, baseline, alpha))


def studentised(own: list[float], baseline: list[float], alpha: float) -> float:
    """TRisk of Dinçer, Macdonald and Ounis."""
    each = differences(own, baseline, alpha)
    spread = statistics.stdev(each) if len(each) > 1 else 0
    return statistics.fmean(each) / (spread / sqrt(len(each))) if spread else nan


def standardised(table: list[list[float]], system: int, alpha: float) -> float:
    """ZRisk: the table has one row per system and one column per query."""
    grand = sum(map(sum, table))
    total = 0.0
    for query, value in enumerate(table[system]):
        expected = sum(table[system]) * sum(row[query] for row in table) / grand if grand else 0
        if expected:
            z = (value - expected) / sqrt(expected)
            total += z if z > 0 else (1 + alpha) * z
    return total


def geometric(table: list[list[float]], system: int, alpha: float) -> float:
    """GeoRisk: the geometric mean of the mean value and the probability of ZRisk per query."""
    n = len(table[system])
    probability = statistics.NormalDist().cdf(standardised(table, system, alpha) / n)
    return sqrt(statistics.fmean(table[system]) * probability)
