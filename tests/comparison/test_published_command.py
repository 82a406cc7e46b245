"""Published proportions and means, compared with SciPy and statsmodels as oracles."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadSetting

Capture = pytest.CaptureFixture[str]
approx = pytest.approx

NAMES = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


def row_of(capsys: Capture, *figures: str, more: tuple[str, ...] = ()) -> dict[str, float]:
    given = [part for figure in figures for part in ("--published", figure)]
    assert main(["compare", *given, *more, "-f", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    return {
        name: float(value) for name, value in row.items() if name not in ("system", "baseline", "significant") and value
    }


@pytest.mark.parametrize("alternative", NAMES)
@pytest.mark.parametrize(("one", "other"), [((170, 200), (150, 200)), ((3, 7), (1, 9)), ((0, 5), (4, 6))])
def test_proportions(one: tuple[int, int], other: tuple[int, int], alternative: str, capsys: Capture) -> None:
    texts = [f"{name}={k}/{n}" for name, (k, n) in {"new": one, "old": other}.items()]
    row = row_of(capsys, *texts, more=("--alternative", alternative))
    counts, totals = zip(one, other, strict=True)
    z, p = proportions_ztest(counts, totals, alternative=NAMES[alternative])
    low, high = confint_proportions_2indep(*one, *other, method="newcomb")
    exact = stats.fisher_exact([[k, n - k] for k, n in (one, other)], alternative=alternative)[1]
    assert [row[name] for name in ("statistic", "p", "low", "high", "exact_p")] == approx([z, p, low, high, exact])
    assert row["difference"] == approx(one[0] / one[1] - other[0] / other[1])


@pytest.mark.parametrize("alternative", NAMES)
def test_means(alternative: str, capsys: Capture) -> None:
    first, second = [8, 8, 9, 10, 12, 16], [7.5, 9, 8, 6, 10, 12, 9.5]
    texts = [f"{n}={stats.tmean(v)!r},{stats.tstd(v)!r},{len(v)}" for n, v in {"a": first, "b": second}.items()]
    texts = [text.replace("np.float64(", "").replace(")", "") for text in texts]
    row = row_of(capsys, *texts, more=("--alternative", alternative))
    expected = stats.ttest_ind(first, second, equal_var=False, alternative=alternative)
    both = CompareMeans(DescrStatsW(first), DescrStatsW(second))
    low, high = both.tconfint_diff(usevar="unequal")
    assert [row[name] for name in ("statistic", "p", "freedom", "low", "high")] == approx(
        [expected.statistic, expected.pvalue, expected.df, low, high]
    )


def test_several_are_corrected_and_a_baseline_may_be_chosen(capsys: Capture) -> None:
    figures = {"a": (90, 100), "b": (80, 100), "c": (70, 100)}
    found = cranfield.compare_published(figures)
    p = sorted(row.p for row in found.rows)
    assert sorted(row.adjusted_p for row in found.rows) == approx(
        [3 * p[0], max(3 * p[0], 2 * p[1]), max(2 * p[1], p[2])]
    )
    chosen = cranfield.compare_published(figures, "b")
    assert [(row.system, row.baseline) for row in chosen.rows] == [("a", "b"), ("c", "b")]
    given = [part for name, (k, n) in figures.items() for part in ("--published", f"{name}={k}/{n}")]
    assert main(["compare", *given, "-b", "b", "-f", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["comparisons"]) == 2
    assert main(["compare", *given]) == 0
    assert "compared as independent samples" in capsys.readouterr().out


def test_no_difference_at_all() -> None:
    (row,) = cranfield.compare_published({"a": (5, 5), "b": (7, 7)}).rows
    assert (row.statistic, row.p, row.exact_p, row.significant) == (0, 1, 1, False)


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        (["a=5/4", "b=1/2"], "5 of 4 is not a proportion"),
        (["a=1/2"], "at least two systems"),
        (["a=1/2", "a=1/3"], "distinct names"),
        (["1/2", "a=1/3"], "distinct names"),
        (["a=1/2", "b=0.3,0.1,5"], "cannot be compared with each other"),
        (["a=0.3,0.1", "b=0.3,0.1,5"], "is not a published figure"),
        (["a=0.3,0.1,1", "b=0.3,0.1,5"], "n must be an integer of at least 2"),
        (["a=0.3,-1,4", "b=0.3,0.1,5"], "standard deviation of at least 0"),
        (["a=0.3,0,4", "b=0.3,0,5"], "no variance"),
        (["a=1/0", "b=1/2"], "n must be a positive integer"),
    ],
)
def test_what_cannot_be_compared_is_refused(figures: list[str], reason: str, capsys: Capture) -> None:
    assert main(["compare", *(part for figure in figures for part in ("--published", figure))]) != 0
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("mean", [("0.3", 0.1, 5), (0.3, None, 5), (math.inf, 0.1, 5), (0.3, math.nan, 5)])
def test_a_mean_of_something_else_than_numbers_is_refused(mean: tuple[object, ...]) -> None:
    with pytest.raises(BadSetting, match="a: a mean needs a finite value and a standard deviation of at least 0"):
        cranfield.compare_published({"a": mean, "b": (0.3, 0.1, 5)})  # type: ignore[dict-item]


def test_settings_that_need_values_are_refused(capsys: Capture) -> None:
    assert main(["compare", "--published", "a=1/2", "--published", "b=1/3", "-t", "wilcoxon"]) != 0
    assert "--test does not apply to published figures" in capsys.readouterr().err
    with pytest.raises(BadSetting, match="there is no system 'x'"):
        cranfield.compare_published({"a": (1, 2), "b": (1, 3)}, "x")


@pytest.mark.parametrize("alternative", NAMES)
def test_the_steps_of_proportions(alternative: str, capsys: Capture) -> None:
    given = ["compare", "--published", "new=17/20", "--published", "old=75/100", "--alternative", alternative]
    assert main([*given, "--steps"]) == 0
    out = capsys.readouterr().out
    error = math.sqrt(92 / 120 * 28 / 120 * (1 / 20 + 1 / 100))
    critical = stats.norm.isf(0.025 if alternative == "two-sided" else 0.05)
    region = {"two-sided": "(-1.96, 1.96)", "greater": "(-∞, 1.645)", "less": "(-1.645, ∞)"}[alternative]
    assert "pooled proportion: (17 + 75) / (20 + 100) = 0.7667" in out
    assert f"standard error: sqrt(0.7667 × 0.2333 × (1 / 20 + 1 / 100)) = {error:.4g}" in out
    assert f"statistic: z = 0.1 / {error:.4g} = {0.1 / error:.4g}\n" in out
    assert f"H0 is not rejected if z is in {region}" in out
    row = row_of(capsys, "new=17/20", "old=75/100", more=("--steps", "--alternative", alternative))
    assert [row[name] for name in ("pooled", "error", "critical")] == approx([92 / 120, error, critical])


def test_one_degree_of_freedom_is_singular(capsys: Capture) -> None:
    assert main(["compare", "--published", "new=0.5,0.1,2", "--published", "old=0.3,0,2", "--steps"]) == 0
    assert " with 1 degree of freedom\n" in capsys.readouterr().out


def test_the_steps_of_means(capsys: Capture) -> None:
    given = ["compare", "--published", "new_2=0.34,0.21,50", "--published", "old=0.31,0.2,40", "--steps"]
    assert main([*given, "-f", "latex"]) == 0
    out = capsys.readouterr().out
    test = stats.ttest_ind_from_stats(0.34, 0.21, 50, 0.31, 0.2, 40, equal_var=False)
    freedom = (0.21**2 / 50 + 0.2**2 / 40) ** 2 / ((0.21**2 / 50) ** 2 / 49 + (0.2**2 / 40) ** 2 / 39)
    error = math.hypot(0.21 / math.sqrt(50), 0.2 / math.sqrt(40))
    assert r"means: new\_2 and old}" in out
    assert rf"standard error: sqrt(0.21² / 50 + 0.2² / 40) = {error:.4g}\par" in out
    assert rf"= {test.statistic:.4g} with {freedom:.4g} degrees of freedom\par" in out
    critical = stats.t.isf(0.025, freedom)
    region = f"(-{critical:.4g}, {critical:.4g})"
    assert rf"critical value: ±{critical:.4g}; H0 is not rejected if t is in {region}\par" in out
    assert "H0 is not rejected" in out


def test_steps_without_variance_or_of_several_pairs(capsys: Capture) -> None:
    assert main(["compare", "--published", "a=5/5", "--published", "b=7/7", "--published", "c=1/4", "--steps"]) == 0
    out = capsys.readouterr().out
    assert "statistic: z = 0, since all outcomes are the same" in out
    assert "critical value: ±1.96 (not adjusted for multiple comparisons); H0" in out


@pytest.mark.parametrize("command", ["compare", "report"])
def test_published_figures_and_areas_are_not_combined(command: str, capsys: Capture) -> None:
    figures = ["--published", "a=1/2", "--published", "b=1/3", "--areas", "a=x.csv", "--areas", "b=y.csv"]
    assert main([command, *figures, "-o", "never.html"]) == 2
    assert "give either --published or --areas" in capsys.readouterr().err


def test_areas_need_names(capsys: Capture) -> None:
    assert main(["compare", "--areas", "clinic.csv", "--areas", "new=trial.csv"]) == 2
    assert "systems need distinct names, as in new=clinic.csv" in capsys.readouterr().err
