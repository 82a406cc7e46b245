"""Orders of systems or documents, however they are given, and how alike two of them are."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.inference.correlation import CORRELATIONS
from cranfield.inference.overlap import rank_biased_overlap

Order = Mapping[str, float] | Sequence[str] | Sequence[float] | NDArray[Any]

METHODS = (*CORRELATIONS, "RBO")


def as_order(data: Order) -> dict[str, float]:
    """What is ordered, with scores: the higher first. A list of names is taken to have its best first."""
    if isinstance(data, Mapping):
        found = {str(name): _score(score, str(name)) for name, score in data.items()}
    elif isinstance(data, str | bytes) or not isinstance(data, Sequence | np.ndarray):
        raise BadInput(f"{type(data).__name__} is no order; give {{name: score}}, scores, or names with the best first")
    elif len(data) and all(isinstance(item, str) for item in data):
        found = {str(name): float(-place) for place, name in enumerate(data)}
        if len(found) < len(data):
            raise BadInput(f"{_twice(list(map(str, data)))!r} stands twice in the order {', '.join(map(str, data))}")
    else:
        found = {str(place): _score(score, str(place)) for place, score in enumerate(data, 1)}
    if not found:
        raise BadInput("there is nothing in the order")
    return found


def _score(score: Any, name: str) -> float:
    try:
        number = float(score)
    except (TypeError, ValueError):
        raise BadInput(
            f"{name!r} has {score!r:.40} where a score is needed, or all are names, the best first"
        ) from None
    if math.isnan(number):
        raise BadInput(f"{name!r} has no score, so that it has no place in the order; leave it out of both")
    return number


def _twice(names: list[str]) -> str:
    return next(name for place, name in enumerate(names) if name in names[:place])


def correlate(first: Order, second: Order, method: str = "tau-b", **settings: Any) -> float:
    """How alike two orders are, from -1 (or 0, for RBO and concordance) to 1; tau-AP takes the first for the true one.

    >>> round(correlate(["L", "J", "B", "P", "D"], ["L", "P", "B", "J", "D"]), 9)
    0.4
    """
    a, b = as_order(first), as_order(second)
    value = alike(a, b, method, **settings)
    if math.isnan(value):
        raise BadInput(f"{method} is undefined: {tied(a, b)}")
    return value


def alike(first: Mapping[str, float], second: Mapping[str, float], method: str, **settings: Any) -> float:
    """The coefficient of two orders that are scores by name; NaN where one of them ties all."""
    function = _function(method, settings)
    if method == "RBO":
        return function(first, second, **settings)
    if first.keys() != second.keys():
        apart = sorted(first.keys() ^ second.keys())
        raise BadInput(f"the orders do not hold the same: {len(apart)} are in one alone, such as {apart[0]!r}; RBO can")
    if len(first) < 2:
        raise BadInput("one alone has no order; two are needed at least")
    a, b = list(first.values()), [second[name] for name in first]
    return function(*(np.unique(each, return_inverse=True)[1].astype(np.float64) for each in (a, b)), **settings)


def tied(first: Mapping[str, float], second: Mapping[str, float]) -> str:
    """Why two orders have no coefficient."""
    which = [name for name, order in (("first", first), ("second", second)) if len(set(order.values())) == 1]
    return f"in the {' and the '.join(which)} order all are tied"


def _function(method: str, settings: Mapping[str, Any]) -> Callable[..., float]:
    if method not in METHODS:
        raise BadSetting(f"there is no correlation {method!r}; there are {', '.join(METHODS)}")
    function: Callable[..., float] = rank_biased_overlap if method == "RBO" else CORRELATIONS[method]
    known = list(inspect.signature(function).parameters)[2:]
    for name in settings:
        if name not in known:
            raise BadSetting(f"{method} has no setting {name!r}; it has: {', '.join(known) or 'none'}")
    return function
