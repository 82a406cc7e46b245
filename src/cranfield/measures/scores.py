"""Measures of scores over all thresholds: how well positives are told from negatives."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.exact import Numbers, ratio
from cranfield.evidence.sums import summed
from cranfield.evidence.thresholds import Counts, Floats, Thresholds
from cranfield.measures.labels import NO_POSITIVES, ONE_CLASS
from cranfield.registry import measure
from cranfield.settings import Recall, Share

_ELEVEN = tuple(level / 10 for level in range(11))


@measure("AUC", title="Area under the ROC curve", cite="hanley1982", names=("ROCAUC", "AUROC"), undefined=ONE_CLASS)
def area_under_roc(thresholds: Thresholds) -> Numbers:
    """Probability that a positive scores higher than a negative, ties counting half."""
    return ratio(thresholds.ordered, 2 * thresholds.n_positive * thresholds.n_negative)


@measure("Gini", title="Gini coefficient", cite="fawcett2006", bounds=(-1, 1), undefined=ONE_CLASS)
def gini(thresholds: Thresholds) -> Numbers:
    """Twice the area between the ROC curve and the diagonal."""
    pairs = thresholds.n_positive * thresholds.n_negative
    return ratio(thresholds.ordered - pairs, pairs)


@measure(
    "PartialAUC", title="Partial area under the ROC curve", cite="mcclish1989", names=("pAUC",), undefined=ONE_CLASS
)
def partial_area(thresholds: Thresholds, *, fallout: Share = 0.1, standard: bool = True) -> Numbers:
    """Area under the ROC curve up to a fall-out; on McClish's scale, where chance is 0.5 and perfect is 1.

    Without the scale it is the area itself, at most the fall-out.
    """
    if thresholds.one_class or fallout == 0:
        return np.asarray(np.nan)
    tpr = thresholds.path.tp / thresholds.n_positive
    fpr = thresholds.path.fp / thresholds.n_negative
    inside = fpr <= fallout
    x = np.append(fpr[inside], fallout)
    y = np.append(tpr[inside], np.interp(fallout, fpr, tpr))
    area = np.trapezoid(y, x)
    if not standard:
        return np.asarray(area)
    least = fallout**2 / 2
    return np.asarray((1 + (area - least) / (fallout - least)) / 2)


@measure("AUCH", title="Area under the ROC convex hull", cite="provost2001", undefined=ONE_CLASS)
def area_under_hull(thresholds: Thresholds) -> Numbers:
    """Area under the best ROC curve that choosing between the scorer's own thresholds can give."""
    _, tp, fp = thresholds.hull
    twice = ((tp[1:] + tp[:-1]) * np.diff(fp)).sum()
    return ratio(twice, 2 * thresholds.n_positive * thresholds.n_negative)


@measure("EER", title="Equal error rate", cite="fawcett2006", higher_is_better=False, undefined=ONE_CLASS)
def equal_error_rate(thresholds: Thresholds) -> Numbers:
    """Fall-out where it equals the miss rate, on the ROC curve."""
    if thresholds.one_class:
        return np.asarray(np.nan)
    _, tp, fp = thresholds.path
    n_positive, n_negative = thresholds.n_positive, thresholds.n_negative
    balance = fp * n_positive + tp * n_negative - n_positive * n_negative  # rises from below 0 to above
    after = int(np.argmax(balance >= 0))
    before = max(after - 1, 0)
    rise = balance[after] - balance[before]
    way = -balance[before] / rise if rise else 0.0
    return np.asarray((fp[before] + way * (fp[after] - fp[before])) / n_negative)


@measure("KS", title="Kolmogorov-Smirnov distance", cite="fawcett2006", undefined=ONE_CLASS)
def kolmogorov_smirnov(thresholds: Thresholds) -> Numbers:
    """Greatest difference between recall and fall-out at any threshold."""
    _, tp, fp = thresholds.path
    apart = np.abs(tp * thresholds.n_negative - fp * thresholds.n_positive).max()
    return ratio(apart, thresholds.n_positive * thresholds.n_negative)


@measure("ExpectedAccuracy", title="Expected accuracy", cite="hernandezorallo2012", undefined=ONE_CLASS)
def expected_accuracy(thresholds: Thresholds) -> Numbers:
    """Mean accuracy when the share that is accepted is equally likely to be anything: linear in the AUC."""
    prevalence = thresholds.n_positive / max(thresholds.n_positive + thresholds.n_negative, 1)
    return 2 * prevalence * (1 - prevalence) * (area_under_roc(thresholds) - 0.5) + 0.5


@measure("RecallAtFallout", title="Recall at a fall-out", cite="fawcett2006", undefined=ONE_CLASS)
def recall_at_fallout(thresholds: Thresholds, *, fallout: Share = 0.01) -> Numbers:
    """Highest recall of a threshold whose fall-out is at most the one given."""
    if thresholds.one_class:
        return np.asarray(np.nan)
    allowed = thresholds.steps.fp / thresholds.n_negative <= fallout
    return ratio(thresholds.steps.tp[allowed].max(initial=0), thresholds.n_positive)


# precision and recall


