"""Measures of calibration beside what they would be if the probabilities were calibrated."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield import classify, plot
from cranfield.cli.main import main
from cranfield.errors import BadSetting
from cranfield.evidence.thresholds import Thresholds, thresholds
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations
from cranfield.statistics.calibration import calibration_test, usual_test

CALIBRATION = [name for name, declared in declarations("binary").items() if declared.calibration]
ECE = parse("ECE", "binary")


def calibrated(n_items: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes and the probabilities they were drawn from."""
    rng = np.random.default_rng(seed)
    probability = rng.beta(2, 2, n_items)
    return (rng.random(n_items) < probability).astype(int), probability


@pytest.mark.parametrize("name", CALIBRATION)
def test_the_test_is_that_of_all_possible_outcomes(name: str) -> None:
    measure, probability = parse(name, "binary"), np.array([0.1, 0.25, 0.3, 0.65])
    scores = thresholds(np.array([1, 0, 0, 1]) == 1, probability)
    value, expected, as_large = float(measure.values(scores)), 0.0, 0.0
    for outcome in itertools.product((False, True), repeat=4):
        chance = float(np.where(outcome, probability, 1 - probability).prod())
        drawn = float(measure.values(thresholds(np.array(outcome), probability)))
        expected += chance * drawn
        as_large += chance * (drawn > value - 1e-9)
    found = calibration_test(scores, measure, resamples=2_000)
    assert found.value == value
    assert found.expected == pytest.approx(expected, abs=0.02)
    assert found.p == pytest.approx(as_large, abs=0.03)


@pytest.mark.simulation
@pytest.mark.parametrize("n_items", [20, 200])
@pytest.mark.parametrize("digits", [None, 1])
def test_calibrated_probabilities_are_rejected_no_more_often_than_the_level(n_items: int, digits: int | None) -> None:
    rng, n_rejected, n_samples = np.random.default_rng(0), 0, 400
    for _ in range(n_samples):
        probability = rng.beta(1, 4, n_items)
        probability = probability if digits is None else probability.round(digits)
        scores = thresholds(rng.random(n_items) < probability, probability)
        n_rejected += calibration_test(scores, ECE, resamples=39, seed=int(rng.integers(2**31))).p <= 0.05
    assert n_rejected / n_samples < 0.085  # 0.05 and three standard errors


def test_probabilities_that_are_too_extreme_are_rejected() -> None:
    rng = np.random.default_rng(0)
    true = rng.uniform(0.2, 0.8, 400)
    extreme = true**3 / (true**3 + (1 - true) ** 3)
    found = classify((rng.random(400) < true).astype(int), probability=extreme, measures="ECE").calibration_test()
    assert found.p == pytest.approx(1 / 1001)
    assert found.value > 2 * found.expected


def test_a_seed_gives_the_same_test_and_another_seed_another() -> None:
    actual, probability = calibrated(100)
    result = classify(actual, probability=probability, measures="ECE")
    one, again, other = (result.calibration_test("ECE", resamples=50, seed=seed) for seed in (3, 3, 4))
    assert one == again
    assert one.expected != other.expected
    assert one.resamples == 50


def test_repeated_and_counted_items_have_the_same_test() -> None:
    positive, negative = np.array([0.2, 0.5, 0.9]), np.array([0.1, 0.5])
    yes, no = np.array([2, 3, 4]), np.array([5, 1])
    counted = Thresholds(positive, negative, positive_count=yes, negative_count=no)
    each = Thresholds(np.repeat(positive, yes), np.repeat(negative, no))
    assert calibration_test(counted, ECE, resamples=50) == calibration_test(each, ECE, resamples=50)


def test_very_many_counted_items_are_drawn_by_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    probability, count = np.array([0.1, 0.4, 0.7]), np.array([300, 200, 500])
    yes = (count * probability).astype(int)
    scores = Thresholds(probability, probability, positive_count=yes, negative_count=count - yes)
    one_by_one = calibration_test(scores, ECE, resamples=2_000)
    monkeypatch.setattr("cranfield.statistics.calibration.ONE_BY_ONE", 10)
    at_once = calibration_test(scores, ECE, resamples=2_000)
    assert at_once.expected == pytest.approx(one_by_one.expected, rel=0.05)


