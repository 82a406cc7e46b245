"""Do judges agree, and does it matter for the order of the systems?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from cranfield.api import STANDARD, evaluate
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.ratings import Ratings, ratings
from cranfield.inference.agreement import Resampled
from cranfield.registry import Measure, parse
from cranfield.results.agreement import SCOPES, Agreement, Scope, agreement, standard_measures
from cranfield.results.judges import Reordering, reordering
from cranfield.tables.raters import as_ratings
from cranfield.tables.ratings import Category, Rated


def agree(
    data: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    per: Sequence[Scope] = SCOPES,
    confidence: float = 0.95,
    resamples: int = 1_000,
    seed: int = 0,
    resample: Resampled = "item",
    order: Sequence[Category] | None = None,
) -> Agreement:
    """How far raters agree, beyond chance: all together, two by two and topic by topic, with intervals.

    Parameters
    ----------
    data
        A path to lines `topic rater document grade`, or to CSV or TSV with a header; a list of qrels, one a rater; a
        data frame with columns such as item, rater and category; `{rater: {item: category}}` or
        `{rater: {topic: {document: grade}}}`; or rows `(item, rater, category)`, `(topic, item, rater, category)`.
    measures
        Coefficients or their names, such as `"Kappa(weights='linear')"` or `"Alpha(level='ordinal')"`; those that fit
        the data if not given.
    per
        What to give them for: `"all"` raters and topics, every `"pair"` of raters, every `"topic"`.
    confidence, resamples, seed
        Of the intervals, by bootstrap; with no resamples there are none.
    resample
        What is drawn again: items, or whole topics for the figures over all.
    order
        The categories from lowest to highest, where they are texts that have an order.

    Examples
    --------
    >>> found = agree({"ann": {"d1": 1, "d2": 0, "d3": 1}, "bob": {"d1": 1, "d2": 0, "d3": 0}})
    >>> round(found["Kappa"], 4)
    0.4
    """
    rated = data if isinstance(data, Ratings) else ratings(as_ratings(data, order=order))
    chosen = standard_measures(rated) if measures is None else _coefficients(measures)
    return agreement(rated, chosen, per=per, confidence=confidence, resamples=resamples, seed=seed, resample=resample)


def _coefficients(given: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    several = [given] if isinstance(given, str | Measure) else list(given)
    return [parse(measure, "ratings") if isinstance(measure, str) else measure for measure in several]


def reorder(
    data: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = STANDARD,
    *,
    combined: Sequence[Literal["any", "all", "majority"]] = ("any", "all"),
    rel: float = 1,
    **settings: Any,
) -> Reordering:
    """How much the order of the systems changes with whose judgments are believed.

    Parameters
    ----------
    data
        Ratings of documents by several judges with topics, as `agree` takes them.
    runs, measures, settings
        As `evaluate` takes them.
    combined
        Judgments of all judges together, beside those of each: a document is relevant if `"any"` of those who judged
        it, `"all"` of them or the `"majority"` gave it at least the grade `rel`. Two judges are held against each
        other on the topics that both judged.

    Examples
    --------
    >>> said = {"ann": {"q": {"d1": 1, "d2": 0}}, "bob": {"q": {"d1": 0, "d2": 1}}}
    >>> runs = {"up": {"q": {"d1": 2, "d2": 1}}, "down": {"q": {"d2": 2, "d1": 1}}}
    >>> reorder(said, runs, "RR", combined=()).rows[0].tau
    -1.0
    """
    rated = as_ratings(data)
    by_judge = {**_qrels_of_judges(rated), **_combined(rated, combined, rel)}
    return reordering({judge: evaluate(qrels, runs, measures, **settings) for judge, qrels in by_judge.items()})


def _qrels_of_judges(rated: Rated) -> dict[str, dict[str, dict[str, float]]]:
    """What each judge said of the documents; a topic without a judgment has none."""
    _require_grades(rated)
    qrels: dict[str, dict[str, dict[str, float]]] = {rater: {} for rater in rated.raters}
    for item, rater, category in zip(rated.item, rated.rater, rated.category, strict=True):
        topic = qrels[rated.raters[rater]].setdefault(rated.units[rated.unit[item]], {})
        topic[str(rated.names[item])] = float(rated.categories[category])
    return qrels


def _require_grades(rated: Rated) -> None:
    if not rated.raters:
        raise BadInput("it is not known who judged: the order by each judge needs their names")
    if not all(isinstance(category, float) for category in rated.categories):
        raise BadInput(f"the categories {', '.join(map(str, rated.categories))} are no grades to evaluate runs with")


def _combined(rated: Rated, ways: Sequence[str], rel: float) -> dict[str, dict[str, dict[str, float]]]:
    n_items = len(rated.unit)
    relevant = np.array([float(category) >= rel for category in rated.categories])[rated.category]
    n_said = np.bincount(rated.item, minlength=n_items)
    n_relevant = np.bincount(rated.item, weights=relevant, minlength=n_items)
    rules = {"any": n_relevant > 0, "all": n_relevant == n_said, "majority": 2 * n_relevant > n_said}
    found: dict[str, dict[str, dict[str, float]]] = {}
    for way in ways:
        if way not in rules:
            raise BadSetting(f"judgments are combined by any, all or majority, not {way!r}")
        table = found.setdefault(f"{way} of the judges", {})
        for item in np.flatnonzero(n_said):
            topic = table.setdefault(rated.units[rated.unit[item]], {})
            topic[str(rated.names[item])] = float(rules[way][item])
    return found
