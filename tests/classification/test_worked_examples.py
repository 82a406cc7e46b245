"""The worked examples of the textbooks on labels and scores, to the last digit the arithmetic gives.

Where a book misprints a figure, the test holds what its own counts give, and says so.
"""

from __future__ import annotations

import numpy as np
import pytest

from classification.examples import ALWAYS_NO, CANCER, EIGHT, PEOPLE, VIRUS, collapsed, twenty
from cranfield.evidence.cells import Cells, cells
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import thresholds
from cranfield.measures.interpretation import area_label
from cranfield.measures.naming import parse
from cranfield.measures.probabilities import cross_entropy

CLOSE = 1e-12
approx = pytest.approx

RATES = [
    "Recall",
    "MissRate",
    "Specificity",
    "Fallout",
    "Precision",
    "FDR",
    "NPV",
    "FOR",
    "Accuracy",
    "ErrorRate",
    "Prevalence",
    "F",
    "Jaccard",
    "BalancedAccuracy",
    "Informedness",
    "LR+",
    "LR-",
    "NoInformationRate",
    "MCC",
    "PrecisionGain",
    "RecallGain",
    "FGain",
    "GMeasure",
    "Kappa",
]

EXPECTED = {
    # prevalence is printed as 1.4 %: it is 1.4778 %
    "cancer": (CANCER, [
        0.6666666666666666, 0.3333333333333333, 0.91, 0.09, 0.1, 0.9, 0.994535519125683, 0.00546448087431694,
        0.9064039408866995, 0.09359605911330049, 0.014778325123152709, 0.17391304347826086, 0.09523809523809523,
        0.7883333333333333, 0.5766666666666667, 7.407407407407407, 0.3663003663003663, 0.9852216748768473,
        0.23348550853492078, 0.865, 0.9925, 0.92875, 0.2581988897471611, 0.15212134535062652,
    ]),
    # the fractions are printed with the counts of the cancer test; NPV is 99.89 %, not 99 %
    "virus": (VIRUS, [
        0.85, 0.15, 0.95, 0.05, 0.10701438848920863, 0.8929856115107914, 0.9988881829733164, 0.0011118170266836086,
        0.9493, 0.0507, 0.007, 0.1900958466453674, 0.10503089143865843, 0.9, 0.8, 17.0, 0.15789473684210525, 0.993,
        0.2910705364168968, 0.9411764705882353, 0.9987559978674249, 0.9699662342278301, 0.30159945327508025,
        0.17989828797701773,
    ]),
    "woman": (collapsed("Woman"), [
        0.65, 0.35, 0.925, 0.075, 0.6842105263157895, 0.3157894736842105, 0.9135802469135802, 0.08641975308641975,
        0.87, 0.13, 0.2, 0.6666666666666666, 0.5, 0.7875, 0.575, 8.666666666666666, 0.3783783783783784, 0.8,
        0.586284653224769, 0.8846153846153846, 0.8653846153846154, 0.875, 0.6668859288553501, 0.5859872611464968,
    ]),
    "child": (collapsed("Child"), [
        0.95, 0.05, 0.85, 0.15, 0.9047619047619048, 0.09523809523809523, 0.918918918918919, 0.08108108108108109,
        0.91, 0.09, 0.6, 0.926829268292683, 0.8636363636363636, 0.9, 0.8, 6.333333333333333, 0.058823529411764705,
        0.6, 0.8117540630909457, 0.8421052631578947, 0.9210526315789473, 0.881578947368421, 0.9271050693011066,
        0.810126582278481,
    ]),
    "man": (collapsed("Man"), [
        0.75, 0.25, 0.9625, 0.0375, 0.8333333333333334, 0.16666666666666666, 0.9390243902439024, 0.06097560975609756,
        0.92, 0.08, 0.2, 0.7894736842105263, 0.6521739130434783, 0.85625, 0.7125, 20.0, 0.2597402597402597, 0.8,
        0.7418253689708788, 0.95, 0.9166666666666666, 0.9333333333333333, 0.7905694150420949, 0.7402597402597403,
    ]),
    "eight documents": (EIGHT, [
        0.6666666666666666, 0.3333333333333333, 0.6, 0.4, 0.5, 0.5, 0.75, 0.25, 0.625, 0.375, 0.375,
        0.5714285714285714, 0.4, 0.6333333333333333, 0.26666666666666666, 1.6666666666666667, 0.5555555555555556,
        0.625, 0.2581988897471611, 0.4, 0.7, 0.55, 0.5773502691896257, 0.25,
    ]),
}  # fmt: skip


def value(measure: str, evidence: object) -> float:
    kind = evidence.kind  # type: ignore[attr-defined]
    return float(np.ravel(parse(measure, kind).values(evidence))[0])


@pytest.mark.parametrize(("example", "place"), [(name, place) for name in EXPECTED for place in range(len(RATES))])
def test_rates_of_the_examples(example: str, place: int) -> None:
    counts, expected = EXPECTED[example]
    assert value(RATES[place], counts) == approx(expected[place], abs=CLOSE)


