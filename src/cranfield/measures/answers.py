"""Measures of answers: nuggets of information, and citations."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.answers import Citations, Nuggets
from cranfield.evidence.arithmetic import ratio
from cranfield.measures.declaration import Reasons, also
from cranfield.measures.registry import measure
from cranfield.settings import Beta, NonNegative

Importance = Literal["all", "vital", "weighted"]
_OKAY = 0.5  # weight of a nugget that is okay, if nuggets are weighted by importance
_NO_VITAL = "no nugget is vital"
_NO_NUGGETS = "there are no nuggets"
_NO_LENGTH = "the length of the answer is not known"
_UNKNOWN_LENGTH: Reasons = {_NO_LENGTH: lambda nuggets, **_: np.isnan(nuggets.length)}


def _counted(support: Floats, strict: bool) -> Floats:
    """The support of each row; with `strict`, 0 unless it is full."""
    return np.where(support == 1, 1.0, 0.0) if strict else support


@measure(
    "NuggetRecall",
    title="Nugget recall",
    cite="pradeep2025",
    aliases=(
        also("all_score"),
        also("strict_all_score", strict=True),
        also("vital_score", importance="vital"),
        also("strict_vital_score", importance="vital", strict=True),
        also("A_strict", strict=True),
        also("V_strict", importance="vital", strict=True),
        also("W_strict", importance="weighted", strict=True),
    ),
    undefined={
        _NO_NUGGETS: lambda nuggets, **_: nuggets.sum(np.ones(len(nuggets.query))) == 0,
        _NO_VITAL: lambda nuggets, importance, **_: (importance == "vital") & (nuggets.sum(nuggets.vital) == 0),
    },
)
def nugget_recall(nuggets: Nuggets, *, importance: Importance = "all", strict: bool = False) -> Floats:
    """Mean support of the nuggets in the answer: 1 if supported, 0.5 if partially, else 0.

    `importance="vital"` counts only vital nuggets, `"weighted"` gives okay nuggets half of the weight of vital ones.
    With `strict=True`, partial support counts as none.
    """
    weight = np.where(nuggets.vital, 1.0, {"all": 1.0, "vital": 0.0, "weighted": _OKAY}[importance])
    return ratio(nuggets.sum(weight * _counted(nuggets.support, strict)), nuggets.sum(weight))


@measure("NuggetPrecision", title="Nugget precision", cite="voorhees2003", undefined=_UNKNOWN_LENGTH)
def nugget_precision(nuggets: Nuggets, *, allowance: NonNegative = 100, strict: bool = False) -> Floats:
    """Allowed length of the answer divided by its length: an allowance of characters for each nugget it contains.

    It is 1 for answers within the allowance. Lengths are those of the answer without white space.
    """
    allowed = allowance * nuggets.sum(_counted(nuggets.support, strict))
    long = nuggets.length > allowed
    precision = np.where(long, ratio(allowed, np.where(long, nuggets.length, 1.0)), 1.0)
    return np.where(np.isnan(nuggets.length), np.nan, precision)


@measure(
    "NuggetF",
    title="Nugget F",
    cite="voorhees2003",
    undefined=_UNKNOWN_LENGTH | {_NO_VITAL: lambda nuggets, **_: nuggets.sum(nuggets.vital) == 0},
)
def nugget_f(nuggets: Nuggets, *, beta: Beta = 3, allowance: NonNegative = 100, strict: bool = False) -> Floats:
    """Harmonic mean of the recall of vital nuggets and nugget precision, in which recall counts beta² times."""
    recall = nugget_recall(nuggets, importance="vital", strict=strict)
    return _f(nugget_precision(nuggets, allowance=allowance, strict=strict), recall, beta)


@measure(
    "CitationPrecision",
    title="Citation precision",
    cite="thakur2025",
    undefined={"the answer has no citations": lambda citations, **_: citations.n_citations == 0},
)
def citation_precision(citations: Citations, *, strict: bool = False) -> Floats:
    """Mean support of the citations: 1 if the cited passage supports the sentence, 0.5 if partially, else 0.

    With `strict=True`, partial support counts as none.
    """
    return ratio(citations.by_query(_counted(citations.support, strict)), citations.n_citations)


@measure(
    "CitationRecall",
    title="Citation recall",
    cite="thakur2025",
    undefined={"the answer has no sentences": lambda citations, **_: citations.n_sentences == 0},
)
def citation_recall(citations: Citations, *, strict: bool = False) -> Floats:
    """Mean over sentences of the support by their best citation; sentences without citations count 0.

    With `strict=True`, partial support counts as none.
    """
    return ratio(citations.best(_counted(citations.support, strict)), citations.n_sentences)


@measure(
    "CitationF",
    title="Citation F",
    cite="thakur2025",
    undefined={"the answer has no citations": lambda citations, **_: citations.n_citations == 0},
)
def citation_f(citations: Citations, *, beta: Beta = 1, strict: bool = False) -> Floats:
    """Harmonic mean of citation precision and recall, in which recall counts beta² times."""
    return _f(citation_precision(citations, strict=strict), citation_recall(citations, strict=strict), beta)


def _f(precision: Floats, recall: Floats, beta: float) -> Floats:
    """F of precision and recall, 0 if both are."""
    if np.isinf(beta):
        return np.where(np.isnan(precision), np.nan, recall)
    square = beta**2
    either = square * precision + recall
    return np.where(either == 0, 0.0, ratio((square + 1) * precision * recall, either))
