"""Fit of latent models: infit and outfit of systems and queries."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.inference import latent
from cranfield.measures.registry import Measure
from cranfield.present.plots.axes import HEIGHT, WIDTH, quantity, roomy, tooltip
from cranfield.present.plots.data_tables import table_of
from cranfield.present.plots.layers import data, reference
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.systems import measured
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Bars
from cranfield.results.latent import Latent
from cranfield.results.rankings import Result


@plot_of(Result, Latent)
def fit(result: Result | Latent, measure: Measure | str | None = None) -> Plot:
    """How well a latent (item response) model fits each system and each query: outfit over infit.

    Both are means of squared standardised residuals and about 1 if the model fits; outfit is sensitive to single
    unexpected values.
    """
    name, model = fitted(result, measure)
    table = _table(model)
    return Plot(
        f"{name}: fit of the latent model",
        table,
        partial(_drawn, table),
        sketch=Bars(("name",), "outfit", digits=2),
        about=f"{len(model.systems)} systems, {len(model.queries)} queries",
        key="lines: 1, the expected value if the model fits",
    )


def fitted(result: Result | Latent, measure: Measure | str | None) -> tuple[str, latent.Latent]:
    """The model, fitted to the values of a measure unless it is one already."""
    if isinstance(result, Latent):
        return result.measure, result
    chosen, samples = measured(result, measure)
    binary = bool(np.isin(samples.values, (0, 1)).all())
    model = latent.fit(samples.values, samples.systems, samples.units, model="success" if binary else "beta")
    return str(chosen), model


def _table(model: latent.Latent) -> pa.Table:
    fit = model.diagnostics()
    n_systems, n_queries = len(model.systems), len(model.queries)
    return table_of(
        of=["system"] * n_systems + ["query"] * n_queries,
        name=[*model.systems, *model.queries],
        infit=np.concatenate([fit.system_infit, fit.query_infit]),
        outfit=np.concatenate([fit.system_outfit, fit.query_outfit]),
        l_z=np.concatenate([fit.l_z, np.full(n_queries, np.nan)]),
    )


def _drawn(table: pa.Table) -> Chart:
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
