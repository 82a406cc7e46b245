"""`--steps` of thresholds, tests, agreement and rank correlation: the tables of the lectures, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield
from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]
approx = pytest.approx

FORMATS = ("table", "markdown", "latex", "html")
CLASSES = "PPNPPPNNPNPNPNNNPNPN"
SCORES = [.9, .8, .7, .6, .55, .54, .53, .52, .51, .505, .4, .39, .38, .37, .36, .35, .34, .33, .3, .1]  # fmt: skip
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{c},{s}" for c, s in zip(CLASSES, SCORES, strict=True)]
    Path("twenty.csv").write_text("class,score\n" + "\n".join(rows) + "\n")
    Path("people.csv").write_text("actual,a,b\na,5,2\nb,1,3\n")
    Path("sample.csv").write_text("fold,x\n" + "".join(f"{n},{v}\n" for n, v in enumerate([8, 8, 9, 10, 12, 16])))
    Path("two.csv").write_text("fold,A,B\n1,.2,.18\n2,.22,.21\n3,.18,.18\n4,.25,.22\n5,.21,.2\n")
    lines = [",".join(map(str, (f"d{place}", *row))) for place, row in enumerate(FLEISS, 1)]
    Path("fleiss.csv").write_text("item,1,2,3,4,5\n" + "\n".join(lines) + "\n")
    Path("orders.csv").write_text("name,r,s\na,1,1\nb,2,2\nc,2,3\nd,3,3\n")


def printed(capsys: Capture, *arguments: str) -> str:
    assert main([*arguments, "--quiet"]) == 0
    return capsys.readouterr().out


def rows_of(capsys: Capture, *arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(printed(capsys, *arguments, "-f", "csv"))))


SCORED = ("classify", "twenty.csv", "-a", "class", "-s", "score", "--positive", "P", "--steps")


def test_every_threshold_with_its_counts_and_rates(capsys: Capture) -> None:
    rows = rows_of(capsys, *SCORED)
    assert len(rows) == 20
    for row, cut in zip(rows, SCORES, strict=True):
        yes = [c for c, s in zip(CLASSES, SCORES, strict=True) if s >= cut]
        tp, fp = yes.count("P"), yes.count("N")
        assert [float(row[name]) for name in ("threshold", "TP", "FP", "FN", "TN")] == [cut, tp, fp, 10 - tp, 10 - fp]
        rates = [float(row[name]) for name in ("Recall", "Fallout", "Precision", "Accuracy")]
        assert rates == approx([tp / 10, fp / 10, tp / (tp + fp), (tp + 10 - fp) / 20])
    assert len(json.loads(printed(capsys, *SCORED, "-f", "json"))["steps"]) == 20


@pytest.mark.parametrize("form", FORMATS)
def test_thresholds_are_shown_in_every_format(form: str, capsys: Capture) -> None:
    out = printed(capsys, *SCORED, "-f", form)
    assert "0.505" in out
    assert "errors of type I (false alarms), FN of type II" in out


def test_labels_have_outcomes_by_class(capsys: Capture) -> None:
    rows = rows_of(capsys, "classify", "--counts", "people.csv", "--average", "macro", "--steps")
    found = [(row["class"], *(float(row[name]) for name in ("TP", "FP", "FN", "TN"))) for row in rows]
    assert found == [("a", 5, 1, 2, 3), ("b", 3, 2, 1, 5)]
    assert "Outcomes" in printed(capsys, "classify", "--counts", "people.csv", "--average", "macro", "--steps")
    cancer = cranfield.classify(counts="TP=20 FP=180 FN=10 TN=1820").steps()
    assert [(row["class"], row["threshold"], row["TP"], row["NPV"]) for row in cancer] == [
        ("positive", None, 20, approx(1820 / 1830))
    ]


def test_a_one_sample_t_test_with_its_critical_region(capsys: Capture) -> None:
    given = ("compare", "--values", "sample.csv", "-b", "9", "--steps")
    out = printed(capsys, *given)
    assert "mean difference: 10.5 - 9.0 = 1.5; standard deviation s = 3.082, standard error 1.258 (n = 6)" in out
    assert "statistic: t = 1.192 with 5 degrees of freedom" in out  # printed with 2.5 for s, which would give 1.47
    assert "critical value: ±2.571; H0 is not rejected if t is in (-2.571, 2.571)" in out
    for row in (rows_of(capsys, *given)[0], json.loads(printed(capsys, *given, "-f", "json"))["comparisons"][0]):
        figures = [float(row[name]) for name in ("deviation", "error", "freedom", "critical_low", "critical_high")]
        assert figures == approx([3.082207001484488, 1.2583057392117916, 5, -2.5705818356, 2.5705818356])
        assert float(row["statistic"]) == approx(1.1920791213585396)


@pytest.mark.parametrize(("alternative", "region"), [
    ("greater", "critical value: 2.015; H0 is not rejected if t is in (-∞, 2.015)"),
    ("less", "critical value: -2.015; H0 is not rejected if t is in (-2.015, ∞)"),
])  # fmt: skip
def test_one_sided_tests_have_one_critical_value(alternative: str, region: str, capsys: Capture) -> None:
    given = ("compare", "--values", "sample.csv", "-b", "9", "--steps")
    assert region in printed(capsys, *given, "--alternative", alternative)


def test_the_corrected_t_test_has_a_larger_standard_error(capsys: Capture) -> None:
    plain = rows_of(capsys, "compare", "--values", "two.csv", "--steps")[0]
    wider = rows_of(capsys, "compare", "--values", "two.csv", "--steps", "-t", "corrected t", "--overlap", "0.25")[0]
    assert float(plain["statistic"]) == approx(2.745625891934576)
    assert float(wider["statistic"]) == approx(1.8304172612897176)
    assert float(wider["error"]) / float(plain["error"]) == approx(np.sqrt((1 / 5 + 0.25) / (1 / 5)))
    other = rows_of(capsys, "compare", "--values", "two.csv", "--steps", "-t", "wilcoxon")[0]
    assert other["critical_high"] == ""


def quantities(rows: list[dict[str, str]], name: str) -> list[float]:
    return [float(row["value"]) for row in rows if row["quantity"] == name]


def test_kappa_with_its_contingency_table(capsys: Capture) -> None:
    rows = rows_of(capsys, "agree", "--counts", "20", "12", "4", "4", "-m", "Kappa", "--steps", "--order", "R,I")
    assert quantities(rows, "n") == [20, 12, 4, 4]
    assert quantities(rows, "P of first") == approx([0.8, 0.2])
    assert quantities(rows, "P of second") == approx([0.6, 0.4])
    assert quantities(rows, "P(c, c)") == approx([0.48, 0.08])
    assert quantities(rows, "P(A)") + quantities(rows, "P(E)") + quantities(rows, "kappa") == approx(
        [0.6, 0.56, 1 / 11]
    )
    out = printed(capsys, "agree", "--counts", "20", "12", "4", "4", "-m", "Kappa", "--steps", "--order", "R,I")
    assert "P(A) = (20 + 4) / 40 = 0.6000" in out
    assert "P(R, R) = 0.8000 × 0.6000 = 0.4800; P(I, I) = 0.2000 × 0.4000 = 0.0800" in out


def test_fleiss_with_every_item_and_category(capsys: Capture) -> None:
    rows = rows_of(capsys, "agree", "--counts", "fleiss.csv", "-m", "Fleiss", "--steps")
    assert quantities(rows, "p_j") == approx([0.14285714285714285, 0.2, 0.2785714285714286, 0.15, 0.22857142857142856])
    pairs = [sum(n * (n - 1) for n in row) / (14 * 13) for row in FLEISS]
    assert dict(
        zip([row["item"] for row in rows if row["quantity"] == "P_i"], quantities(rows, "P_i"), strict=True)
    ) == (approx({f"d{place}": value for place, value in enumerate(pairs, 1)}))
    assert quantities(rows, "P(A)") + quantities(rows, "P(E)") == approx([0.378021978021978, 0.21275510204081632])
    assert quantities(rows, "kappa") == approx([0.20993070442195524])  # printed 0.22, from rounded terms


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", [
    ("agree", "--counts", "20", "12", "4", "4", "--resamples", "0"),
    ("agree", "--counts", "fleiss.csv", "--resamples", "0"),
    ("correlate", "--orders", "orders.csv"),
], ids=["kappa", "Fleiss", "Kendall"])  # fmt: skip
def test_steps_come_first_in_every_format(command: tuple[str, ...], form: str, capsys: Capture) -> None:
    plain, worked = printed(capsys, *command, "-f", form), printed(capsys, *command, "--steps", "-f", form)
    assert worked.endswith(plain.partition("\n\n")[2])  # the answer opens both
    assert len(worked) > len(plain)


def test_kendall_counts_ties_apart(capsys: Capture) -> None:
    given = ("correlate", "--orders", "orders.csv", "--coefficient", "tau-b", "--steps")
    (row,) = rows_of(capsys, *given)
    assert [int(row[name]) for name in ("pairs", "concordant", "discordant", "tied_in_first", "tied_in_second")] == [
        6, 4, 0, 1, 1,
    ]  # fmt: skip
    found = json.loads(printed(capsys, *given, "-f", "json"))
    assert found["correlations"][0]["value"] == approx(4 / 5)  # the lecture's rule, ties as discordant, would give 1/3


def test_cross_validation_lists_what_was_learnt_from() -> None:
    learners: Any = {"mean": (lambda _, y: y.mean(), lambda model, x: [model] * len(x))}
    folds = cranfield.k_fold(7, 3, seed=2)
    found = cranfield.cross_validate(learners, range(7), np.arange(7.0), iter(folds), "MAE")
    for row, split, value in zip(found.steps(), folds, found.values[0], strict=True):
        assert (row["train"], row["test"], row["mean"]) == (split.train.tolist(), split.test.tolist(), value)
        assert sorted(row["train"] + row["test"]) == list(range(7))
    assert found.records(steps=True)["steps"] == found.steps()
    assert "Training and test sets" in found.shown(steps=True)
    assert "Training and test sets" not in str(found)


@pytest.mark.parametrize(
    ("n", "proportion", "n_test"), [(10, 0.2, 2), (7, 0.5, 4), (3, 0.01, 1), (3, 0.99, 2), (2, 0.5, 1)]
)
def test_a_holdout_set_has_its_size(n: int, proportion: float, n_test: int) -> None:
    split = cranfield.holdout(n, proportion, seed=3)
    assert len(split.test) == n_test
    assert sorted([*split.train, *split.test]) == list(range(n))
    assert (cranfield.holdout(n, proportion, seed=3).test == split.test).all()


def test_a_stratified_holdout_set_has_the_proportions_of_its_strata() -> None:
    strata = ["é"] * 50 + ["b"] * 30 + ["c"] * 20
    split = cranfield.holdout(100, 0.2, stratify=strata)
    assert [[strata[place] for place in split.test].count(name) for name in "ébc"] == [10, 6, 4]
    assert len({tuple(cranfield.holdout(100, 0.2, seed=seed).test) for seed in range(5)}) == 5
    for wrong in (0, 1, 1.5, -0.5, "a", True):
        with pytest.raises(cranfield.errors.BadSetting, match="between 0 and 1"):
            cranfield.holdout(10, wrong)  # type: ignore[arg-type]


def test_two_raters_have_one_row_for_items_with_the_same_ratings(capsys: Capture) -> None:
    out = printed(capsys, "agree", "--counts", "20", "12", "4", "4", "--order", "R,I", "-m", "Fleiss", "--steps")
    lines = [line.split() for line in out.splitlines()]
    assert lines[6:9] == [
        ["20", "items", "2", "0", "1.0000"], ["16", "items", "1", "1", "0.0000"], ["4", "items", "0", "2", "1.0000"],
    ]  # fmt: skip
    assert ["all", "56", "24", "–"] in lines  # 32 + 24 and 8 + 16 of 80
    assert ["p_j", "0.7000", "0.3000", "–"] in lines
    assert "P(E) = sum of p_j squared = 0.5800" in out


def test_fleiss_has_the_total_of_each_category(capsys: Capture) -> None:
    out = printed(capsys, "agree", "--counts", "fleiss.csv", "-m", "Fleiss", "--steps")
    assert ["all", "20", "28", "39", "21", "32", "–"] in [line.split() for line in out.splitlines()]
    assert "proportion of all 140 ratings" in out


@pytest.mark.parametrize("rows", ["actual", "predicted"])
def test_the_cells_of_two_classes_are_named(rows: str, capsys: Capture) -> None:
    out = printed(capsys, "classify", "--counts", "TP=20", "FP=180", "FN=10", "TN=1820", "--rows", rows, "--all")
    assert "TP = 20, FP = 180 (type I errors), FN = 10 (type II errors), TN = 1820" in out


def test_a_comparison_has_the_steps_of_one_test_or_of_all() -> None:
    comparison = cranfield.compare({"a": [1, 2, 4, 3], "b": [2, 2, 5, 1], "c": [0, 1, 2, 4]})
    assert comparison.steps().split("\n\n") == [comparison.steps(row) for row in comparison.rows]
    published = cranfield.compare_published({"a": (17, 20), "b": (15, 20), "c": (12, 20)})
    assert published.steps().split("\n\n") == [published.steps(row) for row in published.rows]
