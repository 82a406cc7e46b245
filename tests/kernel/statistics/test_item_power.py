"""Power for areas and kappa, accuracy against chance, and areas on different items: SciPy and simulation as oracles."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from scipy import stats

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting
from cranfield.statistics.power import area_power, area_variance, kappa_power


def drawn_areas(area: float, n_positive: int, n_negative: int, n: int = 4_000, seed: int = 1) -> np.ndarray:
    """Areas of exponential scores, for which Hanley and McNeil's variance is exact."""
    rng = np.random.default_rng(seed)
    positive = rng.exponential(area / (1 - area), (n, n_positive, 1))
    return (positive > rng.exponential(1, (n, 1, n_negative))).mean(axis=(1, 2))


def test_the_variance_of_an_area_is_that_of_exponential_scores():
    drawn = drawn_areas(0.8, 20, 30)
    assert drawn.mean() == pytest.approx(0.8, abs=0.005)
    assert drawn.var() == pytest.approx(area_variance(0.8, 20, 30), rel=0.06)


def test_the_power_for_an_area_is_how_often_it_is_detected():
    error = np.sqrt(area_variance(0.7, 30, 60))
    rejected = np.abs(drawn_areas(0.85, 30, 60) - 0.7) > stats.norm.ppf(0.975) * error
    assert area_power(90, 0.85, 0.7, prevalence=1 / 3) == pytest.approx(rejected.mean(), abs=0.03)


def estimated(area: float, n: int, samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Areas of exponential scores with DeLong's variance of each."""
    rng = np.random.default_rng(seed)
    positive = rng.exponential(area / (1 - area), (samples, n, 1))
    above = positive > rng.exponential(1, (samples, 1, n))
    parts = (above.mean(axis=side) for side in (1, 2))
    return above.mean(axis=(1, 2)), sum(part.var(axis=1, ddof=1) / n for part in parts)


def test_the_power_against_another_scorer_is_how_often_delongs_test_detects_it():
    (first, of_first), (second, of_second) = estimated(0.85, 100, 1_500, 1), estimated(0.75, 100, 1_500, 2)
    rejected = np.abs(first - second) > stats.norm.ppf(0.975) * np.sqrt(of_first + of_second)
    assert area_power(200, 0.85, 0.75, correlation=0) == pytest.approx(rejected.mean(), abs=0.03)


def test_the_plan_names_its_test():
    assert "as Mann-Whitney's" in str(cranfield.plan_area(0.8))
    assert "Mann-Whitney" not in str(cranfield.plan_area(0.8, 0.7))
    assert "DeLong's test of two scorers, correlation 0.5" in str(cranfield.plan_area(0.8, 0.7, correlation=0.5))
    assert "goodness-of-fit" in str(cranfield.plan_kappa(0.8, 0.6))


def test_the_power_for_kappa_is_how_often_the_chi_square_test_rejects():
    n, true, null = 150, *(np.array([0.09 + 0.21 * k, 0.42 * (1 - k), 0.49 + 0.21 * k]) for k in (0.6, 0.4))
    counts = np.random.default_rng(3).multinomial(n, true, 4_000)
    direction = np.array([1.0, -2.0, 1.0])  # in which kappa moves the cells; the score test of one degree of freedom
    score = (counts * direction / null).sum(axis=1)
    information = n * (direction**2 / null).sum()
    rejected = score**2 / information > stats.chi2.ppf(0.95, 1)
    assert kappa_power(n, 0.6, 0.4, prevalence=0.3) == pytest.approx(rejected.mean(), abs=0.04)


@pytest.mark.parametrize(("kappa", "null", "prevalence"), [(0.6, 0.4, 0.3), (0.2, 0.0, 0.5), (0.9, 0.7, 0.1)])
def test_the_power_for_kappa_is_that_of_the_noncentral_chi_square(kappa, null, prevalence):
    def cells(k: float) -> np.ndarray:
        pq = prevalence * (1 - prevalence)
        return np.array([prevalence**2 + pq * k, 2 * pq * (1 - k), (1 - prevalence) ** 2 + pq * k])

    shift = 80 * ((cells(kappa) - cells(null)) ** 2 / cells(null)).sum()
    expected = stats.ncx2.sf(stats.chi2.ppf(0.95, 1), 1, shift)
    assert kappa_power(80, kappa, null, prevalence=prevalence) == pytest.approx(expected)


@pytest.mark.parametrize(
    "made",
    [lambda **n: cranfield.plan_area(0.8, 0.7, prevalence=0.2, **n), lambda **n: cranfield.plan_kappa(0.7, 0.5, **n)],
)
def test_the_number_of_items_is_the_smallest_with_the_power(made):
    needed = made().rows[0].needed
    assert made(items=needed).rows[0].power >= 0.8 > made(items=needed - 1).rows[0].power


def test_plans_that_cannot_be_are_refused():
    for bad in (
        lambda: cranfield.plan_area(0.8, 0.8),
        lambda: cranfield.plan_area(0.7, 0.8, alternative="greater"),
        lambda: cranfield.plan_area(1.0),
        lambda: cranfield.plan_area(0.8, correlation=1.5),
        lambda: cranfield.plan_kappa(0.4, 0.4),
        lambda: cranfield.plan_kappa(0.4, prevalence=0),
        lambda: cranfield.plan_kappa(0.4, power=0.01),
        lambda: cranfield.plan_kappa(0.4, items=1),
    ):
        with pytest.raises(BadSetting):
            bad()


def test_the_command_line_plans_areas_and_kappa(capsys):
    assert not main(["plan", "--area", "0.85", "--null", "0.75", "--prevalence", "0.3", "-f", "json"])
    assert (
        json.loads(capsys.readouterr().out)["plan"][0]["needed"]
        == cranfield.plan_area(0.85, 0.75, prevalence=0.3).rows[0].needed
    )
    assert not main(["plan", "--kappa", "0.6", "--null", "0.4", "--items", "100"])
    assert "Donner and Eliasziw" in capsys.readouterr().out
    assert main(["plan", "--kappa", "0.6", "--area", "0.7"])
    assert main(["plan", "--deviation", "0.1", "--queries", "50", "--null", "0.4"])
    assert "--null requires --area or --kappa" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("right", "largest", "n"), [(20, 15, 25), (15, 15, 25), (0, 15, 25), (25, 15, 25), (26, 25, 30)]
)
def test_accuracy_is_tested_against_the_no_information_rate_as_in_caret(right, largest, n):
    actual = ["a"] * largest + ["b"] * (n - largest)
    predicted = [label if place < right else "ab"[label == "a"] for place, label in enumerate(actual)]
    test = cranfield.classify(actual, predicted, measures="Accuracy").evaluated[0].accuracy_test
    assert test.p == pytest.approx(stats.binomtest(right, n, largest / n, alternative="greater").pvalue)
    assert (test.accuracy, test.no_information_rate) == (right / n, largest / n)