@measure(
    "AP", title="Average precision", cite="harman1992", aliases=("ap", "average_precision"), undefined=NO_POSITIVES
)
def average_precision(thresholds: Thresholds) -> Numbers:
    """Mean over the positives of the precision at the score of each."""
    _, tp, fp = thresholds.steps
    found = summed(lambda found, tp, fp: found * (tp / (tp + fp)), thresholds.found, tp, fp)
    return ratio(found, thresholds.n_positive)


@measure("AUPR", title="Area under the precision-recall curve", cite="davis2006", undefined=NO_POSITIVES)
def area_under_precision_recall(thresholds: Thresholds) -> Numbers:
    """Area under the straight lines between the points of precision and recall, from precision 1 at recall 0.

    Such lines promise what no threshold can give; AP and AUPRG do not.
    """
    _, tp, fp = thresholds.every
    precision = np.append(1.0, tp / (tp + fp))
    return ratio(np.trapezoid(precision, np.append(0, tp)), thresholds.n_positive)


@measure(
    "InterpolatedPrecision",
    title="Interpolated precision",
    cite="manning2008",
    names=("IPrec",),
    undefined=NO_POSITIVES,
)
def interpolated_precision(thresholds: Thresholds, *, recall: Recall) -> Numbers:
    """Highest precision of a threshold with at least this recall."""
    if not thresholds.n_positive:
        return np.asarray(np.nan)
    _, tp, fp = thresholds.steps
    enough = tp / thresholds.n_positive >= recall
    return np.asarray((tp[enough] / (tp[enough] + fp[enough])).max())


@measure("ElevenPoint", title="Eleven-point average precision", cite="manning2008", undefined=NO_POSITIVES)
def eleven_point(thresholds: Thresholds) -> Numbers:
    """Mean of the interpolated precision at the recalls 0, 0.1, … 1."""
    return np.asarray(np.mean([interpolated_precision(thresholds, recall=level) for level in _ELEVEN]))


@measure("BreakEven", title="Break-even point", cite="manning2008", undefined=NO_POSITIVES)
def break_even(thresholds: Thresholds) -> Numbers:
    """Precision, and recall, when as many are accepted as are positive; within a tie, what to expect."""
    if not thresholds.n_positive:
        return np.asarray(np.nan)
    return ratio(_found(thresholds, thresholds.n_positive), thresholds.n_positive)


@measure("Gain", title="Cumulative gain", cite="fawcett2006", undefined=NO_POSITIVES)
def cumulative_gain(thresholds: Thresholds, *, share: Share = 0.1) -> Numbers:
    """Recall when this share of all items is accepted, the highest scores first; within a tie, what to expect."""
    total = thresholds.n_positive + thresholds.n_negative
    return ratio(_found(thresholds, share * total), thresholds.n_positive)


@measure("LiftAt", title="Lift at a share", cite="fawcett2006", bounds=(0, np.inf), undefined=NO_POSITIVES)
def lift_at(thresholds: Thresholds, *, share: Share = 0.1) -> Numbers:
    """How many times denser positives are among the highest scores than among all."""
    return ratio(cumulative_gain(thresholds, share=share), share)


@measure(
    "AUPRG",
    title="Area under the precision-recall-gain curve",
    cite="flach2015",
    bounds=(-np.inf, 1),
    undefined=ONE_CLASS,
)
def area_under_gain(thresholds: Thresholds, *, hull: bool = False) -> Numbers:
    """Area under precision gain against recall gain, from recall gain 0 to 1: an expected F-measure.

    A straight way through the counts is straight in gains too, so the area is exact. With `hull`, under the convex
    hull of the curve.
    """
    if thresholds.one_class:
        return np.asarray(np.nan)
    if hull:
        _, tp, fp = thresholds.hull
        rises = np.flatnonzero(tp[1:] > tp[:-1])
        return _gained(thresholds, tp[rises], fp[rises], tp[rises + 1], fp[rises + 1])
    _, tp, fp = thresholds.steps
    return _gained(thresholds, tp - thresholds.found, thresholds.above, tp, fp)


def _gained(thresholds: Thresholds, tp_before: Counts, fp_before: Counts, tp: Counts, fp: Counts) -> Numbers:
    """The area under the ways from the points before to those after, in the space of gains."""
    n_positive, n_negative = thresholds.n_positive, thresholds.n_negative
    least = n_positive**2 / (n_positive + n_negative)  # where recall gain is 0
    first = int(np.searchsorted(tp, least, side="right"))
    tp, fp = tp[first:], fp[first:]
    start, fp_start = tp_before[first:].astype(np.float64), fp_before[first:].astype(np.float64)
    if start[0] < least:
        fp_start[0] += (fp[0] - fp_start[0]) * ((least - start[0]) / (tp[0] - start[0]))
        start[0] = least
    odds = n_positive / n_negative

    def under(start: Floats, fp_start: Floats, tp: Counts, fp: Counts) -> Floats:
        """Twice the area under each way, but for a factor."""
        return (1 / start - 1 / tp) * (2 - odds * (fp_start / start + fp / tp))

    return np.asarray(odds * n_positive / 2 * summed(under, start, fp_start, tp, fp))


def _found(thresholds: Thresholds, accepted: float) -> Numbers:
    """How many positives are among the highest scores, where so many items are accepted."""
    _, tp, fp = thresholds.path
    return np.asarray(np.interp(accepted, tp + fp, tp))
