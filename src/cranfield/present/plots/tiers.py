"""Tiers: systems in the order of their means, and bars that join those that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.evidence.samples import Samples
from cranfield.inference.distributions import range_quantile
from cranfield.inference.intervals import t_interval
from cranfield.present.comparison import tested
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.series import WIDTH, bare, data, inline, quantity, roomy, told
from cranfield.present.plots.systems import lower_is_better, measured, plural
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Bars
from cranfield.present.table import visible
from cranfield.registry import Measure
from cranfield.results.comparing import compare
from cranfield.results.comparison import Comparison
from cranfield.results.values import Result
from cranfield.results.writing import decoded

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

ROW = 26
COLUMN = 24  # pixels from one bar to the next
ALONE = "alone"


class Tier(NamedTuple):
    """The systems from one place in the order to another, no two of which differ significantly."""

    first: int
    last: int

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and self.first <= place <= self.last


def tiers(
    result: Result,
    measure: Measure | str | None = None,
    *,
    test: str = "t",
    correction: str | None = None,
    level: float = 0.05,
    **settings: Any,
) -> Plot:
    """The mean of each system with its interval, and bars that join systems which cannot be told apart.

    With `test="nemenyi"` systems stand at their mean rank, as in a critical-difference diagram.
    """
    chosen, samples = measured(result, measure)
    return tiers_of(
        chosen, samples, compare({str(chosen): samples}, test=test, correction=correction, level=level, **settings)
    )


def tiers_of(measure: Measure, samples: Samples, compared: Comparison) -> Plot:
    """The tiers by one measure of a comparison of every two systems, which may have compared on others too."""
    field, at, low, high = _placed(samples, measure, compared)
    lower = field == "mean_rank" or lower_is_better(measure)
    order = np.argsort(at if lower else -at, kind="stable")
    found = joined(_apart(compared, measure, samples)[np.ix_(order, order)])
    columns = {
        "system": pa.array([samples.systems[s] for s in order], pa.string()),
        field: at[order],
        "low": low[order],
        "high": high[order],
        "tiers": pa.array([_tiers(found, place) for place in range(len(order))], pa.string()),
    }
    table = pa.table(columns)
    return Plot(
        "tiers",
        f"{measure}: systems that are joined cannot be told apart",
        table,
        partial(_drawn, table, found, field, str(measure), lower),
        sketch=Bars(("system", "tiers"), field),
        about=f"{tested(compared)}; {len(samples):,} {plural(samples.kind)}",
        key=f"lines: {_lines(field, compared.level)}",
    )


def _placed(samples: Samples, measure: Measure, compared: Comparison) -> tuple[str, Floats, Floats, Floats]:
    """Where each system stands, and how far that may be off."""
    if compared.test.name != "nemenyi":
        interval = t_interval(samples.values.T, 1 - compared.level).within(measure.family.bounds)
        return "mean", samples.values.mean(axis=1), interval.low, interval.high
    n_systems, n_units = samples.values.shape
    lowest_first = samples.ranks.mean(axis=1)
    rank = lowest_first if lower_is_better(measure) else n_systems + 1 - lowest_first
    half = critical_difference(n_systems, n_units, compared.level) / 2
    return "mean_rank", rank, rank - half, rank + half


def critical_difference(n_systems: int, n_units: int, level: float) -> float:
    """How far two mean ranks must lie apart for Nemenyi's test to tell the systems apart."""
    return float(range_quantile(1 - level, n_systems, np.inf) * np.sqrt(n_systems * (n_systems + 1) / (12 * n_units)))


def _apart(compared: Comparison, measure: Measure, samples: Samples) -> Mask:
    """Which systems differ significantly from which."""
    apart = np.zeros((len(samples.systems),) * 2, np.bool_)
    for row in compared.rows:
        if row.measure == str(measure):
            one, other = samples.system(decoded(row.system)), samples.system(decoded(row.baseline))
            apart[one, other] = apart[other, one] = row.significant
    return apart


def joined(apart: Mask) -> list[Tier]:
    """The longest stretches of the order in which no two differ; one alone is joined with nobody."""
    found: list[Tier] = []
    for first in range(len(apart)):
        last = first
        while last + 1 < len(apart) and not apart[first : last + 1, last + 1].any():
            last += 1
        if last > first and (not found or last > found[-1].last):
            found.append(Tier(first, last))
    return found


def _tiers(found: Sequence[Tier], place: int) -> str:
    """The numbers of the tiers of a system, or that it is alone."""
    return " ".join(str(number) for number, tier in enumerate(found, 1) if place in tier) or ALONE


def _lines(field: str, level: float) -> str:
    return "half the critical difference to each side" if field == "mean_rank" else f"{1 - level:.0%} interval"


def _drawn(table: pa.Table, found: Sequence[Tier], field: str, measure: str, lower: bool) -> Chart:
    names = [visible(name) for name in table["system"].to_pylist()]
    y = alt.Y("system:N", sort=names, title=None, axis=bare(labelLimit=240, grid=True))
    domain = roomy(np.concatenate([table["low"].to_numpy(), table["high"].to_numpy()]), tight=True)
    title = "mean rank" if field == "mean_rank" else f"mean {measure}"
    x = alt.X(**quantity(field, title + (" (lower is better)" if lower else ""), *domain))
    tips = told("system", "tiers", numbers=(field, "low", "high"))
    rule = data().mark_rule(style="good", strokeWidth=2).encode(x=alt.X("low:Q", title=""), x2="high:Q", y=y)
    point = data().mark_point(style="good", size=70).encode(x=x, y=y, tooltip=tips)
    left = alt.layer(rule, point).properties(width=WIDTH, height=ROW * len(names))
    return alt.hconcat(left, _bars(found, names), spacing=12) if found else left


def _bars(found: Sequence[Tier], names: Sequence[str]) -> Chart:
    """A bar for each tier, from its first system to its last."""
    rows = [
        {"tier": number, "first": names[tier.first], "last": names[tier.last]} for number, tier in enumerate(found, 1)
    ]
    x = alt.X("tier:O", title=None, axis=bare(orient="top", labelAngle=0))
    y = alt.Y("first:N", sort=names, scale=alt.Scale(domain=[*names]), axis=None)
    bars = inline(rows).mark_rule(style="ink", strokeWidth=6, strokeCap="round").encode(x=x, y=y, y2="last:N")
    return bars.properties(width=COLUMN * len(found), height=ROW * len(names))
