"""Detection error trade-off: the two kinds of error against each other, on normal scales."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.curves import roc
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.distributions import normal_quantile, normal_share
from cranfield.measures.scores import equal_error_rate
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.scorers import Scorers, left_out, points, scorers
from cranfield.present.plots.series import SQUARE, coloured, dashed, inline, named_below, path, told, with_figures
from cranfield.present.plots.thinning import coarsened, levels, near
from cranfield.present.plots.vega import Chart, alt
from cranfield.present.sketch import Lines

RATES = (0.001, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95)
DOMAIN = (-3.3, 1.9)  # deviates: rates from 0.05 % to 97 %
BEYOND = (DOMAIN[0] - 0.5, DOMAIN[1] + 0.5)  # where rates of 0 and 1, whose deviates are infinite, are drawn


def det(given: Scorers) -> Plot:
    """Miss rate against fall-out; scores that are normal in both classes give a straight line."""
    known = scorers(given)
    parts: list[pa.Table] = []
    notes: list[str] = []
    errors: dict[str, float] = {}
    for name, scores in known.items():
        rates = normal_share(levels(*DOMAIN, SQUARE))
        drawn = coarsened(scores, rates, 1 - rates)
        found = roc.det(drawn, every=True)
        across, up = (np.clip(deviate, *BEYOND) for deviate in (found.fallout_deviate, found.miss_deviate))
        parts.append(points(name, "curve", **found._asdict(), drawn_fallout=across, drawn_miss=up))
        if drawn is not scores:
            notes += left_out(name, len(drawn.positive), len(scores.positive) + len(scores.negative))
        errors[name] = float(equal_error_rate(scores if drawn is scores else where_equal(scores, found)))
    return Plot(
        "det",
        "Detection error trade-off",
        pa.concat_tables(parts),
        partial(_drawn, errors),
        sketch=Lines("drawn_fallout", "drawn_miss", by="system", across="fall-out", up="miss rate", figure=_rate),
        about="on normal scales",
        key="where the dashed line is crossed, both rates are equal (EER)",
        notes=tuple(notes),
    )


def where_equal(scores: Thresholds, coarse: roc.Det) -> Thresholds:
    """The scores around the point where both rates are equal, which is found on a coarse curve."""
    after = int(np.argmax(coarse.fallout >= coarse.miss_rate))
    last = len(coarse.threshold) - 1
    return near(scores, float(coarse.threshold[min(after + 1, last)]), float(coarse.threshold[max(after - 2, 0)]))


def _drawn(errors: dict[str, float]) -> Chart:
    names = list(errors)
    x, y = _axis("drawn_fallout", "fall-out"), _axis("drawn_miss", "miss rate")
    tips = told("system", numbers=("threshold", "fallout", "miss_rate"))
    lines = (
        path()
        .mark_line(clip=True)
        .encode(x=alt.X(**x), y=alt.Y(**y), color=coloured(names), strokeDash=dashed(names), tooltip=tips)
    )
    ends = [{"drawn_fallout": end, "drawn_miss": end} for end in DOMAIN]
    equal = inline(ends).mark_line(style="reference").encode(x="drawn_fallout:Q", y="drawn_miss:Q")
    texts = with_figures(errors, "EER")
    key = named_below(names, texts)
    return alt.layer(equal, lines, key).properties(width=SQUARE, height=SQUARE)


def _axis(field: str, title: str) -> dict[str, Any]:
    """An axis that shows rates where their deviates stand."""
    places = [float(normal_quantile(rate)) for rate in RATES]
    named = " : ".join(
        f"abs(datum.value - {place:.6f}) < 1e-4 ? '{_percent(rate)}'" for place, rate in zip(places, RATES)
    )
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": alt.Scale(domain=[*DOMAIN], nice=False, zero=False),
        "axis": alt.Axis(values=places, labelExpr=f"{named} : ''", labelOverlap=False, tickCount=len(places)),
    }


def _rate(deviate: float) -> str:
    return _percent(float(f"{normal_share(np.array([deviate]))[0]:.2g}"))


def _percent(rate: float) -> str:
    return f"{100 * rate:g} %"
