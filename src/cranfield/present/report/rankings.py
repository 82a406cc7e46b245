"""The report on rankings: runs against judgments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.api import STANDARD, Progress, evaluate
from cranfield.errors import BadSetting
from cranfield.findings.examination import examine
from cranfield.findings.words import count, listed
from cranfield.present.comparison import tested
from cranfield.present.latex import latex
from cranfield.present.leaderboard import leaderboard
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.tiers import ALONE
from cranfield.present.report.content import Content, Passage
from cranfield.present.report.downloads import Download, bibliography, csv_file, json_file, text_file
from cranfield.present.report.explorer import explorer
from cranfield.present.report.listings import Watched, depth_for
from cranfield.present.report.methods import (
    counting_passage,
    inference_passage,
    inputs_table,
    measures_passage,
    references_passage,
    software_passage,
)
from cranfield.present.report.page import Report
from cranfield.present.report.pictures import pictures, tier_plot
from cranfield.present.report.references import references
from cranfield.present.results import CONFIDENCE, ranked
from cranfield.registry import Measure
from cranfield.results.comparison import Compared, Comparison
from cranfield.results.intervals import Intervals
from cranfield.results.values import Result
from cranfield.results.writing import json_text
from cranfield.tables.sources import as_judgments, as_runs

NAMED = 6  # systems in one sentence


def report(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = STANDARD,
    *,
    baseline: str | None = None,
    title: str = "",
    progress: Progress | None = None,
) -> Report:
    """A page on how good runs are, how sure that is, and what the figures hide.

    Parameters
    ----------
    qrels, runs, measures
        As for `evaluate`; the first measure decides the order of the systems.
    baseline
        The system that the others are compared with; without it, all are compared with each other.
    title
        The title of the page.
    progress
        As for `evaluate`.
    """
    judged = as_judgments(qrels)
    sources = as_runs(runs)
    depth = depth_for(len(sources), len(judged.queries))
    watched = [Watched(source, judged, depth) for source in sources]
    result = evaluate(judged, watched, measures, progress=progress)
    if baseline is not None and baseline not in result.systems:
        raise BadSetting(f"there is no system {baseline!r}; there are {', '.join(result.systems)}")
    return Report(_content(result, judged, watched, depth, baseline, title))


def _content(
    result: Result, judged: Any, watched: Sequence[Watched], depth: int, baseline: str | None, title: str
) -> Content:
    ordered = ranked(result, result.measures[0])
    intervals = ordered.intervals(confidence=CONFIDENCE) if len(ordered.queries) > 1 else None
    compared = _compared(ordered, baseline)
    told = tier_plot(ordered, compared)
    board = leaderboard(ordered, comparison=compared, tiers=_tiers(told))
    findings = examine(*(thing for thing in (ordered, compared) if thing is not None))
    systems, queries = count(len(ordered.systems), "system"), count(len(ordered.queries), "query")
    sources = references(_cited(ordered, compared))
    by_name = {run.name: run for run in watched}
    return Content(
        title=title or f"{ordered.measures[0]} and more: {systems}",
        subtitle=f"{systems}, {queries}, {count(len(judged.grade), 'judgment')}",
        lead=_lead(ordered, intervals, compared),
        findings=findings,
        board=board,
        tables=(),
        figures=pictures(ordered, told, baseline),
        explorer=explorer(ordered, judged, {name: by_name[name].first for name in ordered.systems}, depth),
        methods=(*_methods(ordered, intervals, compared), *references_passage(sources)),
        inputs=inputs_table(ordered.provenance),
        downloads=(*_downloads(ordered, compared, findings, latex(board)), *bibliography(sources)),
    )


def _methods(result: Result, intervals: Intervals | None, compared: Comparison | None) -> tuple[Passage, ...]:
    """How the figures came."""
    return (
        counting_passage(result),
        measures_passage(result.measures),
        inference_passage(intervals, compared),
        software_passage(),
    )


def _cited(result: Result, compared: Comparison | None) -> list[str]:
    """What measures and the test are cited from."""
    return [measure.family.cite for measure in result.measures] + ([compared.test.cite] if compared else [])


def _compared(result: Result, baseline: str | None) -> Comparison | None:
    """The one comparison from which the lead, the marks, the tiers and the findings come."""
    if len(result.systems) < 2 or result.counted.all(axis=0).sum() < 2:
        return None
    return result.compare(baseline)


def _tiers(told: Plot | None) -> Mapping[str, str] | None:
    """The numbers of the groups of systems that cannot be told apart by the first measure, if there are any."""
    if told is None or {*told.data["tiers"].to_pylist()} == {ALONE}:
        return None
    return dict(zip(told.data["system"].to_pylist(), told.data["tiers"].to_pylist(), strict=True))


def _lead(result: Result, intervals: Intervals | None, compared: Comparison | None) -> tuple[str, ...]:
    """Who is ahead, by how much, and of whom that can be said."""
    measure, best = str(result.measures[0]), result.systems[0]
    value = f"{result[best, measure]:.4f}"
    if intervals is not None and not np.isnan(intervals[best, measure][0]):
        low, high = intervals[best, measure]
        value += f", {intervals.confidence:.0%} interval {low:.4f} to {high:.4f}"
    first = f"{best} has the best {measure} of {count(len(result.systems), 'system')} ({value})."
    if len(result.systems) == 1:
        return (f"{best} has {measure} {value} over {count(len(result.queries), 'query')}.",)
    if compared is None:
        return (first, "There are too few queries to say whether the differences could be chance.")
    rows = [row for row in compared.rows if row.measure == measure]
    told = _ahead(best, rows) if compared.baseline in (None, best) else _beside(compared.baseline or "", rows)
    return (first, f"{told} ({tested(compared)}).")


def _ahead(best: str, rows: Sequence[Compared]) -> str:
    """Over whom the lead of the best could be chance, and over whom not."""
    own = {
        row.baseline if row.system == best else row.system: row for row in rows if best in (row.system, row.baseline)
    }
    beaten = [name for name, row in own.items() if row.significant]
    level = [name for name, row in own.items() if not row.significant]
    if not beaten:
        return f"Its lead over {listed(level, NAMED)} could be chance"
    better = f"It is significantly better than {listed(beaten, NAMED)}"
    return f"{better}; its lead over {listed(level, NAMED)} could be chance" if level else better


def _beside(baseline: str, rows: Sequence[Compared]) -> str:
    """Which systems differ from the baseline by more than chance explains."""
    apart = [row.system for row in rows if row.significant]
    if not apart:
        return f"No system differs from {baseline} by more than chance explains"
    return f"By more than chance explains, {baseline} differs from {listed(apart, NAMED)}"


def _downloads(result: Result, compared: Comparison | None, findings: Any, table: str) -> tuple[Download, ...]:
    files = [
        csv_file("systems.csv", "the value of every measure for every system", result.to_csv()),
        json_file("report.json", "the same with settings and sources", result.to_json()),
        text_file("leaderboard.tex", "the leaderboard for LaTeX", table),
        json_file("findings.json", "the findings", json_text([finding.to_dict() for finding in findings])),
    ]
    if compared is not None:
        files.append(csv_file("comparisons.csv", "every comparison of two systems", compared.to_csv()))
    return tuple(files)
