"""Tiers: systems ordered by mean, with bars that connect those not significantly different."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.errors import BadSetting
from cranfield.evidence.samples import Samples
from cranfield.inference.simultaneous import critical_difference
from cranfield.measures.registry import Measure
from cranfield.present.comparison import tested
from cranfield.present.plots.axes import WIDTH, quantity, roomy, tooltip
from cranfield.present.plots.data_tables import table_of
from cranfield.present.plots.layers import data, inline
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.series import bare
from cranfield.present.plots.systems import measured
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Bars
from cranfield.present.table import visible
from cranfield.results.comparison import Comparison
from cranfield.results.pairwise import compare_samples
from cranfield.results.rankings import Result
from cranfield.results.result_samples import intervals_of_samples, means_of_samples
from cranfield.results.tiers import Tier, tier_numbers, tiers_in_order
from cranfield.text import counted, percent, plural

ROW = 26
COLUMN = 24  # pixels per bar


@plot_of(Result, Comparison)
def tiers(
    result: Result | Comparison,
    measure: Measure | str | None = None,
    *,
    test: str | None = None,
    correction: str | None = None,
    level: float | None = None,
    **settings: Any,
) -> Plot:
    """The mean of each system with its confidence interval, and bars that connect systems not significantly different.

    The settings are those of `compare`, unless a comparison is plotted; with `test="nemenyi"` the mean ranks are shown,
    as in a critical-difference diagram.
    """
    chosen, samples = measured(result, measure)
    named = {"test": test, "correction": correction, "level": level}
    settings |= {name: value for name, value in named.items() if value is not None}
    if isinstance(result, Result):
        return tiers_of(chosen, samples, compare_samples({chosen: result.samples(chosen)}, **settings))
    if settings:
        raise BadSetting(f"{next(iter(settings))} does not apply to a comparison, which is already tested")
    if result.baseline is not None:
        raise BadSetting("tiers need a comparison of all pairs of systems; this one compares them with a baseline")
    return tiers_of(chosen, samples, result)


def tiers_of(measure: str, samples: Samples, compared: Comparison) -> Plot:
    """The tiers for one measure of a comparison of all pairs of systems."""
    field, at, low, high = _placed(samples, measure, compared)
    lower = field == "mean_rank" or samples.lower_is_better
    order = np.argsort(at if lower else -at, kind="stable")
    connected = tiers_in_order(compared, measure, [samples.systems[s] for s in order])
    table = table_of(
        **{
            "system": [samples.systems[s] for s in order],
            field: at[order],
            "low": low[order],
            "high": high[order],
            "tiers": [tier_numbers(connected, place) for place in range(len(order))],
        }
    )
    return Plot(
        f"{measure}: connected systems are not significantly different",
        table,
        partial(_drawn, table, connected, field, measure, lower),
        sketch=Bars(("system", "tiers"), field),
        about="; ".join([tested(compared), f"{len(samples):,} {plural(samples.unit)}", *_untested(compared, measure)]),
        key=f"horizontal lines: {_lines(field, compared.level)}",
    )


def tiers_by_system(plot: Plot) -> dict[str, str]:
    """The tiers of each system in a plot of them."""
    return dict(zip(plot.data["system"].to_pylist(), plot.data["tiers"].to_pylist(), strict=True))


def _placed(samples: Samples, measure: str, compared: Comparison) -> tuple[str, Floats, Floats, Floats]:
    """The position of each system, with lower and upper bound."""
    if compared.test.name != "nemenyi":
        interval = intervals_of_samples({measure: samples}, confidence=1 - compared.level)
        return "mean", means_of_samples({measure: samples})[:, 0], interval.low[:, 0], interval.high[:, 0]
    n_systems, n_units = samples.values.shape
    rank = samples.ranks.mean(axis=1)
    half = critical_difference(n_systems, n_units, compared.level) / 2
    return "mean_rank", rank, rank - half, rank + half


def _untested(compared: Comparison, measure: str) -> list[str]:
    """The number of untested pairs, which count as not significantly different."""
    n = sum(not row.tested for row in compared.rows if row.measure == measure)
    return [f"{counted(n, 'pair')} not tested, because the difference has no variance"] if n else []


def _lines(field: str, level: float) -> str:
    if field == "mean_rank":
        return "half the critical difference on each side"
    return f"{percent(1 - level)} confidence interval of each mean"


def _drawn(table: pa.Table, connected: Sequence[Tier], field: str, measure: str, lower: bool) -> Chart:
    names = [visible(name) for name in table["system"].to_pylist()]
    y = alt.Y("system:N", sort=names, title=None, axis=bare(labelLimit=240, grid=True))
    domain = roomy(np.concatenate([table["low"].to_numpy(), table["high"].to_numpy()]), tight=True)
    title = "mean rank" if field == "mean_rank" else f"mean {measure}"
    x = alt.X(**quantity(field, title + (" (lower is better)" if lower else ""), *domain))
    tips = tooltip("system", "tiers", numbers=(field, "low", "high"))
    rule = data().mark_rule(style="good", strokeWidth=2).encode(x=alt.X("low:Q", title=""), x2=alt.X2("high:Q"), y=y)
    point = data().mark_point(style="good", size=70).encode(x=x, y=y, tooltip=tips)
    left = alt.layer(rule, point).properties(width=WIDTH, height=ROW * len(names))
    return alt.hconcat(left, _bars(connected, names), spacing=12)


def _bars(connected: Sequence[Tier], names: Sequence[str]) -> Chart:
    """One bar per tier, from its first system to its last."""
    rows = [
        {"tier": number, "first": names[tier.first], "last": names[tier.last]}
        for number, tier in enumerate(connected, 1)
    ]
    x = alt.X("tier:O", title=None, axis=bare(orient="top", labelAngle=0))
    y = alt.Y("first:N", sort=names, scale=alt.Scale(domain=[*names]), axis=None)
    bars = inline(rows).mark_rule(style="ink", strokeWidth=6, strokeCap="round").encode(x=x, y=y, y2=alt.Y2("last:N"))
    return bars.properties(width=COLUMN * len(connected), height=ROW * len(names))
