"""trec_eval 10's values for one topic, rank by rank, for what pytrec_eval does not have.

A ranking is a list of grades: -1 for a document that is not in the pool, -2 for one that was pooled and not judged.
The pool holds the grades of all pooled documents, retrieved or not.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor, log, log2

Grades = list[int]
Gains = dict[int, float]


def gain(grade: int, gains: Gains) -> float:
    """What a document is worth: what was said, or its grade if it has one."""
    return gains.get(grade, max(grade, 0))


def ideal(pool: Grades, gains: Gains) -> list[float]:
    """The gains of the best ranking: of judged documents, as long as they are worth something."""
    return sorted((worth for grade in pool if grade >= 0 and (worth := gain(grade, gains)) > 0), reverse=True)


def dcg(worth: list[float]) -> float:
    """Gains, each over the logarithm of its rank and one."""
    return sum(value / log2(rank + 1) for rank, value in enumerate(worth, 1) if value)


def discounted(ranked: Grades, pool: Grades, gains: Gains) -> float:
    return dcg([gain(grade, gains) for grade in ranked])


def ideal_discounted(ranked: Grades, pool: Grades, gains: Gains) -> float:
    return dcg(ideal(pool, gains))


def normalised(ranked: Grades, pool: Grades, gains: Gains) -> float:
    best = ideal_discounted(ranked, pool, gains)
    return discounted(ranked, pool, gains) / best if best > 0 else 0.0


def at_relevant(ranked: Grades, pool: Grades, gains: Gains) -> float:
    """ndcg_rel: the mean over the documents worth something of nDCG where they are, or at the end."""
    worth, best = [gain(grade, gains) for grade in ranked], ideal(pool, gains)
    points = [dcg(worth[:rank]) / dcg(best[:rank]) for rank in range(1, len(worth) + 1) if worth[rank - 1] > 0 and best]
    points += [normalised(ranked, pool, gains)] * (len(best) - len(points))
    return sum(points) / len(best) if best and sum(points) > 0 else 0.0


def normalised_gain(ranked: Grades, pool: Grades, gains: Gains) -> float:
    """G: gains over the logarithm of two more than what was forgone; a rank costs its ideal gain, or 1."""
    best, total, cost, gained = ideal(pool, gains), 0.0, 0.0, 0.0
    for place, grade in enumerate(ranked):
        gained += gain(grade, gains)
        cost += max(best[place] if place < len(best) else 0.0, 1.0)
        total += gain(grade, gains) / log2(2 + cost - gained) if gain(grade, gains) else 0.0
    return total / sum(best) if best else 0.0


def rank_biased(ranked: Grades, pool: Grades, gains: Gains, p: float) -> float:
    """rbp with gains brought between 0 and 1 if one of the topic's, or of those said, is not."""
    judged = [grade for grade in pool if grade >= 0]
    table = {grade: float(grade) for grade in range(max(judged, default=0) + 1)} | gains
    low, high = min(table.values()), max(table.values())
    if low < 0 or high > 1:
        table = {grade: (worth - low) / (high - low) for grade, worth in table.items()}
    return (1 - p) * sum(table.get(grade, 0.0) * p**place for place, grade in enumerate(ranked))


def residual(ranked: Grades, p: float) -> float:
    """rbp_resid: what unjudged documents and those not retrieved could add, if there is an unjudged one."""
    power, total = 1.0, 0.0  # multiplied and added rank by rank, which the last digit may show
    for grade in ranked:
        total += power if grade < 0 else 0.0
        power *= p
    return power + (1 - p) * total if min(ranked) < 0 else 0.0


def unjudged(ranked: Grades, k: int) -> float:
    return sum(grade < 0 for grade in ranked[:k]) / k


def relevant(ranked: Grades, level: int) -> list[int]:
    """The ranks of the relevant documents."""
    return [rank for rank, grade in enumerate(ranked, 1) if grade >= level]


def yaap(ranked: Grades, pool: Grades, level: int) -> float:
    total = sum(count / rank for count, rank in enumerate(relevant(ranked, level), 1))
    return log((1 + total) / (1 + sum(grade >= level for grade in pool) - total))


def interpolated(ranked: Grades, pool: Grades, level: int, recall: float) -> float:
    """iprec_at_recall as version 10 rounds it."""
    ranks = relevant(ranked, level)
    needed = floor(recall * sum(grade >= level for grade in pool) + 0.5)
    return max([count / rank for count, rank in enumerate(ranks, 1) if count >= needed], default=0.0)


def average(ranked: Grades, pool: Grades, level: int, recalls: list[float]) -> float:
    return sum(interpolated(ranked, pool, level, recall) for recall in recalls) / len(recalls)


def f_measure(ranked: Grades, pool: Grades, level: int, x: float) -> float:
    found = len(relevant(ranked, level))
    if not found:
        return 0.0
    precision, recall = found / len(ranked), found / sum(grade >= level for grade in pool)
    return (x + 1) * precision * recall / (x * precision + recall)


def utility(ranked: Grades, pool: Grades, level: int, worth: tuple[float, ...], collection: int) -> float:
    found, total = len(relevant(ranked, level)), sum(grade >= level for grade in pool)
    counts = found, len(ranked) - found, total - found, collection + found - len(ranked) - total
    return sum(each * count for each, count in zip(worth, counts, strict=True))


def string(ranked: Grades, length: int) -> str:
    characters = {-1: "-", -2: "."}
    return "".join(characters.get(grade, str(grade) if grade <= 9 else ">") for grade in ranked[: max(length, 0)])


Valued = Callable[[Grades, Grades], float]
