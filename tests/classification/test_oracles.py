"""Curves and areas against slow, obvious reckoning from the papers."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import isotonic_regression
from sklearn import metrics

from classification.examples import twenty
from classification.generated import SAMPLES, Sample, evidence, scores_of_items
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.arithmetic import upper_hull
from cranfield.evidence.curves import (
    calibrated_f,
    calibration,
    cost_curve,
    decision_curve,
    det,
    gain_hull,
    gains,
    interpolated,
    isotonic,
    lift,
    precision_recall,
    roc,
    roc_hull,
)
from cranfield.evidence.probabilities import binned
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.naming import parse

samples = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
unweighted = pytest.mark.parametrize(
    "sample", [s for s in SAMPLES.values() if s.weight is None], ids=[k for k in SAMPLES if "weighted" not in k]
)


def counts(scores: Thresholds) -> list[tuple[int, int]]:
    """(FP, TP) at every threshold, from nothing accepted on, by looking at every item."""
    levels = sorted({*scores.positive.tolist(), *scores.negative.tolist()}, reverse=True)
    return [(0, 0)] + [
        (int((scores.negative >= level).sum()), int((scores.positive >= level).sum())) for level in levels
    ]


@given(scores=scores_of_items())
def test_area_is_the_share_of_pairs_in_order(scores: Thresholds) -> None:
    pairs = [(p > n) + (p == n) / 2 for p in scores.positive for n in scores.negative]
    assert float(parse("AUC", "binary").values(scores)) == sum(pairs) / len(pairs)


@given(scores=scores_of_items())
def test_hull_has_no_point_above_it_and_no_corner_between_others(scores: Thresholds) -> None:
    points = list(dict.fromkeys(counts(scores)))
    inner = [
        points[k]
        for k in range(1, len(points) - 1)
        if not any(_beside(a, points[k], b) >= 0 for a in points[:k] for b in points[k + 1 :])
    ]
    corners = [points[0], *inner, points[-1]]
    hull = scores.hull
    assert list(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True)) == corners


def _beside(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@pytest.mark.parametrize("seed", range(5))
def test_many_points_give_the_hull_of_going_through_them_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = np.unique(np.cumsum(rng.integers(0, 3, (2, 5000)), axis=1), axis=1)
    hull: list[int] = []
    for place in range(len(x)):
        while len(hull) > 1 and _beside(*((int(x[i]), int(y[i])) for i in (*hull[-2:], place))) >= 0:
            hull.pop()
        hull.append(place)
    ours = upper_hull(x, y)
    assert [(x[i], y[i]) for i in ours] == [(x[i], y[i]) for i in hull]


@unweighted
def test_isotonic_calibration_is_that_of_scipy(sample: Sample) -> None:
    order = np.argsort(sample.score, kind="stable")
    levels, place, size = np.unique(sample.score[order], return_inverse=True, return_counts=True)
    mean = np.bincount(place, sample.actual[order]) / size
    theirs = isotonic_regression(mean, weights=size).x
    assert isotonic(evidence(sample))(levels) == pytest.approx(theirs, abs=1e-12)


def test_isotonic_calibration_of_twenty_instances() -> None:
    scores = twenty()
    hull = roc_hull(scores)
    assert hull.likelihood_ratio[1:] == pytest.approx([3.0, 0.75, 0.5, 0.0])
    assert np.isinf(hull.likelihood_ratio[0])
    expected = [1.0] * 2 + [0.75] * 4 + [3 / 7] * 7 + [1 / 3] * 6 + [0.0]
    ordered = np.sort(np.concatenate([scores.positive, scores.negative]))[::-1]
    assert isotonic(scores)(ordered) == pytest.approx(expected, abs=1e-12)


@unweighted
def test_brier_score_is_miscalibration_less_discrimination_plus_uncertainty(sample: Sample) -> None:
    scores = evidence(sample)
    recalibrated = isotonic(scores)(sample.score)
    mcb, dsc, unc, brier = (
        float(parse(name, "binary").values(scores))
        for name in ("Miscalibration", "Discrimination", "Uncertainty", "Brier")
    )
    assert brier - mcb == pytest.approx(((recalibrated - sample.actual) ** 2).mean(), abs=1e-12)
    assert mcb - dsc + unc == pytest.approx(brier, abs=1e-12)
    assert mcb >= -1e-15
    assert dsc >= -1e-15


@unweighted
def test_parts_of_the_brier_score(sample: Sample) -> None:
    scores = evidence(sample)
    brier, reliability, resolution, uncertainty = (
        float(parse(name, "binary").values(scores)) for name in ("Brier", "Reliability", "Resolution", "Uncertainty")
    )
    place = np.searchsorted(np.linspace(0, 1, 11)[1:-1], sample.score)
    within = 0.0
    for index in np.unique(place):
        p, y = sample.score[place == index], sample.actual[place == index]
        within += ((p - p.mean()) ** 2).sum() - 2 * ((p - p.mean()) * (y - y.mean())).sum()
    assert brier - (reliability - resolution + uncertainty) == pytest.approx(within / len(place), abs=1e-12)
    bins = binned(scores, 10)
    assert bins.n.sum() == len(place)


# precision-recall-gain, in fractions


def gain_points(scores: Thresholds) -> list[tuple[Fraction, Fraction]]:
    """Recall gain and precision gain at every threshold with a true positive."""
    p, n = len(scores.positive), len(scores.negative)
    prevalence = Fraction(p, p + n)

    def gain(rate: Fraction) -> Fraction:
        return (rate - prevalence) / ((1 - prevalence) * rate)

    return [(gain(Fraction(tp, p)), gain(Fraction(tp, tp + fp))) for fp, tp in counts(scores) if tp]


def area_of_gains(scores: Thresholds) -> Fraction:
    """The area by the paper: trapezoids between neighbours, the way to the first point at recall gain 0 followed."""
    p, n = len(scores.positive), len(scores.negative)
    area = Fraction(0)
    for (fp0, tp0), (fp1, tp1) in pairwise(counts(scores)):
        if tp1 == tp0:
            continue
        steps = [Fraction(tp0), Fraction(tp1), Fraction(p * p, p + n)]
        inside = sorted(t for t in steps if tp0 <= t <= tp1 and t >= steps[2])
        corners = []
        for t in inside:
            fp = fp0 + Fraction(fp1 - fp0, tp1 - tp0) * (t - tp0)
            corners.append((1 - Fraction(p, n) * (p - t) / t, 1 - Fraction(p, n) * fp / t))
        for (x0, y0), (x1, y1) in pairwise(corners):
            area += (x1 - x0) * (y0 + y1) / 2
    return area


@given(scores=scores_of_items())
def test_area_under_gains(scores: Thresholds) -> None:
    assert float(parse("AUPRG", "binary").values(scores)) == pytest.approx(float(area_of_gains(scores)), abs=1e-12)
    curve = gains(scores)
    assert np.trapezoid(curve.precision_gain, curve.recall_gain) == pytest.approx(float(area_of_gains(scores)))
    assert curve.recall_gain[0] == pytest.approx(0, abs=1e-12) or curve.recall_gain[0] > 0


@given(scores=scores_of_items())
def test_each_corner_of_the_gain_hull_is_best_for_its_betas(scores: Thresholds) -> None:
    hull = gain_hull(scores)
    points = gain_points(scores)
    for place in range(len(hull.threshold)):
        low, high = hull.beta_from[place], hull.beta_to[place]
        if low == high:
            continue  # best nowhere but where it ties
        beta = (low + min(high, low + 2)) / 2
        best = max(float(y) + beta**2 * float(x) for x, y in points)
        ours = hull.precision_gain[place] + beta**2 * hull.recall_gain[place]
        assert ours == pytest.approx(best, rel=1e-9, abs=1e-9)


@given(scores=scores_of_items())
def test_accepting_from_the_calibrated_score_on_gives_the_best_f(scores: Thresholds) -> None:
    pieces = calibrated_f(scores)
    assert (np.diff(pieces.value) <= 1e-12).all()
    for beta in (0.5, 1, 2):
        wanted = pieces.value >= 1 / (1 + beta**2)
        threshold = pieces.low[wanted].min()
        measure = parse("F", "binary")(beta=beta)
        best = np.nanmax(measure.values(scores.cells(scores.every)))
        assert measure.values(scores.at(threshold))[0] == pytest.approx(best, abs=1e-12)


@given(scores=scores_of_items())
def test_hull_of_gains_is_above_the_curve(scores: Thresholds) -> None:
    plain, hull = (float(parse(name, "binary").values(scores)) for name in ("AUPRG", "AUPRG(hull=True)"))
    assert hull >= plain - 1e-12


@given(scores=scores_of_items())
def test_lines_between_precisions_are_too_optimistic_only_with_ties(scores: Thresholds) -> None:
    n_positive, n_negative = len(scores.positive), len(scores.negative)
    prevalence = n_positive / (n_positive + n_negative)
    untied = Thresholds(2 * np.arange(n_positive, dtype=float), 3 * np.arange(n_negative) + 1.0)
    tied = Thresholds(np.ones(n_positive), np.ones(n_negative))
    lines, steps = (parse(name, "binary") for name in ("AUPR", "AP"))
    assert lines.values(untied) <= steps.values(untied) + 1e-12
    assert lines.values(tied) == pytest.approx((1 + prevalence) / 2)
    assert steps.values(tied) == pytest.approx(prevalence)


# the other curves


@samples
def test_detection_error_trade_off_is_that_of_scikit_learn(sample: Sample) -> None:
    fpr, fnr, cut = metrics.det_curve(sample.actual, sample.score, sample_weight=sample.weight)
    ours = det(evidence(sample), every=True)
    place = {threshold: i for i, threshold in enumerate(ours.threshold)}
    found = [place[threshold] for threshold in cut if threshold in place]
    known = [threshold in place for threshold in cut]
    assert len(found) >= 1
    assert ours.fallout[found] == pytest.approx(fpr[known], abs=1e-12)
    assert ours.miss_rate[found] == pytest.approx(fnr[known], abs=1e-12)


@samples
def test_precision_and_recall_are_those_of_scikit_learn(sample: Sample) -> None:
    precision, recall, cut = metrics.precision_recall_curve(sample.actual, sample.score, sample_weight=sample.weight)
    ours = precision_recall(evidence(sample), every=True)
    assert ours.threshold[::-1] == pytest.approx(cut)
    assert ours.recall[::-1] == pytest.approx(recall[:-1], abs=1e-12)
    assert ours.precision[::-1] == pytest.approx(precision[:-1], abs=1e-12)


@samples
def test_the_points_that_draw_precision_and_recall_are_those_of_scikit_learn(sample: Sample) -> None:
    precision, recall, _ = metrics.precision_recall_curve(
        sample.actual, sample.score, sample_weight=sample.weight, drop_intermediate=True
    )
    ours = precision_recall(evidence(sample))
    theirs = set(zip(recall[:-1].round(12), precision[:-1].round(12), strict=True))
    assert set(zip(ours.recall.round(12), ours.precision.round(12), strict=True)) == theirs


@samples
def test_where_precision_and_recall_turn_is_all_there_is_to_draw(sample: Sample) -> None:
    scores = evidence(sample)
    whole, turns = precision_recall(scores, every=True), precision_recall(scores)
    place = {threshold: i for i, threshold in enumerate(turns.threshold)}
    assert turns.threshold[-1] == whole.threshold[-1]
    last = 0
    for threshold, recall, precision in zip(*whole, strict=True):
        if threshold in place:
            last = place[threshold]
            assert (turns.recall[last], turns.precision[last]) == pytest.approx((recall, precision), abs=1e-12)
        elif last + 1 < len(turns.threshold) and threshold < turns.threshold[0]:
            assert recall == pytest.approx(turns.recall[last + 1], abs=1e-12)  # on the way straight down
            assert precision >= turns.precision[last + 1] - 1e-12


@given(scores=scores_of_items())
def test_interpolated_precision_never_rises_with_recall(scores: Thresholds) -> None:
    curve = interpolated(scores)
    assert (np.diff(curve.precision) <= 0).all()
    for recall, precision in zip(curve.recall, curve.precision, strict=True):
        assert precision == float(parse(f"InterpolatedPrecision@{recall}", "binary").values(scores))


@given(scores=scores_of_items())
def test_cost_curve_is_the_cheapest_of_all_thresholds(scores: Thresholds) -> None:
    curve = cost_curve(scores)
    p, n = len(scores.positive), len(scores.negative)
    for weight, cost, threshold in zip(curve.weight[::10], curve.cost[::10], curve.threshold[::10], strict=True):
        each = [weight * (p - tp) / p + (1 - weight) * fp / n for fp, tp in counts(scores)]
        assert cost == pytest.approx(min(each), abs=1e-12)
        cells = scores.at(threshold)
        assert weight * cells.fn[0] / p + (1 - weight) * cells.fp[0] / n == pytest.approx(cost, abs=1e-12)
    assert (curve.cost <= curve.trivial + 1e-12).all()


@given(scores=scores_of_items())
def test_decision_curve_weighs_false_alarms_by_the_odds(scores: Thresholds) -> None:
    curve = decision_curve(scores)
    total = len(scores.positive) + len(scores.negative)
    for at, benefit in zip(curve.threshold[::7], curve.net_benefit[::7], strict=True):
        tp, fp = (scores.positive >= at).sum(), (scores.negative >= at).sum()
        assert benefit == pytest.approx(tp / total - fp / total * at / (1 - at), abs=1e-12)
    assert curve.net_benefit[0] == pytest.approx(curve.act_on_all[0])


@given(scores=scores_of_items())
def test_lift_ends_at_one_when_all_are_accepted(scores: Thresholds) -> None:
    curve = lift(scores)
    assert (curve.proportion[-1], curve.gain[-1], curve.lift[-1]) == (1, 1, 1)
    share = float(curve.proportion[len(curve.proportion) // 2])
    assert float(np.interp(share, curve.proportion, curve.gain)) == pytest.approx(
        float(parse("Gain", "binary")(proportion=share).values(scores)), abs=1e-12
    )


@given(scores=scores_of_items())
def test_a_negated_scorer_has_the_rest_of_the_area(scores: Thresholds) -> None:
    area = parse("AUC", "binary")
    assert float(area.values(scores)) + float(area.values(scores.inverted)) == pytest.approx(1)
    assert len(roc(scores.inverted).threshold) >= 2


def test_curves_of_probabilities_refuse_other_scores() -> None:
    odd = Thresholds(np.array([2.0, 5.0]), np.array([-3.0]))
    for curve in (calibration, decision_curve):
        with pytest.raises(BadInput, match="needs probabilities from 0 to 1, but one score is 2"):
            curve(odd)
    assert isotonic(odd)(np.array([5.0])) == 1  # any scores will do


@pytest.mark.parametrize("at", [1.0, -0.5, 1.5, np.nan])
def test_net_benefit_is_of_acting_from_a_probability_below_1_on(at: float) -> None:
    with pytest.raises(BadSetting, match="threshold probabilities must be at least 0 and below 1"):
        decision_curve(Thresholds(np.array([0.9]), np.array([0.1])), thresholds=np.array([0.5, at]))