def test_an_oracle_that_always_says_no_has_a_high_accuracy_and_no_precision() -> None:
    assert value("Accuracy", ALWAYS_NO) == approx(0.9852216748768473, abs=CLOSE)
    assert value("NPV", ALWAYS_NO) == approx(0.9852216748768473, abs=CLOSE)
    assert (value("TPR", ALWAYS_NO), value("TNR", ALWAYS_NO)) == (0, 1)
    assert np.isnan(value("PPV", ALWAYS_NO))  # 0/0, though printed as 0 %


def test_dice_is_f1() -> None:
    assert value("Dice", EIGHT) == value("F1", EIGHT) == approx(4 / 7, abs=CLOSE)


def test_a_matrix_of_three_classes() -> None:
    assert value("Accuracy", PEOPLE) == 0.85
    assert value("ErrorRate", PEOPLE) == 0.15
    assert value("Kappa", PEOPLE) == approx(0.7262773722627737, abs=CLOSE)
    assert value("MCC", PEOPLE) == approx(0.7274021516499668, abs=CLOSE)
    assert value("NoInformationRate", PEOPLE) == 0.6


def test_averages_over_three_classes() -> None:
    classes, sizes = PEOPLE.cells, PEOPLE.actual
    f1 = parse("F1", "binary").values(classes)
    assert parse("Precision", "binary").values(classes).mean() == approx(0.8074352548036758, abs=CLOSE)
    assert parse("Recall", "binary").values(classes).mean() == approx(0.7833333333333333, abs=CLOSE)
    assert f1.mean() == approx(0.7943232063899587, abs=CLOSE)
    assert value("F1", classes.pooled) == approx(0.85, abs=CLOSE)
    assert np.average(f1, weights=sizes) == approx(0.8473256311510483, abs=CLOSE)


def test_classes_collapse_to_one_against_the_rest() -> None:
    assert PEOPLE.collapsed("Woman").counts.tolist() == [[74, 6], [7, 13]]
    assert PEOPLE.collapsed("Child").counts.tolist() == [[34, 6], [3, 57]]


@pytest.mark.parametrize("counts", [CANCER, VIRUS, EIGHT])
def test_fallout_precision_recall_and_generality_hang_together(counts: Cells) -> None:
    p, r, f, g = (value(name, counts) for name in ("Precision", "Recall", "Fallout", "Prevalence"))
    assert f * p * (1 - g) == approx(r * g * (1 - p), abs=CLOSE)
    if counts is CANCER:
        assert f * p * (1 - g) == approx(0.008866995073891626, abs=CLOSE)


@pytest.mark.parametrize(
    ("beta", "expected"), [(0, 0.5), (0.5, 0.5263157894736842), (1, 4 / 7), (2, 0.625), (1e9, 2 / 3)]
)
def test_beta_above_one_favours_recall(beta: float, expected: float) -> None:
    assert float(parse("F", "binary")(beta=beta).values(EIGHT)[0]) == approx(expected, abs=1e-9)


def test_f_one_half_weighs_precision_four_times_as_much_as_recall() -> None:
    assert value("F(alpha=0.8)", EIGHT) == approx(value("F0.5", EIGHT), abs=CLOSE)


def test_f1_is_accuracy_with_the_true_positives_in_place_of_the_true_negatives() -> None:
    assert value("F1", EIGHT) == approx(value("Accuracy", cells(2, 2, 1, 2)), abs=CLOSE)
    assert value("Jaccard", EIGHT) == approx(value("Accuracy", cells(2, 2, 1, 0)), abs=CLOSE)


def test_f_gain_is_a_weighted_mean_of_gains() -> None:
    assert value("FG1", EIGHT) == approx(0.55, abs=CLOSE)
    assert value("FG0.5", EIGHT) == approx(0.46, abs=CLOSE)
    assert value("FG2", EIGHT) == approx(0.64, abs=CLOSE)


@pytest.mark.parametrize(("c", "corrected"), [(0.2, 0.55), (0.5, 0.625), (0.8, 0.7)])
def test_cost_weighted_accuracy_as_it_should_have_been_printed(c: float, corrected: float) -> None:
    assert value(f"acc_c(c={c})", EIGHT) == approx(corrected, abs=CLOSE)
    printed = 2 * c * value("Prevalence", EIGHT) * value("TPR", EIGHT) + 2 * c * 0.625 * value("FPR", EIGHT)
    assert printed == approx(c, abs=CLOSE)  # the share predicted positive at c = 1/2, and no accuracy


def test_kappa_of_two_judges() -> None:
    assert value("Kappa", Confusion.of(("yes", "no"), np.array([[20, 12], [4, 4]]))) == approx(1 / 11, abs=CLOSE)


# twenty instances with scores

TP = [1, 2, 2, 3, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 8, 8, 9, 9, 10, 10]
FP = [0, 0, 1, 1, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 8, 9, 9, 10]
ACC = [0.55, 0.6, 0.55, 0.6, 0.65, 0.7, 0.65, 0.6, 0.65, 0.6, 0.65, 0.6, 0.65, 0.6, 0.55, 0.5, 0.55, 0.5, 0.55, 0.5]