def test_weights_stay_with_their_items() -> None:
    actual, probability = calibrated(60)
    weight = np.where(np.arange(60) < 6, 20.0, 0.1)
    plain, heavy = (
        calibration_test(thresholds(actual == 1, probability, own), ECE, resamples=500) for own in (None, weight)
    )
    assert heavy.expected > 2 * plain.expected  # as if there were about six items


def test_of_several_classes_the_highest_probability_is_tested() -> None:
    rng = np.random.default_rng(0)
    table = rng.dirichlet([1, 1, 1], 200)
    actual = np.array([rng.choice(3, p=row) for row in table])
    several = classify(actual, probability=table, measures=["ECE", "MCE"])
    right = (table.argmax(axis=1) == actual).astype(int)
    highest = classify(right, probability=table.max(axis=1), measures="ECE")
    assert several.calibration_test("ECE") == highest.calibration_test("ECE")
    with pytest.raises(BadSetting, match="MCE has no test of perfect calibration"):
        several.calibration_test("MCE")
    with pytest.raises(BadSetting, match="Brier has no test of perfect calibration"):
        highest.calibration_test("Brier")


def test_tables_csv_and_json_have_what_calibrated_probabilities_would_give() -> None:
    actual, probability = calibrated(1_000)
    result = classify(actual, probability=probability, measures=["ECE", "Brier"])
    test = result.calibration_test()
    assert test.expected > result["ECE"]  # which its bootstrap interval, [0.0223, 0.0606], lay above
    ece, brier, *_ = result.records()["figures"]
    assert (ece["expected"], ece["p"]) == (test.expected, test.p)
    assert (brier["expected"], brier["p"]) == (None, None)
    (first, _) = json.loads(result.to_json())["systems"]["predictions"]["measures"][:2]
    assert (first["expected"], first["p"], first["resamples"]) == (test.expected, test.p, 1000)
    sentence = f"ECE of {test.value:.4f}: calibrated probabilities would have {test.expected:.4f} on average (p = 0.82"
    assert sentence in str(result)
    assert f"({test.expected:.4f} if calibrated, p = 0.82)" in plot.calibration(result).notes[0]


def test_many_items_have_fewer_samples_and_very_many_none(monkeypatch: pytest.MonkeyPatch) -> None:
    actual, probability = calibrated(50)
    scores = thresholds(actual == 1, probability)
    for small, large, resamples in ((50, 500, 1000), (49, 50, 100), (10, 49, None)):
        monkeypatch.setattr("cranfield.statistics.calibration.SMALL", small)
        monkeypatch.setattr("cranfield.statistics.calibration.LARGE", large)
        test = usual_test(scores, ECE)
        assert (None if test is None else test.resamples) == resamples
    result = classify(actual, probability=probability, measures="ECE")
    assert "would have" not in str(result)
    assert result.calibration_test(resamples=10).resamples == 10


@pytest.mark.parametrize("name", [*CALIBRATION, "Resolution", "Discrimination"])
def test_calibration_errors_have_no_interval_but_a_reason(name: str) -> None:
    actual, probability = calibrated(1_000)
    found = classify(actual, probability=probability, measures=name).interval(name)
    assert np.isnan([found.low, found.high]).all()
    assert found.method.startswith("none: ")


def test_the_bootstrap_of_the_calibration_error_would_miss_the_truth() -> None:
    """Why there is none: an interval of percentiles lies above 0, the truth, on every calibrated sample."""
    rng = np.random.default_rng(0)
    for seed in range(4):
        actual, probability = calibrated(200, seed)
        rows = rng.integers(0, 200, (200, 200))
        drawn = [float(ECE.values(thresholds(actual[row] == 1, probability[row]))) for row in rows]
        assert np.quantile(drawn, 0.025) > 0.01


def test_the_command_line_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    actual, probability = calibrated(100)
    path = tmp_path / "p.csv"
    lines = [f"{y},{p}" for y, p in zip(actual, probability, strict=True)]
    path.write_text("\n".join(["y,p", *lines]), "utf-8")
    assert main(["classify", str(path), "--actual", "y", "--probability", "p", "--all"]) == 0
    assert "calibrated probabilities would have" in capsys.readouterr().out
    assert cranfield.classify("y", probability="p", data=str(path)).calibration_test().resamples == 1000
