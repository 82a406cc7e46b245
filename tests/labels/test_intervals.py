"""How sure figures of answers are: formulas against those of others, and what is said where there is no interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats.contingency import odds_ratio, relative_risk
from statsmodels.stats.proportion import proportion_confint

from cranfield import classify, regress
from cranfield.errors import BadSetting
from cranfield.inference.intervals import percentiles
from cranfield.results.classification import Classification


def answered(tp: int, fp: int, fn: int, tn: int, weight: float | None = None) -> Classification:
    """Items with these answers."""
    actual, said = (np.repeat(column, (tp, fp, fn, tn)) for column in ((1, 0, 1, 0), (1, 1, 0, 0)))
    return classify(actual, said, weight=None if weight is None else np.full(len(actual), weight))


CELLS = [(10, 1, 5, 20), (3, 2, 1, 4), (50, 10, 20, 200)]


@pytest.mark.parametrize("weight", [None, 0.3])
@pytest.mark.parametrize("cells", CELLS)
def test_likelihood_ratios_are_ratios_of_two_shares(cells: tuple[int, int, int, int], weight: float | None) -> None:
    tp, fp, fn, tn = cells
    for measure, yes, no in (("LR+", tp, fp), ("LR-", fn, tn)):
        expected = relative_risk(yes, tp + fn, no, fp + tn).confidence_interval(0.95)  # of Katz
        found = answered(*cells, weight).interval(measure)
        assert found[1:3] == pytest.approx((expected.low, expected.high), rel=1e-9)
        assert found.method == "logarithm" + ", weighted" * (weight is not None)


@pytest.mark.parametrize("weight", [None, 0.3])
@pytest.mark.parametrize("cells", CELLS)
def test_diagnostic_odds_ratios_are_those_of_samples(cells: tuple[int, int, int, int], weight: float | None) -> None:
    tp, fp, fn, tn = cells
    expected = odds_ratio([[tp, fp], [fn, tn]], kind="sample").confidence_interval(0.95)
    found = answered(*cells, weight).interval("DOR")
    assert found[1:3] == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_a_ratio_of_nothing_says_why_it_has_no_interval() -> None:
    found = answered(0, 2, 3, 4).interval("LR+")
    assert (found.value, found.method) == (0, "none: a ratio of 0 has no logarithm")
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize(("cells", "measure"), [((0, 0, 3, 4), "LR-"), ((3, 4, 0, 0), "LR+")])
def test_a_constant_prediction_has_no_interval_of_a_ratio(cells: tuple[int, int, int, int], measure: str) -> None:
    found = answered(*cells).interval(measure)
    assert (found.value, found.method) == (1, "none: all items are predicted alike")
    assert np.isnan([found.low, found.high]).all()


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
    assert (found.value, found.method) == (1, "none: every resample gives the same value")
    assert answered(1, 0, 0, 1).interval("F1").low < 0.5


def test_resamples_in_which_a_measure_is_undefined_are_counted() -> None:
    few = answered(1, 1, 1, 3).interval("MCC")
    assert few.method.startswith("none: undefined in ")
    assert few.method.endswith(" of 1000 resamples")
    some = answered(3, 3, 1, 25).interval("MCC")
    assert some.method.startswith("bootstrap, undefined in ")
    assert answered(20, 10, 10, 40).interval("MCC").method == "bootstrap"


def test_percentiles_leave_out_no_more_than_they_promise_to_miss() -> None:
    values = np.arange(1000.0)
    values[:50] = np.nan
    assert percentiles(500.0, values).method == "bootstrap, undefined in 50 of 1000 resamples"
    values[50] = np.nan
    assert percentiles(500.0, values).reason == "undefined in 51 of 1000 resamples"
    assert percentiles(np.nan, np.full(10, np.nan)).reason == "undefined in 10 of 10 resamples"
    assert percentiles(0.1, np.full(10, 0.1)).reason == "every resample gives the same value"


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
    assert specificity.method == "bootstrap"  # a wrong answer is one of two that is not negative
    assert specificity.high - specificity.low == pytest.approx((expected[1] - expected[0]) / 2, rel=0.15)
    tables = np.eye(3, dtype=int)[actual], np.eye(3, dtype=int)[predicted]
    sets = classify(*tables, average="micro", measures="Recall")
    assert sets.interval("Recall").method == "bootstrap"


def test_the_interval_of_a_class_is_that_of_its_own_question() -> None:
    rng = np.random.default_rng(5)
    actual, predicted, weight = rng.integers(0, 3, 60), rng.integers(0, 3, 60), rng.random(60)
    several = classify(actual, predicted, weight=weight)
    alone = classify(actual == 2, predicted == 2, weight=weight)
    for measure in ("Recall", "Specificity", "F1", "LR+", "MCC"):
        assert several.interval(measure, label=2) == alone.interval(measure)


def test_what_resampling_moves_away_has_no_interval() -> None:
    drawn = np.linspace(0.1, 0.2, 100)
    assert percentiles(0.05, drawn).reason == "the bootstrap distribution excludes the estimate"
    assert percentiles(0.15, drawn).reason == ""


@pytest.mark.parametrize("seed", [-1, 0.5])
def test_a_seed_that_is_no_seed_is_refused(seed: float) -> None:
    binary, several = answered(3, 2, 1, 4), classify(["a", "b", "c", "a"], ["a", "b", "b", "a"])
    numbers = regress([1, 2, 3], [1, 2, 4])
    for result, measure, settings in (
        (binary, "MCC", {}),
        (several, "F", {}),
        (numbers, "MAE", {}),
        (classify([0, 1, 1, 0], score=[0.1, 0.4, 0.8, 0.3]), "AUC", {"method": "bootstrap"}),
    ):
        with pytest.raises(BadSetting, match="the seed must be a non-negative integer"):
            result.interval(measure, seed=seed, **settings)


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
