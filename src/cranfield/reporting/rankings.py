"""The report on rankings: runs evaluated with relevance judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from cranfield.comparison.compare import name_or_number
from cranfield.comparison.plots import tiers_by_system
from cranfield.comparison.result import Comparison
from cranfield.comparison.tables import differences, leaderboard
from cranfield.engines.watched import Watched
from cranfield.errors import BadSetting
from cranfield.evidence.hits import Hits
from cranfield.examination.evidence import findings_in
from cranfield.frozen import frozen
from cranfield.present.table import Table, visible
from cranfield.present.values import Aggregates, overview, ranked
from cranfield.rankings.steps import tables as working
from cranfield.reporting.board import board as board_data
from cranfield.reporting.board import leads
from cranfield.reporting.content import COMPARISONS, SYSTEMS, Content, Download, Passage, embedded, main_files
from cranfield.reporting.figures import ranking_figures, tier_plot
from cranfield.reporting.methods import counting_passage, inference_passage, measures_passage
from cranfield.reporting.page import Report
from cranfield.results.intervals import Intervals
from cranfield.results.values import Result
from cranfield.results.verb_result import number
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.numbers import short_number
from cranfield.text import count

# The texts of queries and documents shown with a ranking


CHARACTERS = 4_000_000  # characters of all documents in a page
LONGEST = 1_200  # characters of one document


class Excerpt(NamedTuple):
    """The title and the beginning of the text of a document."""

    title: str
    text: str


@frozen
class Texts:
    """Query texts by query, and documents by name; both may be empty."""

    queries: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, Excerpt] = field(default_factory=dict)

    def of_queries(self, names: Iterable[str]) -> list[str] | None:
        """The text of each query, empty if unknown; None if no text is known."""
        return [visible(_one_line(self.queries.get(name, ""))) for name in names] if self.queries else None

    def of_documents(self, names: Iterable[str]) -> dict[str, Any]:
        """Title and beginning of the text of each known document, shortened to fit into the page."""
        known = [name for name in dict.fromkeys(names) if name in self.documents]
        longest = min(LONGEST, CHARACTERS // max(1, len(known)))
        return {visible(name): _shortened(self.documents[name], longest) for name in known}


def _shortened(document: Excerpt, longest: int) -> list[str]:
    text = document.text.strip()
    return [visible(_one_line(document.title)), text if len(text) <= longest else text[:longest].rstrip() + " …"]


def _one_line(text: str) -> str:
    return " ".join(text.split())


# The data of the interactive table of queries: values, and the top documents of each ranking with grades


DEEPEST, SHALLOWEST = 20, 5
BUDGET = 200_000  # maximum number of documents in a page
Firsts = Mapping[str, Mapping[bytes, list[bytes]]]  # by system and query


def explorer(result: Result, judged: Judgments, first: Firsts, depth: int, texts: Texts) -> dict[str, Any]:
    """Compact data for JSON: each query lists its documents once, and the rankings refer to them by index."""
    documents, lists = _listed(result, judged, first)
    return {
        "systems": [*map(visible, result.systems)],
        "measures": [*map(str, result.measures)],
        "lower": [measure.declaration.higher_is_better is False for measure in result.measures],
        "queries": [*map(visible, result.units)],
        "values": [[[*map(number, row)] for row in rows] for rows in result.values.tolist()],
        "counted": result.counted.astype(int).tolist(),
        "relevant": _relevant(result),
        "depth": depth,
        "documents": documents,
        "lists": lists,
        "titles": texts.of_queries(result.units),
        "texts": texts.of_documents(decode(name) for by_query in first.values() for name in chain(*by_query.values())),
    }


def _relevant(result: Result) -> list[int | None]:
    """The number of relevant documents, at the relevance level of the first measure with one, otherwise at grade 1."""
    hits: Hits | None = next(iter(result.evidence.values()), None)
    if hits is None:
        return [None] * len(result.units)
    levels = [measure.options["rel"] for measure in result.measures if measure.options.get("rel")]
    level = float(levels[0]) if levels and isinstance(levels[0], int | float) else 1.0
    return [int(count) for count in hits.n_relevant(level)]


def _listed(result: Result, judged: Judgments, first: Firsts) -> tuple[list[dict[str, Any]], list[list[list[int]]]]:
    documents: list[dict[str, Any]] = []
    lists: list[list[list[int]]] = [[] for _ in result.systems]
    for q, query in enumerate(judged.queries):
        grade_of = judged.grades_of(q)
        place: dict[bytes, int] = {}
        for s, system in enumerate(result.systems):
            lists[s].append([place.setdefault(name, len(place)) for name in first[system].get(query, ())])
        grades = [_grade(grade_of.get(name)) for name in place]
        documents.append({"names": [visible(decode(name)) for name in place], "grades": grades})
    return documents, lists


def _grade(grade: float | None) -> float | None:
    """A grade as written; a negative one means pooled but not judged."""
    return None if grade is None or not grade >= 0 else short_number(grade)


def depth_for(n_systems: int, n_queries: int) -> int:
    """The number of documents per ranking that fit into a page."""
    return int(np.clip(BUDGET // max(1, n_systems * n_queries), SHALLOWEST, DEEPEST))


class Shown(NamedTuple):
    """What is shown, and the number of decimals; `intervals` are settings of `Result.intervals`."""

    digits: int
    aggregates: Aggregates
    intervals: dict[str, Any]
    texts: Texts
    per_query: bool
    pairs: bool
    steps: bool
    query: str | None


def ranking_page(
    result: Result,
    judged: Judgments,
    watched: Sequence[Watched],
    depth: int,
    *,
    baseline: str | float | None,
    title: str,
    tests: Mapping[str, Any],
    shown: Shown,
) -> Report:
    """The page on a result, with the top documents of each run; `tests` are settings of `compare`."""
    baseline = name_or_number(baseline, result.systems)
    system = baseline if isinstance(baseline, str) else None
    if system is not None and system not in result.systems:
        raise BadSetting(f"there is no system {system!r}; available: {', '.join(result.systems)}")
    ordered = ranked(result, result.measures[0])
    compared = _compared(ordered, baseline, tests)
    return Report(_content(ordered, compared, judged, watched, depth, system, title, shown))


def _content(
    ordered: Result,
    compared: Comparison | None,
    judged: Judgments,
    watched: Sequence[Watched],
    depth: int,
    baseline: str | None,
    title: str,
    shown: Shown,
) -> Content:
    settings = shown.intervals if shown.intervals["confidence"] is not None else {"confidence": None}
    intervals = ordered.intervals(**settings) if len(ordered.units) > 1 and len(settings) > 1 else None
    tiers = tier_plot(ordered, compared)
    by_system = None if tiers is None else tiers_by_system(tiers)
    board = leaderboard(ordered, comparison=compared, tiers=by_system, digits=shown.digits, **settings)
    systems, queries = count(len(ordered.systems), "system"), count(len(ordered.units), "query")
    by_name = {run.name: run for run in watched}
    first = {name: by_name[name].first for name in ordered.systems}
    return Content(
        title=title or _title(ordered),
        subtitle=f"{systems}, {queries}, {count(len(judged.grade), 'judgment')}",
        lead=leads(ordered, intervals, compared, ordered.measures[0]),
        findings=findings_in(*(thing for thing in (ordered, compared) if thing is not None)),
        board=board,
        tables=tuple(_tables(ordered, compared, shown, settings)),
        figures=ranking_figures(ordered, tiers, baseline),
        passages=tuple(_methods(ordered, intervals, compared, shown.steps)),
        cited=(
            *(measure.declaration.cite for measure in ordered.measures),
            *([compared.test.cite] if compared else []),
        ),
        provenance=ordered.provenance,
        files=tuple(_files(ordered, compared, board, shown.per_query, settings)),
        explorer=explorer(ordered, judged, first, depth, shown.texts)
        | {"board": board_data(ordered, intervals, compared, baseline, shown.digits)},
    )


def _title(result: Result) -> str:
    """The default title, which holds for whichever measure the reader chooses."""
    if len(result.systems) > 1:
        return f"Leaderboard of {count(len(result.systems), 'system')}"
    more = f" and {count(len(result.measures) - 1, 'other measure')}" if len(result.measures) > 1 else ""
    return f"{result.systems[0]}: {result.measures[0]}{more}"


def _tables(result: Result, compared: Comparison | None, shown: Shown, intervals: dict[str, Any]) -> Iterator[Table]:
    """The requested tables: other aggregates, pairs of systems, the working of a query."""
    if shown.aggregates:
        table = overview(result, aggregates=shown.aggregates, digits=shown.digits, **intervals)
        yield replace(table, title=f"Other aggregates: {', '.join(shown.aggregates)}")
    if shown.pairs and compared is not None:
        yield differences(compared, shown.digits)
    if shown.query is not None:
        yield from working(result.steps(query=shown.query), digits=shown.digits)


def _methods(
    result: Result, intervals: Intervals | None, compared: Comparison | None, steps: bool
) -> Iterator[Passage]:
    yield from (counting_passage(result), measures_passage(result.measures), inference_passage(intervals, compared))
    if steps and compared:
        yield Passage("Steps of the tests", tuple(map(compared.steps, compared.rows)))


def _compared(result: Result, baseline: str | float | None, tests: Mapping[str, Any]) -> Comparison | None:
    """The comparison behind the summary, marks, tiers and findings."""
    with_number = baseline is not None and not isinstance(baseline, str)
    if len(result.systems) + with_number < 2 or result.counted.all(axis=0).sum() < 2:
        return None
    compared: Comparison = result.compare(baseline, **tests)
    return compared


def _files(
    result: Result, compared: Comparison | None, board: Table, per_query: bool, intervals: dict[str, Any]
) -> Iterator[Download]:
    yield from main_files(*SYSTEMS, result.to_csv(**intervals), result.to_json(**intervals), board)
    if per_query:
        yield embedded("values-by-query.csv", "values of all measures by query", result.to_csv(per_query=True))
    if compared is not None:
        yield embedded(*COMPARISONS, compared.to_csv())
