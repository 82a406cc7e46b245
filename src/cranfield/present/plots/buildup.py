"""The value of a measure at each cutoff, compared with the ideal ranking."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.engines.protocol import Ties
from cranfield.engines.top_grades import with_top_grade
from cranfield.errors import BadSetting
from cranfield.evidence.exact import ratio
from cranfield.evidence.hits import Hits
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.present.plots.axes import SQUARE, quantity, tooltip
from cranfield.present.plots.data_tables import table_of, unused
from cranfield.present.plots.layers import data, texts
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.rankings import rankings
from cranfield.present.plots.series import named_beside, series_lines, shaped
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.present.table import visible
from cranfield.results.rankings import Result
from cranfield.text import counted


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
