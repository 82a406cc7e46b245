"""The figures behind findings, against SciPy, scikit-learn, statsmodels and brute force."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import gcd
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from statsmodels.stats.proportion import confint_proportions_2indep

from cranfield import agree, classify, regress
from cranfield.agreement.findings import _rest
from cranfield.classification.findings.groups import Estimate, Grouped, GroupedResiduals, weighted_mean
from cranfield.classification.findings.scores import _homogeneity
from cranfield.comparison.findings import Rows, rows_of_predictions
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import Thresholds, thresholds
from cranfield.examination.evidence import _readings
from cranfield.present.findings.rules import require_rule
from cranfield.statistics.intervals import wilson

SEEDS = range(20)


def figures(rule: str, evidence: object, **limits: float) -> dict[str, Any]:
    """The figures of the only finding of a rule; empty if there is none."""
    return next((dict(one.figures) for one in require_rule(rule).findings(evidence, limits)), {})


def of_type(kind: type, result: object) -> Any:
    """The evidence of this type in a result."""
    return next(reading.evidence for reading in _readings(result) if isinstance(reading.evidence, kind))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_proportion_exceeds_another_as_newcombes_interval_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 60, 2).tolist()
    k, j = int(rng.integers(0, n + 1)), int(rng.integers(0, m + 1))
    one, other = (
        Estimate.of(x / size, float(bounds.low), float(bounds.high))
        for x, size in ((k, n), (j, m))
        for bounds in [wilson(x, size, 0.95)]
    )
    low, high = confint_proportions_2indep(k, n, j, m, method="newcomb", compare="diff")
    assert one.exceeds(other) == (low > 0)
    assert other.exceeds(one) == (high < 0)


def test_distances_of_a_weighted_mean_add_as_standard_errors_do() -> None:
    mean = weighted_mean([Estimate(0.5, 0.03, 0.04), Estimate(0.9, 0.04, 0.03)], np.array([1.0, 3.0]))
    assert mean == pytest.approx((0.8, (0.03**2 + 9 * 0.04**2) ** 0.5 / 4, (0.04**2 + 9 * 0.03**2) ** 0.5 / 4))


@pytest.mark.parametrize("seed", SEEDS)
def test_pooled_and_within_are_scikit_learns_areas(seed: int) -> None:
    rng = np.random.default_rng(seed)
    site = rng.integers(0, 3, 300)
    actual = (rng.random(300) < 0.2 + 0.25 * site).astype(int)
    score = (rng.normal(size=300) + 3 * site - 0.3 * actual).round(1)
    by_site = [(actual[site == s], score[site == s]) for s in range(3)]
    areas = [metrics.roc_auc_score(*one) for one in by_site]
    pairs = [one.sum() * (1 - one).sum() for one, _ in by_site]
    found = figures("pooled-groups", of_type(Grouped, classify(actual, score=score, threshold=1, by=site, positive=1)))
    assert found["pooled"] == pytest.approx(metrics.roc_auc_score(actual, score))
    assert found["within"] == pytest.approx(np.average(areas, weights=pairs))


@pytest.mark.parametrize("weighted", [False, True])
def test_balanced_accuracy_in_a_group_and_in_the_others_is_scikit_learns(weighted: bool) -> None:
    rng = np.random.default_rng(4)
    actual, site = rng.integers(0, 3, 600), rng.integers(0, 3, 600)
    predicted = np.where((rng.random(600) < 0.15) | (site == 1), rng.integers(0, 3, 600), actual)
    weight = rng.integers(1, 4, 600) if weighted else None
    found = figures("weak-group", of_type(Grouped, classify(actual, predicted, by=site, weight=weight)))
    for name, rows in (("value", site == 1), ("others", site != 1)):
        sizes = None if weight is None else weight[rows]
        oracle = metrics.balanced_accuracy_score(actual[rows], predicted[rows], sample_weight=sizes)
        assert found[name] == pytest.approx(oracle)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bias_is_reported_if_welchs_test_of_scipy_is_significant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    fold, error = np.arange(90) % 3, rng.normal(size=90)
    error[fold == 1] = 1.5 * error[fold == 1] + 0.6
    evidence = of_type(GroupedResiduals, regress(np.zeros(90), error, by=fold))
    tests = [stats.ttest_ind(error[fold == f], error[fold != f], equal_var=False) for f in range(3)]
    differences = [abs(error[fold == f].mean() - error[fold != f].mean()) for f in range(3)]
    significant = [f for f in range(3) if tests[f].pvalue < 0.01 / 3]
    found = figures("biased-group", evidence, proportion=0.0)
    assert bool(found) == bool(significant)
    if found:
        worst = max(significant, key=lambda f: differences[f])
        assert found["groups"][0] == str(worst)
        assert found["bias"] == pytest.approx(error[fold == worst].mean())


def test_biases_that_do_not_vary_are_reported_and_none_at_all_is_not() -> None:
    fold = np.arange(60) % 3
    for error, wanted in ((2.0 * (fold == 1), "1"), (np.zeros(60), None), (np.full(60, 1e-9), None)):
        found = figures("biased-group", of_type(GroupedResiduals, regress(np.zeros(60), error, by=fold)))
        assert found.get("groups") == (wanted and [wanted])


def test_a_bias_beside_values_of_any_size_is_computed() -> None:
    fold, huge = np.arange(60) % 3, np.where(np.arange(60) % 2, 1e70, -1e70)
    assert figures("biased-group", of_type(GroupedResiduals, regress(huge, huge / 2, by=fold))) == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_replaced_labels_give_the_best_accuracy_of_all_permutations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 20, (5, 5)) + 60 * np.eye(5, dtype=int)[rng.permutation(5)]
    found = figures("shifted-classes", Confusion.of(tuple("abcde"), counts), difference=0.0, standard_errors=0.0)
    best = max(sum(counts[meant[k], k] for k in range(5)) for meant in permutations(range(5)))
    if best == np.trace(counts):
        assert not found or found["accuracy_replaced"] == found["accuracy"]
    else:
        assert found["accuracy_replaced"] == pytest.approx(best / counts.sum())


@pytest.mark.filterwarnings("ignore:.* is below 0.5")
@pytest.mark.parametrize("seed", SEEDS)
def test_copies_are_the_greatest_common_divisor_of_how_often_rows_occur(seed: int) -> None:
    rng = np.random.default_rng(seed)
    actual, score = rng.integers(0, 2, 40), rng.integers(0, 99, 40)
    times = rng.integers(1, 3, 40) * rng.integers(1, 4)
    rows = rng.permutation(np.repeat(np.arange(40), times))
    result = classify(actual[rows], score=score[rows], threshold=15, positive=1)
    occurring = Counter(zip(actual[rows].tolist(), score[rows].tolist(), strict=True))
    found = figures("repeated-rows", of_type(Rows, result))
    assert found.get("times", 1) == gcd(*occurring.values())


def test_a_few_rows_without_a_copy_do_not_hide_the_others() -> None:
    score = np.arange(100.0)
    for n_alone, wanted in ((0, 2), (5, 2), (6, None)):
        rows = [*range(100), *range(n_alone, 100)]
        result = classify((score[rows] > 50).astype(int), score=score[rows] % 60, threshold=30, positive=1)
        assert figures("repeated-rows", of_type(Rows, result)).get("times") == wanted


def test_rows_of_several_systems_are_copies_only_if_all_predict_the_same() -> None:
    actual, score = np.tile(np.arange(20) % 2, 2), np.tile(np.arange(20.0), 2)
    other = np.arange(40.0)
    both = classify(actual, score={"same": score, "other": other}, threshold=9, positive=1)
    assert figures("repeated-rows", rows_of_predictions(both)) == {}
    twice = classify(actual, score={"same": score, "again": score + 1}, threshold=9, positive=1)
    assert figures("repeated-rows", rows_of_predictions(twice))["times"] == 2


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_prevalence_is_tested_as_in_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    actual, group = rng.random(200) < 0.3, rng.integers(0, 4, 200)
    parts: list[Thresholds] = [thresholds(actual[group == g], rng.random(int((group == g).sum()))) for g in range(4)]
    table = [[actual[group == g].sum(), (~actual[group == g]).sum()] for g in range(4)]
    assert _homogeneity(parts) == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)


@pytest.mark.parametrize("seed", SEEDS)
def test_raters_without_the_odd_one_have_fleiss_kappa(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 50)
    table = np.array([np.where(rng.random(50) < 0.3, rng.integers(0, 3, 50), truth) for _ in range(4)])
    rated = agree({f"r{r}": dict(enumerate(row.tolist())) for r, row in enumerate(table)}, per=("all",), resamples=2)
    assert rated.evidence is not None
    rest = _rest(rated.evidence, 3)
    counts, _ = aggregate_raters(table[:3].T, 3)
    assert rest.others == pytest.approx(fleiss_kappa(counts))
    with_own, among = (table[:3] == table[3]).mean(axis=0), np.mean([a == b for a, b in combinations(table[:3], 2)], 0)
    chance = sum((table[3] == c).mean() * (table[:3] == c).mean() for c in range(3))
    assert rest.kappa == pytest.approx((with_own.mean() - chance) / (1 - chance))
    if (among - with_own).mean() > 0:
        assert rest.p == pytest.approx(stats.ttest_1samp(among - with_own, 0).pvalue)
