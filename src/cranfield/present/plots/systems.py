"""Systems over queries: the values of each as points and a box, and where two systems differ, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.errors import BadSetting
from cranfield.evidence.samples import Samples
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.series import BESIDE, WIDTH, bare, data, inline, quantity, roomy, shortened, told
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Bars
from cranfield.present.table import visible
from cranfield.registry import Measure, parse
from cranfield.results.values import Result
from cranfield.results.writing import decoded

Floats = NDArray[np.float64]

ROW = 44  # pixels for the box of a system
BAR = 13  # pixels for a query, and fewer where there are many
TALLEST = 480
POINTS = 5_000  # values that are drawn one by one
ACROSS = 4  # panels side by side


def measured(result: Result, measure: Measure | str | None) -> tuple[Measure, Samples]:
    """The measure that is drawn, the first unless one is named, and its values on the queries all systems share."""
    known = {str(own): own for own in result.measures}
    if measure is None:
        chosen = result.measures[0]
    elif isinstance(measure, Measure):
        chosen = measure
    else:
        chosen = known[measure] if measure in known else parse(measure)
    own = result.samples(chosen)
    return chosen, replace(own, systems=tuple(map(decoded, own.systems)), units=tuple(map(decoded, own.units)))


def lower_is_better(measure: Measure) -> bool:
    """Whether the measure is one of what should be small."""
    return measure.family.higher_is_better is False


def systems(result: Result, measure: Measure | str | None = None) -> Plot:
    """The value of each query for each system: points, their quartiles as a box, and their mean."""
    chosen, samples = measured(result, measure)
    n_units = len(samples)
    table = pa.table(
        {
            "system": pa.array(np.repeat(samples.systems, n_units).tolist(), pa.string()),
            samples.kind: pa.array([*samples.units] * len(samples.systems), pa.string()),
            "value": samples.values.ravel(),
        }
    )
    mean = samples.values.mean(axis=1)
    order = np.argsort(mean if lower_is_better(chosen) else -mean, kind="stable")
    best = [(samples.systems[s], float(mean[s])) for s in order]
    return Plot(
        "systems",
        f"{chosen} of {len(best)} systems on {n_units:,} {plural(samples.kind)}",
        table,
        partial(_boxes, best, samples, str(chosen)),
        sketch=Bars(("system",), "value", mean=True),
        key=f"each point a {samples.kind}{_only(samples)}; box: quartiles and median; diamond and figure: mean",
    )


def _only(samples: Samples) -> str:
    """Which points there are, where there are too many to draw all of them."""
    return " far from the others" if samples.values.size > POINTS else ""


def _boxes(best: Sequence[tuple[str, float]], samples: Samples, name: str) -> Chart:
    low, high = roomy(samples.values)
    names = [visible(system) for system, _ in best]
    x = alt.X(**quantity("value", name, low, high))
    y = alt.Y("system:N", sort=names, title=None, axis=bare(labelLimit=240))
    tips = told("system", samples.kind, numbers=("value",))
    points = (
        data()
        .transform_window(place="row_number()")
        .transform_calculate(jitter="datum.place * 0.6180339887 % 1")  # spread evenly, and the same every time
        .mark_circle(style="good", size=26, opacity=0.45)
        .encode(x=x, y=y, yOffset=alt.YOffset("jitter:Q", scale=alt.Scale(domain=[-0.35, 1.35])), tooltip=tips)
    )
    few = samples.values.size <= POINTS
    box = data().mark_boxplot(size=18, outliers=not few)
    means = inline([{"system": visible(system), "mean": mean, "shown": f"{mean:.4f}"} for system, mean in best])
    diamond = means.mark_point(style="hollow", shape="diamond", size=90, opacity=1).encode(x=alt.X("mean:Q"), y=y)
    figure = means.mark_text(style="label", align="left").encode(x=alt.value(WIDTH + BESIDE), y=y, text="shown:N")
    marks = [points, box.encode(x=x, y=y)] if few else [box.encode(x=x, y=y)]
    return alt.layer(*marks, diamond, figure).properties(width=WIDTH, height=ROW * len(best))


def differences(
    result: Result, measure: Measure | str | None = None, *, baseline: str | None = None, system: str | None = None
) -> Plot:
    """How much better or worse a system is than the baseline, query by query, the greatest gain first.

    The baseline is the first system unless one is named; every other system is drawn unless one is named.
    """
    chosen, samples = measured(result, measure)
    base = samples.system(samples.systems[0] if baseline is None else decoded(baseline))
    others = [s for s in range(len(samples.systems)) if s != base]
    if system is not None:
        others = [samples.system(decoded(system))]
    if not others or others == [base]:
        raise BadSetting("a difference needs a system other than the baseline")
    table = pa.concat_tables([_sorted(samples, s, base) for s in others])
    return Plot(
        "differences",
        f"{chosen}: difference from {shortened(samples.systems[base])}, {samples.kind} by {samples.kind}",
        table,
        partial(_bars, table, [samples.systems[s] for s in others], chosen, samples.kind),
        sketch=Bars(("system", samples.kind) if len(others) > 1 else (samples.kind,), "difference"),
        about="sorted",
        key="dashed: the mean difference",
    )


def _sorted(samples: Samples, s: int, base: int) -> pa.Table:
    difference = samples.values[s] - samples.values[base]
    order = np.argsort(-difference, kind="stable")
    return pa.table(
        {
            "system": pa.array([samples.systems[s]] * len(order), pa.string()),
            "baseline": pa.array([samples.systems[base]] * len(order), pa.string()),
            samples.kind: pa.array([samples.units[u] for u in order], pa.string()),
            "value": samples.values[s][order],
            "baseline_value": samples.values[base][order],
            "difference": difference[order],
        }
    )


def _bars(table: pa.Table, names: Sequence[str], measure: Measure, kind: str) -> Chart:
    panels = []
    for name in names:
        own = [record for record in table.to_pylist() if record["system"] == name]
        domain = roomy(table["difference"].to_numpy(), zero=True)
        panels.append(_panel(own, name, measure, kind, domain, min(len(names), ACROSS)))
    return alt.concat(*panels, columns=ACROSS, spacing=24)


def _panel(
    own: list[dict[str, float]], name: str, measure: Measure, kind: str, domain: tuple[float, float], n_panels: int
) -> Chart:
    units = [visible(str(record[kind])) for record in own]
    step = whole(min(BAR, TALLEST / len(units)))
    axis = bare(labels=step > 9, labelLimit=120)
    y = alt.Y(f"{kind}:N", sort=units, title=None, axis=axis, scale=alt.Scale(paddingInner=0.15 if step > 4 else 0))
    x = alt.X(**quantity("difference", f"difference in {measure}", *domain, format="+.2~f"))
    marks = data(system=visible(name))
    tips = told(kind, numbers=("difference", "value", "baseline_value"))
    above, below = ("bad", "good") if lower_is_better(measure) else ("good", "bad")
    more = marks.transform_filter("datum.difference >= 0").mark_bar(style=above).encode(x=x, y=y, tooltip=tips)
    less = marks.transform_filter("datum.difference < 0").mark_bar(style=below).encode(x=x, y=y, tooltip=tips)
    mean = float(np.mean([record["difference"] for record in own]))
    rule = inline([{"mean": mean}]).mark_rule(style="reference").encode(x="mean:Q")
    zero = inline([{"zero": 0}]).mark_rule(style="soft").encode(x="zero:Q")
    title = alt.Title(shortened(name), subtitle=f"mean {mean:+.4f}", fontSize=12, offset=6)
    chart = alt.layer(more, less, zero, rule)
    return chart.properties(width=max(200, WIDTH / n_panels), height=alt.Step(step), title=title)


def whole(step: float) -> float:
    """Whole pixels, or a half, a quarter … of one: bars that end between pixels would show as stripes."""
    return float(np.floor(step) if step >= 1 else 2 ** np.floor(np.log2(step)))


def plural(kind: str) -> str:
    """Several of what a unit is called."""
    return kind[:-1] + "ies" if kind.endswith("y") else kind + "s"
