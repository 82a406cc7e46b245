"""Cost curves and decision curves: the expected cost or net benefit of scores over operating conditions."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from cranfield.curves.calibration import require_probabilities
from cranfield.curves.costs import cost_curve, decision_curve
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.plots.axes import HEIGHT, WIDTH, quantity, tooltip
from cranfield.present.plots.layers import data, reference, reference_line
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.scorers import Drawn, Scorers, curves_of, points, scores_by_name
from cranfield.present.plots.series import named_beside, series_lines
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.results.classification import Classification


@plot_of(Classification)
def cost(scorers: Scorers) -> Plot:
    """The normalised expected cost at the best threshold against the weight of the positives."""
    table, names, _ = curves_of(
        scores_by_name(scorers),
        lambda name, scores: Drawn([points(name, "curve", **cost_curve(scores)._asdict())]),
    )
    return Plot(
        "Cost curve" + "s" * (len(names) > 1),
        table,
        partial(_costs, table, list(names)),
        sketch=Lines("weight", "cost", by="system"),
        about="lower envelope over thresholds",
        key="dashed: trivial classifiers",
    )


def _costs(table: pa.Table, names: list[str]) -> Chart:
    top = 0.52
    x = alt.X(**quantity("weight", "weight of positives (prevalence × cost of a false negative)", 0, 1))
    y = alt.Y(**quantity("cost", "normalised expected cost", 0, top))
    corners = [{"weight": weight, "cost": height} for weight, height in ((0, 0), (0.5, 0.5), (1, 0))]
    trivial = reference_line(corners, "weight", "cost")
    lines = series_lines(data().mark_line(), names, x, y, tooltip("system", numbers=("weight", "cost", "threshold")))
    rows = table.to_pylist()
    highest = [max(row["cost"] for row in rows if row["system"] == name) for name in names]
    return _named([trivial, lines], names, highest, (0, top))


@plot_of(Classification)
def decision(scorers: Scorers) -> Plot:
    """Net benefit against the threshold probability, compared with treating all items and none."""
    table, names, _ = curves_of(scores_by_name(scorers), _decision)
    return Plot(
        "Decision curve" + "s" * (len(names) > 1),
        table,
        partial(_decisions, table, list(names)),
        sketch=Lines("threshold", "net_benefit", by="system", across="threshold probability", up="net benefit"),
        about="net benefit of treating items at or above the threshold; 0: treating none",
        key="thin: treating all",
    )


def _decision(name: str, scores: Thresholds) -> Drawn:
    require_probabilities(scores, f"{name}: net benefit")
    return Drawn([points(name, "curve", **decision_curve(scores)._asdict())])


def _decisions(table: pa.Table, names: list[str]) -> Chart:
    highest = max(float(np.max(table[column].to_numpy())) for column in ("net_benefit", "act_on_all"))
    top = 1.08 * max(highest, 0.01)
    low = -0.2 * top
    x = alt.X(**quantity("threshold", "threshold probability", 0, 1))
    y = alt.Y(**quantity("net_benefit", "net benefit", low, top))
    tips = tooltip("system", numbers=("threshold", "net_benefit", "act_on_all"))
    thin = data().mark_line(style="soft", clip=True, strokeWidth=1.2)
    every = thin.encode(x=x, y=alt.Y("act_on_all:Q", title=""), detail=alt.Detail("system:N"))
    none = reference(y="net_benefit", at=0)
    lines = series_lines(data().mark_line(clip=True), names, x, y, tips)
    rows = [row for row in table.to_pylist() if row["threshold"] >= 0.5]
    middle = [next(row["net_benefit"] for row in rows if row["system"] == name) for name in names]
    return _named([every, none, lines], names, middle, (low, top))


def _named(layers: list[Chart], names: list[str], heights: list[float], domain: tuple[float, float]) -> Chart:
    """The layers, with the names next to the frame if there are several."""
    labels = [named_beside(names, heights, domain, dashes=True)] if len(names) > 1 else []
    return alt.layer(*layers, *labels).properties(width=WIDTH, height=HEIGHT)
