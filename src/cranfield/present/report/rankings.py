"""The report on rankings: runs evaluated with relevance judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from cranfield.comparison.compare import name_or_number
from cranfield.comparison.plots import tiers_by_system
from cranfield.comparison.result import Comparison
from cranfield.comparison.tables import differences, leaderboard
from cranfield.engines.watched_runs import Watched
from cranfield.errors import BadSetting
from cranfield.findings.examine import findings_in
from cranfield.present.rankings import Aggregates, overview, ranked
from cranfield.present.report.board import board as board_data
from cranfield.present.report.content import COMPARISONS, SYSTEMS, Content, Download, Passage, embedded, main_files
from cranfield.present.report.explorer import explorer
from cranfield.present.report.figures import ranking_figures, tier_plot
from cranfield.present.report.lead import leads
from cranfield.present.report.methods import counting_passage, inference_passage, measures_passage
from cranfield.present.report.page import Report
from cranfield.present.report.texts import Texts
from cranfield.present.table import Table
from cranfield.rankings.steps import tables as working
from cranfield.results.interval_table import Intervals
from cranfield.results.rankings import Result
from cranfield.tables.judgments import Judgments
from cranfield.text import count


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
