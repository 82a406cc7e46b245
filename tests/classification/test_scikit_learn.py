"""Agreement with scikit-learn, on data with many ties, weights, tiny and one-sided classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sklearn import metrics
from sklearn.calibration import calibration_curve

from classification.generated import SAMPLES, Sample, evidence
from cranfield import classification_report, classify
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.confusion import confusion
from cranfield.evidence.probabilities import binned
from cranfield.measures.naming import parse

CLOSE = 1e-12
CUT = 0.4

samples = pytest.mark.parametrize("given", SAMPLES.values(), ids=SAMPLES)


def binary(measure: str, given: Sample) -> float:
    """A measure of yes-or-no answers: of the scores, or of the answers at a threshold."""
    scores = evidence(given)
    wanted = parse(measure, "binary")
    return float(np.ravel(wanted.values(scores if wanted.declaration.evidence is type(scores) else scores.at(CUT)))[0])


def same(ours: object, theirs: object) -> None:
    assert np.asarray(ours, float) == pytest.approx(np.asarray(theirs, float), rel=CLOSE, abs=CLOSE, nan_ok=True)


def answers(given: Sample) -> np.ndarray:
    return (given.score >= CUT).astype(int)


LABELS = {
    "Precision": lambda y, p, w: metrics.precision_score(y, p, sample_weight=w, zero_division=np.nan),
    "Recall": lambda y, p, w: metrics.recall_score(y, p, sample_weight=w, zero_division=np.nan),
    "Specificity": lambda y, p, w: metrics.recall_score(y, p, pos_label=0, sample_weight=w, zero_division=np.nan),
    "NPV": lambda y, p, w: metrics.precision_score(y, p, pos_label=0, sample_weight=w, zero_division=np.nan),
    "F1": lambda y, p, w: metrics.f1_score(y, p, sample_weight=w, zero_division=np.nan),
    "F0.5": lambda y, p, w: metrics.fbeta_score(y, p, beta=0.5, sample_weight=w, zero_division=np.nan),
    "F(beta=2)": lambda y, p, w: metrics.fbeta_score(y, p, beta=2, sample_weight=w, zero_division=np.nan),
    "Jaccard": lambda y, p, w: metrics.jaccard_score(y, p, sample_weight=w),
    "Accuracy": lambda y, p, w: metrics.accuracy_score(y, p, sample_weight=w),
    "ErrorRate": lambda y, p, w: metrics.zero_one_loss(y, p, sample_weight=w),
    "BalancedAccuracy": lambda y, p, w: metrics.balanced_accuracy_score(y, p, sample_weight=w),
    "Informedness": lambda y, p, w: metrics.balanced_accuracy_score(y, p, sample_weight=w, adjusted=True),
}

MAY_BE_UNDEFINED = {
    "MCC": lambda y, p, w: metrics.matthews_corrcoef(y, p, sample_weight=w),
    "Kappa": lambda y, p, w: metrics.cohen_kappa_score(y, p, sample_weight=w),
    "LR+": lambda y, p, w: metrics.class_likelihood_ratios(y, p, sample_weight=w)[0],
    "LR-": lambda y, p, w: metrics.class_likelihood_ratios(y, p, sample_weight=w)[1],
}

SCORES = {
    "AUC": lambda y, s, w: metrics.roc_auc_score(y, s, sample_weight=w),
    "Gini": lambda y, s, w: 2 * metrics.roc_auc_score(y, s, sample_weight=w) - 1,
    "PartialAUC(fallout=0.2)": lambda y, s, w: metrics.roc_auc_score(y, s, sample_weight=w, max_fpr=0.2),
    "AP": lambda y, s, w: metrics.average_precision_score(y, s, sample_weight=w),
    "LogLoss(clip=2.220446049250313e-16)": lambda y, s, w: metrics.log_loss(y, s, sample_weight=w, labels=[0, 1]),
    "LogLoss(clip=2.220446049250313e-16, total=True)": lambda y, s, w: metrics.log_loss(
        y, s, sample_weight=w, labels=[0, 1], normalize=False
    ),
    "Brier": lambda y, s, w: metrics.brier_score_loss(y, s, sample_weight=w),
}


@samples
@pytest.mark.parametrize("measure", LABELS)
def test_rates(measure: str, given: Sample) -> None:
    same(binary(measure, given), LABELS[measure](given.actual, answers(given), given.weight))


@samples
@pytest.mark.parametrize("measure", MAY_BE_UNDEFINED)
@pytest.mark.filterwarnings("ignore")
def test_rates_that_scikit_learn_fills_in_where_they_are_undefined(measure: str, given: Sample) -> None:
    ours = binary(measure, given)
    if not np.isnan(ours):
        same(ours, MAY_BE_UNDEFINED[measure](given.actual, answers(given), given.weight))


@samples
@pytest.mark.parametrize("measure", SCORES)
def test_areas_and_losses(measure: str, given: Sample) -> None:
    same(binary(measure, given), SCORES[measure](given.actual, given.score, given.weight))


@samples
def test_trapezoids_under_precision_and_recall(given: Sample) -> None:
    if given.weight is not None or np.allclose(given.score, given.score[0]):
        return
    precision, recall, _ = metrics.precision_recall_curve(given.actual, given.score)
    same(binary("AUPR", given), metrics.auc(recall, precision))


@samples
def test_kolmogorov_smirnov(given: Sample) -> None:
    if given.weight is None:
        yes = given.actual == 1
        same(binary("KS", given), ks_2samp(given.score[yes], given.score[~yes]).statistic)


@samples
def test_every_point_of_the_roc_curve(given: Sample) -> None:
    fpr, tpr, cut = metrics.roc_curve(given.actual, given.score, sample_weight=given.weight, drop_intermediate=False)
    scores = evidence(given)
    every = scores.every
    same(every.score, cut[1:])
    same(every.tp / scores.n_positive, tpr[1:])
    same(every.fp / scores.n_negative, fpr[1:])


@samples
def test_the_path_is_the_roc_curve_without_what_lies_on_a_line(given: Sample) -> None:
    fpr, tpr, _ = metrics.roc_curve(given.actual, given.score, sample_weight=given.weight, drop_intermediate=False)
    scores = evidence(given)
    steps = scores.path
    path_fpr, path_tpr = steps.fp / scores.n_negative, steps.tp / scores.n_positive
    same(metrics.auc(path_fpr, path_tpr), metrics.auc(fpr, tpr))
    points = {(round(x, 12), round(y, 12)) for x, y in zip(fpr, tpr, strict=True)}
    assert {(round(x, 12), round(y, 12)) for x, y in zip(path_fpr, path_tpr, strict=True)} <= points
    at = scores.at(steps.score)
    same(at.tp, steps.tp)
    same(at.fp, steps.fp)
    same(np.interp(fpr, path_fpr, path_tpr)[np.diff(fpr, prepend=-1) > 0], tpr[_last_of_each(fpr)])


def _last_of_each(rising: np.ndarray) -> np.ndarray:
    """Where the highest point above each place of a curve is."""
    return np.flatnonzero(np.diff(rising, append=2) > 0)


@samples
@pytest.mark.parametrize(("by", "strategy"), [("width", "uniform"), ("count", "quantile")])
def test_calibration_bins(given: Sample, by: str, strategy: str) -> None:
    if given.weight is not None:
        return
    bins = binned(evidence(given), 10, by)  # type: ignore[arg-type]
    filled = bins.n > 0
    share, mean = calibration_curve(given.actual, given.score, n_bins=10, strategy=strategy)
    same(bins.positive[filled] / bins.n[filled], share)
    same(bins.predicted[filled] / bins.n[filled], mean)


# several classes


@pytest.fixture(params=[(30, 3, False), (200, 5, True), (1000, 12, False)], ids=str)
def classes(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    n, k, weighted = request.param
    rng = np.random.default_rng(n)
    actual = rng.integers(0, k, n)
    predicted = np.where(rng.random(n) < 0.6, actual, rng.integers(0, k, n))
    return actual, predicted, rng.integers(1, 5, n) / 2 if weighted else None


def test_confusion_matrix(classes: tuple[np.ndarray, np.ndarray, np.ndarray | None]) -> None:
    actual, predicted, weight = classes
    same(
        confusion(actual, predicted, weight=weight).counts,
        metrics.confusion_matrix(actual, predicted, sample_weight=weight),
    )


@pytest.mark.parametrize(
    ("kind", "low", "step", "k"),
    [  # many classes of one type in `make test`
        pytest.param(kind, *codes, marks=pytest.mark.thorough if codes[-1] == 300 and kind is not np.uint64 else ())
        for kind in (np.int64, np.int8, np.uint8, np.uint64, np.int32)
        for codes in ((0, 1, 2), (0, 1, 10), (-5, 3, 4), (3, 1, 300), (100, 1, 3))
    ],
)
def test_confusion_matrix_of_whole_numbers(kind: type, low: int, step: int, k: int) -> None:
    rng = np.random.default_rng(k)
    pair = low + step * np.minimum(np.sort(rng.integers(0, k, (2, 100_000)), axis=1), rng.integers(0, k, (2, 100_000)))
    if pair.min() < np.iinfo(kind).min or pair.max() > np.iinfo(kind).max:
        return
    actual, predicted = pair.astype(kind)
    same(confusion(actual, predicted).counts, metrics.confusion_matrix(actual, predicted))
    assert list(confusion(actual, predicted).labels) == sorted({*actual.tolist(), *predicted.tolist()})


@pytest.mark.parametrize("measure", ["Accuracy", "BalancedAccuracy", "MCC", "Kappa", "linear", "quadratic"])
def test_measures_of_a_whole_matrix(measure: str, classes: tuple[np.ndarray, np.ndarray, np.ndarray | None]) -> None:
    actual, predicted, weight = classes
    theirs = {
        "Accuracy": metrics.accuracy_score,
        "BalancedAccuracy": metrics.balanced_accuracy_score,
        "MCC": metrics.matthews_corrcoef,
        "Kappa": metrics.cohen_kappa_score,
        "linear": lambda y, p, sample_weight: metrics.cohen_kappa_score(
            y, p, weights="linear", sample_weight=sample_weight
        ),
        "quadratic": lambda y, p, sample_weight: metrics.cohen_kappa_score(
            y, p, weights="quadratic", sample_weight=sample_weight
        ),
    }[measure]
    text = f"Kappa(weights={measure!r})" if measure.islower() else measure
    ours = parse(text, "classes").values(confusion(actual, predicted, weight=weight))
    same(ours, theirs(actual, predicted, sample_weight=weight))


def test_the_classification_report(classes: tuple[np.ndarray, np.ndarray, np.ndarray | None]) -> None:
    actual, predicted, weight = classes
    report = metrics.classification_report(
        actual, predicted, sample_weight=weight, output_dict=True, zero_division=np.nan
    )
    matrix = confusion(actual, predicted, weight=weight)
    for measure, name in (("Precision", "precision"), ("Recall", "recall"), ("F1", "f1-score")):
        ours = parse(measure, "binary").values(matrix.cells)
        same(ours, [report[str(label)][name] for label in matrix.labels])
        same(ours.mean(), report["macro avg"][name])
        same(np.average(ours, weights=matrix.actual), report["weighted avg"][name])
    same(matrix.actual, [report[str(label)]["support"] for label in matrix.labels])


def test_probabilities_of_several_classes() -> None:
    rng = np.random.default_rng(5)
    table = rng.dirichlet([1, 2, 3, 0.5], 400)
    actual = np.array([rng.choice(4, p=row) for row in table])
    for weight in (None, rng.random(400)):
        given = ClassScores((0, 1, 2, 3), actual, table, weight)
        same(parse("LogLoss", "classes").values(given), metrics.log_loss(actual, table, sample_weight=weight))
        same(
            parse("Brier", "classes").values(given),
            metrics.brier_score_loss(actual, table, sample_weight=weight, scale_by_half=False),
        )
        areas = [parse("AUC", "binary").values(given.thresholds(k)) for k in range(4)]
        if weight is None:
            same(np.mean(areas), metrics.roc_auc_score(actual, table, multi_class="ovr"))


@pytest.mark.parametrize("digits", [2, 4])
@pytest.mark.filterwarnings("ignore")
def test_the_report_is_printed_as_scikit_learn_prints_it(
    classes: tuple[np.ndarray, np.ndarray, np.ndarray | None], digits: int
) -> None:
    actual, predicted, _ = classes
    ours = classification_report(actual, predicted, digits=digits)
    assert str(ours) == metrics.classification_report(actual, predicted, digits=digits)
    theirs = metrics.classification_report(actual, predicted, output_dict=True)
    assert ours.output_dict().keys() == theirs.keys()
    for name, own in ours.output_dict().items():
        assert own == pytest.approx(theirs[name])


@pytest.mark.filterwarnings("ignore")
def test_the_report_on_labels_that_are_never_predicted_or_have_names() -> None:
    actual, predicted = [0, 1, 2, 2, 2], [0, 0, 2, 2, 1]
    names = ["class 0", "class 1", "a class with a long name"]
    assert str(classification_report(actual, predicted, names=names)) == metrics.classification_report(
        actual, predicted, target_names=names
    )
    never = [0, 0, 0, 0, 0]
    assert str(classification_report(actual, never)) == metrics.classification_report(actual, never)
    assert str(classification_report(actual, never, undefined="skip")) == metrics.classification_report(
        actual, never, zero_division=np.nan
    )
    with pytest.warns(CranfieldWarning, match="undefined values count as 0: 1, 2"):
        classification_report(actual, never)


@pytest.mark.filterwarnings("ignore")
def test_the_report_on_multilabel_data_has_the_averages_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    actual, predicted = rng.integers(0, 2, (2, 30, 4))
    assert str(classification_report(actual, predicted)) == metrics.classification_report(actual, predicted)


def test_the_report_takes_scores_at_a_threshold_and_results() -> None:
    actual, score = [0, 0, 1, 1, 1], np.array([0.1, 0.6, 0.4, 0.7, 0.9])
    wanted = metrics.classification_report(actual, (score >= 0.5).astype(int))
    assert str(classification_report(actual, probability=score)) == wanted
    assert str(classification_report(classify(actual, probability=score))) == wanted


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"digits": -1}, "digits must be"),
        ({"names": ["one"]}, "1 names for 2 classes"),
        ({"digits": "2"}, "digits"),
    ],
)
def test_a_report_says_what_is_wrong(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        classification_report([0, 1], [0, 1], **settings)
    with pytest.raises(BadInput, match="describes one classifier, not a, b"):
        classification_report([0, 1], {"a": [0, 1], "b": [0, 1]})
