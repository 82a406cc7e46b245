"""Measures of a retrieved set: what was found, of what was retrieved and of what there is to find."""

from __future__ import annotations

import numpy as np

from cranfield.errors import BadSetting
from cranfield.evidence.hits import Floats, Hits, Ints, ratio
from cranfield.registry import measure
from cranfield.settings import Count, Cutoff, Level, NonNegative, Number, Share


def found(hits: Hits, k: int | None, rel: float) -> Floats:
    """How many relevant documents are among the first k."""
    return hits.count(hits.relevant(rel) & hits.top(k))


@measure(
    "P",
    title="Precision",
    cite="vanrijsbergen1979",
    pools=True,
    names=("Precision", "SetP"),
    aliases=("P_{k}", "P.{k}", "set_P", "precision", "precision@{k}", "precision-l{rel}", "precision@{k}-l{rel}"),
    synonyms={("relative", True): ("measure", "RelP")},
    linear=True,
)
def precision(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Share of the first k that is relevant; without k, of all that was retrieved.

    Ranks that stay empty count as not relevant: a ranking of three documents has at most 0.3 at 10.
    """
    return ratio(found(hits, k, rel), hits.positions(k))


@measure(
    "R",
    title="Recall",
    cite="vanrijsbergen1979",
    pools=True,
    names=("Recall", "SetR"),
    aliases=("recall_{k}", "recall.{k}", "set_recall", "recall", "recall@{k}", "recall-l{rel}", "recall@{k}-l{rel}"),
    linear=True,
)
def recall(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Share of the relevant documents that are among the first k."""
    return ratio(found(hits, k, rel), hits.n_relevant(rel))


@measure(
    "RelP",
    title="Relative precision",
    cite="trec_eval",
    names=("SetRelP",),
    synonyms={("relative", True): (None, None), ("relative", False): ("measure", "P")},
    aliases=("relative_P_{k}", "relative_P.{k}", "set_relative_P", "R_cap@{k}"),
    linear=True,
)
def relative_precision(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Precision as a share of the best precision possible at that depth."""
    return ratio(found(hits, k, rel), np.minimum(hits.positions(k), hits.n_relevant(rel)))


@measure(
    "F",
    title="F-measure",
    cite="vanrijsbergen1979",
    pools=True,
    names=("SetF",),
    aliases=("set_F", "f1", "f1@{k}", "f1-l{rel}", "f1@{k}-l{rel}"),
    linear=True,
)
def f_measure(
    hits: Hits, *, k: Cutoff | None = None, rel: Level = 1, beta: NonNegative = 1, alpha: Share | None = None
) -> Floats:
    """Weighted harmonic mean of precision and recall; beta above 1 favours recall, as does alpha below 0.5.

    Precision weighs alpha = 1/(1 + beta²), recall the rest.
    """
    weight = 1 / (1 + beta * beta) if alpha is None else alpha  # beta**2 would raise an error where this is infinite
    return ratio(found(hits, k, rel), weight * hits.positions(k) + (1 - weight) * hits.n_relevant(rel))


@measure("SetAP", title="Set average precision", cite="trec_eval", aliases=("set_map",), linear=True)
def set_average_precision(hits: Hits, *, rel: Level = 1) -> Floats:
    """Precision times recall of the retrieved set."""
    both = found(hits, None, rel)
    return ratio(both * both, hits.n_retrieved * hits.n_relevant(rel))


@measure("GMeasure", title="G-measure", cite="fowlkes1983", pools=True, linear=True)
def g_measure(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Geometric mean of precision and recall."""
    return ratio(found(hits, k, rel), np.sqrt(hits.positions(k) * hits.n_relevant(rel)))


@measure("Jaccard", title="Jaccard coefficient", cite="jaccard1901", pools=True)
def jaccard(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Documents both retrieved and relevant, as a share of those that are either."""
    both = found(hits, k, rel)
    return ratio(both, hits.depth(k) + hits.n_relevant(rel) - both)


@measure("Dice", title="Dice coefficient", cite="dice1945", pools=True, linear=True)
def dice(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Twice the documents both retrieved and relevant, over the sizes of the two sets."""
    return ratio(2 * found(hits, k, rel), hits.depth(k) + hits.n_relevant(rel))


def _whole(hits: Hits, collection: int, rel: float) -> Ints:
    """The size of the collection, once for each query; it holds at least what was retrieved or is relevant."""
    known = hits.n_retrieved + hits.n_relevant(rel) - found(hits, None, rel)
    if (known > collection * hits.size).any():
        worst = int(np.argmax(known))
        query = hits.queries[worst].decode("utf-8", "replace")
        raise BadSetting(f"collection={collection} is too small: query {query} alone has {known[worst]:.0f} documents")
    return collection * hits.size


@measure("Fallout", title="Fallout", cite="vanrijsbergen1979", pools=True, higher_is_better=False, linear=True)
def fallout(hits: Hits, *, collection: Count, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Share of the documents of the collection that are not relevant which was retrieved all the same."""
    wrong = hits.depth(k) - found(hits, k, rel)
    return ratio(wrong, _whole(hits, collection, rel) - hits.n_relevant(rel))


@measure("Generality", title="Generality", cite="vanrijsbergen1979", pools=True, higher_is_better=None, linear=True)
def generality(hits: Hits, *, collection: Count, rel: Level = 1) -> Floats:
    """Share of the collection that is relevant."""
    return ratio(hits.n_relevant(rel), _whole(hits, collection, rel))


@measure("SetAccuracy", title="Accuracy", cite="vanrijsbergen1979", pools=True, linear=True)
def set_accuracy(hits: Hits, *, collection: Count, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Share of the collection that was rightly retrieved or rightly left out."""
    both = found(hits, k, rel)
    wrong = hits.depth(k) + hits.n_relevant(rel) - 2 * both
    whole = _whole(hits, collection, rel)
    return ratio(whole - wrong, whole)


@measure(
    "Utility",
    title="Linear utility",
    cite="trec_eval",
    bounds=(-np.inf, np.inf),
    higher_is_better=None,
    aliases=("utility",),
    linear=True,
)
def utility(
    hits: Hits,
    *,
    found_relevant: Number = 1,
    found_other: Number = -1,
    missed: Number = 0,
    spared: Number = 0,
    collection: NonNegative = 0,
    rel: Level = 1,
) -> Floats:
    """Sum of what each document is worth: relevant or not, retrieved or not."""
    both, relevant = found(hits, None, rel), hits.n_relevant(rel)
    rest = collection * hits.size + both - hits.n_retrieved - relevant
    return found_relevant * both + found_other * (hits.n_retrieved - both) + missed * (relevant - both) + spared * rest
