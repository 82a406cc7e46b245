"""`compare --steps` for every test, and `agree --steps` for weighted kappa: the figures behind each statistic."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]
approx = pytest.approx

READINGS = [8, 8, 9, 10, 12, 16]  # compared with 9
ONE, OTHER = [3, 5, 1, 9, 4, 14, 2, 7], [1, 9, 2, 2, 7, 5, 8, 12]  # differences 2, -4, -1, 7, -3, 9, -6, -5
HALVES = [(0.71, 0.62), (0.66, 0.69), (0.7, 0.6), (0.64, 0.61), (0.75, 0.62), (0.7, 0.68), (0.69, 0.61), (0.65, 0.66),
          (0.73, 0.6), (0.68, 0.63)]  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("readings.csv", {"x": READINGS}, "fold")
    write("two.csv", {"one": ONE, "other": OTHER}, "query")
    write("right.csv", {"one": [1] * 9 + [0] * 3 + [1] * 4, "other": [0] * 8 + [1, 1, 0, 0] + [1] * 4}, "item")
    write("halves.csv", {"a": [a for a, _ in HALVES], "b": [b for _, b in HALVES]}, "fold")
    write("three.csv", {"a": [1, 2, 3, 6], "b": [2, 4, 3, 7], "c": [5, 1, 9, 8]}, "query")


def write(path: str, columns: dict[str, list[float]], unit: str) -> None:
    rows = zip(itertools.count(1), *columns.values(), strict=False)
    Path(path).write_text("\n".join([",".join([unit, *columns]), *(",".join(map(str, row)) for row in rows)]) + "\n")


def worked(capsys: Capture, *arguments: str) -> dict[str, str]:
    assert main(["compare", "--values", *arguments, "--steps", "-f", "csv", "--quiet"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    return row


def words(capsys: Capture, *arguments: str) -> str:
    assert main(["compare", "--values", *arguments, "--steps", "--quiet"]) == 0
    return capsys.readouterr().out


def numbers(row: dict[str, str], *names: str) -> list[float]:
    return [float(row[name]) for name in names]


def test_wilcoxon_ranks_absolute_differences(capsys: Capture) -> None:
    row = worked(capsys, "two.csv", "-t", "wilcoxon")
    signed = {2: 2, -4: -4, -1: -1, 7: 7, -3: -3, 9: 8, -6: -6, -5: -5}  # ranks by hand
    positive = sum(rank for rank in signed.values() if rank > 0)
    assert numbers(row, "nonzero", "positive_ranks", "negative_ranks", "expected") == [8, positive, 36 - positive, 18]
    assert float(row["statistic"]) == min(positive, 36 - positive) == 17
    sums = [
        sum(r for r, own in zip(range(1, 9), signs, strict=True) if own)
        for signs in itertools.product((0, 1), repeat=8)
    ]
    assert float(row["p"]) == approx(2 * sum(total <= 17 for total in sums) / 2**8)
    critical = max(w for w in range(36) if 2 * sum(total <= w for total in sums) / 2**8 < 0.05)
    assert float(row["critical"]) == critical == 3
    assert row["region"] == "H0 is rejected if W is 3 or less"
    out = words(capsys, "two.csv", "-t", "wilcoxon")
    assert "Signed ranks: value, one and other" in out
    assert "W+, the sum of the ranks of positive differences: 17; W-, of negative ones: 19" in out
    assert main(["compare", "--values", "two.csv", "-t", "wilcoxon", "--steps", "-f", "json"]) == 0
    ranks = json.loads(capsys.readouterr().out)["ranks"]
    assert [row["signed_rank"] for row in ranks] == [*signed.values()]


@pytest.mark.parametrize(("alternative", "bound"), [("greater", "31 or more"), ("less", "5 or less")])
def test_wilcoxon_has_one_bound_for_one_side(alternative: str, bound: str, capsys: Capture) -> None:
    assert worked(capsys, "two.csv", "-t", "wilcoxon", "--alternative", alternative)["region"].endswith(bound)


def test_wilcoxon_with_ties_and_zeros_has_no_table_of_critical_values(capsys: Capture) -> None:
    row = worked(capsys, "readings.csv", "-b", "9", "-t", "wilcoxon")  # differences -1 -1 0 1 3 7
    assert numbers(row, "nonzero", "positive_ranks", "negative_ranks") == [5, 2 + 4 + 5, 4]
    assert "critical" not in row
    lines = words(capsys, "readings.csv", "-b", "9", "-t", "wilcoxon").splitlines()
    assert [line.split() for line in lines if line.startswith(("3  ", "4  "))] == [
        ["3", "9.0000", "9.0000", "0.0000", "–", "–"], ["4", "10.0000", "9.0000", "1.0000", "2.0", "2.0"],
    ]  # fmt: skip


def test_too_few_differences_for_any_rank_sum(capsys: Capture) -> None:
    write("few.csv", {"a": [1, 3, 6], "b": [0, 1, 2]}, "query")
    assert "no W of 3 nonzero differences is significant" in words(capsys, "few.csv", "-t", "wilcoxon")


def test_the_sign_test_counts_positive_differences(capsys: Capture) -> None:
    row = worked(capsys, "two.csv", "-t", "sign")
    assert numbers(row, "nonzero", "losses", "expected", "statistic") == [8, 5, 4, 3]
    tail = sum(math.comb(8, k) for k in range(4)) / 2**8
    assert float(row["p"]) == approx(2 * tail)
    rejected = [k for k in range(9) if 2 * min(1, sum(math.comb(8, j) for j in range(k + 1)) / 2**8) < 0.05]
    assert rejected == [0]
    assert row["region"] == "H0 is rejected if 8 or more, or 0 or fewer of 8 nonzero differences are positive"


def test_randomisation_counts_arrangements(capsys: Capture) -> None:
    row = worked(capsys, "two.csv", "-t", "randomisation")
    apart = [a - b for a, b in zip(ONE, OTHER, strict=True)]
    sums = [
        abs(sum(s * d for s, d in zip(signs, apart, strict=True))) for signs in itertools.product((1, -1), repeat=8)
    ]
    extreme = sum(total >= abs(sum(apart)) for total in sums)
    assert numbers(row, "arrangements", "extreme") == [256, extreme]
    assert float(row["p"]) == extreme / 256
    line = f"at least as extreme as the data: {extreme} of 256 arrangements; p = {extreme} / 256"
    assert line in words(capsys, "two.csv", "-t", "randomisation")


@pytest.mark.parametrize("test", ["bootstrap", "randomised tukey"])
def test_random_draws_count_the_data_as_one_more(test: str, capsys: Capture) -> None:
    row = worked(capsys, "two.csv", "-t", test, "--resamples", "500")
    extreme = float(row["extreme"])
    assert float(row["p"]) == approx((extreme + 1) / 501)
    assert f"p = ({extreme:g} + 1) / (500 + 1), counting the data" in words(
        capsys, "two.csv", "-t", test, "--resamples", "500"
    )
    if test == "bootstrap":
        apart = np.subtract(ONE, OTHER)
        assert numbers(row, "deviation", "error") == approx([apart.std(ddof=1), apart.std(ddof=1) / 8**0.5])


def test_equivalence_has_a_t_for_each_margin(capsys: Capture) -> None:
    row = worked(capsys, "readings.csv", "-b", "9", "-t", "tost", "--margin", "5")
    error = 3.082207001484488 / math.sqrt(6)
    assert numbers(row, "above_lower", "below_upper") == approx([(1.5 + 5) / error, (1.5 - 5) / error])
    assert float(row["critical"]) == approx(-2.015048372669157)  # t of 5 degrees of freedom at 0.05
    assert "H0 is rejected if t is below -2.015" in words(
        capsys, "readings.csv", "-b", "9", "-t", "tost", "--margin", "5"
    )


@pytest.mark.parametrize(("variant", "region"), [
    ("exact", "H0 is rejected if 9 or more, or 1 or fewer of 10 nonzero differences are positive"),
    ("chi-square", "H0 is rejected if chi-square is above 3.841"),
])  # fmt: skip
def test_mcnemar_has_its_four_cells(variant: str, region: str, capsys: Capture) -> None:
    row = worked(capsys, "right.csv", "-t", "mcnemar", "--variant", variant)
    assert numbers(row, "only_first", "only_second", "both_right", "both_wrong") == [8, 1, 5, 2]
    assert row["region"] == region.replace("9 or more", "8 or more").replace("of 10", "of 9")


def test_the_mid_p_of_mcnemar_has_no_critical_value(capsys: Capture) -> None:
    row = worked(capsys, "right.csv", "-t", "mcnemar", "--variant", "mid-p")
    assert numbers(row, "only_first", "only_second") == [8, 1]
    assert "region" not in row


def test_five_by_two_has_its_variances(capsys: Capture) -> None:
    apart = [Fraction(str(a)) - Fraction(str(b)) for a, b in HALVES]
    splits = list(zip(apart[::2], apart[1::2], strict=True))
    within = sum((d - sum(split) / 2) ** 2 for split in splits for d in split) / 5
    row = worked(capsys, "halves.csv", "-t", "5x2cv", "--variant", "F")
    assert numbers(row, "mean_square", "variance_within") == approx(
        [float(sum(d * d for d in apart) / 10), float(within)]
    )
    assert float(row["critical"]) == approx(4.735, abs=5e-4)  # F of 10 and 5 degrees of freedom, from tables
    row = worked(capsys, "halves.csv", "-t", "5x2cv", "--variant", "t")
    assert numbers(row, "first_difference", "error") == approx([float(apart[0]), math.sqrt(within)])
    assert row["region"] == "H0 is rejected if t is above 2.571 or below its negative"


def test_simultaneous_tests_have_critical_differences(capsys: Capture) -> None:
    assert main(["compare", "--values", "three.csv", "-t", "nemenyi", "--steps", "-f", "csv", "--quiet"]) == 0
    first, *_ = csv.DictReader(io.StringIO(capsys.readouterr().out))
    ranks = {"a": [3, 2, 2.5, 3], "b": [2, 1, 2.5, 2]}  # 1 for the best
    error = math.sqrt(3 * 4 / (12 * 4))
    assert numbers(first, "mean_rank", "baseline_mean_rank", "error") == approx(
        [*(sum(own) / 4 for own in ranks.values()), error]
    )
    assert float(first["critical"]) == approx(3.314, abs=5e-4)  # studentised range of 3 groups, from tables
    assert float(first["critical_difference"]) == approx(float(first["critical"]) * error)
    out = words(capsys, "three.csv", "-t", "tukey")
    assert "H0 is rejected if q is above 4.339 or below its negative" in out  # 3 groups, 6 degrees of freedom
    assert "not adjusted for multiple comparisons" not in out


def test_pairs_that_are_not_tested_have_empty_cells(capsys: Capture) -> None:
    write("same.csv", {"a": [1, 2, 3], "b": [2, 3, 4], "c": [1, 5, 2]}, "query")
    assert main(["compare", "--values", "same.csv", "-t", "bootstrap", "--steps", "-f", "csv", "--quiet"]) == 0
    rows = {(row["system"], row["baseline"]): row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert rows["a", "b"]["extreme"] == ""
    assert rows["a", "c"]["extreme"] != ""


def test_the_working_survives_a_file(tmp_path: Path) -> None:
    found = cranfield.compare({"one": ONE, "other": OTHER}, test="wilcoxon")
    found.save(tmp_path / "saved.cranfield")
    again = cranfield.load(tmp_path / "saved.cranfield")
    assert again.working(again.rows[0]) == found.working(found.rows[0])


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_shows_its_weights(weights: str, capsys: Capture) -> None:
    pairs = [(1, 1), (1, 2), (2, 3), (3, 3), (4, 1), (2, 2), (4, 4), (3, 4)]
    write("judges.csv", {"ann": [a for a, _ in pairs], "bob": [b for _, b in pairs]}, "item")
    given = ["agree", "judges.csv", "-m", f"Kappa(weights={weights!r})", "--steps", "--resamples", "0"]
    assert main([*given, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    values = {(row["quantity"], row["category"], row["other"]): row["value"] for row in found["steps"]}
    power = {"linear": 1, "quadratic": 2}[weights]

    def weight(a: int, b: int) -> float:
        return 1 - (abs(a - b) / 3) ** power

    observed = sum(weight(a, b) for a, b in pairs) / 8
    expected = sum(weight(a, b) for a, _ in pairs for _, b in pairs) / 64
    assert [values[name, None, None] for name in ("P(A)", "P(E)", "kappa")] == approx(
        [observed, expected, (observed - expected) / (1 - expected)]
    )
    assert [values["weight", "1", c] for c in "1234"] == approx([weight(1, c) for c in range(1, 5)])
    assert found["agreement"][0]["value"] == approx(values["kappa", None, None])
    assert main(given) == 0
    assert f"P(A) = (1 × 4 + {weight(1, 2):.4g} × 3" in capsys.readouterr().out


@pytest.mark.parametrize(("kind", "written"), [
    ("table", "\nH1: it is not 9\nlevel: 0.05\n"),
    ("markdown", "\n\nH1: it is not 9\n\nlevel: 0.05\n\n"),  # paragraphs of their own
    ("latex", "H0: the mean of bm\\_25 is 9 in value over queries like these 6\\par\nH1: it is not 9\\par\n"),
    ("html", "<p>H1: it is not 9</p>\n<p>level: 0.05</p>\n"),
])  # fmt: skip
def test_the_working_is_written_in_the_format_of_the_tables(kind: str, written: str, capsys: Capture) -> None:
    write("named.csv", {"bm_25": READINGS}, "query")
    assert main(["compare", "--values", "named.csv", "-b", "9", "--steps", "-f", kind]) == 0
    out = capsys.readouterr().out
    assert written in out
    assert out.count("t = 1.192 with 5 degrees of freedom") == 1


def test_a_page_of_findings_comes_after_the_working(capsys: Capture) -> None:
    out = words(capsys, "readings.csv", "-b", "9", "--findings")
    assert out.index("\ndecision: ") < out.index("\nFindings\n")
