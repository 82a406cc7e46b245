"""Tiers: systems in the order of their means, and bars that join those that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.evidence.samples import Samples
from cranfield.inference.distributions import range_quantile
from cranfield.inference.intervals import t_interval
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

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

ROW = 26
COLUMN = 24  # pixels from one bar to the next


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
    test: str = "tukey",
    correction: str = "holm",
    level: float = 0.05,
    **settings: Any,
) -> Plot:
    """The mean of each system with its interval, and bars that join systems which cannot be told apart.

    With `test="nemenyi"` systems stand at their mean rank, as in a critical-difference diagram.
    """
    chosen, samples = measured(result, measure)
    compared = compare({str(chosen): samples}, test=test, correction=correction, level=level, **settings)
    lower = test == "nemenyi" or lower_is_better(chosen)
    field, at, low, high = _placed(samples, chosen, test, level)
    order = np.argsort(at if lower else -at, kind="stable")
    found = joined(_apart(compared, samples)[np.ix_(order, order)])
    table = pa.table(
        {
            "system": pa.array([samples.systems[s] for s in order], pa.string()),
            field: at[order],
            "low": low[order],
            "high": high[order],
            "tiers": pa.array([" ".join(_letters(found, place)) for place in range(len(order))], pa.string()),
        }
    )
    return Plot(
        "tiers",
        f"{chosen}: systems that cannot be told apart are joined",
        table,
        partial(_drawn, table, found, field, str(chosen), lower),
        sketch=Bars(("system", "tiers"), field),
        about=_said(compared, samples),
        key=f"lines: {_lines(field, level)}",
    )


def _placed(samples: Samples, measure: Measure, test: str, level: float) -> tuple[str, Floats, Floats, Floats]:
    """Where each system stands, and how far that may be off."""
    if test != "nemenyi":
        interval = t_interval(samples.values.T, 1 - level).within(measure.family.bounds)
        return "mean", samples.values.mean(axis=1), interval.low, interval.high
    n_systems, n_units = samples.values.shape
    lowest_first = samples.ranks.mean(axis=1)
    rank = lowest_first if lower_is_better(measure) else n_systems + 1 - lowest_first
    half = critical_difference(n_systems, n_units, level) / 2
    return "mean_rank", rank, rank - half, rank + half


def critical_difference(n_systems: int, n_units: int, level: float) -> float:
    """How far two mean ranks must lie apart for Nemenyi's test to tell the systems apart."""
    return float(range_quantile(1 - level, n_systems, np.inf) * np.sqrt(n_systems * (n_systems + 1) / (12 * n_units)))


def _apart(compared: Comparison, samples: Samples) -> Mask:
    """Which systems differ significantly from which."""
    apart = np.zeros((len(samples.systems),) * 2, np.bool_)
    for row in compared.rows:
        one, other = samples.system(row.system), samples.system(row.baseline)
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


def _letters(found: Sequence[Tier], place: int) -> list[str]:
    return [_letter(number) for number, tier in enumerate(found) if place in tier]


def _letter(number: int) -> str:
    return ascii_lowercase[number % 26] * (1 + number // 26)


def _said(compared: Comparison, samples: Samples) -> str:
    correction = compared.correction
    allowed = "" if correction in ("none", "the test itself") else f", {correction}"
    return f"{compared.test.title} at level {compared.level:g}{allowed}; {len(samples):,} {plural(samples.kind)}"


def _lines(field: str, level: float) -> str:
    return "half the critical difference to each side" if field == "mean_rank" else f"{1 - level:.0%} interval"


def _drawn(table: pa.Table, found: Sequence[Tier], field: str, measure: str, lower: bool) -> Chart:
    names = [visible(name) for name in table["system"].to_pylist()]
    height = ROW * len(names)
    y = alt.Y("system:N", sort=names, title=None, axis=bare(labelLimit=240, grid=True))
    domain = roomy(np.concatenate([table["low"].to_numpy(), table["high"].to_numpy()]), tight=True)
    title = "mean rank" if field == "mean_rank" else f"mean {measure}"
    x = alt.X(**quantity(field, title + (" (lower is better)" if lower else ""), *domain))
    tips = told("system", "tiers", numbers=(field, "low", "high"))
    rule = data().mark_rule(style="good", strokeWidth=2).encode(x=alt.X("low:Q", title=""), x2="high:Q", y=y)
    point = data().mark_point(style="good", size=70).encode(x=x, y=y, tooltip=tips)
    left = alt.layer(rule, point).properties(width=WIDTH, height=height)
    if not found:
        return left
    rows = [
        {"tier": _letter(number), "first": names[tier.first], "last": names[tier.last]}
        for number, tier in enumerate(found)
    ]
    side = alt.X("tier:N", title=None, axis=bare(orient="top", labelAngle=0))
    bars = inline(rows).mark_rule(style="ink", strokeWidth=6, strokeCap="round")
    at = alt.Y("first:N", sort=names, scale=alt.Scale(domain=names), axis=None)
    right = bars.encode(x=side, y=at, y2="last:N").properties(width=COLUMN * len(found), height=height)
    return alt.hconcat(left, right, spacing=12)
