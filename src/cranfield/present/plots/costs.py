"""What a scorer costs and what it is worth, over the conditions it may be used in."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.curves import costs as curves
from cranfield.curves.calibration import require_probabilities
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import Scorers, points, scorers
from cranfield.present.plots.series import HEIGHT, WIDTH, coloured, dashed, data, inline, named_beside, quantity, told
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines


def cost(given: Scorers) -> Plot:
    """The expected cost at the best threshold, over how much positives weigh; dashed, that of one answer for all."""
    known = scorers(given)
    table = pa.concat_tables(
        [points(name, "curve", **curves.cost_curve(scores)._asdict()) for name, scores in known.items()]
    )
    return Plot(
        "cost",
        "Cost curve" + "s" * (len(known) > 1),
        table,
        partial(_costs, table, list(known)),
        sketch=Lines("weight", "cost", by="system"),
        about="at the best threshold for each weight",
        key="dashed: always the same answer",
    )


def _costs(table: pa.Table, names: list[str]) -> Chart:
    top = 0.52
    x = alt.X(**quantity("weight", "weight of the positives: prevalence times the cost of missing one", 0, 1))
    y = alt.Y(**quantity("cost", "normalised expected cost", 0, top))
    tips = told("system", numbers=("weight", "cost", "threshold"))
    corners = [{"weight": weight, "cost": height} for weight, height in ((0, 0), (0.5, 0.5), (1, 0))]
    trivial = inline(corners).mark_line(style="reference").encode(x="weight:Q", y="cost:Q")
    lines = data().mark_line().encode(x=x, y=y, color=coloured(names), strokeDash=dashed(names), tooltip=tips)
    layers = [trivial, lines]
    if len(names) > 1:
        layers.append(_tops(table, names, top))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _tops(table: pa.Table, names: list[str], top: float) -> Chart:
    """The names beside the frame, in the order of the greatest cost."""
    rows = table.to_pylist()
    highest = [max(row["cost"] for row in rows if row["system"] == name) for name in names]
    return named_beside(names, highest, (0, top), dashes=True)


def decision(given: Scorers) -> Plot:
    """The net benefit of acting from a probability on, beside acting on all and on none."""
    known = scorers(given)
    for name, scores in known.items():
        require_probabilities(scores, f"{name}: net benefit")
    table = pa.concat_tables(
        [points(name, "curve", **curves.decision_curve(scores)._asdict()) for name, scores in known.items()]
    )
    return Plot(
        "decision",
        "Decision curve" + "s" * (len(known) > 1),
        table,
        partial(_decisions, table, list(known)),
        sketch=Lines("threshold", "net_benefit", by="system", up="net benefit"),
        about="net benefit of acting from a probability on; 0: acting on none",
        key="thin: acting on all",
    )


def _decisions(table: pa.Table, names: list[str]) -> Chart:
    top = 1.08 * max(
        float(np.max(table["net_benefit"].to_numpy())), float(np.max(table["act_on_all"].to_numpy())), 0.01
    )
    low = -0.2 * top
    x = alt.X(**quantity("threshold", "probability from which to act", 0, 1))
    y = alt.Y(**quantity("net_benefit", "net benefit", low, top))
    tips = told("system", numbers=("threshold", "net_benefit", "act_on_all"))
    every = (
        data()
        .mark_line(style="soft", clip=True, strokeWidth=1.2)
        .encode(x=x, y=alt.Y("act_on_all:Q", title=""), detail="system:N")
    )
    none = inline([{"net_benefit": 0}]).mark_rule(style="reference").encode(y="net_benefit:Q")
    lines = data().mark_line(clip=True).encode(x=x, y=y, color=coloured(names), strokeDash=dashed(names), tooltip=tips)
    layers = [every, none, lines]
    if len(names) > 1:
        first = [
            next(row["net_benefit"] for row in table.to_pylist() if row["system"] == name and row["threshold"] >= 0.5)
            for name in names
        ]
        layers.append(named_beside(names, first, (low, top), dashes=True))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
