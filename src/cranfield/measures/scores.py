"""Measures of scores over all thresholds: how well they separate positives from negatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import Numbers, ratio, summed
from cranfield.evidence.thresholds import Counts, Thresholds
from cranfield.measures.declaration import NoInterval
from cranfield.measures.rates import NO_POSITIVES, ONE_CLASS
from cranfield.measures.registry import measure
from cranfield.rounding import LONG_SUMS
from cranfield.settings import ELEVEN_RECALLS, Proportion, Recall

_MAXIMA = NoInterval("it takes maxima over thresholds, which are too high in samples and even higher in resamples")
_AROUND = NoInterval("it depends on the few scores around one threshold")


@measure(
    "AUC",
    interval="area from 10",
    title="Area under the ROC curve",
    cite="hanley1982",
    names=("ROCAUC", "AUROC"),
    undefined=ONE_CLASS,
)
def area_under_roc(thresholds: Thresholds) -> Numbers:
    """Probability that a random positive scores higher than a random negative, ties counting half."""
    return ratio(thresholds.ordered, thresholds.ordered + thresholds.disordered)


@measure(
    "Gini", interval="area from 10", title="Gini coefficient", cite="fawcett2006", bounds=(-1, 1), undefined=ONE_CLASS
)
def gini(thresholds: Thresholds) -> Numbers:
    """Twice the area between the ROC curve and the diagonal."""
    ordered, disordered = thresholds.ordered, thresholds.disordered
    return ratio(ordered - disordered, ordered + disordered)


@measure(
    "PartialAUC",
    interval="delta from 20",
    title="Partial area under the ROC curve",
    cite="mcclish1989",
    names=("pAUC",),
    undefined={
        ONE_CLASS: lambda scores, **_: scores.one_class,
        "the false positive rate is 0": lambda _, fallout, **__: fallout == 0,
    },
)
def partial_area(thresholds: Thresholds, *, fallout: Proportion = 0.1, standard: bool = True) -> Numbers:
    """Area under the ROC curve up to a false positive rate, on McClish's scale: 0.5 is chance, 1 is perfect.

    Unscaled it is the area itself, at most the false positive rate.
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


@measure("AUCH", interval=_MAXIMA, title="Area under the ROC convex hull", cite="provost2001", undefined=ONE_CLASS)
def area_under_hull(thresholds: Thresholds) -> Numbers:
    """Area under the convex hull of the ROC curve."""
    _, tp, fp = thresholds.hull
    twice = ((tp[1:] + tp[:-1]) * np.diff(fp)).sum()
    return ratio(twice, 2 * thresholds.n_positive * thresholds.n_negative)


@measure(
    "EER", interval=_AROUND, title="Equal error rate", cite="fawcett2006", higher_is_better=False, undefined=ONE_CLASS
)
def equal_error_rate(thresholds: Thresholds) -> Numbers:
    """False positive rate at the point of the ROC curve where it equals the false negative rate."""
    if thresholds.one_class:
        return np.asarray(np.nan)
    _, tp, fp = thresholds.path
    n_positive, n_negative = thresholds.n_positive, thresholds.n_negative
    balance = fp * n_positive + tp * n_negative - n_positive * n_negative  # increases from below 0 to above
    after = int(np.argmax(balance >= 0))
    before = max(after - 1, 0)
    rise = balance[after] - balance[before]
    way = -balance[before] / rise if rise else 0.0
    return np.asarray((fp[before] + way * (fp[after] - fp[before])) / n_negative)


@measure("KS", interval=_MAXIMA, title="Kolmogorov-Smirnov distance", cite="fawcett2006", undefined=ONE_CLASS)
def kolmogorov_smirnov(thresholds: Thresholds) -> Numbers:
    """Greatest difference between true positive rate and false positive rate at any threshold."""
    _, tp, fp = thresholds.path
    apart = np.abs(tp * thresholds.n_negative - fp * thresholds.n_positive).max()
    return ratio(apart, thresholds.n_positive * thresholds.n_negative)


