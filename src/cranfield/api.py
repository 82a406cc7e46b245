"""The verbs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from cranfield.engines import local
from cranfield.errors import BadInput, CranfieldWarning
from cranfield.evidence.found import Found
from cranfield.evidence.hits import Hits, hits
from cranfield.registry import Measure, parse
from cranfield.results.provenance import Provenance
from cranfield.results.values import Result, Undefined
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.sources import as_judgments, as_runs

Ties = Literal["trec", "name", "given", "best", "worst"]
Missing = Literal["zero", "skip"]

STANDARD = ("AP", "nDCG@10", "RR", "P@10", "R@1000")

_ORDER: dict[Ties, local.TieOrder] = {"name": "name ascending", "given": "as given"}


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = STANDARD,
    *,
    ties: Ties = "trec",
    missing: Missing = "zero",
    undefined: Undefined = "zero",
    depth: int | None = None,
    precision: local.Precision = "double",
) -> Result:
    """The value of every measure for every query of every run.

    Parameters
    ----------
    qrels
        Judgments: a path, a data frame, a dict `{query: {document: grade}}` or an iterable of rows.
    runs
        One run, a list of runs, or a dict of runs by name; each a path, a data frame, a dict
        `{query: {document: score}}` or an iterable of rows.
    measures
        Measures or their names, such as `"nDCG@10"`, `"AP(rel=2)"`, or trec_eval's `"map"`.
    ties
        How documents with the same score are ordered: `"trec"` by name, descending, as trec_eval does; `"name"` by
        name, ascending; `"given"` as they came; `"best"` or `"worst"` for the run.
    missing
        What a judged query counts as that a run has no answer to: `"zero"`, or `"skip"` to leave it out.
    undefined
        What an undefined value counts as in an aggregate: `"zero"`, as in trec_eval, or `"skip"`.
    depth
        Keep only the first so many documents of each ranking.
    precision
        `"single"` compares scores as 32-bit numbers, as pytrec_eval does.

    Examples
    --------
    >>> qrels, run = {"q": {"d1": 1, "d2": 0, "d3": 2}}, {"q": {"d1": 0.9, "d2": 0.8, "d3": 0.7}}
    >>> result = evaluate(qrels, run, ["AP", "nDCG@10"])
    >>> round(result["AP"], 4)
    0.8333
    """
    wanted = _measures(measures)
    judged = as_judgments(qrels)
    sources = as_runs(runs)
    names = _unique([source.name for source in sources])
    values = np.empty((len(sources), len(wanted), len(judged.queries)))
    micro = np.full((len(sources), len(wanted)), np.nan)
    counted = np.ones((len(sources), len(judged.queries)), np.bool_)
    notes: list[str] = []
    judged.require_once("the judgments")
    for s, source in enumerate(sources):
        found = local.found(source, judged, order=_ORDER.get(ties, "name descending"), precision=precision)
        notes += _notes(names[s], found)
        if missing == "skip":
            counted[s] = found.answered
        evidence = _evidence(judged, found, ties, depth)
        for m, measure in enumerate(wanted):
            values[s, m] = measure.values(evidence)
            if measure.family.pools:
                micro[s, m] = measure.values(evidence.pooled)[0]
    for note in notes:
        warnings.warn(note, CranfieldWarning, stacklevel=2)
    return Result(
        systems=tuple(names),
        measures=tuple(wanted),
        queries=tuple(decode(query) for query in judged.queries),
        values=values,
        counted=counted,
        micro=micro,
        provenance=Provenance(
            inputs=(),
            settings={"ties": ties, "missing": missing, "undefined": undefined, "depth": depth, "precision": precision},
            warnings=tuple(notes),
            measures={str(measure): measure.options for measure in wanted},
        ),
    )


def _measures(given: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    several = [given] if isinstance(given, str | Measure) else list(given)
    wanted = [parse(measure) if isinstance(measure, str) else measure for measure in several]
    for measure in wanted:
        measure.require_settings()
    return list(dict.fromkeys(wanted))


def _unique(names: list[str]) -> list[str]:
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise BadInput(f"two runs are called {sorted(twice)[0]!r}; give them names, as in {{'a': run, 'b': other}}")
    return names


def _evidence(judged: Judgments, found: Found, ties: Ties, depth: int | None) -> Hits:
    evidence = hits(judged, found)
    if ties in ("best", "worst"):
        evidence = evidence.reordered(ties == "best")
    return evidence if depth is None else evidence.truncated(depth)


def _notes(name: str, found: Found) -> list[str]:
    n_queries = len(found.answered)
    if not found.answered.any():
        raise BadInput(f"{name}: no query of the run is among the {n_queries} judged ones; are the query ids the same?")
    missing = int((~found.answered).sum())
    notes = [
        (missing, f"{name}: {missing} of {n_queries} judged queries are missing from the run"),
        (found.n_unjudged_queries, f"{name}: {found.n_unjudged_queries} queries have no judgments and are left out"),
        (found.n_tied_queries, f"{name}: {found.n_tied_queries} queries have tied scores"),
        (
            found.n_disordered_queries,
            f"{name}: {found.n_disordered_queries} queries are not in the order of their scores",
        ),
    ]
    return [note for count, note in notes if count]
