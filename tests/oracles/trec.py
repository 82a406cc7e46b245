"""trec_eval's own experiments with gains, rank by rank."""

from __future__ import annotations

from math import log2

from oracles.declared import oracle, share
from oracles.graded import Gain, discounted, ideal, worth
from reference.ranking import Ranking


@oracle("G")
def normalised_gain(ranking: Ranking, gain: Gain) -> float:
    best = ideal(ranking.pool, gain)
    total = cost = gained = 0.0
    for place, grade in enumerate(ranking.grades):
        own = worth(grade, gain)
        cost += max(best[place], 1) if place < len(best) else 1
        gained += own
        total += own / log2(2 + cost - gained)
    return share(total, sum(best))


@oracle("Rndcg")
def at_levels(ranking: Ranking, gain: Gain) -> float:
    best = ideal(ranking.pool, gain)
    gains = [worth(grade, gain) for grade in ranking.grades]
    depths = [depth for depth in range(1, len(best) + 1) if depth == len(best) or best[depth] != best[depth - 1]]
    if len(gains) > len(best) + 1:
        depths.append(len(gains))
    return share(
        sum(_dcg(gains[:depth]) / _dcg(best[:depth]) for depth in depths) if best else 0, len(depths) if best else 0
    )


@oracle("NdcgRel")
def at_relevant(ranking: Ranking, gain: Gain) -> float:
    best = ideal(ranking.pool, gain)
    gains = [worth(grade, gain) for grade in ranking.grades]
    found = [rank for rank, own in enumerate(gains, 1) if own > 0]
    total = sum(_dcg(gains[:rank]) / _dcg(best[:rank]) for rank in found)
    if len(best) > len(found):
        total += (len(best) - len(found)) * _dcg(gains) / _dcg(best)
    return share(total, len(best))


def _dcg(gains: list[float]) -> float:
    return discounted(gains, None, "log(i+1)", 2)
