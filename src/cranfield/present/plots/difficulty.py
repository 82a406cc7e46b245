"""Queries by how difficult they are and how well they tell systems apart."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.inference.latent import Latent, fit
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import finite
from cranfield.present.plots.series import HEIGHT, LETTER, WIDTH, data, inline, quantity, roomy, shortened, told
from cranfield.present.plots.systems import measured
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Bars
from cranfield.present.table import visible
from cranfield.registry import Measure
from cranfield.results.values import Result

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

GAP = 9.0  # pixels from a point to its name
ROOM = 13.0  # pixels a line of text needs
FAR = 8.0  # times the middle half of the queries
NEAR = 0.1  # which is taken to be so wide at least
NAMED = 5  # of the queries that are too far off


def difficulty(result: Result, measure: Measure | str | None = None) -> Plot:
    """The difficulty and the discrimination of each query, by a latent model of systems and queries.

    Values of 0 and 1 only are taken as success and failure, others by a beta model.
    """
    chosen, samples = measured(result, measure)
    binary = bool(np.isin(samples.values, (0, 1)).all())
    model = fit(samples.values, samples.systems, samples.units, model="success" if binary else "beta")
    table = _table(model, samples.values.mean(axis=0))
    return Plot(
        "difficulty",
        f"{chosen}: which queries tell {len(model.systems)} systems apart",
        table,
        partial(_drawn, table),
        sketch=Bars(("query",), "information", digits=2),
        notes=_left_out(table),
        key="the larger the point, the more it tells; where discrimination is below 0, better systems do worse",
    )


def _left_out(table: pa.Table) -> tuple[str, ...]:
    beyond = table.filter(pa.array(far(table["difficulty"].to_numpy())))
    if not beyond.num_rows:
        return ()
    names = ", ".join(map(shortened, beyond["query"].to_pylist()[:NAMED])) + " …" * (beyond.num_rows > NAMED)
    return (f"so easy or so hard that they lie outside: {names} ({beyond.num_rows} in all)",)


def _table(model: Latent, mean: Floats) -> pa.Table:
    order = np.argsort(-model.information, kind="stable")
    return pa.table(
        {
            "query": pa.array([model.queries[q] for q in order], pa.string()),
            "difficulty": finite(model.difficulty[order]),
            "difficulty_error": finite(model.difficulty_error[order]),
            "discrimination": finite(model.discrimination[order]),
            "discrimination_error": finite(model.discrimination_error[order]),
            "information": finite(model.information[order]),
            "mean": finite(mean[order]),
        }
    )


def _drawn(table: pa.Table) -> Chart:
    across, up = (table[name].to_numpy() for name in ("difficulty", "discrimination"))
    wide, tall = roomy(across[~far(across)], tight=True), roomy(up, tight=True, zero=True)
    x = alt.X(**quantity("difficulty", "difficulty: the ability at which half is reached", *wide))
    y = alt.Y(**quantity("discrimination", "discrimination: how steeply values rise with ability", *tall))
    size = alt.Size("information:Q", legend=None, scale=alt.Scale(range=[12, 220]))
    tips = told("query", numbers=("difficulty", "discrimination", "information", "mean"))
    level = inline([{"discrimination": 0}]).mark_rule(style="reference").encode(y="discrimination:Q")
    dots = data().mark_point(style="good", opacity=0.65, clip=True).encode(x=x, y=y, size=size, tooltip=tips)
    names = [visible(name) for name in table["query"].to_pylist()]
    shown = [
        {"query": names[q], "difficulty": float(across[q]), "discrimination": float(up[q])}
        for q in uncrowded(names, _pixels(across, wide, WIDTH), _pixels(up, tall, HEIGHT))
        if wide[0] <= across[q] <= wide[1]
    ]
    texts = (
        inline(shown)
        .mark_text(style="label", align="left", dx=GAP, fontSize=10)
        .encode(x="difficulty:Q", y="discrimination:Q", text="query:N")
    )
    return alt.layer(level, dots, texts).properties(width=WIDTH, height=HEIGHT)


def far(values: Floats) -> Mask:
    """Which values lie so far from the others that these would be drawn as one point."""
    quarter, middle, three_quarters = np.nanquantile(values, (0.25, 0.5, 0.75))
    return np.asarray(np.abs(values - middle) > FAR * max(three_quarters - quarter, NEAR))


def _pixels(values: Floats, domain: tuple[float, float], pixels: float) -> Floats:
    return (values - domain[0]) / (domain[1] - domain[0]) * pixels


def uncrowded(names: list[str], x: Floats, y: Floats) -> list[int]:
    """Which of the points, the most important first, can be named without a name lying on a point or another name."""
    kept: list[int] = []
    start = x + GAP
    end = start + [LETTER * len(name) for name in names]
    for place in range(len(names)):
        level = np.abs(y - y[place]) < ROOM / 2
        on_point = level & (x > x[place]) & (x < end[place])
        on_name = any(
            abs(y[place] - y[other]) < ROOM and start[place] < end[other] and start[other] < end[place]
            for other in kept
        )
        if not on_point.any() and not on_name:
            kept.append(place)
    return kept
