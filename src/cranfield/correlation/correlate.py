"""How similar are rankings of systems, or of anything else?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from cranfield.correlation.result import (
    COEFFICIENTS,
    CORRELATIONS,
    Correlations,
    correlations,
    notes_of,
    orders_of,
    ranked_by_means,
    topic_values,
)
from cranfield.engines.tie_breaking import top_documents
from cranfield.errors import BadInput
from cranfield.evidence.samples import Samples
from cranfield.measures.naming import known_measure
from cranfield.results.provenance import Provenance, differing, differing_runs, origins, run_names
from cranfield.results.values import Result
from cranfield.results.writing import decoded
from cranfield.settings import CONFIDENCE, Confidence, Count, Means, Persistence, Seed
from cranfield.statistics.intervals import mean_interval
from cranfield.statistics.rank_correlation import (
    OVERLAPS,
    as_orders,
    pair_counts,
    possible_ranks,
    range_of,
    rank_coefficient,
    undefined,
)
from cranfield.tables.names import decode
from cranfield.tables.rankings import RunSource
from cranfield.tables.sources import as_runs
from cranfield.tables.system_names import by_name
from cranfield.text import counted
from cranfield.verb import verb

Rate = Annotated[
    Persistence, Means("Persistence of RBO: the weight of each depth relative to the one above.", letter="")
]


@verb
def correlate(
    data: Any,
    other: Any = None,
    coefficients: str | Sequence[str] | None = None,
    *,
    p: Rate = 0.9,
    confidence: Confidence = CONFIDENCE,
    seed: Seed = 0,
    **settings: Any,
) -> Correlations:
    """Rank correlation of two rankings, or of all pairs: by measure, by set of judgments, or as passed.

    Parameters
    ----------
    data
        A ranking, if `other` is passed: `{name: score}`, scores, or names with the best first, as a list, an array or
        a series; a pandas index names the scores. Otherwise a result of `evaluate` with several measures;
        `{judgments: result}`, to compare the same measures under several sets of judgments; `{measure: samples}`, to
        compare rankings by means; or `{name: ranking}`.
    other
        A second ranking. `"tau-AP"` treats the first one as the true ranking; for all pairs, it is the mean of both
        directions.
    coefficients
        Any of `"tau-a"`, `"tau-b"`, `"tau-AP"`, `"tau-AP-a"`, `"tau-AP-b"`, `"spearman"`, `"weighted tau"`,
        `"concordance"`, `"RBO"`, `"RBO-min"` and `"RBO-residual"`. The default is tau-b for two rankings. For all
        pairs it is tau-b and tau-AP, or RBO and its bounds if the rankings contain different items.
    settings
        Other settings of the coefficients, such as `symmetric=True` for tau-AP.

    Returns
    -------
    Correlations
        One row per pair of rankings and coefficient, with its interval. `float(…)` is the coefficient
        if there is only one. If values by query are known, topics are resampled: the interval is for other sets of as
        many similar queries. Otherwise each of 10 or more items is left out in turn: the interval is for other similar
        items, and RBO has none.

    Examples
    --------
    >>> float(correlate(["L", "J", "B", "P", "D"], ["L", "P", "B", "J", "D"]))
    0.4
    >>> raters = correlate({"ann": ["a", "b", "c"], "bob": ["a", "c", "b"]}, coefficients="tau-b")
    >>> round(raters.rows[0].value, 4)
    0.3333
    """
    chosen = [coefficients] if isinstance(coefficients, str) else coefficients
    settings = {"p": p, "confidence": confidence, **settings}
    if other is not None:
        chosen = COEFFICIENTS[:1] if chosen is None else chosen
        pair = {"first": data, "second": other}
        notes = possible_ranks(pair, chosen)
        return correlations(as_orders(pair), chosen, notes=notes, **{"symmetric": False} | settings)
    results = {"": data} if isinstance(data, Result) else data
    if _all_are(results, Result):
        named = by_name(results, "judgments")
        topics = topic_values(named, confidence=confidence, seed=seed)
        sources = {name: result.provenance for name, result in named.items()}
        notes = (*notes_of(named.values()), *map(str, (*differing(sources), *differing_runs(sources))))
        correlated = correlations(orders_of(named), chosen, notes=notes, topics=topics, **settings)
        return replace(correlated, provenance=_together([*sources.values()]))
    if _all_are(data, Samples):
        orders, topics = ranked_by_means(by_name(data, "measures"), confidence=confidence, seed=seed)
        return correlations(orders, chosen, topics=topics, **settings)
    rankings = _rankings(data)
    notes = (*possible_ranks(rankings, chosen), *_falling(rankings))
    return correlations(as_orders(rankings), chosen, notes=notes, **settings)


def _falling(rankings: Mapping[str, Any]) -> Iterator[str]:
    """Remarks on scores that have the name of a measure for which lower is better."""
    for name, ranking in rankings.items():
        measure = known_measure(name)
        scored = isinstance(ranking, Mapping) or not all(isinstance(item, str) for item in ranking)
        if measure is not None and measure.declaration.higher_is_better is False and scored:
            yield f"the highest {name} is read as the best, though lower is better for it; pass negative scores"


def _all_are(data: Any, kind: type) -> bool:
    """Whether the data are a dict of such values."""
    return isinstance(data, Mapping) and bool(data) and all(isinstance(value, kind) for value in data.values())


@verb
def correlate_runs(
    runs: Any,
    coefficients: str | Sequence[str] | None = None,
    *,
    p: Rate = 0.9,
    depth: Annotated[
        Count | None, Means("Keep only the first documents of each ranking, this many.", default="all")
    ] = None,
    confidence: Confidence = CONFIDENCE,
) -> Correlations:
    """Rank correlation of the documents of every pair of runs, query by query, and its mean over queries.

    Parameters
    ----------
    runs
        At least two runs, as for `evaluate`.
    coefficients
        As for `correlate`. Only RBO and its bounds, the default, are defined if two rankings contain different
        documents.

    Returns
    -------
    Correlations
        One row per pair of runs and coefficient: the mean over their common queries where it is defined, with its
        interval over queries;
        `records()["queries"]` has the value of each query, and `steps()` the pairs that Kendall's tau counts.

    Examples
    --------
    >>> runs = {"one": {"q": {"a": 3, "b": 2}}, "two": {"q": {"a": 3, "c": 2}}}
    >>> [(row.coefficient, round(row.value, 4)) for row in correlate_runs(runs).rows]
    [('RBO', 0.55), ('RBO-min', 0.2558), ('RBO-residual', 0.6992)]
    """
    sources = as_runs(runs)
    names = run_names(sources)
    lists = {name: _lists(source, depth) for name, source in zip(names, sources, strict=True)}
    if len(lists) < 2:
        raise BadInput("only one run; pass two runs to correlate their rankings")
    chosen = [coefficients] if isinstance(coefficients, str) else list(coefficients or OVERLAPS)
    by_query = [
        {"query": query, "first": one, "second": other, "coefficient": name, **_of_query(first, second, name, p)}
        for one, other in combinations(lists, 2)
        for name in chosen
        for query, first, second in _common(lists[one], lists[other])
    ]
    rows = [_mean(by_query, one, other, name, confidence) for one, other in combinations(lists, 2) for name in chosen]
    documents = dict.fromkeys(document for orders in lists.values() for order in orders.values() for document in order)
    settings = {name: {"p": p} if name in OVERLAPS else {} for name in chosen}
    pairs = tuple(_pairs(lists)) if {"tau-a", "tau-b"} & {*chosen} else ()
    return Correlations(
        CORRELATIONS.of(rows),
        systems=tuple(documents),
        orders=tuple(lists),
        coefficients=tuple(chosen),
        settings=settings,
        provenance=Provenance(origins(None, sources)),
        by_query=tuple(by_query),
        pairs_by_query=pairs,
        confidence=confidence,
    )


def _pairs(lists: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The pairs of documents in the same or in opposite order, for each query whose rankings contain the same ones."""
    for one, other in combinations(lists, 2):
        for query, first, second in _common(lists[one], lists[other]):
            if first.keys() == second.keys():
                yield {"query": query, "first": one, "second": other, **pair_counts(first, second)}