@measure(
    "ExpectedAccuracy",
    interval="delta from 20",
    title="Expected accuracy",
    cite="hernandezorallo2012",
    undefined=ONE_CLASS,
)
def expected_accuracy(thresholds: Thresholds) -> Numbers:
    """Mean accuracy when the proportion predicted positive is uniformly distributed: linear in the AUC."""
    prevalence = ratio(np.asarray(thresholds.n_positive), float(thresholds.n_positive + thresholds.n_negative))
    return 2 * prevalence * (1 - prevalence) * (area_under_roc(thresholds) - 0.5) + 0.5


@measure(
    "RecallAtFallout",
    interval=_AROUND,
    title="Recall at a false positive rate",
    cite="fawcett2006",
    undefined=ONE_CLASS,
)
def recall_at_fallout(thresholds: Thresholds, *, fallout: Proportion = 0.01) -> Numbers:
    """Highest recall of a threshold whose false positive rate is at most the given one."""
    if thresholds.one_class:
        return np.asarray(np.nan)
    allowed = thresholds.steps.fp / thresholds.n_negative <= fallout + LONG_SUMS
    return ratio(thresholds.steps.tp[allowed].max(initial=0), thresholds.n_positive)


# precision and recall


@measure("AP", interval="delta from 50", title="Average precision", cite="harman1992", undefined=NO_POSITIVES)
def average_precision(thresholds: Thresholds) -> Numbers:
    """Mean over the positives of the precision at the score of each."""
    _, tp, fp = thresholds.steps
    total = summed(lambda n, tp, fp: n * (tp / (tp + fp)), thresholds.at_score, tp, fp)
    return ratio(total, thresholds.n_positive)


@measure(
    "AUPR",
    interval=NoInterval("its points are joined by lines that no threshold attains; AP has one"),
    title="Area under the precision-recall curve",
    cite="davis2006",
    names=("AUPRC", "PRAUC"),
    undefined=NO_POSITIVES,
)
def area_under_precision_recall(thresholds: Thresholds) -> Numbers:
    """Area under the precision-recall points joined by straight lines, starting at recall 0 with precision 1.

    Such lines are too optimistic where many items share a score: no threshold attains them. Without ties the area is
    never larger than AP. Use AP or AUPRG.
    """
    _, tp, fp = thresholds.every
    precision = np.append(1.0, tp / (tp + fp))
    return ratio(np.trapezoid(precision, np.append(0, tp)), thresholds.n_positive)


@measure(
    "InterpolatedPrecision",
    interval=_MAXIMA,
    title="Interpolated precision",
    cite="manning2008",
    names=("IPrec",),
    undefined=NO_POSITIVES,
)
def interpolated_precision(thresholds: Thresholds, *, recall: Recall) -> Numbers:
    """Highest precision of a threshold whose recall is at least the given one."""
    if not thresholds.n_positive:
        return np.asarray(np.nan)
    _, tp, fp = thresholds.steps
    enough = tp / thresholds.n_positive >= recall - LONG_SUMS
    return np.asarray((tp[enough] / (tp[enough] + fp[enough])).max())


@measure(
    "ElevenPoint", interval=_MAXIMA, title="Eleven-point average precision", cite="manning2008", undefined=NO_POSITIVES
)
def eleven_point(thresholds: Thresholds) -> Numbers:
    """Mean of the interpolated precision at the recall levels 0, 0.1, … 1."""
    return np.asarray(np.mean([interpolated_precision(thresholds, recall=level) for level in ELEVEN_RECALLS]))


@measure("BreakEven", interval=_AROUND, title="Break-even point", cite="manning2008", undefined=NO_POSITIVES)
def break_even(thresholds: Thresholds) -> Numbers:
    """Precision and recall when as many items are predicted positive as are positive; ties by expectation."""
    if not thresholds.n_positive:
        return np.asarray(np.nan)
    return ratio(_positives_among(thresholds, thresholds.n_positive), thresholds.n_positive)


