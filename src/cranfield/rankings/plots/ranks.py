"""Rankings: the hits of each system, with document names if known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.engines.evaluation import Counting
from cranfield.engines.protocol import Ties
from cranfield.engines.top_grades import with_top_grade
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.frozen import frozen
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.present.plots.data import Cells, Lines, table_of, unused
from cranfield.present.plots.drawing import (
    SQUARE,
    bare,
    data,
    named_beside,
    quantity,
    series_lines,
    shaped,
    shortened,
    text_on_shade,
    texts,
    tooltip,
)
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible
from cranfield.rankings import cautions
from cranfield.results.provenance import run_names, warn
from cranfield.results.values import Result
from cranfield.results.writing import decoded
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.sources import as_judgments, as_runs
from cranfield.text import counted


@frozen(eq=False)
class Rankings:
    """The hits of each system on the same queries; `documents[system][i]` is the name of hit i."""

    evidence: Mapping[str, Hits]
    documents: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.evidence)

    @property
    def queries(self) -> list[str]:
        """The names of the queries."""
        return [decoded(decode(query)) for query in next(iter(self.evidence.values())).queries]

    def place(self, query: str | None) -> int:
        """The index of a query; its name is optional if there is only one."""
        return place_of(query, self.queries)


def place_of(query: str | None, names: Sequence[str]) -> int:
    """The index of a query among the names; optional if there is only one."""
    if query is None and len(names) == 1:
        return 0
    if query is None or decoded(query) not in names:
        shown = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
        problem = "choose the query to plot" if query is None else f"query {query!r} has no judgments"
        raise BadSetting(f"{problem}; there are {len(names)} queries ({shown})")
    return names.index(decoded(query))


def rankings(source: Any, runs: Any = None, ties: Ties = "trec") -> Rankings:
    """The rankings of judgments and runs, or of a result that keeps its evidence."""
    if runs is None and isinstance(source, Rankings):
        return source
    if runs is None and isinstance(source, Result):
        if not source.evidence:
            raise BadInput("the result has no rankings, because it has no ranking measure")
        return Rankings({decoded(name): hits for name, hits in source.evidence.items()})
    if runs is None:
        raise BadInput("there are no runs to plot: pass judgments and runs, or a result of evaluate")
    if ties == "expected":
        raise BadSetting("a plot needs a single order of the documents; ties='expected' averages over all orders")
    judged = as_judgments(source)
    judged.require_once("the judgments")
    sources, counting = as_runs(runs), Counting(ties)
    counted = {name: counting.counted(run, judged, Hits) for name, run in zip(run_names(sources), sources, strict=True)}
    judged_ranks = {name: ranks for name, (ranks, _) in counted.items()}
    warn(cautions.of_rankings(judged_ranks, judged, sources, ties))
    documents = {name: _documents(judged, ranks) for name, ranks in judged_ranks.items()} if ties == "trec" else {}
    return Rankings({name: hits for name, (_, hits) in counted.items()}, documents)


def _documents(judged: Judgments, ranks: JudgedRanks) -> list[str]:
    """The names of the judged documents that were retrieved, in the order of the hits."""
    rank = ranks.rank[judged.document]
    rows = np.flatnonzero(rank > 0)
    rows = rows[np.lexsort((rank[rows], judged.unit[rows]))]
    return [decoded(judged.texts[judged.document[row]]) for row in rows]


# The value of a measure at each cutoff, compared with the ideal ranking


@plot_of(Result)
def buildup(
    source: Any,
    runs: Any = None,
    *,
    measure: Measure | str = "DCG",
    query: str | None = None,
    k: int = 20,
    ties: Ties = "trec",
) -> Plot:
    """The value of a measure at each cutoff up to k, as a mean over queries or for one query."""
    ranked = rankings(source, runs, ties)
    (chosen,) = with_top_grade([parse(measure)], next(iter(ranked.evidence.values())).pool_grade)
    if chosen.declaration.evidence is not Hits or "k" not in chosen.declaration.settings:
        raise BadSetting(f"{chosen} has no cutoff; use DCG, nDCG, P, R or RBP")
    place = None if query is None else ranked.place(query)
    curves = {name: _values(chosen, hits, place, k) for name, hits in ranked.evidence.items()}
    ideal = unused("ideal", curves)
    curves[ideal] = _values(chosen, next(iter(ranked.evidence.values())).ideal, place, k)
    over = f"mean over {counted(len(ranked.queries), 'query')}" if query is None else f"query {query}"
    rank = np.arange(1, k + 1)
    return Plot(
        f"{chosen} by rank",
        pa.concat_tables([table_of(system=name, rank=rank, value=values) for name, values in curves.items()]),
        partial(_drawn, curves, ideal, str(chosen), k),
        sketch=Lines("rank", "value", by="system", up=str(chosen)),
        about=over,
        key="dashed: ideal ranking",
    )


def _values(measure: Measure, hits: Hits, place: int | None, k: int) -> Floats:
    """The measure at every cutoff; in the mean over queries, undefined values count as 0."""
    values = np.array([(measure @ rank).values(hits) for rank in range(1, k + 1)])
    if place is not None:
        return values[:, place]
    return ratio(np.nansum(values, axis=1), float(values.shape[1]))


def _drawn(curves: dict[str, Floats], ideal: str, measure: str, k: int) -> Chart:
    names = [name for name in curves if name != ideal]
    top = 1.03 * max(float(np.nanmax(values, initial=0)) for values in curves.values()) or 1.0
    x = alt.X(**quantity("rank", "rank", 1, max(k, 2), format="d", tickMinStep=1))
    y = alt.Y(**quantity("value", measure, 0, top))
    tips = tooltip("system", numbers=("rank", "value"))
    best = data(system=ideal).mark_line(style="reference").encode(x=x, y=y, tooltip=tips)
    marks = data().transform_filter(alt.FieldOneOfPredicate(field="system", oneOf=[*map(visible, names)]))
    line = marks.mark_line(point={"size": 40} if k <= 50 else False)
    lines = series_lines(line, names, x, y, tips, shape=shaped(names))
    beside = named_beside(names, [float(curves[name][-1]) for name in names], (0, top), pixels=SQUARE, right=SQUARE)
    return alt.layer(best, lines, beside, _ideal(ideal, curves[ideal], k)).properties(width=SQUARE, height=SQUARE)


def _ideal(name: str, values: Floats, k: int) -> Chart:
    """The label of the ideal ranking, above its line near the start, away from the other lines."""
    rank = min(k, max(2, k // 4))
    at = [{"rank": rank, "value": float(values[rank - 1]), "shown": name}]
    return texts(at, "rank", "value", "shown", style="aside", align="right", dx=-8, dy=-4)


# Strips: the grade of the document at each rank, one cell per rank


CELL, SMALL = 24, 14  # pixels of a cell
TALLEST = 1_400
ACROSS = 6  # systems side by side
READABLE = 11  # pixels needed for a number
WORDS = ("system", "query", "document")  # in tooltips; a result does not keep document names


@plot_of(Result)
def strips(source: Any, runs: Any = None, *, query: str | None = None, k: int = 20, ties: Ties = "trec") -> Plot:
    """The grades of the documents at the first k ranks, for all queries or one; dots mark unjudged documents."""
    ranked = rankings(source, runs, ties)
    place = None if query is None else ranked.place(query)
    table = pa.concat_tables([_strip(ranked, name, place, k) for name in ranked.systems])
    number = {name: place for place, name in enumerate(ranked.queries)}
    table = table.take(np.argsort([number[name] for name in table["query"].to_pylist()], kind="stable"))
    grades = [hits.pool_grade.max(initial=1) for hits in ranked.evidence.values()]
    top = float(max(grades, default=1))
    k = max(table["rank"].to_pylist(), default=k)  # no columns below the end of the longest ranking
    tall = min(float(SMALL), TALLEST / max(1, len(ranked.queries))) if query is None else CELL
    drawn = partial(_all, ranked.queries, tall) if query is None else _one
    return Plot(
        "Grades by rank" + ("" if query is None else f" for query {query}"),
        table,
        partial(drawn, ranked.systems, top, k, WORDS if ranked.documents else WORDS[:2]),
        sketch=Cells(("system",) if query is not None else ("query", "system"), "rank", "grade", "grade"),
        about="the grade of the document at each rank",
        key=f"{'dot' if tall >= READABLE else 'blank'}: unjudged",
    )


def _strip(ranked: Rankings, system: str, place: int | None, k: int) -> pa.Table:
    """One row per query and rank; grade and document name are known only for judged documents."""
    hits, names = ranked.evidence[system], ranked.documents.get(system)
    depth = hits.depth(k)
    if place is not None:
        depth = np.where(np.arange(len(depth)) == place, depth, 0)
    start = np.cumsum(depth) - depth
    unit = np.repeat(np.arange(len(depth)), depth)
    shown = np.flatnonzero(hits.rank <= depth[hits.unit])
    cell = start[hits.unit[shown]] + hits.rank[shown] - 1
    grade = np.full(len(unit), np.nan)
    grade[cell] = np.where(hits.grade[shown] >= 0, hits.grade[shown], np.nan)
    queries = ranked.queries
    columns: dict[str, Any] = {
        "system": system,
        "query": [queries[u] for u in unit],
        "rank": np.arange(len(unit)) - start[unit] + 1,
    }
    if names is not None:
        document = np.full(len(unit), None, object)
        document[cell] = [names[row] for row in shown]
        columns["document"] = document.tolist()
    return table_of(**columns, grade=grade)


def _one(names: Sequence[str], top: float, k: int, words: Sequence[str]) -> Chart:
    """One strip per system."""
    rows = _rows("system", names, CELL, None, bare(labelLimit=240))
    return _cells(data(), rows, top, k, CELL, words).properties(width=CELL * k, height=CELL * len(names))


def _all(queries: Sequence[str], tall: float, names: Sequence[str], top: float, k: int, words: Sequence[str]) -> Chart:
    """One panel per system, one strip per query."""
    panels = []
    for number, name in enumerate(names):
        first = number % ACROSS == 0
        axis = bare(labels=first, labelOverlap=tall < READABLE, labelLimit=160)
        rows = _rows("query", queries, tall, "query" if first else None, axis)
        title = alt.Title(shortened(name), fontSize=12, offset=4)
        cells = _cells(data(system=visible(name)), rows, top, k, tall, words)
        panels.append(cells.properties(width=SMALL * k, height=tall * len(queries), title=title))
    return alt.concat(*panels, columns=ACROSS, spacing=16)


def _rows(field: str, names: Sequence[str], size: float, title: str | None, axis: alt.Axis) -> alt.Y:
    """Rows for all names, including those without cells."""
    return alt.Y(field, type="nominal", scale=_bands([*map(visible, names)], size), title=title, axis=axis)


def _bands(domain: Sequence[str | int], size: float) -> alt.Scale:
    return alt.Scale(domain=list(domain), paddingInner=0.06 if size >= READABLE else 0, paddingOuter=0)


def _cells(marks: Chart, rows: alt.Y, top: float, k: int, size: float, words: Sequence[str]) -> Chart:
    readable = size >= READABLE
    ranks = _bands(range(1, k + 1), size)
    columns = alt.X("rank:O", title="rank", axis=bare(labelAngle=0, labelOverlap=True), scale=ranks)
    tips = tooltip(*words, numbers=("rank", "grade"))
    key = None if readable else alt.Legend(title="grade", orient="right", values=[*range(int(top) + 1)], format="d")
    lowest = 0 if readable else -top / 4  # to distinguish grade 0 from the background
    shade = alt.Color("grade:Q", scale=alt.Scale(domain=[lowest, top]), legend=key)
    judged = marks.transform_filter("datum.grade !== null")
    cells = judged.mark_rect().encode(x=columns, y=rows, color=shade, tooltip=tips)
    if not readable:
        return cells
    blank = marks.transform_filter("datum.grade === null")
    font = 11 if size >= CELL else 9
    shown = alt.Text("grade:Q", format=".3~g")
    return alt.layer(
        cells,
        blank.mark_rect(style="empty", strokeWidth=0.6).encode(x=columns, y=rows, tooltip=tips),
        blank.mark_text(style="aside", fontSize=font).encode(x=columns, y=rows, text=alt.TextValue("·")),
        *text_on_shade(judged, f"datum.grade > {0.55 * top}", columns, rows, shown, fontSize=font),
    )
