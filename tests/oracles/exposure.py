"""Expected exposure of a ranking, with a vector of exposures over all documents."""

from __future__ import annotations

from itertools import groupby

from oracles.declared import first, oracle
from reference.ranking import Ranking

Vector = dict[str, float]


def exposures(ranking: Ranking, k: int | None, p: float) -> Vector:
    """What each ranked document gets; documents are named by their places."""
    return {f"ranked {place}": p**place for place, _ in enumerate(first(ranking, k))}


def target(ranking: Ranking, rel: float, p: float) -> Vector:
    """The mean exposure of each relevant document over the orders of an ideal ranking, level by level."""
    judged = [(f"ranked {place}", grade) for place, grade in enumerate(ranking.grades) if grade is not None]
    judged += [(f"missed {place}", grade) for place, grade in enumerate(ranking.missed)]
    relevant = sorted((pair for pair in judged if pair[1] >= max(rel, 0)), key=lambda pair: -pair[1])
    wanted: Vector = {}
    for _, level in groupby(relevant, key=lambda pair: pair[1]):
        names = [name for name, _ in level]
        ranks = range(len(wanted), len(wanted) + len(names))
        wanted |= dict.fromkeys(names, sum(p**rank for rank in ranks) / len(names))
    return wanted


@oracle("EE_D")
def disparity(ranking: Ranking, *, k: int | None, p: float) -> float:
    """The squared length of the vector of exposures."""
    return sum(each**2 for each in exposures(ranking, k, p).values())


@oracle("EE_R")
def relevance(ranking: Ranking, *, k: int | None, rel: float, p: float) -> float:
    """The product of the two vectors."""
    got, wanted = exposures(ranking, k, p), target(ranking, rel, p)
    return sum(got.get(name, 0) * wanted[name] for name in wanted)


@oracle("EE_L")
def loss(ranking: Ranking, *, k: int | None, rel: float, p: float) -> float:
    """The squared distance of the two vectors."""
    got, wanted = exposures(ranking, k, p), target(ranking, rel, p)
    return sum((got.get(name, 0) - wanted.get(name, 0)) ** 2 for name in {*got, *wanted})
