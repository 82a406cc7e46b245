"""Rankings of systems or documents in any form, and the correlation of two of them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.rounding import merged
from cranfield.evidence.samples import by_label, is_number
from cranfield.inference.correlation import CORRELATIONS
from cranfield.inference.rank_biased_overlap import OVERLAPS
from cranfield.tables import number_spelling
from cranfield.tables.adapters.pandas_index import has_index, is_labelled
from cranfield.tables.system_names import by_name

METHODS = (*CORRELATIONS, *OVERLAPS)
_EITHER_WAY = {"tau-a", "tau-b", "spearman", "concordance"}  # the same if both rankings are reversed


def as_orders(rankings: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The rankings, each with the scores of its items, higher is better. A list of names ranks the best first.

    Scores in a list belong to numbered items. The index of a pandas series of scores names them, unless it just counts
    the rows and no other ranking names its items.
    """
    items = {name: _plain(data) for name, data in rankings.items()}
    named = next((name for name, ranking in items.items() if _names_items(ranking)), None)
    if named is not None:
        items = {name: _named(ranking, rankings[name], name, named) for name, ranking in items.items()}
    return {name: _order(ranking) for name, ranking in items.items()}


def possible_ranks(rankings: Mapping[str, Any], coefficients: Sequence[str] | None) -> tuple[str, ...]:
    """A remark if scores are the numbers from 1, and the coefficient would differ if they are ranks, 1 for the best."""
    sized = {name: ranking for name, ranking in rankings.items() if hasattr(ranking, "__len__")}
    ranks = [name for name, ranking in sized.items() if _counts_from_one(_plain(ranking))]
    either_way = coefficients is not None and set(coefficients) <= _EITHER_WAY and len(ranks) == len(rankings)
    if not ranks or either_way:
        return ()
    whose = f"{', '.join(map(repr, ranks[:3]))}{f' and {len(ranks) - 3} more' if len(ranks) > 3 else ''}"
    return (
        f"the numbers from 1 in {whose} are read as scores, the highest as the best; if they are ranks, pass names, "
        "the best first, or negative ranks",
    )


def _counts_from_one(ranking: Any) -> bool:
    """Whether the scores of a ranking of three items or more are 1, 2, 3 … in any order."""
    scores = list(ranking.values() if isinstance(ranking, Mapping) else ranking)
    return len(scores) > 2 and all(map(is_number, scores)) and sorted(scores) == [*range(1, len(scores) + 1)]


def _names_items(ranking: Any) -> bool:
    return isinstance(ranking, Mapping) or (len(ranking) > 0 and all(isinstance(item, str) for item in ranking))


def _named(ranking: Any, data: Any, name: str, other: str) -> Any:
    """A ranking of named items: a pandas series of scores has its index as names."""
    if _names_items(ranking):
        return ranking
    if has_index(data):
        return by_label("the ranking", list(map(str, data.index)), ranking)
    raise BadInput(
        f"the ranking {other!r} names its items, but {name!r} is a list of scores without names; pass {{name: score}}"
    )


def _order(ranking: Any) -> dict[str, float]:
    if isinstance(ranking, Mapping):
        score_of = _scored(by_name(ranking, "names in a ranking"))
    elif _names_items(ranking):
        names = list(map(str, ranking))
        score_of = {name: float(-place) for place, name in enumerate(names)}
        if len(score_of) < len(names):
            raise BadInput(f"duplicate {_repeated(names)!r} in the ranking {', '.join(names)}")
    else:
        score_of = _scored({str(place): score for place, score in enumerate(ranking, 1)})
    if not score_of:
        raise BadInput("the ranking is empty")
    return score_of


def _plain(data: Any) -> Any:
    """Series of pandas and Polars and Arrow arrays as lists, or as dicts if an index names the scores."""
    for method in ("to_pylist", "to_list"):  # Arrow; Polars and pandas
        if hasattr(data, method) and not hasattr(data, "columns"):
            values = getattr(data, method)()
            if not is_labelled(data) or all(isinstance(value, str) for value in values):
                return values
            return by_label("the ranking", list(map(str, data.index)), values)
    if isinstance(data, str | bytes) or not isinstance(data, Mapping | Sequence | np.ndarray):
        raise BadInput(
            f"{type(data).__name__} is not a ranking; pass {{name: score}}, scores, or names with the best first"
        )
    return data