@measure("Gain", interval=_AROUND, title="Cumulative gain", cite="fawcett2006", undefined=NO_POSITIVES)
def cumulative_gain(thresholds: Thresholds, *, proportion: Proportion = 0.1) -> Numbers:
    """Recall when this proportion of all items is predicted positive, highest scores first; ties by expectation."""
    total = thresholds.n_positive + thresholds.n_negative
    return ratio(_positives_among(thresholds, proportion * total), thresholds.n_positive)


@measure(
    "LiftAt",
    interval=_AROUND,
    title="Lift at a proportion",
    cite="fawcett2006",
    bounds=(0, np.inf),
    undefined={
        NO_POSITIVES: lambda scores, **_: not scores.n_positive,
        "the proportion is 0": lambda _, proportion: proportion == 0,
    },
)
def lift_at(thresholds: Thresholds, *, proportion: Proportion = 0.1) -> Numbers:
    """Prevalence among the highest scores divided by the prevalence among all items."""
    return ratio(cumulative_gain(thresholds, proportion=proportion), proportion)


@measure(
    "AUPRG",
    interval="delta from 50",
    title="Area under the precision-recall-gain curve",
    cite="flach2015",
    bounds=(-np.inf, 1),
    undefined=ONE_CLASS,
)
def area_under_gain(thresholds: Thresholds, *, hull: bool = False) -> Numbers:
    """Area under precision gain against recall gain, from recall gain 0 to 1: an expected F-measure.

    Straight lines between counts are straight in gain space too, so the area is exact. With `hull`, under the convex
    hull of the curve.
    """
    if thresholds.one_class:
        return np.asarray(np.nan)
    if hull:
        _, tp, fp = thresholds.hull
        rises = np.flatnonzero(tp[1:] > tp[:-1])
        positives, missed = np.diff(tp)[rises], thresholds.n_positive - tp[rises + 1]
        segments = _Segments(tp[rises], fp[rises], tp[rises + 1], fp[rises + 1], positives)
        return _area_in_gain_space(thresholds, missed, segments)
    _, tp, fp = thresholds.from_nothing
    segments = _Segments(tp[:-1], thresholds.above, tp[1:], fp[1:], thresholds.at_score)
    return _area_in_gain_space(thresholds, thresholds.missed, segments)


class _Segments(NamedTuple):
    """Line segments in ROC space, with start, end and the positives gained on each."""

    tp_start: Counts
    fp_start: Counts
    tp: Counts
    fp: Counts
    positives: Counts


def _area_in_gain_space(thresholds: Thresholds, missed: Counts, segments: _Segments) -> Numbers:
    """The area under segments in gain space; `missed` are the positives beyond the end of each."""
    n_positive, n_negative = thresholds.n_positive, thresholds.n_negative
    odds, prevalence = n_positive / n_negative, n_positive / (n_positive + n_negative)
    room = n_negative * prevalence  # misses where recall gain is 0
    first = len(missed) - int(np.searchsorted(missed[::-1], room))
    head, rest = (_Segments(*(column[part] for column in segments)) for part in (first, slice(first + 1, None)))
    outside = n_positive * prevalence - head.tp_start
    if outside > 0:  # the segment starts where recall gain is negative
        fp_start = head.fp_start + outside / head.positives * (head.fp - head.fp_start)
        head = head._replace(tp_start=n_positive * prevalence, fp_start=fp_start, positives=room - missed[first])

    def under(tp_start: Counts, fp_start: Counts, tp: Counts, fp: Counts, positives: Counts) -> Floats:
        """Twice the area under each segment, up to a factor."""
        return positives / tp_start / tp * (2 - odds * (fp_start / tp_start + fp / tp))

    return np.asarray(odds * n_positive / 2 * (under(*head) + summed(under, *rest)))


def _positives_among(thresholds: Thresholds, accepted: float) -> Numbers:
    """The number of positives among the accepted items with the highest scores."""
    _, tp, fp = thresholds.path
    return np.asarray(np.interp(accepted, tp + fp, tp))
