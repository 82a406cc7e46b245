"""Predicted distributions: integrals as the oracle, laws, every way to pass them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import norm
from sklearn.metrics import mean_pinball_loss

from cranfield import compare, load, regress
from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting, CranfieldError
from cranfield.evidence.forecasts import Forecasts
from cranfield.measures.naming import parse
from cranfield.measures.registry import bound, declarations
from reference import forecasts as reference

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
AT = {"level": 0.9, "quantile": 0.25}
EVERY = [
    bound(one, {name: AT[name] for name, setting in one.settings.items() if setting.required})
    for one in declarations("forecasts").values()
]


def messy(seed: int, n: int = 17) -> tuple[Floats, Floats, Floats]:
    """Rounded actual values of mixed sizes, samples that repeat and hit them, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    actual = np.round(rng.normal(5, 3, n), 1) * rng.choice([1, 1, 100], n)
    samples = np.round(actual[:, None] + rng.normal(0.5, 2, (n, 6)), 0)
    samples[:3] = actual[:3, None]
    return actual, samples, rng.integers(0, 4, n) / 2


def made(form: str, seed: int = 0, n: int = 17) -> Forecasts:
    actual, samples, weight = messy(seed, n)
    if form == "samples":
        return Forecasts(actual, samples, "samples", (), samples.mean(axis=1), weight + 1)
    if form == "normal":
        return Forecasts(actual, np.column_stack([samples[:, 0], samples.std(axis=1)]), "normal", (), samples[:, 0])
    return Forecasts(actual, np.sort(samples[:, :5], axis=1), "quantiles", LEVELS, None, weight + 1)


FORMS = ("samples", "normal", "quantiles")


# oracles


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_score_of_samples_is_the_integral_over_their_distribution_function(seed: int, weighted: bool) -> None:
    actual, samples, weight = messy(seed)
    own = weight if weighted else np.ones(len(actual))
    for name, of_item in (("CRPS", reference.crps_of_samples), ("CRPS(fair=True)", reference.fair_crps)):
        scores = [of_item(list(map(float, row)), float(y)) for row, y in zip(samples, actual)]
        expected = sum(w * s for w, s in zip(map(Fraction, own), scores)) / sum(map(Fraction, own))
        found = regress(actual, samples=samples, weight=weight if weighted else None, measures=name)[name]
        assert found == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


def test_the_score_of_a_normal_distribution_is_the_integral_over_its_distribution_function() -> None:
    cases = [(0, 1, 0), (0, 1, 1.7), (3, 0.2, 5), (-2, 8, 3.5), (10, 2, 9.9)]
    for mean, deviation, actual in cases:
        found = regress([actual], [mean], deviation=[deviation], measures="CRPS")["CRPS"]
        assert found == pytest.approx(reference.crps_of_normal(mean, deviation, actual), rel=1e-8)


@pytest.mark.parametrize("deviation", [0.0, 1e-300, 1e-12])
def test_a_prediction_without_spread_scores_its_absolute_error(deviation: float) -> None:
    found = regress([1.0, 5.0, 2.0], [1.0, 2.0, 9.0], deviation=[deviation] * 3, measures=["CRPS", "MAE"])
    assert found["CRPS"] == pytest.approx(found["MAE"], abs=1e-11)
    assert regress([1.0, 5.0], samples=[[1.0], [2.0]], measures="CRPS")["CRPS"] == 1.5


def test_many_quantiles_and_many_samples_approach_the_score_of_the_distribution_they_come_from() -> None:
    rng = np.random.default_rng(2)
    actual, mean = rng.normal(size=(2, 30))
    level = (np.arange(1000) + 0.5) / 1000
    table = mean[:, None] + 1.3 * norm.ppf(level)
    exact = regress(actual, mean, deviation=np.full(30, 1.3), measures="CRPS")["CRPS"]
    quantiles = dict(zip(level.tolist(), table.T))
    assert regress(actual, quantiles=quantiles, measures="CRPS")["CRPS"] == pytest.approx(exact, rel=1e-4)
    assert regress(actual, samples=table, measures="CRPS")["CRPS"] == pytest.approx(exact, rel=1e-4)


