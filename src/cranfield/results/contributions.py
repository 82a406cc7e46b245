"""The contribution of each document to measures that are sums over documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadSetting
from cranfield.frozen import frozen
from cranfield.measures.graded import divisor, gain_of
from cranfield.measures.registry import Measure

SUMS = ("P", "CG", "DCG", "RBP", "R")


@frozen
class Contribution:
    """A measure as a sum over documents: `weight(rank)` times `gain(grade)`, for a query.

    Recall is divided by the gains of all documents.
    """

    weight: Callable[[Ints], Floats]
    gain: Callable[[Floats], Floats]
    relative: bool = False


def contribution(measure: Measure) -> Contribution:
    """The contribution of a document to a measure."""
    name, options = measure.name, dict[str, Any](measure.options)
    if name not in SUMS or (name == "P" and options["k"] is None):
        raise BadSetting(
            f"{measure} is not a sum over documents with known weights; use {', '.join(SUMS[:-1])} with a cutoff, or R"
        )
    if name == "RBP" and options["gain"] != "binary":
        raise BadSetting(f"{measure} depends on the top grade of all documents; use RBP with binary relevance")
    gain = _worth(options) if name in ("CG", "DCG") else _relevant(float(options["rel"]))
    return Contribution(_weight(name, options), gain, relative=name == "R")


def _relevant(rel: float) -> Callable[[Floats], Floats]:
    return lambda grade: (grade >= rel).astype(np.float64)


def _worth(options: dict[str, Any]) -> Callable[[Floats], Floats]:
    return lambda grade: np.asarray(gain_of(grade, options["gain"], options.get("rel")), np.float64)


def _weight(name: str, options: dict[str, Any]) -> Callable[[Ints], Floats]:
    """The weight of each rank; rank 0 is that of documents that were not retrieved."""
    k = options["k"] or np.inf

    def weight(rank: Ints) -> Floats:
        known = np.maximum(rank, 1)
        weights = np.ones(len(rank))
        if name == "P":
            weights /= k
        elif name == "RBP":
            weights = (1 - options["p"]) * options["p"] ** (known - 1.0)
        elif name == "DCG":
            weights = 1 / divisor(known, options["discount"], options["base"])
        return np.where((rank > 0) & (rank <= k), weights, 0.0)

    return weight
