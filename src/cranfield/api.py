"""The verbs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa

from cranfield.curves import precision_recall as curves
from cranfield.engines.evaluation import Counting, Evaluation, Missing, Ties
from cranfield.engines.local import Precision
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.evidence.found import Found
from cranfield.evidence.hits import Hits
from cranfield.measures.ranking import ELEVEN
from cranfield.registry import Measure, parse_all
from cranfield.results.provenance import Origin, Provenance
from cranfield.results.values import Result, Undefined
from cranfield.results.writing import decoded
from cranfield.settings import Range
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.rankings import RunSource
from cranfield.tables.sources import as_judgments, as_runs

Progress = Callable[[str, int, int | None], None]

Written = Literal["qrels", "prefs"]
Form = Literal["at recalls", "at cutoffs", "interpolated", "every rank"]

STANDARD = ("AP", "nDCG@10", "RR", "P@10", "R@1000")
_CHOICES = {"ties": Ties, "missing": Missing, "undefined": Undefined, "precision": Precision, "form": Written}

_FORMS: dict[Form, Callable[[Hits, float, Sequence[float] | None], curves.PrecisionRecall]] = {
    "every rank": lambda hits, rel, points: curves.at_every_rank(hits, rel=rel, k=int(points[0]) if points else None),
    "interpolated": lambda hits, rel, _: curves.interpolated(hits, rel=rel),
    "at recalls": lambda hits, rel, points: curves.averaged_at_recalls(hits, rel=rel, levels=points or ELEVEN),
    "at cutoffs": lambda hits, rel, points: curves.averaged_at_cutoffs(
        hits, rel=rel, cutoffs=[int(k) for k in points or curves.CUTOFFS]
    ),
}


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = STANDARD,
    *,
    ties: Ties = "trec",
    missing: Missing = "zero",
    undefined: Undefined = "zero",
    depth: int | None = None,
    precision: Precision = "double",
    bounds: bool = False,
    form: Written = "qrels",
    progress: Progress | None = None,
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
        name, ascending; `"given"` as they came; `"best"` or `"worst"` for the run; `"expected"` gives the expected
        value over all orders.
    missing
        What a judged query counts as that a run has no answer to: `"zero"`, or `"skip"` to leave it out.
    undefined
        What an undefined value counts as in an aggregate: `"zero"`, as in trec_eval, or `"skip"`.
    depth
        Keep only the first so many documents of each ranking.
    precision
        `"single"` compares scores as 32-bit numbers, as pytrec_eval does.
    bounds
        Add to each measure what it would be were all unjudged documents irrelevant, and were all of the top grade.
    form
        `"prefs"` reads the judgments from a file of preferences, whose lines hold query, judgment group, subgroup,
        document and level.
    progress
        Called with the name of a run, how much of it was read, and how much there is, if known.

    Examples
    --------
    >>> qrels, run = {"q": {"d1": 1, "d2": 0, "d3": 2}}, {"q": {"d1": 0.9, "d2": 0.8, "d3": 0.7}}
    >>> result = evaluate(qrels, run, ["AP", "nDCG@10"])
    >>> round(result["AP"], 4)
    0.8333
    """
    wanted = _measures(measures)
    _check_choices(ties=ties, missing=missing, undefined=undefined, precision=precision, form=form)
    counting = Counting(ties, _checked_depth(depth, ties), precision, missing)
    judged = as_judgments(qrels, form=form)
    if any(measure.family.evidence is Hits for measure in wanted):
        judged.require_once("the judgments")
    if bounds:
        wanted = _with_bounds(wanted, judged)
    sources = as_runs(runs)
    names = _unique(sources)
    evaluations = [counting.evaluation(source, judged, wanted, _told(progress, source)) for source in sources]
    notes = [note for name, done in zip(names, evaluations, strict=True) for note in _notes(name, done)]
    _warn(notes)
    answered = np.array([done.found.answered for done in evaluations])
    return Result(
        systems=tuple(names),
        measures=tuple(wanted),
        queries=tuple(decode(query) for query in judged.queries),
        values=np.array([done.values for done in evaluations]),
        counted=answered if missing == "skip" else np.ones_like(answered),
        micro=np.array([done.micro for done in evaluations]),
        provenance=Provenance(
            inputs=(_origin("qrels", judged), *(_origin("run", source) for source in sources)),
            settings={"ties": ties, "missing": missing, "undefined": undefined, "depth": depth, "precision": precision},
            warnings=tuple(notes),
            measures={str(measure): measure.options for measure in wanted},
        ),
        evidence={name: done.hits for name, done in zip(names, evaluations, strict=True) if done.hits is not None},
    )