def test_the_fair_score_is_unbiased_whatever_the_number_of_samples() -> None:
    rng = np.random.default_rng(5)
    actual = rng.normal(size=40_000)
    expected = 1 / np.sqrt(np.pi)  # of a normal distribution that is right
    for n in (2, 3, 10):
        samples = rng.normal(size=(40_000, n))
        found = regress(actual, samples=samples, measures=["CRPS(fair=True)", "CRPS"])
        assert found["CRPS(fair=True)"] == pytest.approx(expected, abs=0.01)
        assert found["CRPS"] == pytest.approx(expected * (1 + 1 / n), abs=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_interval_scores_and_their_weighted_sum_are_those_of_the_papers(seed: int) -> None:
    actual, samples, _ = messy(seed)
    q05, q25, median, q75, q95 = np.sort(samples[:, :5], axis=1).T
    measures = ["WIS", "IntervalScore@0.5", "IntervalScore@0.9", "WinklerScore@0.9"]
    found = regress(actual, quantiles={0.5: median}, intervals={0.9: (q05, q95), 0.5: (q25, q75)}, measures=measures)
    half, nine = Fraction(1, 2), Fraction(9, 10)
    items = list(zip(*(column.tolist() for column in (actual, q05, q25, median, q75, q95))))
    wis = [reference.weighted_interval_score({half: (b, d), nine: (a, e)}, m, y) for y, a, b, m, d, e in items]
    assert found["WIS"] == pytest.approx(float(sum(wis) / len(wis)), rel=1e-12)
    for level, place in ((half, (2, 4)), (nine, (1, 5))):
        scores = [reference.interval_score(row[place[0]], row[place[1]], row[0], level) for row in items]
        assert found[f"IntervalScore@{float(level)}"] == pytest.approx(float(sum(scores) / len(scores)), rel=1e-12)


def test_scikit_learn_has_the_same_pinball_loss_of_each_quantile() -> None:
    actual, samples, weight = messy(3)
    quantiles = dict(zip(LEVELS, np.sort(samples[:, :5], axis=1).T))
    for level, column in quantiles.items():
        found = regress(actual, quantiles=quantiles, weight=weight, measures=f"Pinball(alpha={level})")
        expected = mean_pinball_loss(actual, column, sample_weight=weight, alpha=level)
        assert found.result.values.item() == pytest.approx(expected, rel=1e-12)


def test_coverage_counts_values_on_a_bound_and_width_is_their_distance() -> None:
    found = regress([1, 2, 3, 9], intervals={0.8: ([1, 1, 4, 2], [2, 2, 5, 4])})
    assert found["IntervalCoverage@0.8"] == 0.5
    assert found["IntervalWidth@0.8"] == 1.25
    observed = regress([1, 2, 3, 9], quantiles={0.9: [1, 3, 2, 8]}, measures="QuantileCoverage@0.9")
    assert observed.result.values.item() == 0.5


def test_the_calibration_error_is_the_mean_distance_of_observed_proportions_from_levels() -> None:
    actual = np.arange(10.0)
    quantiles = {0.2: np.full(10, 4.0), 0.5: np.full(10, 4.0), 0.9: np.full(10, 6.5)}  # 5, 5 and 7 of 10 at or below
    found = regress(actual, quantiles=quantiles, measures="QuantileCalibrationError").result.values.item()
    assert found == pytest.approx((0.3 + 0 + 0.2) / 3)


@pytest.mark.parametrize("n", [3, 9, 19, 99])
def test_samples_from_the_true_distribution_are_calibrated_however_few(n: int) -> None:
    rng = np.random.default_rng(n)
    known = 3 * rng.normal(size=20_000)
    actual, samples = known + rng.normal(size=20_000), known[:, None] + rng.normal(size=(20_000, n))
    widest = (n - 1) / (n + 1)
    found = regress(actual, samples=samples, measures=[f"IntervalCoverage@{widest}", "QuantileCalibrationError"])
    assert found[f"IntervalCoverage@{widest}"] == pytest.approx(widest, abs=0.02)
    assert found["QuantileCalibrationError"] < 0.02
    assert not found.findings()


def test_names_of_properscoring_give_its_documented_value() -> None:
    assert regress([0], [0], deviation=[1], measures="crps_gaussian")["CRPS"] == pytest.approx(0.23369497725510913)
    assert regress([0], samples=[[-1, 1]], measures="crps_ensemble")["CRPS"] == 0.5


# laws


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_evidence_adds_and_weights_repeat_items(measure: Any, form: str) -> None:
    whole = made(form)
    parts = whole.take(np.arange(5)) + whole.take(np.arange(5, 17))
    assert np.array_equal(measure.values(parts), measure.values(whole), equal_nan=True)
    times = np.arange(17) % 3
    weighted = Forecasts(whole.actual, whole.values, whole.form, whole.levels, whole.point, times.astype(float))
    repeated = whole.take(np.repeat(np.arange(17), times))
    repeated = Forecasts(repeated.actual, repeated.values, whole.form, whole.levels, repeated.point)
    assert float(measure.values(weighted)) == pytest.approx(float(measure.values(repeated)), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("measure", [one for one in EVERY if one.declaration.per_item], ids=str)
def test_an_item_is_scored_alone_and_a_measure_is_the_mean_of_its_items(measure: Any, form: str) -> None:
    whole = made(form)
    per_item = measure.declaration.per_item
    alone = np.concatenate([per_item(whole.take(np.array([place])), **measure.options) for place in range(17)])
    assert np.array_equal(per_item(whole, **measure.options), alone, equal_nan=True)
    mean = np.average(alone, weights=whole.weights)
    assert float(measure.values(whole)) == pytest.approx(mean, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_a_measure_parses_back_has_bounds_and_says_why_it_is_undefined(measure: Any) -> None:
    assert parse(str(measure), "forecasts") == measure
    low, high = measure.declaration.bounds
    for form in FORMS:
        value = float(measure.values(made(form)))
        assert np.isnan(value) or low <= value <= high
        nothing = made(form).take(np.empty(0, np.int64))
        assert np.isnan(measure.values(nothing))
        assert measure.why_undefined(nothing) == "there are no items"


@pytest.mark.parametrize("factor", [1e-3, 4.0])
@pytest.mark.parametrize("name", ["CRPS", "WIS", "Pinball", "IntervalScore@0.9", "IntervalWidth@0.9"])
def test_scores_are_in_the_unit_of_the_values(name: str, factor: float) -> None:
    plain = made("quantiles")
    scaled = Forecasts(plain.actual * factor + 7, plain.values * factor + 7, "quantiles", LEVELS, None, plain.weight)
    measure = parse(name, "forecasts")
    assert float(measure.values(scaled)) == pytest.approx(factor * float(measure.values(plain)), rel=1e-9)


@pytest.mark.parametrize(
    ("measure", "passed", "why"),
    [
        ("IntervalScore@0.8", {"intervals": {0.9: ([0, 0], [1, 1])}}, "the interval at this level was not predicted"),
        ("QuantileCoverage@0.5", {"quantiles": {0.9: [0, 0]}}, "this quantile was not predicted"),
        ("CRPS", {"intervals": {0.9: ([0, 0], [1, 1])}}, "fewer than 3 quantiles were predicted"),
        ("CRPS(fair=True)", {"samples": [[1], [2]]}, "fair needs at least 2 samples per item"),
        ("WIS", {"samples": [[1, 2], [2, 3]]}, "the predictions are not quantiles or intervals"),
    ],
)
def test_a_value_that_does_not_exist_has_a_reason(measure: str, passed: dict[str, Any], why: str) -> None:
    found = regress([0.5, 2.0], **passed, measures=measure)
    assert np.isnan(found[measure])
    assert found.interval(measure).method == f"undefined: {why}"
    assert f"{measure} of predictions is undefined: {why}" in str(found)


# every way to pass them


def test_columns_of_a_file_of_frames_and_arrays_give_the_same_bits(tmp_path: Path) -> None:
    actual, samples, weight = messy(1)
    low, middle, high = np.sort(samples[:, :3], axis=1).T
    frame = pd.DataFrame({"y": actual, "w": weight, "low": low, "ü": middle, "high": high})
    frame.to_csv(tmp_path / "f.csv", index=False)
    frame.to_parquet(tmp_path / "f.parquet")
    named: dict[str, Any] = {"quantiles": {0.5: "ü"}, "intervals": {0.9: ("low", "high")}, "weight": "w"}
    plain = regress(
        actual, quantiles={0.5: middle}, intervals={0.9: (low.tolist(), high.tolist())}, weight=weight
    ).result.values
    sources: list[Callable[[], Any]] = [
        lambda: tmp_path / "f.csv", lambda: str(tmp_path / "f.parquet"), lambda: frame, lambda: pl.from_pandas(frame)
    ]  # fmt: skip
    for source in sources:
        assert np.array_equal(regress("y", data=source(), **named).result.values, plain)
    as_levels = {0.05: "low", 0.5: "ü", 0.95: "high"}
    assert np.array_equal(regress("y", data=frame, quantiles=as_levels, weight="w").result.values, plain)


def test_samples_are_a_table_a_frame_a_dict_or_names_of_columns() -> None:
    actual, samples, _ = messy(2)
    frame = pd.DataFrame(samples, columns=[f"m{place}" for place in range(6)])
    expected = regress(actual, samples=samples).result.values
    for passed in (samples.tolist(), frame, {"a": frame}, {"a": {name: frame[name] for name in frame}}):
        assert np.array_equal(regress(actual, samples=passed).result.values, expected)
    frame["y"] = actual
    named = regress("y", data=frame, samples=[f"m{place}" for place in range(6)])
    assert np.array_equal(named.result.values, expected)


def test_systems_of_different_forms_are_compared_item_by_item() -> None:
    actual, samples, _ = messy(4, 60)
    result = regress(
        actual,
        {"normal": samples[:, 0]},
        deviation={"normal": np.full(60, 2.0)},
        samples={"ensemble": samples},
        intervals={"quantiles": {0.9: (actual - 3, actual + 2)}},
        quantiles={"quantiles": {0.5: actual - 0.2}},
    )
    assert set(result.systems) == {"normal", "ensemble", "quantiles"}
    compared = compare(result)
    assert {row.measure for row in compared.rows} >= {"CRPS"}
    (row,) = [
        one for one in compared.rows if one.measure == "CRPS" and {one.system, one.baseline} == {"normal", "ensemble"}
    ]
    difference = result["CRPS"][row.system] - result["CRPS"][row.baseline]
    assert row.difference == pytest.approx(difference)
    assert "CRPS of quantiles is approximated from quantiles" in str(compared)


def test_coverage_has_an_exact_interval_and_calibration_error_says_why_it_has_none() -> None:
    result = regress(np.arange(20.0), intervals={0.9: (np.arange(20.0) - 1, np.arange(20.0) + 1)})
    bounded = result.interval("IntervalCoverage@0.9")
    assert (bounded.value, bounded.high, bounded.method) == (1.0, 1.0, "clopper-pearson")
    assert bounded.low == pytest.approx(0.025 ** (1 / 20))
    assert np.isnan(result.interval("QuantileCalibrationError").low)
    assert "larger in samples" in result.interval("QuantileCalibrationError").method


def test_a_saved_result_comes_back(tmp_path: Path) -> None:
    actual, samples, weight = messy(6)
    result = regress(actual, samples=samples, weight=weight, by=np.arange(17) % 3, measures=["CRPS", "RMSE"])
    result.save(tmp_path / "r.cranfield")
    again = load(tmp_path / "r.cranfield")
    assert np.array_equal(again.result.values, result.result.values)
    assert again.forecasts["predictions"].form == "samples"
    assert str(again) == str(result)


def test_point_measures_use_the_mean_of_samples_and_the_median_of_quantiles() -> None:
    actual, samples, _ = messy(7)
    mean = regress(actual, samples.mean(axis=1), measures="RMSE")["RMSE"]
    assert regress(actual, samples=samples, measures="RMSE")["RMSE"] == pytest.approx(mean)
    median = regress(actual, samples[:, 1], measures="MAE")["MAE"]
    assert regress(actual, quantiles={0.5: samples[:, 1]}, measures="MAE")["MAE"] == median


# what is refused


@pytest.mark.parametrize(
    ("passed", "error"),
    [
        ({"intervals": {0.9: ([0, 3], [1, 2])}}, "row 1: the lower bound at 0.9 is 3, above the upper bound 2"),
        ({"intervals": {0.9: [0, 1, 2]}}, "the interval at 0.9 must have two columns"),
        ({"intervals": {0.9: ([0, 0], [1, 1])}, "quantiles": {0.05: [0, 0]}}, "the quantile at 0.05 is given twice"),
        ({"quantiles": {90: [0, 0]}}, "a level must be a number between 0 and 1, not 90"),
        ({"quantiles": {0.9: [0, None]}}, "row 1: the quantile at 0.9 is missing"),
        ({"quantiles": {0.9: [0, "x"]}}, "row 1: the quantile at 0.9 'x' is not a number"),
        ({"quantiles": {0.9: [0, 1, 2]}}, "the quantile at 0.9: 3 values for 2 items"),
        ({"quantiles": {}}, "quantiles is empty"),
        ({"quantiles": [1, 2]}, "quantiles must be a dict from level to column"),
        ({"samples": [[1, 2], [3]]}, "row 1: samples has 1 outputs; the first item has 2"),
        ({"deviation": [1, 1]}, "a standard deviation requires the mean of the distribution: pass predicted"),
        ({"predicted": [1, 1], "deviation": [1, -1]}, "row 1: the standard deviation is -1, which is negative"),
        ({"samples": [[1], [2]], "quantiles": {0.5: [1, 2]}}, "not several of them"),
        ({"predicted": {"a": [1, 1], "b": [1, 1]}, "deviation": {"a": [1, 1]}}, "b has only point predictions"),
        ({"predicted": {"a": [1, 1], "b": [1, 1]}, "deviation": [1, 1]}, "several systems are predicted"),
        ({"quantiles": {1: {0.5: [1, 1]}, "1": {0.5: [2, 2]}}}, "duplicate '1' among the systems of quantiles"),
        ({"quantiles": {0.9: [1e200, 1]}}, "row 0: the quantile at 0.9 is 1e+200, too large to be squared"),
        ({"quantiles": {0.9: [1, 1]}, "measures": "RMSE"}, "RMSE needs point predictions, which predictions lacks"),
        ({"intervals": {0.9: ([0, 0], [1, 1])}, "measures": "CRSP"}, "there is no measure 'CRSP'; did you mean CRPS"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_with_the_place(passed: dict[str, Any], error: str) -> None:
    with pytest.raises(CranfieldError) as raised:
        regress([1.0, 2.0], **passed)
    assert error in str(raised.value)


def test_distributions_of_several_outputs_are_refused() -> None:
    with pytest.raises(BadSetting, match="distributions of several outputs are not supported"):
        regress([[1, 2], [3, 4]], [[1, 2], [3, 4]], deviation=[1, 1])


def test_rows_of_pandas_that_do_not_belong_together_are_refused() -> None:
    actual = pd.Series([1.0, 2.0], index=["x", "y"])
    with pytest.raises(BadInput, match="the index of intervals"):
        regress(actual, intervals={0.9: (actual[::-1] - 1, actual[::-1] + 1)})


def test_only_coverage_cannot_be_compared_but_can_be_reported() -> None:
    from cranfield import report

    result = regress([1, 2, 3], intervals={s: {0.9: ([0, 1, 2], [2, 3, 4])} for s in "ab"},
                     measures="IntervalCoverage@0.9")  # fmt: skip
    with pytest.raises(BadSetting, match="request CRPS, WIS, IntervalScore or Pinball"):
        compare(result)
    assert "IntervalCoverage@0.9" in report(result).html