def _scored(scores: Mapping[str, Any]) -> dict[str, float]:
    """The scores as floats; integers too large for floats are replaced by their ranks."""
    whole = {name: score for name, score in scores.items() if isinstance(score, int | np.integer)}
    if len(whole) == len(scores) and any(abs(int(score)) > number_spelling.EXACT for score in whole.values()):
        place = {score: at for at, score in enumerate(sorted({int(score) for score in whole.values()}))}
        return {name: float(place[int(score)]) for name, score in whole.items()}
    return {name: _score(score, name) for name, score in scores.items()}


def _score(score: Any, name: str) -> float:
    try:
        number = number_spelling.number(score)
    except ValueError:
        raise BadInput(
            f"the score of {name!r} is {score!r:.40}, which is not a number; pass scores, or names with the best first"
        ) from None
    if math.isnan(number):
        raise BadInput(f"{name!r} has no score, so it cannot be ranked; remove it from both rankings")
    return number


def _repeated(names: list[str]) -> str:
    return next(name for place, name in enumerate(names) if name in names[:place])


def rank_coefficient(first: Mapping[str, float], second: Mapping[str, float], method: str, /, **settings: Any) -> float:
    """The coefficient of two rankings, as scores by name; NaN if all names are tied in one of them."""
    function, first, second = _function(method, settings), with_ties_merged(first), with_ties_merged(second)
    if method in OVERLAPS:
        return function(first, second, **settings)
    if first.keys() != second.keys():
        unshared = sorted(first.keys() ^ second.keys())
        raise BadInput(
            f"the two rankings contain different items ({len(unshared)} occur in only one, such as {unshared[0]!r}); "
            "only RBO supports that"
        )
    if len(first) < 2:
        raise BadInput("a ranking needs at least 2 items; got 1")
    a, b = list(first.values()), [second[name] for name in first]
    return function(*(np.unique(scores, return_inverse=True)[1].astype(np.float64) for scores in (a, b)), **settings)


def pair_counts(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, int]:
    """The pairs of items that two orders put in the same or in opposite order, or tie."""
    first, second = with_ties_merged(first), with_ties_merged(second)
    a, b = np.array(list(first.values())), np.array([second[name] for name in first])
    above = np.triu_indices(len(a), 1)
    one, other = (np.sign(scores[:, None] - scores[None, :])[above] for scores in (a, b))
    return {
        "pairs": len(one),
        "concordant": int((one * other > 0).sum()),
        "discordant": int((one * other < 0).sum()),
        "tied_in_first": int(((one == 0) & (other != 0)).sum()),
        "tied_in_second": int(((one != 0) & (other == 0)).sum()),
        "tied_in_both": int(((one == 0) & (other == 0)).sum()),
    }


def with_ties_merged(order: Mapping[str, float]) -> dict[str, float]:
    """The ranking with scores that are equal up to rounding made equal, so that they tie."""
    scores = np.array([*order.values()], np.float64)
    return dict(zip(order, merged(scores, np.abs(scores)).tolist(), strict=True))


def undefined(first: Mapping[str, float], second: Mapping[str, float]) -> str:
    """Why the coefficient of two rankings is undefined."""
    which = [
        name for name, order in (("first", first), ("second", second)) if len({*with_ties_merged(order).values()}) == 1
    ]
    if not which:
        return "the first ranking, taken as the true one, has ties"
    return f"all items are tied in the {' and the '.join(which)} ranking"


def _function(method: str, settings: Mapping[str, Any]) -> Callable[..., float]:
    if method not in METHODS:
        raise BadSetting(f"there is no correlation {method!r}; available: {', '.join(METHODS)}")
    function: Callable[..., float] = {**CORRELATIONS, **OVERLAPS}[method]
    known = list(inspect.signature(function).parameters)[2:]
    for name in settings:
        if name not in known:
            raise BadSetting(f"{method} has no setting {name!r}; it has: {', '.join(known) or 'none'}")
    return function
