"""Do judges agree, and does disagreement affect the ranking of the systems?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from cranfield.agreement.reordering import Reordering, reordering
from cranfield.agreement.result import SCOPES, Agreement, Scope, agreement, standard_measures
from cranfield.engines.top_grades import with_top_grade
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.ratings import Ratings, ratings
from cranfield.measures.naming import Requested, measures_named
from cranfield.rankings.evaluate import STANDARD, evaluate
from cranfield.results.provenance import Origin, Provenance
from cranfield.settings import CONFIDENCE
from cranfield.statistics.agreement import Resampled
from cranfield.statistics.resampling import COSTLY_RESAMPLES
from cranfield.tables.raters import Counts, as_ratings
from cranfield.tables.ratings import Category, Rated

Combined = Literal["any", "all", "majority"]  # the judges who must find a document relevant


def agree(
    data: Any,
    measures: Requested = None,
    *,
    per: Sequence[Scope] = SCOPES,
    confidence: float = CONFIDENCE,
    resamples: int = COSTLY_RESAMPLES,
    seed: int = 0,
    resample: Resampled = "item",
    order: Sequence[Category] | None = None,
    counts: Counts = None,
) -> Agreement:
    """Agreement between raters beyond chance: for all raters, each pair and each topic, with confidence intervals.

    Parameters
    ----------
    data
        A path to lines `topic rater document grade`, or to CSV or TSV with a header; a list of qrels, one per rater; a
        data frame with columns such as item, rater and category; `{rater: {item: category}}` or
        `{rater: {topic: {document: grade}}}`; or rows `(item, rater, category)`, `(topic, item, rater, category)`.
    measures
        Coefficients or their names, such as `"Kappa(weights='linear')"` or `"Alpha(level='ordinal')"`; by default,
        those that fit the data.
    per
        Compute them for `"all"` raters and topics, for each `"pair"` of raters, for each `"topic"`.
    confidence, resamples, seed
        Confidence level, number of random draws for intervals (0 for no intervals) and random seed.
    resample
        Resample items, or whole topics for coefficients over all topics.
    order
        The scale: all categories from lowest to highest, including those that were never used. Needed for text
        categories that are ordered, and for numbers if some were never used.
    counts
        Whether the data are counts, with one row per item and one column per category: the number of raters who chose
        it. If the rows have the same names as the columns, they are the contingency table of two raters; pass
        `"contingency"` for rows without names. Data that could be counts or ratings are refused unless this is set.

    Returns
    -------
    Agreement
        `result["Kappa"]` is the coefficient of all raters; `result.of("pair")` are those of the pairs.

    Examples
    --------
    >>> result = agree({"ann": {"d1": 1, "d2": 0, "d3": 1}, "bob": {"d1": 1, "d2": 0, "d3": 0}})
    >>> round(result["Kappa"], 4)
    0.4
    >>> round(agree([[20, 12], [4, 4]], counts="contingency")["Kappa"], 4)
    0.0909
    """
    table = None if isinstance(data, Ratings) else as_ratings(data, order=order, counts=counts)
    rated = data if table is None else ratings(table)
    chosen = measures_named(measures, "ratings", standard_measures(rated))
    how: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed, "resample": resample}
    agreed = agreement(rated, chosen, per=per, **how)
    explicit = ({} if measures is None else {"measures_requested": True}) | (
        {} if tuple(per) == SCOPES else {"per": [*per]}
    )
    agreed = replace(agreed, settings={**agreed.settings, **explicit})
    if table is None:
        return agreed
    items = tuple(map(str, table.names))
    return replace(agreed, notes=(*table.notes, *agreed.notes), provenance=_provenance(table), items=items)


def _provenance(rated: Rated) -> Provenance:
    return Provenance(tuple(Origin.of("ratings", source) for source in rated.sources))


def reorder(
    data: Any,
    runs: Any,
    measures: Requested = None,
    *,
    combined: Sequence[Combined] = ("any", "all"),
    rel: float = 1,
    **settings: Any,
) -> Reordering:
    """How the ranking of systems depends on whose judgments are used.

    Parameters
    ----------
    data
        Ratings of documents by several judges with topics, as for `agree`.
    runs, measures, settings
        As for `evaluate`.
    combined
        Combined judgments to use in addition to those of each judge: a document is relevant if `"any"`, `"all"` or the
        `"majority"` of its judges gave it the grade `rel` or higher.
    rel
        The lowest relevant grade in combined judgments.

    Returns
    -------
    Reordering
        One row per pair of judges and measure, over the topics that both judged.

    Examples
    --------
    >>> judged = {"ann": {"q": {"d1": 1, "d2": 0}}, "bob": {"q": {"d1": 0, "d2": 1}}}
    >>> runs = {"up": {"q": {"d1": 2, "d2": 1}}, "down": {"q": {"d2": 2, "d1": 1}}}
    >>> reorder(judged, runs, "RR", combined=()).rows[0].tau
    -1.0
    """
    rated = as_ratings(data)
    by_one_judge, together = _qrels_of_judges(rated), _combined(rated, combined, rel)
    twice = next((judge for judge in by_one_judge if judge in together), None)
    if twice is not None:
        raise BadInput(f"a judge has the name of the combined judgments, {twice!r}; rename the judge")
    again = list(runs) if isinstance(runs, Iterator) else runs  # read once per judge
    by_judge = {**by_one_judge, **together}
    highest = np.array(rated.categories, np.float64)  # one scale for all judges
    chosen = with_top_grade(measures_named(measures, "ranking", STANDARD), highest)
    results = {judge: evaluate(qrels, again, chosen, **settings) for judge, qrels in by_judge.items()}
    first = next(iter(results.values())).provenance
    runs_read = tuple(origin for origin in first.inputs if origin.role == "run")
    inputs = (*_provenance(rated).inputs, *runs_read)
    return replace(reordering(results), provenance=replace(first, inputs=inputs))


def _qrels_of_judges(rated: Rated) -> dict[str, dict[str, dict[str, float]]]:
    """The judgments of each judge; topics without judgments are left out."""
    _require_grades(rated)
    qrels: dict[str, dict[str, dict[str, float]]] = {rater: {} for rater in rated.raters}
    for item, rater, category in zip(rated.item, rated.rater, rated.category, strict=True):
        topic = qrels[rated.raters[rater]].setdefault(rated.units[rated.unit[item]], {})
        topic[str(rated.names[item])] = float(rated.categories[category])
    silent = next((judge for judge, topics in qrels.items() if not topics), None)
    if silent is not None:
        raise BadInput(f"judge {silent!r} has no judgments; leave them out")
    return qrels


def _require_grades(rated: Rated) -> None:
    if not rated.raters:
        raise BadInput("the judges are unknown, but the ranking by each judge needs their names")
    if not all(isinstance(category, float) for category in rated.categories):
        raise BadInput(
            f"the categories {', '.join(map(str, rated.categories))} are not grades, which are needed to evaluate runs"
        )


def _combined(rated: Rated, ways: Sequence[str], rel: float) -> dict[str, dict[str, dict[str, float]]]:
    n_items = len(rated.unit)
    relevant = np.array([float(category) >= rel for category in rated.categories])[rated.category]
    n_said = np.bincount(rated.item, minlength=n_items)
    n_relevant = np.bincount(rated.item, weights=relevant, minlength=n_items)
    rules = {"any": n_relevant > 0, "all": n_relevant == n_said, "majority": 2 * n_relevant > n_said}
    qrels_by_way: dict[str, dict[str, dict[str, float]]] = {}
    for way in ways:
        if way not in rules:
            raise BadSetting(f"judgments can be combined by any, all or majority, not {way!r}")
        table = qrels_by_way.setdefault(f"{way} of the judges", {})
        for item in np.flatnonzero(n_said):
            topic = table.setdefault(rated.units[rated.unit[item]], {})
            topic[str(rated.names[item])] = float(rules[way][item])
    return qrels_by_way
