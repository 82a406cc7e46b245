"""Cost curves and decision curves of a scorer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.curves.calibration import require_probabilities
from cranfield.errors import BadSetting
from cranfield.evidence.thresholds import Thresholds

_GRID = 101


class CostCurve(NamedTuple):
    """Normalised expected cost against `weight`, the positives' proportion of prevalence times cost.

    `cost` is the cost at the best threshold for the weight, `threshold`; `trivial` is that of a constant prediction.
    """

    weight: Floats
    cost: Floats
    threshold: Floats
    trivial: Floats


class DecisionCurve(NamedTuple):
    """Net benefit by threshold probability, and that of treating all items; treating none has net benefit 0."""

    threshold: Floats
    net_benefit: Floats
    act_on_all: Floats


def cost_curve(scores: Thresholds, *, weights: Floats | None = None) -> CostCurve:
    """The lower envelope of the cost lines of all thresholds; the corners of the ROC hull suffice."""
    weight = np.linspace(0.0, 1.0, _GRID) if weights is None else np.asarray(weights, np.float64)
    threshold, tp, fp = scores.hull
    miss_rate = (scores.n_positive - tp) / scores.n_positive
    fallout = fp / scores.n_negative
    cost = weight[:, None] * miss_rate + (1 - weight[:, None]) * fallout
    best = cost.argmin(axis=1)
    return CostCurve(weight, cost[np.arange(len(weight)), best], threshold[best], np.minimum(weight, 1 - weight))


def decision_curve(scores: Thresholds, *, thresholds: Floats | None = None) -> DecisionCurve:
    """Net benefit at these threshold probabilities."""
    require_probabilities(scores, "net benefit")
    at = np.linspace(0.0, 0.99, 100) if thresholds is None else np.asarray(thresholds, np.float64)
    odd = at[~((at >= 0) & (at < 1))]
    if len(odd):
        raise BadSetting(f"threshold probabilities must be at least 0 and below 1, not {odd[0]:g}")
    cells = scores.at(at)
    odds = at / (1 - at)
    all_of_them = (scores.n_positive - odds * scores.n_negative) / cells.total
    return DecisionCurve(at, (cells.tp - odds * cells.fp) / cells.total, all_of_them)
