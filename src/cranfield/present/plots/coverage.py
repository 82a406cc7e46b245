"""Judgment coverage of each run: relevant, not relevant, unjudged and missed documents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.engines.protocol import Ties
from cranfield.evidence.hits import Hits
from cranfield.present.plots.axes import WIDTH
from cranfield.present.plots.data_tables import table_of
from cranfield.present.plots.layers import data, inline
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.rankings import rankings
from cranfield.present.plots.retrieved_sets import MISSED, of_queries
from cranfield.present.plots.series import LINE, bare
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Bars
from cranfield.present.table import visible
from cranfield.results.rankings import Result

AREAS = (MISSED, "relevant", "not relevant", "unjudged")
STYLES = ("bad", "good", "soft", "empty")
BAR = 30  # pixels
DIGIT, GAP = 7, 5  # pixels of a digit, and around a number


@plot_of(Result)
def coverage(
    source: Any, runs: Any = None, *, query: str | None = None, k: int = 10, rel: float = 1, ties: Ties = "trec"
) -> Plot:
    """Judgments of the first k documents of each run (relevant, not relevant, unjudged), and missed relevant documents.

    Dense judgments leave few documents unjudged. Sparse ones leave many, and some of these may be relevant.
    """
    ranked = rankings(source, runs, ties)
    place = None if query is None else ranked.place(query)
    rows = {name: _covered(hits, place, k, rel) for name, hits in ranked.evidence.items()}
    spans = np.array([span for counts in rows.values() for span in _spans(counts)])
    table = table_of(
        **{
            "system": [name for name in rows for _ in AREAS],
            "area": [*AREAS] * len(rows),
            "n": np.array([n for counts in rows.values() for n in counts]),
            "from": spans[:, 0],
            "to": spans[:, 1],
        }
    )
    return Plot(
        f"Judgments of the first {k} documents",
        table,
        partial(_bars, ranked.systems, table),
        sketch=Bars(("system", "area"), "n", digits=0),
        about=of_queries("summed over", ranked.queries, query),
        key="left of 0: missed relevant documents",
    )


def _covered(hits: Hits, place: int | None, k: int, rel: float) -> tuple[int, int, int, int]:
    """The numbers of relevant documents missed, and of relevant, other judged, and unjudged documents retrieved."""
    chosen = slice(None) if place is None else slice(place, place + 1)
    relevant = hits.count(hits.relevant(rel) & hits.top(k))
    judged = hits.count((hits.grade >= 0) & hits.top(k))
    counts = (hits.n_relevant(rel) - relevant, relevant, judged - relevant, hits.depth(k) - judged)
    n_missed, n_relevant, n_wrong, n_unjudged = (int(np.asarray(count)[chosen].sum()) for count in counts)
    return n_missed, n_relevant, n_wrong, n_unjudged


def _spans(counts: Sequence[int]) -> list[tuple[int, int]]:
    """The start and end of each part of a bar; missed documents lie left of 0."""
    missed, relevant, wrong, unjudged = counts
    return [(-missed, 0), (0, relevant), (relevant, relevant + wrong), (relevant + wrong, relevant + wrong + unjudged)]


def _bars(names: Sequence[str], table: pa.Table) -> Chart:
    low, high = min(table["from"].to_pylist()), max(table["to"].to_pylist())
    x = alt.X("from:Q", title="documents", scale=alt.Scale(domain=[low, max(high, low + 1)]),
              axis=alt.Axis(labelExpr="format(abs(datum.value), ',')"))  # fmt: skip
    y = alt.Y("system:N", title=None, scale=alt.Scale(domain=[*map(visible, names)], paddingInner=0.2), axis=bare())
    layers: list[Chart] = [
        data(area=area).mark_rect(style=style, strokeWidth=1).encode(x=x, x2=alt.X2("to:Q"), y=y)
        for area, style in zip(AREAS, STYLES, strict=True)
    ]
    wide = f"datum.n / {max(high - low, 1)} * {WIDTH} > {DIGIT} * length(format(datum.n, ',')) + {GAP}"
    text = data().transform_filter(wide).transform_calculate(middle="(datum.from + datum.to) / 2")
    for area, style in zip(AREAS, ("inverse", "inverse", "inverse", "label"), strict=True):
        chosen = text.transform_filter(alt.FieldEqualPredicate(field="area", equal=area))
        layers.append(chosen.mark_text(style=style).encode(x=alt.X("middle:Q"), y=y, text=alt.Text("n:Q", format=",")))
    zero = inline([{"from": 0}]).mark_rule(style="ink", strokeWidth=1.5).encode(x=alt.X("from:Q"))
    return alt.layer(*layers, zero, *_legend()).properties(width=WIDTH, height=BAR * len(names))


def _legend() -> list[Chart]:
    """The four areas by name, above the bars."""
    marks = []
    for place, (area, style) in enumerate(zip(AREAS, STYLES, strict=True)):
        at, row = place * WIDTH / len(AREAS), inline([{"text": area}])
        square = row.mark_point(style=style, shape="square", size=110, filled=True, strokeWidth=1)
        word = row.mark_text(style="label", align="left", baseline="middle")
        marks += [
            square.encode(x=alt.XValue(at + 6), y=alt.YValue(-LINE)),
            word.encode(x=alt.XValue(at + 18), y=alt.YValue(-LINE), text=alt.Text("text:N")),
        ]
    return marks
