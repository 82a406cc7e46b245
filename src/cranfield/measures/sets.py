"""Measures of a retrieved set."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.measures.declaration import cut_off, ranx
from cranfield.measures.registry import measure
from cranfield.settings import Beta, Count, Cutoff, Level, NonNegative, Number, Proportion, require_one_weight

_rate = partial(measure, cite="vanrijsbergen1979", pools=True, linear=True)


def relevant_in_top(hits: Hits, k: int | None, rel: float) -> Floats:
    """Number of relevant documents among the first k."""
    return hits.count(hits.relevant(rel) & hits.top(k))


def root(square: Any) -> Any:
    """The square root of a number, as an integer if possible; anything else unchanged, to be checked later."""
    if not isinstance(square, int | float) or isinstance(square, bool) or square < 0:
        return square
    value = math.sqrt(square)
    return int(value) if value.is_integer() else value


@_rate(
    "P",
    title="Precision",
    names=("Precision", "SetP"),
    aliases=(*cut_off("P"), "set_P", *ranx("precision")),
    synonyms={("relative", True): ("measure", "RelP")},
    binary={"k": 1},
    unjudged_bounds=True,
)
def precision(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of the first k documents that are relevant; without k, of all retrieved documents.

    Empty ranks count as non-relevant: a ranking of three documents scores at most 0.3 at 10.
    """
    return ratio(relevant_in_top(hits, k, rel), hits.positions(k))


