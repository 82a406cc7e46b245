"""What is said of measurement scales and of several measures, and the effect size from the analysis of variance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cranfield
from cranfield import evaluate, parse

QRELS = {f"q{q}": {"a": 1, "b": 2, "c": 0} for q in range(12)}
RUN = {query: {"c" if number % 3 else "a": 1.0, "b": 0.5} for number, query in enumerate(QRELS)}


def result(measures: Any, n_systems: int = 3) -> cranfield.Result:
    random = np.random.default_rng(7)
    runs = {
        f"s{s}": {query: dict(zip("abcdef", random.random(6).tolist(), strict=True)) for query in QRELS}
        for s in range(n_systems)
    }
    return evaluate(QRELS, runs, measures)


ALONE = "each of the 2 measures is corrected on its own; --family all"


def test_of_several_measures_it_is_said_that_each_is_corrected_alone() -> None:
    several = result(["AP", "RR"])
    words = " ".join(str(several.compare()).split())
    assert words.count(ALONE) == 1
    for quiet in (several.compare(family="all"), several.compare(correction="none"), result("AP").compare()):
        assert "on its own" not in str(quiet)


def test_reports_and_leaderboards_say_it_too() -> None:
    page = cranfield.report(QRELS, {"one": RUN, "two": {query: {"b": 1.0, "x": 0.5} for query in QRELS}}, ["AP", "RR"])
    assert "Each of the 2 measures is corrected on its own" in page.html
    assert ALONE in " ".join(str(result(["AP", "RR"], n_systems=20).compare()).split())


def residuals(values: np.ndarray) -> float:
    """The residual mean square of a two-way layout, by least squares on dummy variables."""
    m, n = values.shape
    design = np.array([[*(s == one for one in range(m)), *(q == one for one in range(1, n))]
                       for s in range(m) for q in range(n)], float)  # fmt: skip
    _, (rest,), _, _ = np.linalg.lstsq(design, values.ravel(), rcond=None)
    return float(rest) / ((m - 1) * (n - 1))


@pytest.mark.parametrize("n_systems", [2, 3, 7])
def test_the_effect_size_divides_by_the_residual_deviation_of_all_systems(n_systems: int) -> None:
    compared = result("AP", n_systems).compare()
    values = compared.samples["AP"].values
    for row in compared.rows:
        assert row.d_anova == pytest.approx(row.difference / np.sqrt(residuals(values)))
        if n_systems == 2:
            assert row.d_anova == pytest.approx(np.sqrt(2) * row.d_z)
    assert ("d_ANOVA" in compared.shown(pairs=True)) == (n_systems > 2)
    assert [row["d_anova"] for row in compared.records()["comparisons"]] == [row.d_anova for row in compared.rows]


def test_a_number_as_baseline_has_no_effect_size_over_systems() -> None:
    assert np.isnan([row.d_anova for row in result("AP").compare(baseline=0.5).rows]).all()


@pytest.mark.parametrize("measure", ["RR", "AP", "P@5", "nDCG@10", "Rprec"])
def test_tests_of_ranks_are_named_where_the_scale_is_disputed(measure: str) -> None:
    words = " ".join(str(result(measure).compare()).split())
    assert f"equal differences of {measure} to be worth the same, which is disputed; the tests wilcoxon" in words
    assert "disputed" not in str(result(measure).compare(test="wilcoxon"))


@pytest.mark.parametrize("measure", ["NumRelRet", "Success@3", "DCG@5", "P@1"])
def test_counts_sums_of_gains_and_0_or_1_are_not_disputed(measure: str) -> None:
    assert parse(measure).interval_scaled
    assert "disputed" not in str(result(measure).compare())


def test_values_of_an_unknown_measure_are_not_disputed() -> None:
    assert "disputed" not in str(cranfield.compare({"a": [0.5, 0.6, 0.9], "b": [0.4, 0.6, 0.7]}))
