"""Measures of diversity and novelty: how well a ranking covers the aspects of a query, and how little it repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.subtopics import Aspects, Coverage
from cranfield.measures.graded import divisor
from cranfield.measures.registry import measure
from cranfield.settings import Cutoff, Level, Persistence, Proportion

Weight = Callable[[Ints], NDArray[np.floating[Any]]]


def _log(rank: Ints) -> Floats:
    return 1 / divisor(rank)


def _reciprocal(rank: Ints) -> Floats:
    return 1 / rank


def _geometric(beta: float) -> Weight:
    return lambda rank: beta ** (rank - 1.0)


def _gain(coverage: Coverage, k: int | None, alpha: float, weight: Weight) -> Floats:
    """Sum of the gains of the first k, each reduced by every earlier document relevant to the same aspect."""
    novelty = (1 - alpha) ** coverage.before
    return coverage.sum(novelty * weight(coverage.rank) * coverage.top(k))


def _bound(aspects: Aspects, k: int | None, rel: float, alpha: float, weight: Weight) -> Floats:
    """The gain of documents that are all relevant to all aspects."""
    depth = np.maximum(aspects.n_retrieved, 1) if k is None else np.full(len(aspects), k)
    place = np.arange(int(depth.max(initial=1)))
    total = np.cumsum((1 - alpha) ** place * weight(place + 1))
    return aspects.n_aspects(rel) * total[depth - 1]


@measure(
    "alpha_DCG",
    title="Discounted cumulative gain with a penalty for repetition",
    cite="clarke2008",
    names=("α_DCG", "alpha-DCG", "α-DCG"),
)
def alpha_discounted_cumulative_gain(
    aspects: Aspects, *, k: Cutoff | None = None, rel: Level = 1, alpha: Proportion = 0.5
) -> Floats:
    """Sum over the first k and their aspects of (1 - alpha)^c / log2(rank + 1), for c earlier relevant documents.

    Divided by the value of documents that are all relevant to all aspects, as in ndeval (which omits this at rank 1).
    """
    gain = _gain(aspects.coverage(rel), k, alpha, _log)
    return ratio(gain, _bound(aspects, k, rel, alpha, _log))


@measure(
    "alpha_nDCG",
    title="Normalised discounted cumulative gain with a penalty for repetition",
    cite="clarke2008",
    bounds=(0, np.inf),
    names=("α_nDCG", "alpha-nDCG", "α-nDCG"),
)
def alpha_normalised_discounted_cumulative_gain(
    aspects: Aspects, *, k: Cutoff | None = None, rel: Level = 1, alpha: Proportion = 0.5
) -> Floats:
    """Discounted cumulative gain with a penalty for repetition, divided by that of the ideal ranking.

    The ideal ranking is built greedily, which need not give the best ranking: values may be slightly above 1.
    """
    gain = _gain(aspects.coverage(rel), k, alpha, _log)
    return ratio(gain, _gain(aspects.ideal(rel, alpha=alpha, k=k), k, alpha, _log))


@measure("ERR_IA", title="Intent-aware expected reciprocal rank", cite="chapelle2009", names=("ERR-IA",))
def intent_aware_expected_reciprocal_rank(
    aspects: Aspects, *, k: Cutoff | None = None, rel: Level = 1, alpha: Proportion = 0.5
) -> Floats:
    """Mean over the aspects of the expected reciprocal rank; a relevant document satisfies with probability alpha.

    Divided by the value of documents that are all relevant to all aspects, as in ndeval (which omits this at rank 1).
    """
    gain = _gain(aspects.coverage(rel), k, alpha, _reciprocal)
    return ratio(gain, _bound(aspects, k, rel, alpha, _reciprocal))


@measure(
    "nERR_IA",
    title="Normalised intent-aware expected reciprocal rank",
    cite="chapelle2009",
    bounds=(0, np.inf),
    names=("nERR-IA",),
)
def normalised_intent_aware_expected_reciprocal_rank(
    aspects: Aspects, *, k: Cutoff | None = None, rel: Level = 1, alpha: Proportion = 0.5
) -> Floats:
    """Intent-aware expected reciprocal rank divided by that of the ideal ranking."""
    gain = _gain(aspects.coverage(rel), k, alpha, _reciprocal)
    return ratio(gain, _gain(aspects.ideal(rel, alpha=alpha, k=k), k, alpha, _reciprocal))


@measure("NRBP", title="Novelty- and rank-biased precision", cite="clarke2009")
def novelty_and_rank_biased_precision(
    aspects: Aspects, *, rel: Level = 1, alpha: Proportion = 0.5, beta: Persistence = 0.5
) -> Floats:
    """Sum of (1 - alpha)^c beta^(rank - 1) over ranking and aspects, as a proportion of its maximum.

    Here c is the number of earlier relevant documents, and beta the probability that a user continues to the next.
    """
    gain = _gain(aspects.coverage(rel), None, alpha, _geometric(beta))
    return ratio(gain * (1 - (1 - alpha) * beta), aspects.n_aspects(rel))


@measure("nNRBP", title="Normalised novelty- and rank-biased precision", cite="clarke2009", bounds=(0, np.inf))
def normalised_novelty_and_rank_biased_precision(
    aspects: Aspects, *, rel: Level = 1, alpha: Proportion = 0.5, beta: Persistence = 0.5
) -> Floats:
    """Novelty- and rank-biased precision divided by that of the ideal ranking."""
    gain = _gain(aspects.coverage(rel), None, alpha, _geometric(beta))
    return ratio(gain, _gain(aspects.ideal(rel, alpha=alpha), None, alpha, _geometric(beta)))


@measure("AP_IA", title="Intent-aware average precision", cite="agrawal2009", names=("MAP_IA", "AP-IA", "MAP-IA"))
def intent_aware_average_precision(aspects: Aspects, *, rel: Level = 1) -> Floats:
    """Mean over the aspects of average precision."""
    covered = aspects.coverage(rel)
    part = (covered.before + 1) / (covered.rank * aspects.n_relevant(rel)[covered.aspect])
    return ratio(covered.sum(part), aspects.n_aspects(rel))


@measure("P_IA", title="Intent-aware precision", cite="agrawal2009", names=("P-IA",))
def intent_aware_precision(aspects: Aspects, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Mean over the aspects of precision at k; without k, of the precision of all retrieved documents."""
    covered = aspects.coverage(rel)
    depth = aspects.n_retrieved if k is None else k
    return ratio(covered.sum(covered.top(k)), depth * aspects.n_aspects(rel))


@measure("StRecall", title="Subtopic recall", cite="zhai2003", names=("strec", "S-recall"))
def subtopic_recall(aspects: Aspects, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of the aspects covered by a relevant document among the first k."""
    covered = aspects.coverage(rel)
    return ratio(covered.sum(covered.top(k) & (covered.before == 0)), aspects.n_aspects(rel))
