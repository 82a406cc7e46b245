"""ROC curves (recall against false positive rate at every threshold), their hulls, DET and lift curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.probabilities import BINS, Binning, binned
from cranfield.evidence.thresholds import Counts, Steps, Thresholds
from cranfield.frozen import frozen


class Roc(NamedTuple):
    """Points from no predicted positives, at an infinite threshold, to all."""

    threshold: Floats
    fallout: Floats
    recall: Floats


class RocHull(NamedTuple):
    """Corners of the convex hull; `likelihood_ratio[i]` is the slope of the side that ends at corner i + 1."""

    threshold: Floats
    fallout: Floats
    recall: Floats
    likelihood_ratio: Floats


class Det(NamedTuple):
    """Detection error trade-off; the deviates are the rates on the probit scale on which it is drawn."""

    threshold: Floats
    fallout: Floats
    miss_rate: Floats
    fallout_deviate: Floats
    miss_deviate: Floats


class Lift(NamedTuple):
    """Cumulative gain: the fraction `gain` of the positives is in the top-scored `proportion` of items."""

    threshold: Floats
    proportion: Floats
    gain: Floats
    lift: Floats


def _points(scores: Thresholds, every: bool) -> Steps:
    return scores.every.from_nothing if every else scores.path


def roc(scores: Thresholds, *, every: bool = False) -> Roc:
    """Recall against false positive rate at the corners of the curve, or at every distinct score."""
    threshold, tp, fp = _points(scores, every)
    return Roc(threshold, ratio(fp, scores.n_negative), ratio(tp, scores.n_positive))


def roc_hull(scores: Thresholds) -> RocHull:
    """The convex hull: the best ROC curve attainable by randomising between two thresholds."""
    threshold, tp, fp = scores.hull
    fallout, recall = ratio(fp, scores.n_negative), ratio(tp, scores.n_positive)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.diff(tp) * scores.n_negative / (np.diff(fp) * scores.n_positive)
    return RocHull(threshold, fallout, recall, slope)


def det(scores: Thresholds, *, every: bool = False) -> Det:
    """False negative rate against false positive rate."""
    from scipy.special import ndtri

    threshold, tp, fp = _points(scores, every)
    fallout = ratio(fp, scores.n_negative)
    miss_rate = ratio(scores.n_positive - tp, scores.n_positive)
    return Det(threshold, fallout, miss_rate, ndtri(fallout), ndtri(miss_rate))


def lift(scores: Thresholds, *, every: bool = False) -> Lift:
    """Gain and lift against the proportion of accepted items, where gain changes or at every distinct score."""
    threshold, tp, fp = (scores.every if every else scores.rises).from_nothing
    proportion = ratio(tp + fp, scores.n_positive + scores.n_negative)
    gain = ratio(tp, scores.n_positive)
    return Lift(threshold, proportion, gain, ratio(gain, proportion))


# Averaged ROC curves of several test sets, such as folds: at equal false positive rates, or at equal thresholds.
#
# Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27, algorithms 3 and 4.


Averaging = Literal["vertical", "threshold"]


class FoldRates(NamedTuple):
    """The rates of each fold in a row; `threshold` is NaN where columns are common false positive rates."""

    threshold: Floats
    fallout: Floats
    recall: Floats


def at_fallouts(folds: Sequence[Thresholds], fallout: Floats) -> FoldRates:
    """The recall of each fold at these false positive rates, interpolated linearly (vertical averaging).

    Where a curve rises vertically, its highest recall counts.
    """
    recall = np.array([_recall_at(fold, fallout) for fold in folds])
    return FoldRates(np.full(len(fallout), np.nan), np.broadcast_to(fallout, recall.shape), recall)


def _recall_at(fold: Thresholds, fallout: Floats) -> Floats:
    _, x, y = roc(fold, every=True)
    left = np.searchsorted(x, fallout, side="right") - 1
    right = np.minimum(left + 1, len(x) - 1)
    step = np.where(right > left, x[right] - x[left], 1.0)
    return np.asarray(y[left] + (y[right] - y[left]) * (fallout - x[left]) / step)


def at_thresholds(folds: Sequence[Thresholds], threshold: Floats) -> FoldRates:
    """Both rates of each fold at these thresholds (threshold averaging)."""
    cells = [fold.at(threshold) for fold in folds]
    fallout = [ratio(cell.fp, fold.n_negative) for cell, fold in zip(cells, folds, strict=True)]
    recall = [ratio(cell.tp, fold.n_positive) for cell, fold in zip(cells, folds, strict=True)]
    return FoldRates(threshold, np.array(fallout), np.array(recall))


def common_thresholds(folds: Sequence[Thresholds], n: int) -> Floats:
    """At most n of the scores of all folds, evenly spaced by rank, highest first and preceded by infinity."""
    scores = np.unique(np.concatenate([side for fold in folds for side in (fold.positive, fold.negative)]))[::-1]
    places = np.unique(np.linspace(0, len(scores) - 1, min(n, len(scores))).round().astype(np.int64))
    return np.append(np.inf, scores[places])


# Calibration: predicted probabilities against observed frequencies, in bins or by isotonic regression


class Calibration(NamedTuple):
    """Items by predicted probability: above `lower`, up to and including `upper`."""

    lower: Floats
    upper: Floats
    n: Floats
    positive: Floats
    mean_predicted: Floats
    observed: Floats  # frequency


@frozen(eq=False)
class Isotonic:
    """An increasing step function from scores to probabilities: `probability[i]` for scores of `low[i]` and above."""

    low: Floats
    probability: Floats

    def __call__(self, score: Floats) -> Floats:
        """The calibrated probability of each score; below all observed scores, that of the lowest."""
        place = np.searchsorted(self.low, score, side="right") - 1
        return self.probability[np.maximum(place, 0)]


def calibration(scores: Thresholds, *, bins: int = BINS, by: Binning = "width") -> Calibration:
    """Mean predicted probability and observed frequency by bin; empty bins are omitted."""
    require_probabilities(scores, "calibration")
    by_bin = binned(scores, bins, by)
    filled = by_bin.n > 0
    lower, upper, n, positive, predicted = (column[filled] for column in by_bin)
    return Calibration(lower, upper, n, positive, predicted / n, positive / n)


def isotonic(scores: Thresholds) -> Isotonic:
    """Isotonic regression: the best monotone map from scores to probabilities.

    It follows from the ROC convex hull, whose sides pool adjacent scores in the wrong order; the slope of a side is a
    likelihood ratio, which with the prevalence gives the proportion of positives among the pooled items.
    """
    threshold, tp, fp = scores.hull
    rise, run = np.diff(tp), np.diff(fp)
    return Isotonic(threshold[:0:-1], ratio(rise, rise + run)[::-1])


def require_probabilities(scores: Thresholds, what: str) -> None:
    """Refuse scores that are not probabilities."""
    ends = [score for ascending in (scores.positive, scores.negative) if len(ascending) for score in ascending[[0, -1]]]
    for score in ends:
        if not 0 <= score <= 1:
            raise BadInput(f"{what} needs probabilities from 0 to 1, but one score is {score:g}")


# Cost curves and decision curves of a scorer


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


# Precision-recall and precision-recall-gain curves over the thresholds of a scorer


class PrecisionRecallByThreshold(NamedTuple):
    """Points from the highest score down."""

    threshold: Floats
    recall: Floats
    precision: Floats


class Gains(NamedTuple):
    """Points of the precision-recall-gain curve with nonnegative recall gain, to be joined by straight lines."""

    threshold: Floats
    recall_gain: Floats
    precision_gain: Floats


class GainHull(NamedTuple):
    """Corners of the convex hull: corner i gives the best F-measure for beta from `beta_from[i]` to `beta_to[i]`."""

    threshold: Floats
    recall_gain: Floats
    precision_gain: Floats
    beta_from: Floats
    beta_to: Floats


class CalibratedF(NamedTuple):
    """F-calibrated scores: scores from `low` to `high` get `value`, the 1/(1 + beta²) at which to accept them."""

    low: Floats
    high: Floats
    value: Floats


def precision_recall(scores: Thresholds, *, every: bool = False) -> PrecisionRecallByThreshold:
    """Precision and recall where recall changes and just before it does, or at every distinct score.

    While only negatives are accepted, precision falls and recall is constant, so the ends of each such stretch suffice.
    """
    threshold, tp, fp = scores.every if every else scores.rises
    precision = np.add(tp, fp, dtype=np.float64)
    if not scores.weighted:
        np.divide(tp, precision, out=precision)  # at least one item is accepted at every threshold
    else:
        precision = ratio(tp, precision)
    return PrecisionRecallByThreshold(threshold, ratio(tp, scores.n_positive), precision)


def interpolated(scores: Thresholds) -> PrecisionRecallByThreshold:
    """For each recall reached, the highest precision at this or a higher recall."""
    threshold, tp, fp = scores.steps
    highest = np.maximum.accumulate(ratio(tp, tp + fp)[::-1])[::-1]
    return PrecisionRecallByThreshold(threshold, ratio(tp, scores.n_positive), highest)


def gains(scores: Thresholds) -> Gains:
    """Precision gain against recall gain, from recall gain 0 to 1."""
    threshold, tp, fp = scores.path
    least = ratio(np.asarray(scores.n_positive**2), float(scores.n_positive + scores.n_negative))
    first = int(np.argmax(tp >= least))
    recall, precision = _gain(scores, scores.n_positive - tp[first:], tp[first:]), _gain(scores, fp[first:], tp[first:])
    if not first or tp[first] == least:
        return Gains(threshold[first:], recall, precision)
    way = (least - tp[first - 1]) / (tp[first] - tp[first - 1])  # the previous point has negative recall gain
    between = _gain(scores, fp[first - 1] + way * (fp[first] - fp[first - 1]), least)
    return Gains(np.append(threshold[first], threshold[first:]), np.append(0.0, recall), np.append(between, precision))


def gain_hull(scores: Thresholds) -> GainHull:
    """The convex hull of the precision-recall-gain curve, and the values of beta for which each corner is optimal.

    The gains are a projective map of the counts, which preserves lines, so the corners are those of the ROC hull.
    """
    threshold, tp, fp = scores.hull
    square = _beta_square(scores)
    beta = np.sqrt(np.append(square, np.inf))
    defined = tp > 0
    return GainHull(
        threshold[defined],
        _gain(scores, scores.n_positive - tp[defined], tp[defined]),
        _gain(scores, fp[defined], tp[defined]),
        np.append(0.0, beta[:-1])[defined],
        beta[defined],
    )


def calibrated_f(scores: Thresholds) -> CalibratedF:
    """F-calibrated scores: accepting values of 1/(1 + beta²) and above maximises the F-measure of beta."""
    threshold = scores.hull.score
    return CalibratedF(threshold[1:], threshold[:-1], 1 / (1 + _beta_square(scores)))


def _beta_square(scores: Thresholds) -> Floats:
    """The beta² at which both ends of each side of the hull have the same F-measure."""
    _, tp, fp = scores.hull
    with np.errstate(divide="ignore", invalid="ignore"):
        return (fp[1:] * tp[:-1] - fp[:-1] * tp[1:]) / (scores.n_positive * np.diff(tp))


def _gain(scores: Thresholds, wrong: Counts, tp: Counts) -> Floats:
    return 1 - ratio(wrong * scores.n_positive, tp * scores.n_negative)


# Calibration of forecasts: the level of each predicted quantile against the observed proportion at or below it


class QuantileCalibration(NamedTuple):
    """One row per level; `effective` is the number of items, or Kish's effective number if they are weighted."""

    level: Floats
    observed: Floats  # proportion of actual values at or below the quantile
    pinball: Floats
    effective: float

    @property
    def rows(self) -> list[dict[str, float]]:
        """One dict per level."""
        columns = {"level": self.level, "observed": self.observed, "pinball": self.pinball}
        return [dict(zip(columns, map(float, figures))) for figures in zip(*columns.values(), strict=True)]


def quantile_calibration(forecasts: Forecasts, levels: Sequence[float] = ()) -> QuantileCalibration:
    """The observed proportions at these levels; by default at those of the quantiles, or at a grid of levels."""
    chosen = levels or forecasts.checked_levels
    observed = [float(forecasts.mean(forecasts.observed(level))) for level in chosen]
    pinball = [float(forecasts.mean(forecasts.pinball(level))) for level in chosen]
    return QuantileCalibration(np.array(chosen), np.array(observed), np.array(pinball), forecasts.effective)