@_rate("R", title="Recall", names=("Recall", "SetR"), aliases=(*cut_off("recall"), "set_recall", *ranx("recall")))
def recall(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of the relevant documents that are among the first k."""
    return ratio(relevant_in_top(hits, k, rel), hits.n_relevant(rel))


@measure(
    "RelP",
    title="Relative precision",
    cite="trec_eval",
    names=("SetRelP",),
    synonyms={("relative", True): (None, None), ("relative", False): ("measure", "P")},
    aliases=(*cut_off("relative_P"), "set_relative_P", "R_cap@{k}"),
    linear=True,
    binary={"k": 1},
)
def relative_precision(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Precision divided by the best possible precision at that depth."""
    return ratio(relevant_in_top(hits, k, rel), np.minimum(hits.positions(k), hits.n_relevant(rel)))


@_rate(
    "F",
    title="F-measure",
    names=("SetF",),
    aliases=("set_F", *ranx("f1")),
    dialects={"SetF": {"beta": root}},  # ir_measures passes beta to trec_eval, which expects its square
)
def f_measure(
    hits: Hits, *, k: Cutoff | None = None, rel: Level = 1, beta: Beta = 1, alpha: Proportion | None = None
) -> Floats:
    """Weighted harmonic mean of precision and recall; beta above 1 favours recall, as does alpha below 0.5.

    Precision has weight alpha = 1/(1 + beta²) and recall the rest; beta 0 is precision, beta inf recall. trec_eval's
    set_F and ir_measures' SetF expect the square of beta: set_F_4 and SetF(beta=4) are F(beta=2).
    """
    require_one_weight("F", beta, alpha)
    weight = 1 / (1 + beta * beta) if alpha is None else alpha  # beta**2 would raise an error where this is infinite
    return ratio(relevant_in_top(hits, k, rel), weight * hits.positions(k) + (1 - weight) * hits.n_relevant(rel))


@measure("SetAP", title="Set average precision", cite="trec_eval", aliases=("set_map",), linear=True)
def set_average_precision(hits: Hits, *, rel: Level = 1) -> Floats:
    """Precision times recall of the retrieved set."""
    both = relevant_in_top(hits, None, rel)
    return ratio(both * both, hits.n_retrieved * hits.n_relevant(rel))


@measure("GMeasure", title="G-measure", cite="fowlkes1983", pools=True, linear=True)
def g_measure(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Geometric mean of precision and recall."""
    return ratio(relevant_in_top(hits, k, rel), np.sqrt(hits.positions(k) * hits.n_relevant(rel)))


@measure("Jaccard", title="Jaccard coefficient", cite="jaccard1901", pools=True)
def jaccard(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Number of documents that are retrieved and relevant, divided by the number that are either.

    With k, k documents are retrieved, even if the ranking is shorter, as for precision.
    """
    both = relevant_in_top(hits, k, rel)
    return ratio(both, hits.positions(k) + hits.n_relevant(rel) - both)


@measure("Dice", title="Dice coefficient", cite="dice1945", pools=True, linear=True)
def dice(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Twice the number of documents that are retrieved and relevant, divided by the sizes of the two sets.

    With k, k documents are retrieved, even if the ranking is shorter, as for precision: it is F.
    """
    return ratio(2 * relevant_in_top(hits, k, rel), hits.positions(k) + hits.n_relevant(rel))


def _whole(hits: Hits, collection: int, rel: float) -> Ints:
    """The size of the collection, once per query; it must contain the retrieved and the relevant documents."""
    known = hits.n_retrieved + hits.n_relevant(rel) - relevant_in_top(hits, None, rel)
    if (known > collection * hits.size).any():
        worst = int(np.argmax(known))
        query = hits.queries[worst].decode("utf-8", "replace")
        raise BadSetting(f"collection={collection} is too small: query {query} alone has {known[worst]:.0f} documents")
    return collection * hits.size


@_rate("Fallout", title="Fallout", names=("FPR", "TypeI"), higher_is_better=False)
def fallout(hits: Hits, *, collection: Count, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of the non-relevant documents of the collection that were retrieved: the rate of type I errors."""
    wrong = hits.depth(k) - relevant_in_top(hits, k, rel)
    return ratio(wrong, _whole(hits, collection, rel) - hits.n_relevant(rel))


@_rate("MissRate", title="Miss rate", names=("FNR", "TypeII"), higher_is_better=False)
def miss_rate(hits: Hits, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of the relevant documents that are not among the first k: the rate of type II errors."""
    relevant = hits.n_relevant(rel)
    return ratio(relevant - relevant_in_top(hits, k, rel), relevant)


@_rate("Specificity", title="Specificity", names=("TNR",))
def specificity(hits: Hits, *, collection: Count, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of the non-relevant documents of the collection that were not retrieved."""
    others = _whole(hits, collection, rel) - hits.n_relevant(rel)
    return ratio(others - (hits.depth(k) - relevant_in_top(hits, k, rel)), others)


@_rate("NPV", title="Negative predictive value")
def negative_predictive_value(hits: Hits, *, collection: Count, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of the documents not retrieved that are not relevant."""
    left_out = _whole(hits, collection, rel) - hits.depth(k)
    return ratio(left_out - (hits.n_relevant(rel) - relevant_in_top(hits, k, rel)), left_out)


@_rate("ErrorRate", title="Error rate", higher_is_better=False)
def error_rate(hits: Hits, *, collection: Count, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of the collection that is wrongly retrieved or wrongly not retrieved."""
    wrong = hits.depth(k) + hits.n_relevant(rel) - 2 * relevant_in_top(hits, k, rel)
    return ratio(wrong, _whole(hits, collection, rel))


@_rate("Generality", title="Generality", higher_is_better=None)
def generality(hits: Hits, *, collection: Count, rel: Level = 1) -> Floats:
    """Proportion of the collection that is relevant."""
    return ratio(hits.n_relevant(rel), _whole(hits, collection, rel))


@_rate("SetAccuracy", title="Accuracy")
def set_accuracy(hits: Hits, *, collection: Count, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Proportion of the collection that is correctly retrieved or correctly not retrieved."""
    both = relevant_in_top(hits, k, rel)
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
    """Sum of the utilities of all documents: relevant or not, retrieved or not."""
    both, relevant = relevant_in_top(hits, None, rel), hits.n_relevant(rel)
    rest = collection * hits.size + both - hits.n_retrieved - relevant
    return found_relevant * both + found_other * (hits.n_retrieved - both) + missed * (relevant - both) + spared * rest
