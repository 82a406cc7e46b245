"""What a measure has come to at each rank of a ranking, beside the best ranking there could be."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.evidence.hits import Hits, ratio
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.rankings import Rankings
from cranfield.present.plots.series import (
    HEIGHT,
    WIDTH,
    coloured,
    dashed,
    data,
    inline,
    named_beside,
    quantity,
    shaped,
    told,
)
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.present.table import visible
from cranfield.registry import Measure, parse

Floats = NDArray[np.float64]

IDEAL = "ideal"


def buildup(given: Rankings, *, measure: Measure | str = "DCG", query: str | None = None, k: int = 20) -> Plot:
    """What a measure with a cut-off has come to at each rank: the mean over the queries, or one query."""
    wanted = parse(measure) if isinstance(measure, str) else measure
    if wanted.family.evidence is not Hits or "k" not in wanted.family.settings:
        raise BadSetting(f"{wanted} has no value at each rank; DCG, nDCG, P, R or RBP have")
    place = None if query is None else given.place(query)
    curves = {name: _values(wanted, hits, place, k) for name, hits in given.evidence.items()}
    curves[IDEAL] = _values(wanted, next(iter(given.evidence.values())).ideal, place, k)
    over = f"mean over {len(given.queries):,} queries" if query is None else f"query {query}"
    return Plot(
        "buildup",
        f"{wanted} rank by rank",
        pa.concat_tables([_ranks(name, values) for name, values in curves.items()]),
        partial(_drawn, curves, str(wanted), k),
        sketch=Lines("rank", "value", by="system", up=str(wanted)),
        about=over,
        key="dashed: the best ranking there could be",
    )


def _values(measure: Measure, hits: Hits, place: int | None, k: int) -> Floats:
    """The measure at every cut-off; over queries, undefined values count as nothing."""
    values = np.array([(measure @ rank).values(hits) for rank in range(1, k + 1)])
    if place is not None:
        return values[:, place]
    return ratio(np.nansum(values, axis=1), float(values.shape[1]))


def _ranks(name: str, values: Floats) -> pa.Table:
    rank = np.arange(1, len(values) + 1)
    return pa.table({"system": pa.array([name] * len(values), pa.string()), "rank": rank, "value": values})


def _drawn(curves: dict[str, Floats], measure: str, k: int) -> Chart:
    names = [name for name in curves if name != IDEAL]
    top = 1.03 * max(float(np.nanmax(values, initial=0)) for values in curves.values()) or 1.0
    x = alt.X(**quantity("rank", "rank", 1, max(k, 2), format="d", tickMinStep=1))
    y = alt.Y(**quantity("value", measure, 0, top))
    tips = told("system", numbers=("rank", "value"))
    best = data(system=IDEAL).mark_line(style="reference").encode(x=x, y=y, tooltip=tips)
    marks = data().transform_filter(alt.FieldOneOfPredicate(field="system", oneOf=[*map(visible, names)]))
    lines = marks.mark_line(point={"size": 40} if k <= 50 else False).encode(
        x=x, y=y, color=coloured(names), strokeDash=dashed(names), shape=shaped(names), tooltip=tips
    )
    beside = named_beside(names, [float(curves[name][-1]) for name in names], (0, top))
    return alt.layer(best, lines, beside, _ideal(curves[IDEAL], k)).properties(width=WIDTH, height=HEIGHT)


def _ideal(values: Floats, k: int) -> Chart:
    """The name of the best ranking, above its line near the start, where it is apart from the others."""
    rank = min(k, max(2, k // 4))
    at = inline([{"rank": rank, "value": float(values[rank - 1]), "shown": IDEAL}])
    return at.mark_text(style="aside", align="right", dx=-8, dy=-4).encode(x="rank:Q", y="value:Q", text="shown:N")
