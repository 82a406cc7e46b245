"""The working of the measures of rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.curves.ranking_steps import conventions
from cranfield.engines.evaluation import Counting
from cranfield.engines.protocol import Ties
from cranfield.engines.top_grades import highest_grade, with_top_grade
from cranfield.engines.watched_runs import Watched
from cranfield.errors import BadSetting
from cranfield.evidence.hits import Hits
from cranfield.measures.naming import Requested, measures_named
from cranfield.measures.registry import Measure
from cranfield.results import cautions
from cranfield.results.provenance import Provenance, origins, run_names, warn
from cranfield.results.ranking_steps import RankedList, RankingSteps, chosen, of_hits
from cranfield.results.rankings import Result
from cranfield.results.writing import decoded
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.sources import as_judgments, as_runs

_WHOLE = 1 << 62  # longer than any ranking
_MEASURES = ("AP", "nDCG")


def steps(
    qrels: Any,
    runs: Any,
    measures: Requested = None,
    *,
    query: str | None = None,
    k: int | None = None,
    ties: Ties = "trec",
) -> RankingSteps:
    """The working of rankings, rank by rank: precision, recall, F, AP, CG, DCG and nDCG, and missed documents.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`.
    measures
        Measures whose settings apply: the relevance level of `"AP(rel=2)"`, the beta of `"F(beta=2)"`, the gain,
        discount and ideal ranking of `"nDCG(gain='exp2')@10"`. The largest cutoff, if all have one, is the depth.
    query
        The query to show; by default, all.
    k
        The depth to show.
    ties
        As for `evaluate`: `"trec"`, `"name"` or `"given"`.

    Returns
    -------
    RankingSteps
        One row per document: rank, document, grade, outcome (TP, FP, FN, TN) and the figures at each rank.

    Examples
    --------
    >>> working = steps({"q": {"a": 3, "b": 2}}, {"q": {"c": 3, "a": 2, "b": 1}}, "nDCG", query="q")
    >>> [round(row["nDCG"], 4) for row in working.records()["steps"]]
    [0.0, 0.4441, 0.6788]
    """
    if ties not in ("trec", "name", "given"):
        raise BadSetting(
            f"steps need a single order of the documents: ties must be 'trec', 'name' or 'given', not {ties!r}"
        )
    judged = as_judgments(qrels)
    requested = with_top_grade(measures_named(measures, "ranking", _MEASURES), judged.grade)
    judged.require_once("the judgments")
    places = chosen([decoded(decode(name)) for name in judged.queries], query)
    sources = as_runs(runs)
    names = run_names(sources)
    watched = [Watched(source, judged, _WHOLE, ties) for source in sources]
    counted = {n: Counting(ties).counted(run, judged, Hits) for n, run in zip(names, watched, strict=True)}
    warn(warned := cautions.of_rankings({n: ranks for n, (ranks, _) in counted.items()}, judged, sources, ties))
    rankings = [
        _named(of_hits(name, decoded(decode(judged.queries[place])), counted[name][1], place), run, judged, place)
        for place in places
        for name, run in zip(names, watched, strict=True)
    ]
    provenance = Provenance(origins(judged, sources), {"ties": ties}, warned)
    how = conventions(_options(requested), highest_grade(judged.grade))
    return RankingSteps(tuple(rankings), how, _depth(requested, k), _cutoffs(requested, k), provenance)


def steps_of(result: Result, *, query: str | None = None, k: int | None = None) -> RankingSteps:
    """The working of a result, without document names, which it does not store."""
    if not result.evidence:
        raise BadSetting("the result has no rankings, because it has no ranking measure")
    places = chosen(list(result.units), query)
    rankings = [of_hits(s, result.units[u], result.evidence[s], u) for u in places for s in result.systems]
    how = conventions(_options(result.measures), highest_grade(next(iter(result.evidence.values())).pool_grade))
    depth, cutoffs = _depth(result.measures, k), _cutoffs(result.measures, k)
    return RankingSteps(tuple(rankings), how, depth, cutoffs, result.provenance)


def _options(measures: Sequence[Measure]) -> list[dict[str, Any]]:
    """The settings of the measures; a treatment of unjudged documents cannot be shown."""
    special = next((measure for measure in measures if measure.options.get("unjudged") is not None), None)
    if special is not None:
        raise BadSetting(f"the working cannot be shown for {special}, which changes unjudged documents")
    return [dict(measure.options) for measure in measures if measure.declaration.evidence is Hits]


def _cutoffs(measures: Sequence[Measure], k: int | None) -> tuple[int | None, ...]:
    """The cutoffs whose values the working ends with, shallowest first; None is the whole ranking."""
    cutoffs: set[Any] = {k} if k is not None else {one.options.get("k") for one in measures}
    return tuple(sorted(cutoffs, key=lambda cutoff: math.inf if cutoff is None else cutoff))


def _depth(measures: Sequence[Measure], k: int | None) -> int | None:
    cutoffs: list[Any] = [measure.options.get("k") for measure in measures]
    return max(cutoffs) if k is None and all(cutoffs) else k


def _named(ranking: RankedList, run: Watched, judged: Judgments, place: int) -> RankedList:
    """The ranking with the names of its documents and of those it missed."""
    query = judged.queries[place]
    retrieved = run.first.get(query, [])
    grades, retrieved_names = judged.grades_of(place), set(retrieved)
    missed = {name: grade for name, grade in grades.items() if grade >= 0 and name not in retrieved_names}
    order = sorted(missed, key=lambda name: (-missed[name], name))
    return replace(
        ranking,
        document=tuple(decoded(decode(name)) for name in retrieved),
        missed=tuple(decoded(decode(name)) for name in order),
        missed_grade=np.array([missed[name] for name in order], np.float64),
    )