def _lists(source: RunSource, depth: int | None) -> dict[str, dict[str, float]]:
    """The scores of the first documents for each query of a run."""
    batch = source.whole()
    scores_by_query = {}
    for place, query in enumerate(batch.queries):
        scores = batch.scores[batch.starts[place] : batch.starts[place + 1]]
        scored = dict(zip(batch.names(place, np.arange(len(scores))), scores.tolist(), strict=True))
        ranked = scored if depth is None else top_documents(batch, place, depth)
        scores_by_query[decoded(decode(query))] = {decoded(decode(name)): scored[name] for name in ranked}
    return scores_by_query


def _common(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """The rankings of the queries that both runs have."""
    both = [(query, one[query], other[query]) for query in one if query in other]
    if not both:
        raise BadInput("the runs have no query in common")
    return both


def _of_query(first: dict[str, float], second: dict[str, float], name: str, p: float) -> dict[str, Any]:
    """The coefficient of two rankings, or why there is none."""
    if name not in OVERLAPS and first.keys() != second.keys():
        return {"value": None, "note": "the rankings contain different documents; only RBO supports that"}
    if name not in OVERLAPS and len(first) < 2:
        return {"value": None, "note": "a single document cannot be ordered"}
    value = rank_coefficient(first, second, name, **({"p": p} if name in OVERLAPS else {}))
    if math.isnan(value):
        return {"value": None, "note": undefined(first, second)}
    return {"value": value, "note": ""}


def _mean(by_query: Sequence[Mapping[str, Any]], one: str, other: str, name: str, confidence: float) -> tuple[Any, ...]:
    rows = [row for row in by_query if (row["first"], row["second"], row["coefficient"]) == (one, other, name)]
    values = [row["value"] for row in rows if row["value"] is not None]
    note = next((row["note"] for row in rows if row["value"] is None), "")
    lost = f"undefined for {len(rows) - len(values)} of {counted(len(rows), 'query')}: {note}" if note else ""
    if not values:
        return (one, other, name, None, lost, None, None, "")
    bounds = mean_interval(np.array(values), confidence, bounds=range_of(name)).of_one
    return (one, other, name, math.fsum(values) / len(values), lost, *bounds)


def _together(sources: Sequence[Provenance]) -> Provenance:
    """The first, with the inputs of all."""
    inputs = dict.fromkeys(origin for source in sources for origin in source.inputs)
    return replace(sources[0], inputs=tuple(inputs))


def _rankings(data: Any) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        raise BadInput(
            f"{type(data).__name__} does not contain rankings; pass two rankings, a result, {{judgments: result}}, or "
            "{name: ranking}"
        )
    return by_name(data, "rankings")
