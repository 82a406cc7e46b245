"""Reports: one page with all results on rankings, classifiers or other data."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.agreement.result import Agreement
from cranfield.classification.evaluated import Evaluated
from cranfield.classification.result import Classification
from cranfield.comparison.compare import compare
from cranfield.comparison.result import Comparison
from cranfield.engines.baselines import needs_baseline
from cranfield.engines.watched import Watched
from cranfield.errors import BadInput, BadSetting
from cranfield.measures.declaration import Aggregate
from cranfield.measures.naming import Requested, measures_named, parse
from cranfield.measures.registry import Measure
from cranfield.plot import drawable_plots
from cranfield.present.table import DIGITS
from cranfield.rankings.evaluate import STANDARD, Progress, evaluate
from cranfield.regression.result import Regression
from cranfield.releases.history import History
from cranfield.reporting.agreement import agreement_page
from cranfield.reporting.any_result import result_page
from cranfield.reporting.classification import classification_page
from cranfield.reporting.history import history_page
from cranfield.reporting.page import Report
from cranfield.reporting.rankings import LONGEST, Excerpt, Shown, Texts, depth_for, ranking_page
from cranfield.reporting.regression import regression_page
from cranfield.results.verb_result import VerbResult
from cranfield.settings import CONFIDENCE
from cranfield.statistics.intervals import Method
from cranfield.tables.collections.documents import read_documents
from cranfield.tables.collections.topics import read_topic_file
from cranfield.tables.names import decode
from cranfield.tables.sources import as_judgments, as_runs, texts_path

# The text of queries and documents that a report shows, from dicts or files


TextSource = Mapping[str, str] | str | os.PathLike[str]  # texts by id, or the path of a file or folder


def texts_of(queries: TextSource | None, documents: TextSource | None, runs: Iterable[Watched]) -> Texts:
    """The text of all queries, and of the documents at the top of the runs."""
    if isinstance(queries, str | os.PathLike):
        file = texts_path(os.fspath(queries), "queries.jsonl")
        queries = {topic.id: topic.title for topic in read_topic_file(file)}
    if documents is None:
        return Texts(queries or {})
    shown = {decode(name) for run in runs for names in run.first.values() for name in names}
    return Texts(queries or {}, dict(_excerpts(documents, shown)))


def _excerpts(documents: TextSource, shown: set[str]) -> Iterable[tuple[str, Excerpt]]:
    if not isinstance(documents, str | os.PathLike):
        return ((name, Excerpt("", documents[name])) for name in shown if name in documents)
    return (
        (document.id, Excerpt(document.title, document.text[: LONGEST + 1]))
        for document in read_documents(texts_path(os.fspath(documents), "corpus.jsonl"))
        if document.id in shown
    )


_EVALUATION = frozenset(inspect.signature(evaluate).parameters)


def report(
    data: Any,
    runs: Any = None,
    measures: Requested = None,
    *,
    baseline: str | float | None = None,
    title: str = "",
    items: Sequence[Any] | None = None,
    sort: Measure | str | None = None,
    per_query: bool = False,
    pairs: bool = False,
    steps: bool = False,
    query: str | None = None,
    digits: int = DIGITS,
    aggregates: Sequence[Aggregate] = (),
    confidence: float | None = CONFIDENCE,
    method: Method = "auto",
    topic: Mapping[str, str] | None = None,
    queries: TextSource | None = None,
    documents: TextSource | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Report:
    """An HTML page: how good systems are, how certain this is, and what the figures hide.

    Parameters
    ----------
    data
        Judgments, as for `evaluate`; a result of `classify`, `regress` or `agree`, for a page on classifiers, predicted
        values or raters; or any other result, for a page with its tables, plots and findings.
    runs, measures
        As for `evaluate`; the systems are ranked by the first measure. A result has its own.
    baseline
        The run that the others are compared with, or a number that all are compared with, such as a published value;
        by default, all pairs are compared.
    title
        The title of the page; by default, it describes the comparison.
    items
        The names of classified items; by default, their row numbers.
    sort
        The measure that ranks the systems and comes first in tables; by default, the first.
    per_query
        Add a file with the values of every query to the downloads.
    pairs
        Add a table of every pair of systems, even if there are so many that a comparison shows a matrix.
    steps
        Explain the steps of every test.
    query
        Add the working of this query, rank by rank, for every run.
    digits
        Number of decimals in tables.
    aggregates
        Add a table with these aggregates, such as `"median"`.
    confidence, method
        Settings of the intervals of each system, as for `Result.intervals`; None for no intervals.
    topic
        The topic of each query, if queries are variants of topics: intervals and tests are then over topics.
    queries, documents
        The texts of queries and documents, shown with the rankings: dicts from name to text, or paths of files or
        folders in the formats of `cranfield serve`; also a folder of BEIR.
    progress
        As for `evaluate`.
    settings
        Settings of `evaluate`, such as `ties`, and of `compare`, such as `test`.

    Returns
    -------
    Report
        The page: `report.html` is its text, and `report.save("report.html")` writes it.

    Examples
    --------
    >>> qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}
    >>> report(qrels, run, "RR").content.title
    'run: RR'
    """
    if isinstance(data, VerbResult):
        of_runs: dict[str, Any] = {"runs": runs, "measures": measures, "baseline": baseline, "progress": progress}
        of_runs |= {"sort": sort, "query": query, "per_query": per_query or None, "aggregates": aggregates or None}
        _refuse_runs(**of_runs, topic=topic, queries=queries, documents=documents, **settings)
    if isinstance(data, Classification):
        return classification_page(data, _compared(data), title=title, items=items)
    if isinstance(data, Regression):
        return regression_page(data, _compared_regression(data), title=title, digits=digits)
    if isinstance(data, Agreement):
        return agreement_page(data, title=title, digits=digits, steps=steps)
    if isinstance(data, History):
        return history_page(data, title=title, digits=digits)
    if isinstance(data, VerbResult):
        return result_page(data, drawable_plots(data), title=title, digits=digits, steps=steps, pairs=pairs)
    if runs is None:
        raise BadInput("a report needs judgments and runs, or a result")
    judged, sources = as_judgments(data, form=settings.get("form", "qrels")), as_runs(runs)
    depth = depth_for(len(sources), len(judged.queries))
    watched = [Watched(source, judged, depth, settings.get("ties", "trec")) for source in sources]
    tests = {name: settings.pop(name) for name in [*settings] if name not in _EVALUATION}
    tests |= {} if topic is None else {"topic": topic}
    ordered = _ordered(measures, sort)
    if isinstance(baseline, str) and needs_baseline(ordered):
        settings["baseline"] = baseline
    result = evaluate(judged, watched, ordered, progress=progress, **settings)
    intervals = {"confidence": confidence, "method": method, "topic": topic}
    texts = texts_of(queries, documents, watched)
    shown = Shown(
        digits, tuple(aggregates), intervals, per_query=per_query, pairs=pairs, steps=steps, query=query, texts=texts
    )
    return ranking_page(result, judged, watched, depth, baseline=baseline, title=title, tests=tests, shown=shown)


def _ordered(measures: Requested, first: Measure | str | None) -> tuple[Measure, ...]:
    """The measures, with the one that ranks the systems first."""
    chosen = measures_named(measures, "ranking", STANDARD)
    if first is not None and parse(first) not in chosen:
        raise BadSetting(f"cannot sort by {first}; evaluated: {', '.join(map(str, chosen))}")
    ordered = chosen if first is None else tuple(dict.fromkeys((parse(first), *chosen)))
    if not ordered[0].declaration.per_unit:
        raise BadSetting(
            f"a report ranks systems by a measure with a value for each query; {ordered[0]} has one value over all "
            "queries, so put another measure first"
        )
    return ordered


def _refuse_runs(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadSetting(f"{name} requires judgments and runs; this result has already been evaluated")


def _compared(classification: Classification) -> Comparison | None:
    """The comparison of every pair of classifiers by their correct predictions, if each item has one label.

    Decisions at thresholds chosen on the same items are not independent, so they are not compared.
    """
    first = classification.evaluated[0].predictions
    if (
        len(classification.systems) < 2
        or first.multilabel
        or first.weight is not None
        or not all(evaluated.decides and evaluated.goal is None for evaluated in classification.evaluated)
    ):
        return None
    return compare(replace(classification, evaluated=tuple(map(_ungrouped, classification.evaluated))))


def _compared_regression(regression: Regression) -> Comparison | None:
    """The comparison of every pair of systems, item by item or group by group, if there is something to compare."""
    try:
        return compare(regression) if len(regression.systems) > 1 else None
    except BadSetting:  # only proportions and widths of intervals were requested
        return None


def _ungrouped(evaluated: Evaluated) -> Evaluated:
    alone = replace(evaluated.predictions, group=None, groups=())
    return replace(evaluated, predictions=alone, cut=evaluated.threshold)
