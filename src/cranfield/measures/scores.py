"""Measures of scores over all thresholds: how well positives are told from negatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.evidence.exact import ROUNDING, Numbers, ratio
from cranfield.evidence.sums import summed
from cranfield.evidence.thresholds import Counts, Floats, Thresholds
from cranfield.measures.labels import NO_POSITIVES, ONE_CLASS
from cranfield.registry import measure
from cranfield.settings import Recall, Share

_ELEVEN = tuple(level / 10 for level in range(11))


@measure("AUC", title="Area under the ROC curve", cite="hanley1982", names=("ROCAUC", "AUROC"), undefined=ONE_CLASS)
def area_under_roc(thresholds: Thresholds) -> Numbers:
    """Probability that a positive scores higher than a negative, ties counting half."""
    return ratio(thresholds.ordered, thresholds.ordered + thresholds.disordered)


@measure("Gini", title="Gini coefficient", cite="fawcett2006", bounds=(-1, 1), undefined=ONE_CLASS)
def gini(thresholds: Thresholds) -> Numbers:
    """Twice the area between the ROC curve and the diagonal."""
    ordered, disordered = thresholds.ordered, thresholds.disordered
    return ratio(ordered - disordered, ordered + disordered)


@measure(
    "PartialAUC",
    title="Partial area under the ROC curve",
    cite="mcclish1989",
    names=("pAUC",),
    undefined={
        ONE_CLASS: lambda scores, **_: scores.one_class,
        "the fall-out is 0": lambda _, fallout, **__: fallout == 0,
    },
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
    prevalence = ratio(np.asarray(thresholds.n_positive), float(thresholds.n_positive + thresholds.n_negative))
    return 2 * prevalence * (1 - prevalence) * (area_under_roc(thresholds) - 0.5) + 0.5


@measure("RecallAtFallout", title="Recall at a fall-out", cite="fawcett2006", undefined=ONE_CLASS)
def recall_at_fallout(thresholds: Thresholds, *, fallout: Share = 0.01) -> Numbers:
    """Highest recall of a threshold whose fall-out is at most the one given."""
    if thresholds.one_class:
        return np.asarray(np.nan)
    allowed = thresholds.steps.fp / thresholds.n_negative <= fallout + ROUNDING
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
    enough = tp / thresholds.n_positive >= recall - ROUNDING
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


@measure(
    "LiftAt",
    title="Lift at a share",
    cite="fawcett2006",
    bounds=(0, np.inf),
    undefined={NO_POSITIVES: lambda scores, **_: not scores.n_positive, "the share is 0": lambda _, share: share == 0},
)
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
        found, missed = np.diff(tp)[rises], thresholds.n_positive - tp[rises + 1]
        return _gained(thresholds, missed, _Ways(tp[rises], fp[rises], tp[rises + 1], fp[rises + 1], found))
    _, tp, fp = thresholds.from_nothing
    return _gained(thresholds, thresholds.missed, _Ways(tp[:-1], thresholds.above, tp[1:], fp[1:], thresholds.found))


class _Ways(NamedTuple):
    """Straight ways in ROC space, from where they start to where they end, and the positives found on each."""

    tp_start: Counts
    fp_start: Counts
    tp: Counts
    fp: Counts
    found: Counts


def _gained(thresholds: Thresholds, missed: Counts, ways: _Ways) -> Numbers:
    """The area under ways in the space of gains; missed are the positives that lie beyond the end of each."""
    n_positive, n_negative = thresholds.n_positive, thresholds.n_negative
    odds, prevalence = n_positive / n_negative, n_positive / (n_positive + n_negative)
    room = n_negative * prevalence  # for misses, from where recall gain is 0
    first = len(missed) - int(np.searchsorted(missed[::-1], room))
    head, rest = (_Ways(*(column[part] for column in ways)) for part in (first, slice(first + 1, None)))
    outside = n_positive * prevalence - head.tp_start
    if outside > 0:  # it comes from where recall gain is negative
        fp_start = head.fp_start + outside / head.found * (head.fp - head.fp_start)
        head = head._replace(tp_start=n_positive * prevalence, fp_start=fp_start, found=room - missed[first])

    def under(tp_start: Counts, fp_start: Counts, tp: Counts, fp: Counts, found: Counts) -> Floats:
        """Twice the area under each way, but for a factor."""
        return found / tp_start / tp * (2 - odds * (fp_start / tp_start + fp / tp))

    return np.asarray(odds * n_positive / 2 * (under(*head) + summed(under, *rest)))


def _found(thresholds: Thresholds, accepted: float) -> Numbers:
    """How many positives are among the highest scores, where so many items are accepted."""
    _, tp, fp = thresholds.path
    return np.asarray(np.interp(accepted, tp + fp, tp))
