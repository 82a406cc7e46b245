"""The detection error trade-off (DET): false negative rate against false positive rate on probit scales."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cranfield.curves.roc import Det
from cranfield.curves.roc import det as det_curve
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.distributions import normal_cdf, normal_quantile
from cranfield.measures.scores import equal_error_rate
from cranfield.present.plots.axes import SQUARE, quantity, tooltip
from cranfield.present.plots.layers import path, reference_line
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.scorers import Drawn, Scorers, coarse_note, curves_of, points, scores_by_name
from cranfield.present.plots.series import named_below, series_lines, with_figures
from cranfield.present.plots.thinning import coarsened, levels, near
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines
from cranfield.results.classification import Classification

RATES = (0.001, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95)
DOMAIN = (-3.3, 1.9)  # normal deviates: rates from 0.05 % to 97 %
BEYOND = (DOMAIN[0] - 0.5, DOMAIN[1] + 0.5)  # where rates of 0 and 1, whose deviates are infinite, are drawn


@plot_of(Classification)
def det(scorers: Scorers) -> Plot:
    """False negative rate against false positive rate on probit scales.

    If the scores are normally distributed in both classes, the curve is a straight line.
    """
    table, errors, notes = curves_of(scores_by_name(scorers), _det)
    return Plot(
        "Detection error trade-off",
        table,
        partial(_det_drawn, errors),
        sketch=Lines(
            *("drawn_fallout", "drawn_miss", "system"),
            across="false positive rate",
            up="false negative rate",
            figure=_rate,
        ),
        about="probit scales",
        key="dashed: equal error rates (EER)",
        notes=notes,
    )


def _det(name: str, scores: Thresholds) -> Drawn:
    rates = normal_cdf(levels(*DOMAIN, SQUARE))
    drawn = coarsened(scores, rates, 1 - rates)
    curve = det_curve(drawn, every=True)
    across, up = (np.clip(deviate, *BEYOND) for deviate in (curve.fallout_deviate, curve.miss_deviate))
    table = points(name, "curve", **curve._asdict(), drawn_fallout=across, drawn_miss=up)
    error = float(equal_error_rate(scores if drawn is scores else where_equal(scores, curve)))
    return Drawn([table], coarse_note(name, len(drawn.positive), drawn, scores), error)


def where_equal(scores: Thresholds, coarse: Det) -> Thresholds:
    """The scores near the equal error rate, located on a coarse curve."""
    after = int(np.argmax(coarse.fallout >= coarse.miss_rate))
    last = len(coarse.threshold) - 1
    return near(scores, float(coarse.threshold[min(after + 1, last)]), float(coarse.threshold[max(after - 2, 0)]))


def _det_drawn(errors: dict[str, float]) -> Chart:
    names = list(errors)
    x, y = _deviates("drawn_fallout", "false positive rate"), _deviates("drawn_miss", "false negative rate")
    tips = tooltip("system", numbers=("threshold", "fallout", "miss_rate"))
    lines = series_lines(path().mark_line(clip=True), names, alt.X(**x), alt.Y(**y), tips)
    ends = [{"drawn_fallout": end, "drawn_miss": end} for end in DOMAIN]
    equal = reference_line(ends, "drawn_fallout", "drawn_miss")
    key = named_below(names, with_figures(errors, "EER"))
    return alt.layer(equal, lines, key).properties(width=SQUARE, height=SQUARE)


def _deviates(field: str, title: str) -> dict[str, Any]:
    """An axis of normal deviates, labelled with rates."""
    places = [float(normal_quantile(rate)) for rate in RATES]
    labels = " : ".join(
        f"abs(datum.value - {place:.6f}) < 1e-4 ? '{_percent(rate)}'" for place, rate in zip(places, RATES)
    )
    axis: dict[str, Any] = {"values": places, "labelOverlap": False, "tickCount": len(places)}
    return quantity(field, title, *DOMAIN, labelExpr=f"{labels} : ''", **axis)


def _rate(deviate: float) -> str:
    return _percent(float(f"{normal_cdf(np.array([deviate]))[0]:.2g}"))


def _percent(rate: float) -> str:
    return f"{100 * rate:g} %"
