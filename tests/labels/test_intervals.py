"""How sure figures of answers are: formulas against those of others, and what is said where there is no interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.stats.contingency import odds_ratio, relative_risk
from statsmodels.stats.proportion import proportion_confint

from cranfield import classify
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.inference.jeffreys import drawn_counts
from cranfield.measures.naming import parse
from cranfield.results.classification import Classification
from cranfield.results.item_intervals import RIGHT


def answered(tp: int, fp: int, fn: int, tn: int, weight: float | None = None) -> Classification:
    """Items with these answers."""
    actual, said = (np.repeat(column, (tp, fp, fn, tn)) for column in ((1, 0, 1, 0), (1, 1, 0, 0)))
    return classify(actual, said, weight=None if weight is None else np.full(len(actual), weight))


CELLS = [(10, 1, 5, 20), (3, 2, 1, 4), (50, 10, 20, 200)]


@pytest.mark.parametrize("weight", [None, 0.3])
@pytest.mark.parametrize("cells", CELLS)
def test_ratios_have_nearly_the_intervals_of_their_logarithms(
    cells: tuple[int, int, int, int], weight: float | None
) -> None:
    tp, fp, fn, tn = cells
    for measure, yes, no in (("LR+", tp, fp), ("LR-", fn, tn)):
        expected = relative_risk(yes, tp + fn, no, fp + tn).confidence_interval(0.95)  # of Katz
        found = answered(*cells, weight).interval(measure)
        assert np.log(found[1:3]) == pytest.approx(np.log([expected.low, expected.high]), abs=0.6)
        assert found.method == "jeffreys" + ", weighted" * (weight is not None)
    expected = odds_ratio([[tp, fp], [fn, tn]], kind="sample").confidence_interval(0.95)
    found = answered(*cells, weight).interval("DOR")
    if tp + fn < 20:
        assert found.method == "none: fewer than 20 positive items"
    else:
        assert np.log(found[1:3]) == pytest.approx(np.log([expected.low, expected.high]), abs=0.6)


def test_equal_weights_change_no_interval() -> None:
    for measure in ("MCC", "F2", "LR+", "Lift"):
        weighted, plain = (answered(20, 12, 11, 40, weight).interval(measure) for weight in (0.3, None))
        assert weighted[1:3] == pytest.approx(plain[1:3])


@pytest.mark.parametrize("measure", ["Recall", "Specificity", "Precision", "NPV", "Accuracy"])
@pytest.mark.parametrize("cells", CELLS)
def test_draws_of_a_proportion_have_the_quantiles_of_its_beta_distribution(
    cells: tuple[int, int, int, int], measure: str
) -> None:
    part, whole = parse(measure, "binary").declaration.parts(answered(*cells).of().cells)  # type: ignore[misc]
    k, n, of_cells = float(part[0]), float(whole[0]), 1 if measure == "Accuracy" else 0.5
    drawn = parse(measure, "binary").values(Cells(*drawn_counts(cells, RIGHT, sum(cells), 20_000, 0).T))
    expected = stats.beta.ppf([0.025, 0.5, 0.975], k + of_cells, n - k + of_cells)
    assert np.quantile(drawn, [0.025, 0.5, 0.975]) == pytest.approx(expected, abs=0.02)


def test_a_ratio_of_0_and_a_constant_prediction_have_intervals() -> None:
    found = answered(0, 2, 3, 4).interval("LR+")
    assert found.low == found.value == 0 < found.high
    for cells, measure in (((0, 0, 3, 4), "LR-"), ((3, 4, 0, 0), "LR+")):
        constant = answered(*cells).interval(measure)
        assert constant.low < constant.value == 1 < constant.high


@pytest.mark.parametrize("measure", ["F1", "F(alpha=0.5)", "Dice"])
@pytest.mark.parametrize("cells", CELLS)
def test_f1_is_a_function_of_a_share(cells: tuple[int, int, int, int], measure: str) -> None:
    tp, fp, fn, _ = cells
    share = np.array(proportion_confint(tp, tp + fp + fn, method="wilson"))
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
    assert 0.93 <= covered / times <= 0.975


@pytest.mark.parametrize("measure", ["MCC", "BalancedAccuracy", "Kappa", "F2"])
def test_perfect_answers_are_not_perfectly_sure(measure: str) -> None:
    found = answered(30, 0, 0, 40).interval(measure)
    assert found.value == found.high == 1
    assert 0.8 < found.low < 1
    assert answered(1, 0, 0, 1).interval("F1").low < 0.5


@pytest.mark.parametrize(("measure", "reason"), [
    ("KS", "it takes maxima over thresholds"), ("EER", "it depends on the few scores around one threshold"),
    ("AP", "fewer than 10 positive items"), ("AUPRG", "fewer than 10 positive items"),
    ("LogLoss", "fewer than 20 positive items"), ("Lift", "fewer than 10 positive items"),
    ("LogLoss(total=True)", "a sum over these items"),
])  # fmt: skip
def test_a_measure_without_an_interval_says_why(measure: str, reason: str) -> None:
    few = classify(np.arange(60) < 9, probability=np.linspace(0.9, 0.1, 60))
    assert few.interval(measure).method.startswith(f"none: {reason}")
    assert np.isnan(few.interval(measure).low)


def test_probabilities_of_0_and_1_leave_the_log_loss_without_an_interval() -> None:
    actual, probability = np.arange(60) < 30, np.linspace(0.99, 0.01, 60)
    assert classify(actual, probability=probability).interval("LogLoss").low > 0
    probability[0] = 1
    for measure in ("LogLoss", "D2LogLoss"):
        assert (
            "whose logarithm depends on the clip alone"
            in classify(actual, probability=probability).interval(measure).method
        )


def test_an_item_is_no_surer_for_being_counted_once_for_each_class() -> None:
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 3, 100)
    predicted = np.where(rng.random(100) < 0.7, actual, rng.integers(0, 3, 100))
    names = np.array(list("abc"))
    pooled = classify(names[actual].tolist(), names[predicted].tolist(), average="micro")
    share = float((actual == predicted).mean())
    recall, specificity = pooled.interval("Recall"), pooled.interval("Specificity")
    expected = np.array(proportion_confint(round(share * 100), 100, method="wilson"))
    assert (recall.method, recall[1:3]) == ("wilson", pytest.approx(tuple(expected)))
    assert specificity.method == "jeffreys"  # a wrong answer is one of two that is not negative
    assert specificity.high - specificity.low == pytest.approx((expected[1] - expected[0]) / 2, rel=0.15)
    tables = np.eye(3, dtype=int)[actual], np.eye(3, dtype=int)[predicted]
    sets = classify(*tables, average="micro", measures="Recall")
    assert sets.interval("Recall").method == "jackknife"


def test_the_interval_of_a_class_is_that_of_its_own_question() -> None:
    rng = np.random.default_rng(5)
    actual, predicted, weight = rng.integers(0, 3, 60), rng.integers(0, 3, 60), rng.random(60)
    several = classify(actual, predicted, weight=weight)
    alone = classify(actual == 2, predicted == 2, weight=weight)
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
