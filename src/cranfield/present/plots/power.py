"""Power: how likely an experiment is to show a difference, by how many queries it has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.evidence.samples import Samples
from cranfield.inference.power import power as reached
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import finite
from cranfield.present.plots.series import (
    HEIGHT,
    WIDTH,
    coloured,
    dashed,
    data,
    inline,
    named_beside,
    quantity,
    shortened,
    told,
)
from cranfield.present.plots.systems import lower_is_better, measured, plural
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.registry import Measure
from cranfield.results.values import Result
from cranfield.results.writing import decoded

ENOUGH = 0.8
DIFFERENCES = (0.01, 0.02, 0.05, 0.1)
POINTS = 80


def power(
    result: Result,
    measure: Measure | str | None = None,
    *,
    baseline: str | None = None,
    system: str | None = None,
    differences: Sequence[float] | None = None,
    level: float = 0.05,
) -> Plot:
    """How likely a paired t-test is to show a difference, over the number of queries, as these two systems vary.

    The deviation is that of the differences between the two systems. Without differences named, those of 1, 2, 5 and
    10 hundredths are drawn, and the one observed; without systems named, the best two are taken.
    """
    chosen, samples = measured(result, measure)
    base, other = _pair(samples, lower_is_better(chosen), baseline, system)
    apart = samples.values[other] - samples.values[base]
    deviation = float(apart.std(ddof=1)) if len(apart) > 1 else 0.0
    if not deviation > 0:
        raise BadSetting("the differences of the two systems do not vary, so there is nothing to reckon with")
    observed = abs(float(apart.mean()))
    wanted = {f"{abs(d):g}": abs(d) for d in differences or DIFFERENCES} | {f"{observed:.4f} (observed)": observed}
    table = curves(wanted, deviation, len(apart), level)
    pair = f"{shortened(samples.systems[other])} and {shortened(samples.systems[base])}"
    return Plot(
        "power",
        f"Power to show a difference in {chosen}",
        table,
        partial(_drawn, table, list(wanted), len(apart), plural(samples.kind)),
        sketch=Lines("n", "power", by="line", across=f"number of {plural(samples.kind)}"),
        about=f"paired t-test at level {level:g}; differences vary as between {pair} (deviation {deviation:.3g})",
    )


def _pair(samples: Samples, lower: bool, baseline: str | None, system: str | None) -> tuple[int, int]:
    """The places of the baseline and of the system it is compared with: the best two of those that are not named."""
    named = [None if name is None else samples.system(decoded(name)) for name in (baseline, system)]
    rest = [place for place in _best_first(samples, lower) if place not in named]
    if len(samples.systems) < 2:
        raise BadSetting("power is that of a comparison, which needs two systems")
    other = rest.pop(0) if named[1] is None else named[1]
    return rest[0] if named[0] is None else named[0], other


def _best_first(samples: Samples, lower: bool) -> list[int]:
    mean = samples.values.mean(axis=1)
    return np.argsort(mean if lower else -mean, kind="stable").tolist()


def curves(differences: dict[str, float], deviation: float, n_units: int, level: float) -> pa.Table:
    """The power for each difference, from 2 units on to those that show the smallest, ten times those here at most."""
    smallest = min((value for value in differences.values() if value > 0), default=deviation)
    most = int(np.clip(8 * (deviation / smallest) ** 2, 2 * n_units, 10 * n_units))  # 8 show it four times in five
    n = np.unique(np.linspace(2, most, POINTS).round().astype(np.int64))
    reaches = [[reached(int(units), value, deviation, level=level) for units in n] for value in differences.values()]
    return pa.table(
        {
            "line": pa.array([name for name in differences for _ in n], pa.string()),
            "difference": np.repeat([*differences.values()], len(n)),
            "n": np.tile(n, len(differences)),
            "power": finite(np.ravel(reaches)),
        }
    )


def _drawn(table: pa.Table, names: list[str], n_units: int, kind: str) -> Chart:
    most = max(table["n"].to_pylist())
    x = alt.X(**quantity("n", f"number of {kind}", 0, most, format="d"))
    y = alt.Y(**quantity("power", "power", 0, 1))
    tips = told(numbers=("difference", "n", "power"))
    lines = (
        data()
        .mark_line()
        .encode(x=x, y=y, color=coloured(names, "line"), strokeDash=dashed(names, "line"), tooltip=tips)
    )
    enough = inline([{"power": ENOUGH}]).mark_rule(style="reference").encode(y="power:Q")
    here = inline([{"n": n_units, "shown": f"{n_units:,} here"}])
    there = here.mark_rule(style="reference").encode(x="n:Q")
    said = here.mark_text(style="aside", align="left", dx=4).encode(x="n:Q", y=alt.value(-8), text="shown:N")
    known = {row["line"]: row["power"] for row in table.to_pylist() if row["power"] is not None}
    beside = named_beside(names, [known[name] for name in names], (0, 1), field="line", dashes=True)
    return alt.layer(enough, there, said, lines, beside).properties(width=WIDTH, height=HEIGHT)
