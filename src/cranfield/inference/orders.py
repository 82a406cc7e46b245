"""Orders of systems or documents, however they are given, and how alike two of them are."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.errors import BadInput, BadSetting
from cranfield.inference.correlation import CORRELATIONS
from cranfield.inference.overlap import rank_biased_overlap

Order = Mapping[str, float] | Sequence[str] | Sequence[float]

METHODS = (*CORRELATIONS, "RBO")


def as_order(data: Order) -> dict[str, float]:
    """What is ordered, with scores: the higher first. A list of names is taken to have its best first."""
    if isinstance(data, Mapping):
        found = {str(name): float(score) for name, score in data.items()}
    elif len(data) and all(isinstance(item, str) for item in data):
        found = {str(name): float(-place) for place, name in enumerate(data)}
        if len(found) < len(data):
            raise BadInput(f"{_twice(list(map(str, data)))!r} stands twice in the order {', '.join(map(str, data))}")
    else:
        found = {str(place): float(score) for place, score in enumerate(data, 1)}  # type: ignore[arg-type]
    unknown = [name for name, score in found.items() if math.isnan(score)]
    if unknown:
        raise BadInput(f"{unknown[0]!r} has no score, so that it has no place in the order; leave it out of both")
    return found


def _twice(names: list[str]) -> str:
    return next(name for place, name in enumerate(names) if name in names[:place])


def correlate(first: Order, second: Order, method: str = "tau-b", **settings: Any) -> float:
    """How alike two orders are, from -1 (or 0, for RBO and concordance) to 1.

    >>> round(correlate(["L", "J", "B", "P", "D"], ["L", "P", "B", "J", "D"]), 9)
    0.4
    """
    _require_settings(method, settings)
    a, b = as_order(first), as_order(second)
    if not a or not b:
        raise BadInput("there is nothing in the order")
    if method == "RBO":
        return rank_biased_overlap(a, b, **settings)
    if a.keys() != b.keys():
        apart = sorted(a.keys() ^ b.keys())
        raise BadInput(f"the orders do not hold the same: {len(apart)} are in one alone, such as {apart[0]!r}; RBO can")
    if len(a) < 2:
        raise BadInput("one alone has no order; two are needed at least")
    value = CORRELATIONS[method](np.array(list(a.values())), np.array([b[name] for name in a]), **settings)
    if math.isnan(value):
        raise BadInput(f"{method} is undefined: in one of the orders all are tied")
    return value


def _require_settings(method: str, settings: Mapping[str, Any]) -> None:
    if method not in METHODS:
        raise BadSetting(f"there is no correlation {method!r}; there are {', '.join(METHODS)}")
    function = rank_biased_overlap if method == "RBO" else CORRELATIONS[method]
    known = list(inspect.signature(function).parameters)[2:]
    for name in settings:
        if name not in known:
            raise BadSetting(f"{method} has no setting {name!r}; it has: {', '.join(known) or 'none'}")