def precision_recall(
    qrels: Any,
    runs: Any,
    *,
    form: Form = "at recalls",
    points: Sequence[float] | None = None,
    rel: float = 1,
    ties: Ties = "trec",
) -> pa.Table:
    """Points of precision against recall, one row a point: system, query, rank, recall, precision.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`.
    form
        `"every rank"`: after each document, for each query; `"interpolated"`: the highest precision at each recall
        reached or beyond it, for each query; `"at recalls"`: the mean of that over queries at fixed levels of recall;
        `"at cutoffs"`: mean precision and mean recall over queries after so many documents.
    points
        The levels of recall, or the cut-offs; for `"every rank"` the depth, as one number.
    rel
        The grade from which a document is relevant.
    ties
        As for `evaluate`, but for `"expected"`.

    Examples
    --------
    >>> curve = precision_recall({"q": {"a": 1, "b": 1}}, {"q": {"a": 3, "c": 2, "b": 1}}, form="interpolated")
    >>> curve["precision"].to_pylist()
    [1.0, 0.6666666666666666]
    """
    if ties == "expected":
        raise BadSetting("a curve needs one order of the documents; ties='expected' has none")
    _check_choices(ties=ties)
    _check_points(form, points)
    if rel not in (allowed := Range("a grade")):
        raise BadSetting(f"rel must be {allowed.what}, not {rel!r}")
    judged = as_judgments(qrels)
    judged.require_once("the judgments")
    queries = [decoded(decode(query)) for query in judged.queries]
    sources = as_runs(runs)
    tables, notes = [], []
    for name, source in zip(_unique(sources), sources, strict=True):
        found, evidence = Counting(ties).counted(source, judged, Hits)
        notes += _misleading(name, found)
        tables.append(_points(name, queries, _FORMS[form](evidence, rel, points)))
    _warn(notes)
    return pa.concat_tables(tables)


def _points(system: str, queries: Sequence[str], curve: curves.PrecisionRecall) -> pa.Table:
    """The points of a curve as a table, with nulls where there is nothing to say."""
    return pa.table(
        {
            "system": pa.array([system] * len(curve), pa.string()),
            "query": pa.array([queries[unit] if unit >= 0 else None for unit in curve.unit], pa.string()),
            "rank": pa.array([rank or None for rank in curve.rank.tolist()], pa.int64()),
            "recall": pa.array(curve.recall, mask=np.isnan(curve.recall)),
            "precision": pa.array(curve.precision, mask=np.isnan(curve.precision)),
        }
    )


def _check_choices(**given: str) -> None:
    for name, value in given.items():
        choices = get_args(_CHOICES[name])
        if value not in choices:
            raise BadSetting(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")


def _check_points(form: Form, points: Sequence[float] | None) -> None:
    if form not in _FORMS:
        raise BadSetting(f"form must be one of {', '.join(map(repr, _FORMS))}, not {form!r}")
    allowed = (
        Range("levels of recall from 0 to 1", 0, 1)
        if form == "at recalls"
        else Range("whole numbers from 1", 1, 1 << 53)
    )
    for point in points or ():
        if point not in allowed or (form != "at recalls" and point != int(point)):
            raise BadSetting(f"the points of the curve {form} are {allowed.what}, not {point!r}")


def _measures(given: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    several = [given] if isinstance(given, str | Measure) else list(given)
    wanted = [one for each in several for one in ([each] if isinstance(each, Measure) else parse_all(str(each)))]
    for measure in wanted:
        measure.require_settings()
    if not wanted:
        raise BadSetting("no measure was asked for; cranfield measures lists them")
    return list(dict.fromkeys(wanted))


def _origin(role: str, source: RunSource | Judgments) -> Origin:
    return Origin(role, decoded(source.name), source.form, source.digest)


def _told(progress: Progress | None, source: RunSource) -> Callable[[int], None] | None:
    """What the engine calls as it goes through one run."""
    return None if progress is None else lambda done: progress(source.name, done, source.size)


def _checked_depth(depth: int | None, ties: Ties) -> int | None:
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
        raise BadSetting(f"depth must be a whole number from 1, not {depth!r}")
    if depth is not None and ties == "expected":
        raise BadSetting("depth cuts through ties, which have no expected order; use measures with a cut-off instead")
    return depth


def _with_bounds(wanted: list[Measure], judged: Judgments) -> list[Measure]:
    """Each measure, followed by its values were the unjudged all irrelevant and all of the top grade."""
    top = max(1.0, float(judged.grade.max(initial=1)))
    all_three = []
    for measure in wanted:
        all_three.append(measure)
        if measure.family.evidence is Hits and measure.options["unjudged"] is None:
            all_three += [measure(unjudged=0), measure(unjudged=int(top) if top.is_integer() else top)]
    return list(dict.fromkeys(all_three))


def _unique(sources: list[RunSource]) -> list[str]:
    """What the runs are called, if no two have one name."""
    names = [decoded(source.name) for source in sources]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise BadInput(f"two runs are called {min(twice)!r}; give them names, as in {{'a': run, 'b': other}}")
    return names


def _warn(notes: list[str]) -> None:
    for note in notes:
        warnings.warn(note, CranfieldWarning, stacklevel=3)


def _notes(name: str, done: Evaluation) -> list[str]:
    return _misleading(name, done.found) + [f"{name}: {note}" for note in done.notes]


def _misleading(name: str, found: Found) -> list[str]:
    """What may mislead in the figures of a run, each with a count."""
    n_queries = len(found.answered)
    if not found.answered.any():
        raise BadInput(f"{name}: no query of the run is among the {n_queries} judged ones; are the query ids the same?")
    missing = int((~found.answered).sum())
    counted = (
        (missing, f"of {n_queries} judged queries {_verb(missing)} missing from the run"),
        (found.n_unjudged_queries, "{queries} without judgments, left out"),
        (found.n_tied_queries, "{queries} with documents that have the same score"),
        (found.n_disordered_queries, "{queries} not in the order of the scores"),
    )
    return [f"{name}: {count} {note.format(queries=_queries(count))}" for count, note in counted if count]


def _queries(count: int) -> str:
    return "query" if count == 1 else "queries"


def _verb(count: int) -> str:
    return "is" if count == 1 else "are"