def test_the_table_of_thresholds() -> None:
    table = twenty().every
    assert (table.tp.tolist(), table.fp.tolist()) == (TP, FP)
    at_each = twenty().cells(table)
    assert parse("Accuracy", "binary").values(at_each).tolist() == ACC
    assert parse("TPR", "binary").values(at_each).tolist() == [count / 10 for count in TP]
    assert parse("FPR", "binary").values(at_each).tolist() == [count / 10 for count in FP]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("AUC", 0.68),
        ("AUCH", 0.755),
        ("EER", 0.4),
        ("AP", 0.7357475805927818),
        ("AUPRG", 0.3129668997228521),
        ("ExpectedAccuracy", 0.59),
    ],
)
def test_areas_and_rates_of_twenty_instances(measure: str, expected: float) -> None:
    assert value(measure, twenty()) == approx(expected, abs=CLOSE)


def test_the_hull_of_twenty_instances() -> None:
    hull = twenty().hull
    corners = list(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True))
    assert corners == [(0, 0), (0, 2), (1, 5), (5, 8), (9, 10), (10, 10)]


def test_mean_accuracy_when_any_share_is_as_likely_to_be_accepted() -> None:
    tp, fp = (np.append(0, column) for column in (TP, FP))
    accuracy = (tp + 10 - fp) / 20
    assert np.trapezoid(accuracy, (tp + fp) / 20) == approx(0.59, abs=CLOSE)


def test_a_method_below_the_diagonal_is_inverted() -> None:
    method = cells(tp=4, fp=8, fn=6, tn=2)
    assert (value("TPR", method), value("FPR", method)) == (0.4, 0.8)
    assert (value("TPR", method.inverted), value("FPR", method.inverted)) == (0.6, 0.2)


def test_landmarks_of_roc_space() -> None:
    perfect, silent, eager, wrong = (cells(*c) for c in ((5, 0, 0, 5), (0, 0, 5, 5), (5, 5, 0, 0), (0, 5, 5, 0)))
    distances = [value("CornerDistance", point) for point in (perfect, silent, eager, wrong)]
    assert distances == approx([0, 1, 1, np.sqrt(2)])
    nearer, farther = cells(tp=8, fp=1, fn=2, tn=9), cells(tp=6, fp=3, fn=4, tn=7)
    assert value("CornerDistance", nearer) == approx(0.223606797749979, abs=CLOSE)
    assert value("CornerDistance", farther) == 0.5


# probabilities and values


def test_log_loss_clips_what_would_be_infinite() -> None:
    sure = thresholds(np.array([True]), np.array([0.0]))
    assert value("LogLoss(total=True)", sure) == approx(34.538776394910684, abs=1e-9)
    assert value("LogLoss(clip=1e-3)", sure) == approx(-np.log(1e-3))


def test_log_loss_of_one_class_and_of_each_against_the_rest() -> None:
    given = ClassScores(("a", "b", "c"), np.array([0]), np.array([[0.7, 0.2, 0.1]]))
    assert value("LogLoss", given) == approx(0.35667494393873245, abs=CLOSE)
    assert value("OneVsRestLoss(total=True)", given) == approx(0.6851790109107685, abs=CLOSE)


def test_cross_entropy_of_two_distributions() -> None:
    actual, given = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.25, 0.75], [0.25, 0.75]])
    expected = [-np.log(0.25), -(np.log(0.25) + np.log(0.75)) / 2]
    assert cross_entropy(actual, given) == approx(expected, abs=CLOSE)


# averages, words, weights


def test_macro_is_swayed_by_the_small_and_micro_by_the_large() -> None:
    queries = Cells(*(np.array(column, float) for column in ([0, 80, 90], [10, 20, 10], [1, 20, 30], [0, 0, 0])))
    precision, recall = parse("Precision", "binary"), parse("Recall", "binary")
    assert precision.values(queries).mean() == approx(0.5666666666666667, abs=CLOSE)
    assert recall.values(queries).mean() == approx(0.5166666666666667, abs=CLOSE)
    assert value("Precision", queries.pooled) == approx(0.8095238095238095, abs=CLOSE)
    assert value("Recall", queries.pooled) == approx(0.7692307692307693, abs=CLOSE)


@pytest.mark.parametrize(
    ("area", "word"), [(0.95, "excellent"), (0.85, "good"), (0.75, "fair"), (0.68, "poor"), (0.55, "fail")]
)
def test_what_an_area_is_called(area: float, word: str) -> None:
    assert area_label(area) == word


def test_f_one_half_trades_precision_for_recall_evenly_where_precision_is_twice_recall() -> None:
    def f(p: float, r: float) -> float:
        return 1 / (0.8 / p + 0.2 / r)

    step, r = 1e-6, 0.3
    by_precision = f(2 * r + step, r) - f(2 * r - step, r)
    by_recall = f(2 * r, r + step) - f(2 * r, r - step)
    assert by_precision == approx(by_recall, rel=1e-6)
