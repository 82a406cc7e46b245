"""Measures for judgments that are not complete, document by document."""

from __future__ import annotations

from oracles.declared import n_relevant, oracle, share
from reference.ranking import Ranking


@oracle("Bpref", "GMBpref")
def binary_preference(ranking: Ranking, rel: float, form: str, capped: bool) -> float:
    total = n_relevant(ranking, rel)
    others = sum(grade < rel for grade in ranking.judged)
    gained, above = 0.0, 0
    for grade in ranking.grades:
        if grade is None or grade < 0:
            continue
        if grade < rel:
            above += 1
        elif form == "trec":
            gained += 1 - (min(above, total) / min(others, total) if above else 0)
        else:
            gained += 1 - (min(above, total) if capped else above) / total
    return share(gained, total)


@oracle("infAP")
def inferred_average_precision(ranking: Ranking, rel: float) -> float:
    """The precision above a relevant document is that of the judged ones there, times the share that was pooled."""
    little = 0.00001
    total, relevant, other, unsampled = 0.0, 0, 0, 0
    for above, grade in enumerate(ranking.grades):
        if grade is None:
            continue
        if grade < 0:
            unsampled += 1
        elif grade < rel:
            other += 1
        else:
            estimate = (relevant + little) / (relevant + other + 2 * little)
            pooled = (relevant + other + unsampled) / above if above else 0
            total += 1 / (above + 1) + above / (above + 1) * pooled * estimate
            relevant += 1
    return share(total, n_relevant(ranking, rel))
