"""How sure the figures of predicted values are."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from cranfield import regress
from cranfield.errors import BadInput, BadSetting
from kernel.statistics.chance import covered

RNG = np.random.default_rng(4)
ACTUAL = RNG.normal(size=1000)
PREDICTED = ACTUAL + RNG.normal(0, 0.5, 1000)


def test_errors_have_intervals_unless_a_few_large_ones_determine_them() -> None:
    table = {row["measure"]: row for row in regress(ACTUAL, PREDICTED).result.table().to_pylist()}
    for name in ("MAE", "MedianAE"):
        assert table[name]["low"] < table[name]["value"] < table[name]["high"]
    for name in ("MSE", "RMSE", "R2"):
        assert table[name]["low"] is None
        assert table[name]["interval"].startswith("a few large errors, which samples rarely contain")
    assert table["MaxError"]["interval"].startswith("the largest error is that of one item")
    few = regress(ACTUAL[:999], PREDICTED[:999])
    assert few.interval("MAE").method == "none: fewer than 1,000 items"
    extreme = regress(ACTUAL, PREDICTED, measures="Pinball(quantile=0.99)").interval("Pinball(quantile=0.99)")
    assert extreme.method == "none: fewer than 500 items are expected beyond the quantile"


TAILS = {
    "t with 2.1 degrees of freedom": lambda rng, size: rng.standard_t(2.1, size),
    "1 % twenty times as large": lambda rng, size: rng.normal(size=size) * np.where(rng.random(size) < 0.01, 20, 1),
    "lognormal": lambda rng, size: rng.lognormal(0, 1.5, size),
}


@pytest.mark.simulation
@pytest.mark.parametrize("quantile", [0.5, 0.1])
@pytest.mark.parametrize("tails", TAILS)
def test_intervals_of_absolute_errors_with_heavy_tails_cover(tails, quantile) -> None:
    rng, size, measure = np.random.default_rng(4), int(500 / quantile), f"Pinball(quantile={quantile})"
    errors = TAILS[tails](rng, 20_000_000)
    errors -= np.quantile(errors[:2_000_000], quantile)
    truth = np.maximum(quantile * errors, (quantile - 1) * errors).mean()
    samples = rng.choice(errors, (2_000, size))
    found = [regress(sample, np.zeros(size), measures=measure).interval(measure) for sample in samples]
    assert covered(np.array([one.low for one in found]), np.array([one.high for one in found]), truth) >= 0.93


def test_the_interval_of_a_mean_over_items_is_near_that_of_student() -> None:
    errors = np.abs(PREDICTED - ACTUAL)
    half = 1.962 * errors.std(ddof=1) / np.sqrt(1000)
    low, high = regress(ACTUAL, PREDICTED).intervals()["predictions", "MAE"]
    assert (low, high) == pytest.approx((errors.mean() - half, errors.mean() + half), abs=0.01)


def test_one_item_has_no_interval() -> None:
    (why,) = set(regress([1.0], [2.0], measures="MAE").intervals().method[0])
    assert why == "fewer than 1,000 items"


def test_no_bound_depends_on_a_seed() -> None:
    first, other = (regress(ACTUAL, PREDICTED).intervals(seed=seed) for seed in (1, 2))
    assert first.to_dicts() == other.to_dicts()


def test_what_is_undefined_has_no_interval() -> None:
    found = regress([0.0, 1, 2, 4], [0.5, 1, 1, 3], measures=["MAPE", "MAE"])
    (rows,) = found.intervals().method
    assert rows[0].startswith("undefined: ")
    assert np.isnan(found.intervals().low[0, 0])
    assert found.interval("MAPE").method.startswith("undefined: ")


def test_one_measure_has_an_interval_of_its_own() -> None:
    found = regress(ACTUAL, PREDICTED)
    own = found.interval("MAE")
    assert (own.low, own.high) == found.intervals()["predictions", "MAE"]
    assert own.low < own.value < own.high
    assert own.value == found["MAE"]
    assert found.interval("MaxError").method.startswith("none: the largest error is that of one item")


def test_what_cannot_be_squared_is_refused() -> None:
    with pytest.raises(BadInput, match=r"row 1: predicted is 1e\+200, too large to be squared"):
        regress([1, 2], [1, 1e200])


def test_values_whose_squares_are_too_small_to_be_numbers() -> None:
    tiny, plain = (
        regress(np.array([1, 2, 4]) * unit, np.array([1, 3, 4]) * unit, measures=["RMSE", "R2", "Correlation"])
        for unit in (2.0**-700, 1.0)
    )
    assert tiny["RMSE"] == np.ldexp(plain["RMSE"], -700)
    assert (tiny["R2"], tiny["Correlation"]) == (plain["R2"], plain["Correlation"])
    assert tiny.of().summary.deviation == np.ldexp(plain.of().summary.deviation, -700)


def test_errors_beyond_all_numbers_are_infinite() -> None:
    found = regress([1e-320, 2e-320], [1e10, 3e10], measures=["MAPE", "R2"])
    assert (found["MAPE"], found["R2"]) == (np.inf, -np.inf)
    assert np.isnan(found.interval("R2").low)


def test_weights_that_are_worth_one_item_leave_the_deviation_undefined() -> None:
    assert np.isnan(regress([1, 2], [2, 2], weight=[1e-50, 1.0]).of().summary.deviation)


def test_the_interval_of_a_mean_error_does_not_reach_below_zero() -> None:
    compared = regress([1, 2, 3, 4, 5, 6], {"a": [1, 2, 2, 4, 5, 7], "b": [1, 1, 1, 1, 2, 2]}).compare()
    low = {(row["system"], row["measure"]): row["low"] for row in compared.content()["intervals"]}
    assert low["a", "squared error"] == low["a", "absolute error"] == 0
    assert low["b", "squared error"] == pytest.approx(0.177, abs=1e-3)


@pytest.mark.parametrize("confidence", [2, "x"])
def test_a_confidence_out_of_range_is_refused(confidence: Any) -> None:
    result = regress([1, 2, 3], [1, 2, 4])
    for computed in (result.intervals, partial(result.interval, "MAE")):
        with pytest.raises(BadSetting, match="the confidence must lie between"):
            computed(confidence=confidence)
    with pytest.raises(BadSetting, match="the seed must be"):
        result.intervals(seed=-1)


def test_the_answer_is_a_sentence_that_somebody_could_say() -> None:
    assert regress([1, 2, 3], [1, 2, 5]).answer == "Predictions are 0.667 off on average (MAE over 3 items)."
    two = regress([1, 2, 3], {"far": [3, 4, 5], "near": [1, 2, 5]})
    assert two.answer == "near's predictions are 0.667 off on average (MAE over 3 items), before far 2.00."
    assert regress([1, 2, 3], {"far": [3, 4, 5], "near": [1, 2, 5]}, measures="R2").answer == (
        "R2 of near is -1.00 over 3 items, before far -5.00."
    )
    assert regress([1, 1], [1, 2], measures="R2").answer == "R2 is undefined: all actual values are equal."
    bounds = regress([1, 2, 9], quantiles={0.5: [1, 2, 3]}, intervals={0.9: ([0, 1, 2], [3, 4, 5])})
    assert bounds.answer.startswith("CRPS is ")
    assert bounds.answer.endswith("; intervals of 90 % hold 67 % of the actual values.")


def test_the_best_system_is_first_and_the_rest_on_request() -> None:
    two = regress([1, 2, 3], {"far": [3, 4, 5], "near": [1, 2, 5]})
    usual = str(two)
    assert usual.index("\nnear ") < usual.index("\nfar ")
    assert "MAPE" not in usual
    assert "Residuals" not in usual
    assert "MAPE" in two.shown(every=True)
    assert "Residuals (predicted minus actual)" in two.shown(every=True)
