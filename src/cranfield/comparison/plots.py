"""Systems over queries: the distribution of values per system, and per-query differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.comparison.compare import compare_samples
from cranfield.comparison.cross_validation import CrossValidation
from cranfield.comparison.result import Comparison, Tier, tier_numbers, tiers_in_order
from cranfield.comparison.tables import tested
from cranfield.errors import BadSetting
from cranfield.evidence.samples import Samples
from cranfield.measures.registry import Measure
from cranfield.present.plots.data import Bars, table_of
from cranfield.present.plots.drawing import (
    BESIDE,
    WIDTH,
    bare,
    data,
    inline,
    quantity,
    reference,
    roomy,
    shortened,
    tooltip,
)
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.table import visible
from cranfield.results.samples import intervals_of_samples, is_geometric, means_of_samples
from cranfield.results.values import Result
from cranfield.results.writing import decoded
from cranfield.statistics.simultaneous import critical_difference
from cranfield.text import counted, percent, plural

ROW = 44  # pixels per box
BAR = 13  # pixels per query, fewer if there are many
TALLEST = 480
POINTS = 5_000  # maximum number of values drawn as points
LOSS = "value"  # of a fold
ACROSS = 4  # panels side by side
_SIGNED = "datum.value === 0 ? '0' : format(datum.value, '+.2~f')"  # labels of differences


def measured(source: Result | Comparison | CrossValidation, measure: Measure | str | None) -> tuple[str, Samples]:
    """The name of the measure to plot (default: the first), and its values on the queries common to all systems."""
    if isinstance(source, Comparison):
        chosen = source.measure(measure)
        samples = source.samples[chosen]
    elif isinstance(source, CrossValidation):
        if measure not in (None, LOSS):
            raise BadSetting(f"{measure} was not evaluated; cross-validation has one value per fold, {LOSS}")
        chosen, samples = LOSS, source
    else:
        chosen = str(source.measures[0 if measure is None else source.place(measure)])
        samples = source.samples(chosen)
    systems, units = tuple(map(decoded, samples.systems)), tuple(map(decoded, samples.units))
    return chosen, replace(samples, systems=systems, units=units)


@plot_of(Result, Comparison, CrossValidation)
def systems(result: Result | Comparison | CrossValidation, measure: Measure | str | None = None) -> Plot:
    """The per-query values of each system as points and a box plot, with the mean."""
    chosen, samples = measured(result, measure)
    n_units = len(samples)
    table = table_of(
        **{
            "system": np.repeat(samples.systems, n_units).tolist(),
            samples.unit: [*samples.units] * len(samples.systems),
            "value": samples.values.ravel(),
        }
    )
    mean, kind = means_of_samples({chosen: samples})[:, 0], "geometric mean" if is_geometric(chosen) else "mean"
    order = np.argsort(mean if samples.lower_is_better else -mean, kind="stable")
    best = [(samples.systems[s], float(mean[s])) for s in order]
    return Plot(
        f"{chosen} of {counted(len(best), 'system')} on {counted(n_units, samples.unit)}",
        table,
        partial(_boxes, best, samples, chosen),
        sketch=Bars(("system",), "value", means=tuple(best)),
        key=f"points: one per {samples.unit}{', outliers only' * (samples.values.size > POINTS)}; "
        f"box: quartiles and median; diamond and number: {kind}",
    )


def _boxes(best: Sequence[tuple[str, float]], samples: Samples, name: str) -> Chart:
    low, high = roomy(samples.values)
    names = [visible(system) for system, _ in best]
    x = alt.X(**quantity("value", name, low, high))
    y = alt.Y("system:N", sort=names, title=None, axis=bare(labelLimit=240))
    tips = tooltip("system", samples.unit, numbers=("value",))
    points = (
        data()
        .transform_window(place="row_number()")
        .transform_calculate(jitter="datum.place * 0.6180339887 % 1")  # deterministic, evenly spread jitter
        .mark_circle(style="good", size=26, opacity=0.45)
        .encode(x=x, y=y, yOffset=alt.YOffset("jitter:Q", scale=alt.Scale(domain=[-0.35, 1.35])), tooltip=tips)
    )
    few = samples.values.size <= POINTS
    box = data().mark_boxplot(size=18, outliers=not few)
    means = inline([{"system": visible(system), "mean": mean, "shown": f"{mean:.4f}"} for system, mean in best])
    diamond = means.mark_point(style="hollow", shape="diamond", size=90, opacity=1).encode(x=alt.X("mean:Q"), y=y)
    words = means.mark_text(style="label", align="left")
    figure = words.encode(x=alt.XValue(WIDTH + BESIDE), y=y, text=alt.Text("shown:N"))
    marks = [points, box.encode(x=x, y=y)] if few else [box.encode(x=x, y=y)]
    return alt.layer(*marks, diamond, figure).properties(width=WIDTH, height=ROW * len(best))


@plot_of(Result, Comparison, CrossValidation)
def differences(
    result: Result | Comparison | CrossValidation,
    measure: Measure | str | None = None,
    *,
    baseline: str | None = None,
    system: str | None = None,
) -> Plot:
    """The difference of each system from the baseline per query, sorted from the largest gain to the largest loss.

    The baseline defaults to that of the comparison, or to the first system; `system` selects one of the others.
    """
    chosen, samples = measured(result, measure)
    if baseline is None and isinstance(result, Comparison):
        baseline = result.baseline
    base = samples.system(samples.systems[0] if baseline is None else decoded(baseline))
    others = [s for s in range(len(samples.systems)) if s != base]
    if system is not None:
        others = [samples.system(decoded(system))]
    if not others or others == [base]:
        raise BadSetting("differences need a system other than the baseline")
    table = pa.concat_tables([_sorted(samples, s, base) for s in others])
    return Plot(
        f"{chosen}: difference from {shortened(samples.systems[base])} per {samples.unit}",
        table,
        partial(_bars, table, [samples.systems[s] for s in others], chosen, samples.unit, samples.lower_is_better),
        sketch=Bars(("system", samples.unit) if len(others) > 1 else (samples.unit,), "difference"),
        key=f"dashed: {'arithmetic ' * is_geometric(chosen)}mean difference",
    )


def _sorted(samples: Samples, s: int, base: int) -> pa.Table:
    difference = samples.values[s] - samples.values[base]
    order = np.argsort(-difference, kind="stable")
    return table_of(
        **{
            "system": samples.systems[s],
            "baseline": samples.systems[base],
            samples.unit: [samples.units[u] for u in order],
            "value": samples.values[s][order],
            "baseline_value": samples.values[base][order],
            "difference": difference[order],
        }
    )


def _bars(table: pa.Table, names: Sequence[str], measure: str, unit: str, lower: bool) -> Chart:
    panels = []
    for name in names:
        records = [record for record in table.to_pylist() if record["system"] == name]
        domain = roomy(table["difference"].to_numpy(), zero=True)
        panels.append(_panel(records, name, measure, unit, lower, domain, min(len(names), ACROSS)))
    return alt.concat(*panels, columns=ACROSS, spacing=24)


def _panel(
    records: list[dict[str, float]],
    name: str,
    measure: str,
    unit: str,
    lower: bool,
    domain: tuple[float, float],
    n_panels: int,
) -> Chart:
    units = [visible(str(record[unit])) for record in records]
    step = whole(min(BAR, TALLEST / len(units)))
    axis = bare(labels=step > 9, labelLimit=120)
    y = alt.Y(f"{unit}:N", sort=units, title=None, axis=axis, scale=alt.Scale(paddingInner=0.15 if step > 4 else 0))
    x = alt.X(**quantity("difference", f"difference in {measure}", *domain, labelExpr=_SIGNED))
    marks = data(system=visible(name))
    tips = tooltip(unit, numbers=("difference", "value", "baseline_value"))
    above, below = ("bad", "good") if lower else ("good", "bad")
    more = marks.transform_filter("datum.difference >= 0").mark_bar(style=above).encode(x=x, y=y, tooltip=tips)
    less = marks.transform_filter("datum.difference < 0").mark_bar(style=below).encode(x=x, y=y, tooltip=tips)
    mean = float(np.mean([record["difference"] for record in records]))
    rule = reference(x="mean", at=mean)
    zero = inline([{"zero": 0}]).mark_rule(style="soft").encode(x=alt.X("zero:Q"))
    title = alt.Title(shortened(name), subtitle=f"mean {mean:+.4f}", fontSize=12, offset=6)
    chart = alt.layer(more, less, zero, rule)
    return chart.properties(width=max(200, WIDTH / n_panels), height=alt.Step(step), title=title)


def whole(step: float) -> float:
    """A whole number of pixels, or a half, a quarter … of one: other widths would look striped."""
    return float(np.floor(step) if step >= 1 else 2 ** np.floor(np.log2(step)))


# Tiers: systems ordered by mean, with bars that connect those not significantly different


TIER = 26
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
    left = alt.layer(rule, point).properties(width=WIDTH, height=TIER * len(names))
    return alt.hconcat(left, _tier_bars(connected, names), spacing=12)


def _tier_bars(connected: Sequence[Tier], names: Sequence[str]) -> Chart:
    """One bar per tier, from its first system to its last."""
    rows = [
        {"tier": number, "first": names[tier.first], "last": names[tier.last]}
        for number, tier in enumerate(connected, 1)
    ]
    x = alt.X("tier:O", title=None, axis=bare(orient="top", labelAngle=0))
    y = alt.Y("first:N", sort=names, scale=alt.Scale(domain=[*names]), axis=None)
    bars = inline(rows).mark_rule(style="ink", strokeWidth=6, strokeCap="round").encode(x=x, y=y, y2=alt.Y2("last:N"))
    return bars.properties(width=COLUMN * len(connected), height=TIER * len(names))
