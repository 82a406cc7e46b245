"""Power: how likely an experiment is to show a difference, by how many queries it has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.inference.power import power as reached
from cranfield.inference.power import units_needed
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import finite
from cranfield.present.plots.series import HEIGHT, WIDTH, coloured, dashed, data, inline, named_beside, quantity, told
from cranfield.present.plots.systems import measured, plural
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.present.table import decoded
from cranfield.registry import Measure
from cranfield.results.values import Result

ENOUGH = 0.8
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
    10 hundredths are drawn, and the one observed.
    """
    chosen, samples = measured(result, measure)
    if len(samples.systems) < 2:
        raise BadSetting("power is that of a comparison, which needs two systems")
    base = samples.system(samples.systems[0] if baseline is None else decoded(baseline))
    others = [s for s in range(len(samples.systems)) if s != base]
    other = others[0] if system is None else samples.system(decoded(system))
    apart = samples.values[other] - samples.values[base]
    deviation = float(apart.std(ddof=1)) if len(apart) > 1 else 0.0
    if not deviation > 0:
        raise BadSetting("the differences of the two systems do not vary, so there is nothing to reckon with")
    wanted = [abs(d) for d in differences] if differences else [0.01, 0.02, 0.05, 0.1]
    observed = abs(float(apart.mean()))
    table = curves(
        {f"{d:g}": d for d in wanted} | {f"{observed:.4f} (observed)": observed}, deviation, len(apart), level
    )
    names = list(dict.fromkeys(table["difference"].to_pylist()))
    pair = f"{samples.systems[other]} and {samples.systems[base]}"
    return Plot(
        "power",
        f"Power to show a difference in {chosen}",
        table,
        partial(_drawn, table, names, len(apart), plural(samples.kind)),
        sketch=Lines("n", "power", by="difference"),
        about=f"paired t-test at level {level:g}; differences vary as between {pair} (deviation {deviation:.3g})",
    )


def curves(differences: dict[str, float], deviation: float, n_units: int, level: float) -> pa.Table:
    """The power for each difference, from few units to as many as show the smallest, or ten times those there are."""
    most = 10 * n_units
    some = [units_needed(d, deviation, level=level) for d in differences.values() if d > 0]
    most = int(max(2 * n_units, min(most, max(some, default=most))))
    n = np.unique(np.linspace(2, most, POINTS).round().astype(np.int64))
    reaches = [[reached(int(units), value, deviation, level=level) for units in n] for value in differences.values()]
    return pa.table(
        {
            "difference": pa.array([name for name in differences for _ in n], pa.string()),
            "n": np.tile(n, len(differences)),
            "power": finite(np.ravel(reaches)),
        }
    )


def _drawn(table: pa.Table, names: list[str], n_units: int, kind: str) -> Chart:
    most = max(table["n"].to_pylist())
    x = alt.X(**quantity("n", f"number of {kind}", 0, most, format="d"))
    y = alt.Y(**quantity("power", "power", 0, 1))
    tips = told("difference", numbers=("n", "power"))
    lines = (
        data()
        .mark_line()
        .encode(x=x, y=y, color=coloured(names, "difference"), strokeDash=dashed(names, "difference"), tooltip=tips)
    )
    enough = inline([{"power": ENOUGH}]).mark_rule(style="reference").encode(y="power:Q")
    here = inline([{"n": n_units, "shown": f"{n_units} here"}])
    there = here.mark_rule(style="reference").encode(x="n:Q")
    said = here.mark_text(style="aside", align="left", dx=4).encode(x="n:Q", y=alt.value(-8), text="shown:N")
    ends = [row["power"] for row in table.to_pylist() if row["n"] == most]
    beside = named_beside(names, ends, (0, 1), field="difference")
    return alt.layer(enough, there, said, lines, beside).properties(width=WIDTH, height=HEIGHT)
