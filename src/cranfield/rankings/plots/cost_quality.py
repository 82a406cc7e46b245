"""Quality against cost, with the Pareto front."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadSetting
from cranfield.measures.registry import Measure
from cranfield.present.plots.data import Lines, table_of
from cranfield.present.plots.drawing import (
    HEIGHT,
    WIDTH,
    beside_points,
    data,
    quantity,
    roomy,
    shortened,
    tooltip,
    uncrowded,
)
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.results.values import Result
from cranfield.results.writing import decoded
from cranfield.tables.items import numeric_columns

WIDE = 50  # cost ratio above which the scale is logarithmic
ROOM = 1.12  # of the axis beyond the first and last system


@plot_of(Result)
def cost_quality(result: Result, measure: Measure | str | None = None, *, against: str | None = None) -> Plot:
    """The mean of each system against its cost, time or storage, with confidence intervals and the Pareto front.

    `against` names a numeric column of the system info (default: the first); lower is better. A system is on the front
    if no other is at least as good at no higher cost, and better in one of the two.
    """
    place = 0 if measure is None else result.place(measure)
    chosen, column = result.measures[place], _column(result, against)
    costs = result.info[column]
    priced = [s for s, system in enumerate(result.systems) if costs[system] is not None]
    cost = np.array([costs[result.systems[s]] for s in priced], np.float64)
    value, bounds = result.aggregated()[priced, place], result.intervals()
    front = pareto_front(cost, -value if chosen.declaration.higher_is_better is not False else value)
    table = table_of(
        system=[decoded(result.systems[s]) for s in priced],
        cost=cost,
        value=value,
        low=bounds.low[priced, place],
        high=bounds.high[priced, place],
        front=front,
    )
    lost = [decoded(system) for system in result.systems if costs[system] is None]
    return Plot(
        f"{chosen} against {column}",
        table,
        partial(_drawn, table, str(chosen), column),
        sketch=Lines("cost", "value", by="system", across=column, up=str(chosen)),
        key="filled, joined: Pareto front, not dominated by any system; bars: confidence intervals",
        notes=(f"without {column}: {', '.join(lost)}",) if lost else (),
    )


def _column(result: Result, against: str | None) -> str:
    """The column of the costs."""
    known = numeric_columns(result.info)
    if not known:
        raise BadSetting("cost-quality needs a number for each system: pass --system-info (system_info=…)")
    if against is not None and against not in known:
        raise BadSetting(f"there is no numeric column {against!r} in the system info; available: {', '.join(known)}")
    return known[0] if against is None else against


def pareto_front(cost: Floats, loss: Floats) -> Mask:
    """The non-dominated systems: no other has at most the same cost and loss, and less of one of them."""
    no_more = (cost[None, :] <= cost[:, None]) & (loss[None, :] <= loss[:, None])
    less = (cost[None, :] < cost[:, None]) | (loss[None, :] < loss[:, None])
    return np.asarray(~(no_more & less).any(axis=1) & ~np.isnan(loss))


def _drawn(table: pa.Table, measure: str, column: str) -> Chart:
    cost = table["cost"].to_numpy()
    logarithmic = bool(cost.min() > 0 and cost.max() / cost.min() >= WIDE)
    ends = _ends(cost, logarithmic)
    kind = {"type": "log"} if logarithmic else {"zero": False}
    scale = alt.Scale(domain=[*ends], nice=False, **kind)
    x = alt.X("cost:Q", title=column, scale=scale, axis=alt.Axis(format="~s", tickCount=6))
    known = np.concatenate([table[name].to_numpy() for name in ("value", "low", "high")])
    low, high = roomy(known[~np.isnan(known)])
    y = alt.Y(**quantity("value", measure, low, high))
    tips = tooltip("system", numbers=("cost", "value", "low", "high"))
    front = data().transform_filter("datum.front")
    steps = front.transform_window(place="row_number()", sort=[alt.SortField("cost")])
    rules = data().transform_filter("isValid(datum.low)").mark_rule(style="soft")
    bars = rules.encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"))
    line = steps.mark_line(style="good", interpolate="step-after", strokeWidth=1.5)
    hollow = data().transform_filter("!datum.front").mark_point(style="hollow", size=70, opacity=1)
    full = front.mark_point(style="good", filled=True, size=80, opacity=1)
    dots = [mark.encode(x=x, y=y, tooltip=tips) for mark in (hollow, full)]
    layers = [
        bars,
        line.encode(x=x, y=y, order=alt.Order("place:Q")),
        *dots,
        *_names(table, ends, (low, high), logarithmic),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _ends(cost: Floats, logarithmic: bool) -> tuple[float, float]:
    """The ends of the axis of costs, with some room."""
    if logarithmic:
        return float(cost.min() / ROOM**2), float(cost.max() * ROOM**2)
    width = float(cost.max() - cost.min()) or abs(float(cost.max())) or 1.0
    low = float(cost.min()) - (ROOM - 1) * width
    return (max(low, 0.0) if cost.min() >= 0 else low), float(cost.max()) + (ROOM - 1) * width


def _names(table: pa.Table, ends: tuple[float, float], up: tuple[float, float], logarithmic: bool) -> list[Chart]:
    """The names beside the points, on the left near the right edge of the frame."""
    rows = [row for row in table.select(["system", "cost", "value"]).to_pylist() if row["value"] is not None]
    place = np.array([_part(row["cost"], ends, logarithmic) for row in rows])
    height = np.array([(row["value"] - up[0]) / (up[1] - up[0]) for row in rows])
    names = [shortened(row["system"]) for row in rows]
    labelled = uncrowded(names, place * WIDTH, height * HEIGHT)
    shown = [rows[at] | {"text": names[at]} for at in labelled]
    return beside_points(shown, (place[labelled] > 0.75).tolist(), "cost", "value")


def _part(cost: float, ends: tuple[float, float], logarithmic: bool) -> float:
    """The relative position of a cost on the axis, from 0 to 1."""
    at, low, high = (np.log(place) if logarithmic else place for place in (cost, *ends))
    return float((at - low) / (high - low))
