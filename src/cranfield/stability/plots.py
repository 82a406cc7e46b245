"""Difficulty and discrimination of queries."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats, Mask
from cranfield.comparison.plots import measured
from cranfield.measures.registry import Measure
from cranfield.present.plots.data import Bars, table_of
from cranfield.present.plots.drawing import (
    GAP,
    HEIGHT,
    WIDTH,
    data,
    quantity,
    reference,
    roomy,
    shortened,
    texts,
    tooltip,
    uncrowded,
)
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible
from cranfield.results.values import Result
from cranfield.stability.result import Latent as LatentResult
from cranfield.statistics import latent
from cranfield.statistics.latent import Latent

# Fit of latent models: infit and outfit of systems and queries


@plot_of(Result, LatentResult)
def fit(result: Result | LatentResult, measure: Measure | str | None = None) -> Plot:
    """How well a latent (item response) model fits each system and each query: outfit over infit.

    Both are means of squared standardised residuals and about 1 if the model fits; outfit is sensitive to single
    unexpected values.
    """
    name, model = fitted(result, measure)
    table = _fit_table(model)
    return Plot(
        f"{name}: fit of the latent model",
        table,
        partial(_fit_drawn, table),
        sketch=Bars(("name",), "outfit", digits=2),
        about=f"{len(model.systems)} systems, {len(model.queries)} queries",
        key="lines: 1, the expected value if the model fits",
    )


def fitted(result: Result | LatentResult, measure: Measure | str | None) -> tuple[str, latent.Latent]:
    """The model, fitted to the values of a measure unless it is one already."""
    if isinstance(result, LatentResult):
        return result.measure, result
    chosen, samples = measured(result, measure)
    binary = bool(np.isin(samples.values, (0, 1)).all())
    model = latent.fit(samples.values, samples.systems, samples.units, model="success" if binary else "beta")
    return str(chosen), model


def _fit_table(model: latent.Latent) -> pa.Table:
    fit = model.diagnostics()
    n_systems, n_queries = len(model.systems), len(model.queries)
    return table_of(
        of=["system"] * n_systems + ["query"] * n_queries,
        name=[*model.systems, *model.queries],
        infit=np.concatenate([fit.system_infit, fit.query_infit]),
        outfit=np.concatenate([fit.system_outfit, fit.query_outfit]),
        l_z=np.concatenate([fit.l_z, np.full(n_queries, np.nan)]),
    )


def _fit_drawn(table: pa.Table) -> Chart:
    wide, tall = (  # 1, the expected value, is always in view
        roomy(np.append(table[name].to_numpy(), 1.0), tight=True, zero=True) for name in ("infit", "outfit")
    )
    x = alt.X(**quantity("infit", "infit (weighted by variance)", *wide))
    y = alt.Y(**quantity("outfit", "outfit (mean squared residual)", *tall))
    shape = alt.Shape("of:N", title=None)
    tips = tooltip("of", "name", numbers=("infit", "outfit"))
    across = reference(y="outfit", at=1)
    up = reference(x="infit", at=1)
    dots = data().mark_point(style="good", opacity=0.65).encode(x=x, y=y, shape=shape, tooltip=tips)
    return alt.layer(across, up, dots).properties(width=WIDTH, height=HEIGHT)


FAR = 8.0  # multiple of the interquartile range
NEAR = 0.1  # minimum interquartile range
NAMED = 5  # of the queries outside the plot


@plot_of(Result)
def difficulty(result: Result, measure: Measure | str | None = None) -> Plot:
    """The difficulty and discrimination of each query, estimated by a latent (item response) model.

    Values that are all 0 or 1 are modelled as success and failure, others by a beta model.
    """
    chosen, model = fitted(result, measure)
    table = _table(model, measured(result, measure)[1].values.mean(axis=0))
    return Plot(
        f"{chosen}: difficulty and discrimination of queries",
        table,
        partial(_drawn, table),
        sketch=Bars(("query",), "information", digits=2),
        notes=_left_out(table),
        about=f"{len(model.systems)} systems",
        key="size: information; discrimination below 0: better systems do worse",
    )


def _left_out(table: pa.Table) -> tuple[str, ...]:
    beyond = table.filter(pa.array(far(table["difficulty"].to_numpy())))
    if not beyond.num_rows:
        return ()
    names = ", ".join(map(shortened, beyond["query"].to_pylist()[:NAMED])) + " …" * (beyond.num_rows > NAMED)
    return (f"outside the plot, because very easy or very hard: {names} ({beyond.num_rows} in total)",)


def _table(model: Latent, mean: Floats) -> pa.Table:
    order = np.argsort(-model.information, kind="stable")
    names = ("difficulty", "difficulty_error", "discrimination", "discrimination_error", "information")
    parameters = {name: getattr(model, name)[order] for name in names}
    return table_of(query=[model.queries[q] for q in order], **parameters, mean=mean[order])


def _drawn(table: pa.Table) -> Chart:
    across, up = (table[name].to_numpy() for name in ("difficulty", "discrimination"))
    wide, tall = roomy(across[~far(across)], tight=True), roomy(up, tight=True, zero=True)
    x = alt.X(**quantity("difficulty", "difficulty (ability with an expected value of one half)", *wide))
    y = alt.Y(**quantity("discrimination", "discrimination (slope of values over ability)", *tall))
    size = alt.Size("information:Q", legend=None, scale=alt.Scale(range=[12, 220]))
    tips = tooltip("query", numbers=("difficulty", "discrimination", "information", "mean"))
    level = reference(y="discrimination", at=0)
    dots = data().mark_point(style="good", opacity=0.65, clip=True).encode(x=x, y=y, size=size, tooltip=tips)
    names = [visible(name) for name in table["query"].to_pylist()]
    shown = [
        {"query": names[q], "difficulty": float(across[q]), "discrimination": float(up[q])}
        for q in uncrowded(names, _pixels(across, wide, WIDTH), _pixels(up, tall, HEIGHT))
        if wide[0] <= across[q] <= wide[1]
    ]
    words = texts(shown, "difficulty", "discrimination", "query", style="label", align="left", dx=GAP, fontSize=10)
    return alt.layer(level, dots, words).properties(width=WIDTH, height=HEIGHT)


def far(values: Floats) -> Mask:
    """Whether each value is an outlier so extreme that the others would collapse into one point."""
    quarter, middle, three_quarters = np.nanquantile(values, (0.25, 0.5, 0.75))
    return np.asarray(np.abs(values - middle) > FAR * max(three_quarters - quarter, NEAR))


def _pixels(values: Floats, domain: tuple[float, float], pixels: float) -> Floats:
    return (values - domain[0]) / (domain[1] - domain[0]) * pixels
