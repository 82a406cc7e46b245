"""Strips: what each system put where, a cell for each rank, shaded by the grade of its document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.present.plots.plot import Plot
from cranfield.present.plots.rankings import Rankings
from cranfield.present.plots.series import bare, data, shortened, told
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Cells
from cranfield.present.table import visible

CELL, SMALL = 24, 14  # pixels of a cell
TALLEST = 1_400
ACROSS = 6  # systems side by side
READABLE = 11  # pixels a grade needs
WORDS = ("system", "query", "document")  # that are told of a cell; a result does not know its documents


def strips(given: Rankings, *, query: str | None = None, k: int = 20) -> Plot:
    """The grade of the document at each rank, for one query or for all; cells nobody judged have a dot."""
    place = None if query is None else given.place(query)
    table = pa.concat_tables([_strip(given, name, place, k) for name in given.systems])
    number = {name: place for place, name in enumerate(given.queries)}
    table = table.take(np.argsort([number[name] for name in table["query"].to_pylist()], kind="stable"))
    grades = [hits.pool_grade.max(initial=1) for hits in given.evidence.values()]
    top = float(max(grades, default=1))
    tall = min(float(SMALL), TALLEST / max(1, len(given.queries))) if query is None else CELL
    drawn = partial(_all, given.queries, tall) if query is None else _one
    return Plot(
        "strips",
        "What each system put where" + ("" if query is None else f" for query {query}"),
        table,
        partial(drawn, given.systems, top, k, WORDS if given.documents else WORDS[:2]),
        sketch=Cells(("system",) if query is not None else ("query", "system"), "rank", "grade", "grade"),
        about="the grade of the document at each rank, where it was judged",
        key=f"{'a dot' if tall >= READABLE else 'blank'} where it was not",
    )


def _strip(given: Rankings, system: str, place: int | None, k: int) -> pa.Table:
    """A row for each rank of each query; the grade is known where the document was judged, and then its name may be."""
    hits, names = given.evidence[system], given.documents.get(system)
    depth = hits.depth(k)
    if place is not None:
        depth = np.where(np.arange(len(depth)) == place, depth, 0)
    start = np.cumsum(depth) - depth
    unit = np.repeat(np.arange(len(depth)), depth)
    shown = np.flatnonzero(hits.rank <= depth[hits.unit])
    cell = start[hits.unit[shown]] + hits.rank[shown] - 1
    grade = np.full(len(unit), np.nan)
    grade[cell] = np.where(hits.grade[shown] >= 0, hits.grade[shown], np.nan)
    queries = given.queries
    columns = {
        "system": pa.array([system] * len(unit), pa.string()),
        "query": pa.array([queries[u] for u in unit], pa.string()),
        "rank": np.arange(len(unit)) - start[unit] + 1,
    }
    if names is not None:
        document = np.full(len(unit), None, object)
        document[cell] = [names[row] for row in shown]
        columns["document"] = pa.array(document.tolist(), pa.string())
    return pa.table(columns | {"grade": pa.array(grade, mask=np.isnan(grade))})


def _one(names: Sequence[str], top: float, k: int, words: Sequence[str]) -> Chart:
    """A strip for each system."""
    rows = _rows("system", names, CELL, None, bare(labelLimit=240))
    return _cells(data(), rows, top, k, CELL, words).properties(width=CELL * k, height=CELL * len(names))


def _all(queries: Sequence[str], tall: float, names: Sequence[str], top: float, k: int, words: Sequence[str]) -> Chart:
    """A panel for each system, a strip for each query."""
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
    """Rows for all the names, those too that have no cell."""
    return alt.Y(field, type="nominal", scale=_bands([*map(visible, names)], size), title=title, axis=axis)


def _bands(domain: Sequence[str | int], size: float) -> alt.Scale:
    return alt.Scale(domain=list(domain), paddingInner=0.06 if size >= READABLE else 0, paddingOuter=0)


def _cells(marks: Chart, rows: alt.Y, top: float, k: int, size: float, words: Sequence[str]) -> Chart:
    readable = size >= READABLE
    ranks = _bands(range(1, k + 1), size)
    columns = alt.X("rank:O", title="rank", axis=bare(labelAngle=0, labelOverlap=True), scale=ranks)
    tips = told(*words, numbers=("rank", "grade"))
    key = None if readable else alt.Legend(title="grade", orient="right", values=[*range(int(top) + 1)], format="d")
    lowest = 0 if readable else -top / 4  # so that a grade of 0 is not as white as the page
    shade = alt.Color("grade:Q", scale=alt.Scale(domain=[lowest, top]), legend=key)
    judged = marks.transform_filter("datum.grade !== null")
    cells = judged.mark_rect().encode(x=columns, y=rows, color=shade, tooltip=tips)
    if not readable:
        return cells
    blank = marks.transform_filter("datum.grade === null")
    font = 11 if size >= CELL else 9
    dark = judged.transform_filter(f"datum.grade > {0.55 * top}").mark_text(style="inverse", fontSize=font)
    light = judged.transform_filter(f"datum.grade <= {0.55 * top}").mark_text(style="label", fontSize=font)
    shown = alt.Text("grade:Q", format=".3~g")
    return alt.layer(
        cells,
        blank.mark_rect(style="empty", strokeWidth=0.6).encode(x=columns, y=rows, tooltip=tips),
        blank.mark_text(style="aside", fontSize=font).encode(x=columns, y=rows, text=alt.value("·")),
        *(text.encode(x=columns, y=rows, text=shown) for text in (dark, light)),
    )
