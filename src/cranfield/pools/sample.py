"""Estimates of average precision and nDCG from a judged sample of the pool with known inclusion probabilities.

Each sampled document is weighted by the inverse of its inclusion probability, so sums over documents are unbiased.
The precision at a sampled relevant document needs the number of relevant documents ranked above it. Those in other
strata are weighted in the same way. In its own stratum, the sample contains m - 1 of an estimated R - 1 other relevant
documents, so each has the weight (R - 1) / (m - 1). With one stratum, the estimate of AP is then unbiased for every
sample size, provided that m is at least 2. An estimate may exceed 1.

Decided here: who estimates a value from a judged sample with inclusion probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.frozen import frozen
from cranfield.measures.graded import divisor
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.pools.result import Pool
from cranfield.tables.judgments import Judgments, judgments
from cranfield.tables.names import Names, encode
from cranfield.text import counted

UNSAMPLED = -1.0


@frozen(eq=False)
class SampledTopic:
    """The pooled documents of a topic: grade (negative if not sampled), rank in a run (0 if not retrieved), stratum."""

    grade: Floats
    rank: Ints
    stratum: Ints
    probability: Floats

    @property
    def sampled(self) -> Mask:
        """Which documents are in the sample."""
        return self.grade >= 0


def _average_precision(topic: SampledTopic, *, k: int | None = None, rel: float = 1) -> float:
    """The weighted mean of the estimated precisions at the sampled relevant documents."""
    relevant = np.flatnonzero(topic.grade >= rel)
    weight, stratum = 1 / topic.probability[relevant], topic.stratum[relevant]
    rows = np.flatnonzero((topic.rank[relevant] > 0) & (topic.rank[relevant] <= (k or np.inf)))
    rows = rows[np.argsort(topic.rank[relevant][rows], kind="stable")]
    n_above = np.zeros(len(rows))
    for number in np.unique(stratum):
        in_stratum = stratum == number
        others = np.cumsum(in_stratum[rows]) - in_stratum[rows]  # of the stratum, above each document
        n_sampled, estimated = in_stratum.sum(), weight[in_stratum].sum()
        within = (estimated - 1) / (n_sampled - 1) if n_sampled > 1 else 1.0
        n_above += others * np.where(in_stratum[rows], within, estimated / n_sampled)
    precision = (1 + n_above) / topic.rank[relevant][rows]
    return float(ratio(np.array([(precision * weight[rows]).sum()]), np.array([weight.sum()]))[0])


def _ndcg(topic: SampledTopic, *, k: int | None = None) -> float:
    """The estimated DCG over that of an ideal ranking in which each sampled document counts 1 / probability times."""
    gain = np.maximum(topic.grade, 0)
    rows = np.flatnonzero(topic.sampled & (topic.rank > 0) & (topic.rank <= (k or np.inf)))
    dcg = (gain[rows] / topic.probability[rows] / divisor(topic.rank[rows])).sum()
    best = np.flatnonzero(topic.sampled)
    best = best[np.argsort(-gain[best], kind="stable")]
    last = np.cumsum(1 / topic.probability[best])
    ideal = (gain[best] * np.diff(_discounts(last, k), prepend=0)).sum()
    return float(ratio(np.array([dcg]), np.array([ideal]))[0])


def _discounts(ranks: Floats, k: int | None) -> Floats:
    """The cumulative discount at these ranks, interpolated linearly between integers."""
    cut = np.minimum(ranks, k) if k else ranks
    whole = np.floor(cut).astype(np.int64)
    sums = np.concatenate([[0], np.cumsum(1 / divisor(np.arange(1, whole.max(initial=0) + 2)))])
    return sums[whole] + (cut - whole) * (sums[whole + 1] - sums[whole])


ESTIMATORS: dict[str, tuple[Callable[..., float], tuple[str, ...]]] = {
    "AP": (_average_precision, ("k", "rel")),
    "nDCG": (_ndcg, ("k",)),
}


def estimator(measure: Measure) -> Callable[[SampledTopic], float]:
    """The function that estimates a measure from a sample."""
    name = measure.declaration.name
    if name not in ESTIMATORS:
        raise BadSetting(f"{measure} cannot be estimated from a sample; only {' and '.join(ESTIMATORS)} can")
    function, settings = ESTIMATORS[name]
    defaults = parse(name, "ranking").options
    for setting, value in measure.options.items():
        if setting not in settings and value != defaults[setting]:
            raise BadSetting(f"the estimate of {name} has no setting {setting!r}")
    return lambda topic: function(
        topic, **{option: measure.options[option] for option in settings if option in measure.options}
    )


@frozen(eq=False)
class Sample:
    """The pooled documents as judgments, with negative grades if not sampled, and their strata and probabilities."""

    judged: Judgments
    stratum: Ints
    probability: Floats

    def topics(self, ranks: JudgedRanks) -> Iterator[SampledTopic]:
        """The sample of each topic, with the ranks in a run."""
        for start, end in pairwise(self.judged.starts.tolist()):
            rows = slice(start, end)
            yield SampledTopic(self.judged.grade[rows], ranks.rank[rows], self.stratum[rows], self.probability[rows])


def judged_sample(pool: Pool, labels: Judgments) -> Sample:
    """The sample with its judgments; every sampled document must be judged."""
    labels.require_once("the judgments")
    queries, names = labels.queries.take(labels.unit), labels.documents.take(labels.document)
    judged_rows = zip(queries, names, labels.grade.tolist(), strict=True)
    grades = {(query, name): grade for query, name, grade in judged_rows if grade >= 0}
    topics = [*map(encode, pool.topics)]
    keys = [(topics[topic], encode(name)) for topic, name in zip(pool.topic.tolist(), pool.documents, strict=True)]
    rows = zip(keys, pool.selected.tolist(), strict=True)
    grade = np.array([grades.get(key, np.nan) if selected else UNSAMPLED for key, selected in rows], np.float64)
    n_unjudged = int(np.isnan(grade).sum())
    if n_unjudged:
        raise BadInput(f"{counted(n_unjudged, 'sampled document')} unjudged; estimates need all of them judged")
    judged = judgments(Names.of(query for query, _ in keys), Names.of(name for _, name in keys), grade)
    row_of = {key: row for row, key in enumerate(keys)}
    ordered = zip(judged.queries.take(judged.document_unit), judged.documents, strict=True)
    order = np.array([row_of[key] for key in ordered], np.int64)
    return Sample(judged, pool.stratum[order], pool.probability[order])
