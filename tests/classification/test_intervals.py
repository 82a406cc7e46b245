"""How sure figures of answers are: formulas against those of others, and what is said where there is no interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.stats.contingency import odds_ratio, relative_risk
from statsmodels.stats.proportion import proportion_confint

from cranfield import classify
from cranfield.classification.intervals import RIGHT
from cranfield.classification.result import Classification
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.measures.naming import parse
from cranfield.statistics.rates import interval_of_counts


def answered(tp: int, fp: int, fn: int, tn: int, weight: float | None = None) -> Classification:
    """Items with these answers."""
    actual, said = (np.repeat(column, (tp, fp, fn, tn)) for column in ((1, 0, 1, 0), (1, 1, 0, 0)))
    return classify(actual, said, weight=None if weight is None else np.full(len(actual), weight))


CELLS = [(10, 1, 5, 20), (30, 20, 10, 40), (50, 10, 20, 200)]


@pytest.mark.parametrize("weight", [None, 0.3])
@pytest.mark.parametrize("cells", CELLS)
def test_ratios_have_nearly_the_intervals_of_their_logarithms(
    cells: tuple[int, int, int, int], weight: float | None
) -> None:
    tp, fp, fn, tn = cells
    for measure, yes, no in (("LR+", tp, fp), ("LR-", fn, tn)):
        expected = relative_risk(yes, tp + fn, no, fp + tn).confidence_interval(0.95)  # of Katz
        found = answered(*cells, weight).interval(measure)
        assert np.log(found[1:3]) == pytest.approx(np.log([expected.low, expected.high]), abs=0.9)
        assert found.method == "jeffreys"
    expected = odds_ratio([[tp, fp], [fn, tn]], kind="sample").confidence_interval(0.95)
    found = answered(*cells, weight).interval("DOR")
    if tp + fn < 20:
        assert found.method == "none: fewer than 20 positive items"
    else:
        assert np.log(found[1:3]) == pytest.approx(np.log([expected.low, expected.high]), abs=0.9)


def test_equal_weights_change_no_interval() -> None:
    for measure in ("MCC", "F2", "LR+", "Lift"):
        weighted, plain = (answered(20, 12, 11, 40, weight).interval(measure) for weight in (0.3, None))
        assert weighted[1:3] == pytest.approx(plain[1:3])


@pytest.mark.parametrize(("measure", "n_classes"), [("Recall", 1), ("Specificity", 1), ("Accuracy", 2)])
@pytest.mark.parametrize("cells", CELLS)
def test_bounds_of_a_proportion_are_quantiles_of_beta_distributions(
    cells: tuple[int, int, int, int], measure: str, n_classes: int
) -> None:
    chosen = parse(measure, "binary")
    part, whole = chosen.declaration.parts(answered(*cells).of().cells)  # type: ignore[misc]
    k, n, most, least = float(part[0]), float(whole[0]), 0.75 * n_classes, 0.25 * n_classes
    values_of = lambda drawn: chosen.values(Cells(*drawn.T))  # noqa: E731
    found = interval_of_counts(k / n, tuple(map(float, cells)), RIGHT, values_of, 0.95, 20_000, 0)
    assert found.low == pytest.approx(stats.beta.ppf(0.025, k + least, n - k + most), abs=0.01)
    assert found.high == pytest.approx(stats.beta.ppf(0.975, k + most, n - k + least), abs=0.01)


@pytest.mark.parametrize("measure", ["Recall", "Fallout", "Precision", "Accuracy", "ErrorRate"])
def test_proportions_cover_near_0_and_1_for_any_number_of_items(measure: str) -> None:
    for n in (5, 20, 200):
        true = np.linspace(0.001, 0.999, 199)
        cells = {
            "Recall": lambda k, n=n: (k, 1, n - k, 1), "Fallout": lambda k, n=n: (1, k, 1, n - k),
            "Precision": lambda k, n=n: (k, n - k, 1, 1), "Accuracy": lambda k, n=n: (k, n - k, 0, 0),
            "ErrorRate": lambda k, n=n: (n - k, k, 0, 0),
        }[measure]  # fmt: skip
        bounds = [answered(*cells(k)).interval(measure) for k in range(n + 1)]
        covered = sum(
            stats.binom.pmf(k, n, true) * ((one.low <= true) & (true <= one.high)) for k, one in enumerate(bounds)
        )
        assert covered.min() > 0.95 - 1e-9


@pytest.mark.parametrize("measure", ["ExpectedCost(fn=1000)", "F(beta=10)", "ExpectedCost", "LR-"])
def test_extreme_costs_and_rare_errors_are_covered(measure: str) -> None:
    rng = np.random.default_rng(8)
    for n, prevalence, recall, fallout in ((50, 0.2, 0.98, 0.01), (200, 0.5, 0.99, 0.01), (50, 0.5, 0.95, 0.05)):
        rates = prevalence * recall, (1 - prevalence) * fallout, prevalence * (1 - recall)
        chances = (*rates, 1 - sum(rates))
        true = float(parse(measure, "binary").values(Cells(*(np.array([1e9 * p]) for p in chances)))[0])
        found = [answered(*rng.multinomial(n, chances).tolist()).interval(measure) for _ in range(150)]
        assert sum(one.low <= true <= one.high for one in found) >= 137  # of 150: 91 %, 1.5 standard errors below 93 %


def test_a_ratio_of_0_and_a_constant_prediction_have_intervals() -> None:
    found = answered(0, 6, 12, 14).interval("LR+")
    assert found.low == found.value == 0 < found.high
    for cells, measure in (((0, 0, 13, 14), "LR-"), ((13, 14, 0, 0), "LR+")):
        constant = answered(*cells).interval(measure)
        assert constant.low < constant.value == 1 < constant.high


@pytest.mark.parametrize("measure", ["F1", "F(alpha=0.5)", "Dice"])
@pytest.mark.parametrize("cells", CELLS)
def test_f1_is_a_function_of_a_share(cells: tuple[int, int, int, int], measure: str) -> None:
    tp, fp, fn, _ = cells
    share = np.array(proportion_confint(tp, tp + fp + fn, method="beta"))
    found = answered(*cells).interval(measure)
    assert found[1:3] == pytest.approx(tuple(2 * share / (1 + share)))
    assert found.low < found.value < found.high


def test_f1_is_covered_as_often_as_promised() -> None:
    rng = np.random.default_rng(2)
    true, covered, times = 2 * 0.3 * 0.8 / (0.3 + 0.3 * 0.8 + 0.7 * 0.2), 0, 1000
    for _ in range(times):
        cells = rng.multinomial(60, [0.24, 0.14, 0.06, 0.56])
        found = answered(*cells.tolist()).interval("F1")
        covered += found.low <= true <= found.high
    assert 0.95 <= covered / times <= 0.985


@pytest.mark.parametrize("measure", ["MCC", "BalancedAccuracy", "Kappa", "F2"])
def test_perfect_answers_are_not_perfectly_sure(measure: str) -> None:
    found = answered(30, 0, 0, 40).interval(measure)
    assert found.value == found.high == 1
    assert 0.8 < found.low < 1
    assert answered(1, 0, 0, 1).interval("F1").low < 0.5


@pytest.mark.parametrize(("measure", "reason"), [
    ("KS", "it takes maxima over thresholds"), ("EER", "it depends on the few scores around one threshold"),
    ("AP", "fewer than 50 positive items"), ("AUPRG", "fewer than 50 positive items"),
    ("LogLoss", "one confident error"), ("Lift", "fewer than 10 positive items"),
    ("AUC", "fewer than 10 positive items"),
    ("Brier(total=True)", "a sum over these items"),
])  # fmt: skip
def test_a_measure_without_an_interval_says_why(measure: str, reason: str) -> None:
    few = classify(np.arange(60) < 9, probability=np.linspace(0.9, 0.1, 60))
    assert few.interval(measure).method.startswith(f"none: {reason}")
    assert np.isnan(few.interval(measure).low)


def test_fewer_than_20_items_have_intervals_of_proportions_only() -> None:
    few = answered(8, 3, 2, 6)
    for measure in ("MCC", "F2", "BalancedAccuracy", "LR+"):
        assert few.interval(measure).method == "none: fewer than 20 items"
    assert few.interval("Recall").method == few.interval("F1").method == "clopper-pearson"


def test_a_class_that_is_never_predicted_leaves_averages_without_an_interval() -> None:
    actual = np.repeat(["a", "b", "c"], 40)
    found = classify(actual.tolist(), np.where(actual == "c", "a", actual).tolist())
    assert found.interval("Precision").method.startswith("none: undefined for a class")
    assert found.interval("Recall").low > 0


def test_more_than_10_classes_have_intervals_of_proportions_only() -> None:
    actual = np.arange(660) % 11
    found = classify(actual.tolist(), np.where(np.arange(660) % 7, actual, 0).tolist())
    assert found.interval("F").method == found.interval("MCC").method == "none: not simulated for more than 10 classes"
    assert found.interval("Accuracy").low > 0
    assert found.interval("Markedness").method == "none: not simulated for averages over classes"


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_nearly_perfect_separation_does_not_exclude_rare_errors(wrong: int) -> None:
    """Of 100 items, 3 % errors are as likely to be seen as not: intervals reach what three would change."""
    actual = np.repeat([1, 0], 50)
    probability = np.where(actual == 1, 0.99, 0.01) + np.arange(100) / 1e5
    seen = actual.copy()
    seen[:wrong] = 0
    found = classify(seen, probability=probability).interval("Brier")
    assert found.high > found.value + 2.9 * 0.98**2 / 100


def test_an_item_is_no_surer_for_being_counted_once_for_each_class() -> None:
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 3, 100)
    predicted = np.where(rng.random(100) < 0.7, actual, rng.integers(0, 3, 100))
    names = np.array(list("abc"))
    pooled = classify(names[actual].tolist(), names[predicted].tolist(), average="micro")
    share = float((actual == predicted).mean())
    recall, specificity = pooled.interval("Recall"), pooled.interval("Specificity")
    expected = np.array(proportion_confint(round(share * 100), 100, method="beta"))
    assert (recall.method, recall[1:3]) == ("clopper-pearson", pytest.approx(tuple(expected)))
    assert specificity.method == "jeffreys"  # a wrong answer is one of two that is not negative
    assert specificity.high - specificity.low == pytest.approx((expected[1] - expected[0]) / 2, rel=0.15)
    tables = np.eye(3, dtype=int)[actual], np.eye(3, dtype=int)[predicted]
    sets = classify(*tables, average="micro", measures="Recall")
    assert sets.interval("Recall").method == "jackknife"


def test_the_interval_of_a_class_is_that_of_its_own_question() -> None:
    rng = np.random.default_rng(5)
    actual, predicted = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    several = classify(actual, predicted)
    alone = classify(actual == 2, predicted == 2)
    for measure in ("Recall", "Specificity", "F1", "LR+", "MCC"):
        assert several.interval(measure, label=2) == alone.interval(measure)


@pytest.mark.parametrize("seed", [-1, 0.5])
def test_a_seed_that_is_no_seed_is_refused(seed: float) -> None:
    binary, several = answered(3, 2, 1, 4), classify(["a", "b", "c", "a"], ["a", "b", "b", "a"])
    for result, measure in ((binary, "MCC"), (several, "F")):
        with pytest.raises(BadSetting, match="the seed must be a non-negative integer"):
            result.interval(measure, seed=seed)


def test_an_interval_needs_the_evidence_of_its_measure() -> None:
    binary, several = answered(3, 2, 1, 4), classify(["a", "b", "c", "a"], ["a", "b", "b", "a"])
    scores = classify([0, 1, 1, 0], score=[0.1, 3, 0.3, 0.2])
    for result, measure, said in (
        (binary, "AUC", "AUC needs scores or probabilities; predictions has labels only"),
        (binary, "TopKAccuracy", "TopKAccuracy needs more than two classes"),
        (several, "TopKAccuracy", "TopKAccuracy needs scores or probabilities"),
        (several, "CoverageError", "CoverageError needs multilabel data"),
        (scores, "LogLoss", "LogLoss needs probabilities"),
    ):
        with pytest.raises(BadSetting, match=said):
            result.interval(measure)
    with pytest.raises(BadSetting, match="AUC needs scores or probabilities"):
        several.interval("AUC", label="a")


@pytest.mark.parametrize(
    ("actual", "probability"),
    [([1, 0] * 150, [0.7, 0.3] * 150), ([0] * 60 + [1] * 40, [0.4] * 100), ([0] * 90 + [1] * 30, [0.25] * 120)],
)
def test_no_interval_is_a_single_number(actual: list[int], probability: list[float]) -> None:
    """The same loss for every item differs by rounding errors only: 1 - 0.7 and 0.3."""
    result = classify(actual, probability=probability)
    for measure in result.measures:
        found = result.interval(measure)
        assert found.low != pytest.approx(found.high, abs=1e-9), (measure, found)