def test_the_test_of_accuracy_is_shown_with_all_measures_and_in_json(capsys, tmp_path):
    rows = ["actual,predicted", *["é,é"] * 12, *["b,é"] * 3, *["b,b"] * 5, *["c,c"] * 4]
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = ["classify", str(tmp_path / "labels.csv"), "--actual", "actual", "--predicted", "predicted"]
    assert not main([*words, "--all"])
    assert "exact binomial test, one-sided, n = 24" in capsys.readouterr().out.replace("\n", " ")
    assert not main([*words, "-f", "json"])
    system = next(iter(json.loads(capsys.readouterr().out)["systems"].values()))
    assert system["accuracy_test"]["p"] == pytest.approx(stats.binomtest(21, 24, 0.5, alternative="greater").pvalue)


def test_weighted_items_have_no_exact_test():
    weighted = cranfield.classify(["a", "b"], ["a", "b"], weight=[0.5, 2], measures="Accuracy")
    assert weighted.evaluated[0].accuracy_test is None


def placements(positive: list[float], negative: list[float]) -> tuple[list[float], list[float]]:
    wins = {(p, n): (p > n) + (p == n) / 2 for p, n in itertools.product(positive, negative)}
    return (
        [sum(wins[p, n] for n in negative) / len(negative) for p in positive],
        [sum(wins[p, n] for p in positive) / len(positive) for n in negative],
    )


def test_areas_on_different_items_are_compared_as_in_proc():
    rng = np.random.default_rng(4)
    samples = [
        (rng.normal(shift, 1, n).round(1), rng.normal(0, 1, m).round(1))
        for shift, n, m in ((1.5, 14, 21), (0.8, 18, 11))
    ]
    areas, variances, sizes = [], [], []
    for positive, negative in samples:
        by_positive, by_negative = placements(positive.tolist(), negative.tolist())
        areas.append(np.mean(by_positive))
        variances.append(np.var(by_positive, ddof=1) / len(positive) + np.var(by_negative, ddof=1) / len(negative))
        sizes.append(len(positive) + len(negative))
    t = (areas[0] - areas[1]) / np.sqrt(sum(variances))
    freedom = sum(variances) ** 2 / sum(v**2 / (n - 1) for v, n in zip(variances, sizes, strict=True))
    data = {
        name: {"actual": [1] * len(p) + [0] * len(n), "score": [*p, *n]}
        for name, (p, n) in zip("xy", samples, strict=True)
    }
    row = cranfield.compare_independent_areas(data).rows[0]
    assert (row.value, row.baseline_value) == pytest.approx(tuple(areas))
    assert (row.statistic, row.freedom) == pytest.approx((t, freedom))
    assert row.p == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    assert row.low == pytest.approx(row.difference - stats.t.ppf(0.975, freedom) * row.error)


def test_areas_that_cannot_be_compared_are_refused(tmp_path, capsys):
    good = {"actual": [1, 1, 0, 0], "score": [0.9, 0.4, 0.5, 0.1]}
    with pytest.raises(BadInput, match="at least 2 items per class"):
        cranfield.compare_independent_areas({"a": good, "b": {"actual": [1, 0, 0], "score": [0.9, 0.4, 0.5]}})
    with pytest.raises(BadSetting, match="at least two systems"):
        cranfield.compare_independent_areas({"a": good})
    for name in ("new", "old"):
        (tmp_path / f"{name}.csv").write_text("actual,score\n1,0.9\n1,0.4\n0,0.5\n0,0.1\n")
    words = [f"--areas={name}={tmp_path / name}.csv" for name in ("new", "old")]
    assert not main(["compare", *words, "--steps"])
    assert "have the same area under the ROC curve" in capsys.readouterr().out
    assert main(["compare", *words, "-t", "sign"])
