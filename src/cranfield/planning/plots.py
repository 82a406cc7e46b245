"""Power: the probability of detecting a difference, by number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.comparison.cross_validation import CrossValidation
from cranfield.comparison.plots import measured
from cranfield.comparison.result import Comparison
from cranfield.errors import BadSetting
from cranfield.evidence.samples import Pairs, Samples
from cranfield.measures.registry import Measure
from cranfield.planning.plan import Plan
from cranfield.present.plots.data import Lines, table_of
from cranfield.present.plots.drawing import (
    HEIGHT,
    WIDTH,
    data,
    inline,
    named_beside,
    quantity,
    reference,
    series_lines,
    shortened,
    tooltip,
)
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.results.samples import is_geometric, on_tested_scale
from cranfield.results.values import Result
from cranfield.results.writing import decoded
from cranfield.statistics.distributions import Alternative
from cranfield.statistics.power import power as power_of
from cranfield.text import plural

ENOUGH = 0.8
DIFFERENCES = (0.01, 0.02, 0.05, 0.1)
EFFECTS = (0.1, 0.2, 0.5, 1.0)  # differences in standard deviations, where these exceed 1
POINTS = 80


@plot_of(Result, Comparison, CrossValidation, Plan)
def power(
    result: Result | Comparison | CrossValidation | Plan,
    measure: Measure | str | None = None,
    *,
    baseline: str | None = None,
    system: str | None = None,
    differences: Sequence[float] | None = None,
    level: float | None = None,
) -> Plot:
    """The power of a paired t-test against the number of queries, for differences of several sizes.

    The standard deviation is that of the observed differences between two systems, by default the two best. Differences
    default to 0.01, 0.02, 0.05 and 0.1, or to 0.1, 0.2, 0.5 and 1 standard deviations if these exceed 1; the observed
    difference is not among them, since the power for it says no more than the p-value (Hoenig and Heisey 2001). A plan
    has its own standard deviation, level and difference. The level defaults to 0.05.
    """
    if isinstance(result, Plan):
        return _of_plan(result, measure, baseline, system, differences, level)
    level = 0.05 if level is None else level
    chosen, samples = measured(result, measure)
    base, other = _pair(samples, baseline, system)
    both = Pairs(on_tested_scale({chosen: samples})[chosen], np.array([other]), np.array([base]))
    n_units = len(both.difference)
    deviation = float(both.deviation[0]) if n_units > 1 else 0.0
    if not deviation > 0:
        raise BadSetting("the differences between the two systems have no variance, so power cannot be computed")
    usual = DIFFERENCES if deviation <= 1 else [float(f"{effect * deviation:.1g}") for effect in EFFECTS]
    sizes = {f"{abs(d):g}": abs(d) for d in differences or usual}
    table = curves(sizes, deviation, n_units, level)
    pair = f"{shortened(samples.systems[other])} and {shortened(samples.systems[base])}"
    return Plot(
        f"Power to detect a difference in {chosen}",
        table,
        partial(_drawn, table, list(sizes), n_units, plural(samples.unit)),
        sketch=Lines("n", "power", by="line", across=f"number of {plural(samples.unit)}"),
        about=f"paired t-test at level {level:g}; standard deviation {deviation:.3g}, as between {pair}"
        + ", between logarithms" * is_geometric(chosen),
    )


def _of_plan(
    plan: Plan,
    measure: Measure | str | None,
    baseline: str | None,
    system: str | None,
    differences: Sequence[float] | None,
    level: float | None,
) -> Plot:
    """The power of the planned test for one pair of systems, by default the first."""
    if level is not None:
        raise BadSetting("level does not apply to a plan, which already has one")
    filters = {"measure": measure, "system": system, "baseline": baseline}
    chosen = {name: str(value) for name, value in filters.items() if value is not None}
    row = next((row for row in plan.rows if all(getattr(row, name) == chosen[name] for name in chosen)), None)
    if row is None:
        raise BadSetting(f"the plan has no row with {', '.join(f'{name} {value}' for name, value in chosen.items())}")
    planned = [size for size in (plan.settings["difference"], row.smallest) if size is not None]
    sizes = {f"{size:.4g}": size for size in (differences or planned)}
    n_units = row.n or row.needed or 2
    table = curves(sizes, row.deviation, n_units, row.level, plan.settings["alternative"])
    named = f" of {row.measure}" if row.measure else ""
    pair = f", as between {shortened(row.system)} and {shortened(row.baseline)}" if row.system else ""
    return Plot(
        f"Power to detect a difference{named}",
        table,
        partial(_drawn, table, list(sizes), n_units, "queries"),
        sketch=Lines("n", "power", by="line", across="number of queries"),
        about=f"paired t-test at level {row.level:g}; standard deviation {row.deviation:.3g}{pair}",
    )


def _pair(samples: Samples, baseline: str | None, system: str | None) -> tuple[int, int]:
    """The indices of the baseline and the system, by default the best ones."""
    named = [None if name is None else samples.system(decoded(name)) for name in (baseline, system)]
    rest = [place for place in _best_first(samples) if place not in named]
    if len(samples.systems) < 2:
        raise BadSetting("power needs two systems to compare")
    other = rest.pop(0) if named[1] is None else named[1]
    return rest[0] if named[0] is None else named[0], other


def _best_first(samples: Samples) -> list[int]:
    mean = samples.values.mean(axis=1)
    return np.argsort(mean if samples.lower_is_better else -mean, kind="stable").tolist()


def curves(
    differences: dict[str, float],
    deviation: float,
    n_units: int,
    level: float,
    alternative: Alternative = "two-sided",
) -> pa.Table:
    """The power for each difference, from 2 units to those needed for the smallest, at most ten times the sample."""
    smallest = min((abs(value) for value in differences.values() if value), default=deviation)
    most = int(np.clip(8 * (deviation / smallest) ** 2, 2 * n_units, 10 * n_units))  # power 0.8
    n = np.unique(np.linspace(2, most, POINTS).round().astype(np.int64))
    test: dict[str, Any] = {"level": level, "alternative": alternative}
    powers = [[power_of(int(units), value, deviation, **test) for units in n] for value in differences.values()]
    return table_of(
        line=[name for name in differences for _ in n],
        difference=np.repeat([*differences.values()], len(n)),
        n=np.tile(n, len(differences)),
        power=np.ravel(powers),
    )


def _drawn(table: pa.Table, names: list[str], n_units: int, units: str) -> Chart:
    most = max(table["n"].to_pylist())
    x = alt.X(**quantity("n", f"number of {units}", 0, most, format="d"))
    y = alt.Y(**quantity("power", "power", 0, 1))
    tips = tooltip(numbers=("difference", "n", "power"))
    lines = series_lines(data().mark_line(), names, x, y, tips, field="line")
    enough = reference(y="power", at=ENOUGH)
    here = inline([{"n": n_units, "shown": f"n = {n_units:,}"}])
    rule = here.mark_rule(style="reference").encode(x=alt.X("n:Q"))
    words = here.mark_text(style="aside", align="left", dx=4)
    label = words.encode(x=alt.X("n:Q"), y=alt.YValue(-8), text=alt.Text("shown:N"))
    last = {row["line"]: row["power"] for row in table.to_pylist() if row["power"] is not None}
    beside = named_beside(names, [last[name] for name in names], (0, 1), field="line", dashes=True)
    return alt.layer(enough, rule, label, lines, beside).properties(width=WIDTH, height=HEIGHT)
