"""Strips: the grade of the document at each rank, one cell per rank."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.engines.protocol import Ties
from cranfield.present.plots.axes import tooltip
from cranfield.present.plots.data_tables import table_of
from cranfield.present.plots.layers import data, text_on_shade
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.rankings import Rankings, rankings
from cranfield.present.plots.series import bare, shortened
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Cells
from cranfield.present.table import visible
from cranfield.results.rankings import Result

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
