"""`cranfield compare` says how far apart runs are, and whether that could be chance."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

import cranfield
from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[2] / "examples"
GIVEN = [str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run")]


def printed(capsys: Capture, *arguments: str) -> str:
    assert main(["compare", *GIVEN, *arguments, "--quiet"]) == 0
    return capsys.readouterr().out


def test_means_come_with_intervals_and_differences_with_p_values(capsys: Capture) -> None:
    out = printed(capsys, "-m", "AP", "-m", "Success@1", "--all")
    assert "Means" in out
    assert "AP bm25 dense -0.0296 -0.2008 0.1415 0.6944 0.6944 -0.14 4 0 4" in " ".join(out.split())
    assert "wilson" in out
    assert "adjusted p: Holm over 1 comparison within each measure" in out


@pytest.mark.parametrize(
    ("arguments", "answer", "rows"),
    [
        (
            ["-b", "bm25"],
            "hybrid is significantly better than bm25 in nDCG@10 (+0.18, p = 0.0021); dense is not (+0.04, p = 0.46).",
            [
                "bm25 0.6156",
                "hybrid 0.7955 +0.1799 0.101–0.259 0.0021 * 8 of 8",
                "dense 0.6579 +0.0423 -0.086 to 0.171",
            ],
        ),
        (
            [],
            "hybrid, the best in nDCG@10, is significantly better than bm25 (+0.18, p = 0.0031) and dense (+0.14, "
            "p = 0.034).",
            ["hybrid 0.7955", "dense 0.6579 +0.1376 0.033–0.242 0.0338 * 7 of 8", "bm25 0.6156 +0.1799 0.101–0.259"],
        ),
        (
            ["-b", "hybrid"],
            "bm25 and dense are significantly worse than hybrid in nDCG@10 (-0.18, p = 0.0021; -0.14, p = 0.017).",
            ["hybrid 0.7955", "dense 0.6579 -0.1376 -0.242 to -0.033 0.0169 * 1 of 8", "bm25 0.6156 -0.1799"],
        ),
        (
            ["-b", "0.7"],
            "hybrid, bm25 and dense are not significantly different from 0.7 in nDCG@10",
            ["0.7 0.7000", "hybrid 0.7955 +0.0955", "dense 0.6579 -0.0421"],
        ),
        (
            ["-t", "tost", "--margin", "0.3"],
            "3 of 3 pairs of systems are equivalent in nDCG@10, within the margin.",
            [],
        ),
        (["--alternative", "less"], "In 2 of 3 pairs, the first system is significantly lower in nDCG@10.", []),
    ],
)
def test_the_answer_comes_first(arguments: list[str], answer: str, rows: list[str], capsys: Capture) -> None:
    hybrid = str(EXAMPLES / "hybrid.run")
    assert main(["compare", *GIVEN, hybrid, "-m", "nDCG@10", *arguments, "--quiet"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0].startswith(answer)
    assert [line.startswith(row) for line, row in zip(lines[4:7], rows)] == [True] * len(rows)


def test_of_two_systems_the_better_one_is_shown_against_the_other(capsys: Capture) -> None:
    out = printed(capsys, "-m", "AP", "-m", "RR")
    assert out.startswith(
        "dense is not significantly better than bm25 in AP (+0.03, p = 0.69). In RR, 0 of 1 difference"
    )
    assert cranfield.compare({"a": [0.1, 0.2, 0.1], "b": [0.7, 0.9, 0.6]}, lower_is_better=True).answer == (
        "a is significantly better than b in value (-0.60, p = 0.0091)."
    )


def test_the_steps_in_words(capsys: Capture) -> None:
    out = printed(capsys, "-m", "AP", "--baseline", "bm25", "--steps")
    assert "H0: dense and bm25 have the same mean in AP over queries like these 8" in out
    assert "decision: " in out


def test_json_has_everything(capsys: Capture) -> None:
    content = json.loads(printed(capsys, "-m", "AP", "-t", "randomisation", "-c", "max-T", "-f", "json"))
    assert content["comparisons"][0]["p"] == pytest.approx(0.6875)
    assert content["intervals"][0]["method"] == "bounded t"
    assert content["settings"]["correction"] == "max-T"
    assert content["settings"]["remarks"]["AP"] == "all 256 permutations"
    rounded = json.loads(printed(capsys, "-m", "AP", "-f", "json", "-d", "2"))
    assert (rounded["comparisons"][0]["p"], rounded["settings"]["level"]) == (0.69, 0.05)


def test_csv_has_a_row_a_comparison(capsys: Capture) -> None:
    lines = printed(capsys, "-m", "AP", "-m", "RR", "-f", "csv").splitlines()
    assert lines[0].startswith("measure,system,baseline,n,mean")
    assert len(lines) == 3


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "bootstrap", "tukey", "randomised tukey", "nemenyi"])
def test_every_test_prints(test: str, capsys: Capture) -> None:
    assert "dense" in printed(capsys, "-m", "AP", "-t", test)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--baseline", "bm52"], 1, "no system 'bm52'"),
        (["-t", "tost"], 2, "needs a margin above 0"),
        (["--level", "5"], 2, "significance level"),
        (["-t", "t", "--resamples", "9"], 2, "bootstrap, randomised tukey, not to the test t"),
        (["-c", "max-T"], 2, "max-T needs the test 'randomisation'"),
        (["-t", "tt"], 2, "'tt' is not one of 't', 'wilcoxon'"),
        (["-c", "hol"], 2, "'hol' is not one of 'holm'"),
        (["-t", "randomisation", "--resamples", "0"], 2, "'--resamples'"),
        (["-t", "randomisation", "--seed", "-1"], 2, "'--seed'"),
        (["--baseline", "nan"], 1, "the baseline must be a finite number, not nan"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], status: int, said: str, capsys: Capture) -> None:
    assert main(["compare", *GIVEN, "-m", "AP", *arguments]) == status
    assert said in capsys.readouterr().err


def test_one_run_is_held_against_a_number(capsys: Capture) -> None:
    assert main(["compare", *GIVEN[:2], "-m", "AP", "--baseline", "0.3", "-f", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (row["baseline"], row["baseline_mean"]) == ("0.3", pytest.approx(0.3))
    assert row["difference"] == pytest.approx(row["mean"] - 0.3)


def test_standard_input_is_read_once(capsys: Capture) -> None:
    assert main(["compare", "-", "-"]) == 2
    assert "standard input (-) can be read only once" in capsys.readouterr().err


def test_one_run_alone_is_refused(capsys: Capture) -> None:
    assert main(["compare", *GIVEN[:2], "-m", "AP"]) == 1
    assert "at least two systems" in capsys.readouterr().err


def test_the_conventions_of_eval_are_those_of_the_comparison(capsys: Capture) -> None:
    tied = [str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "hybrid.run")]
    for ties in ("best", "worst"):
        assert main(["eval", *tied, "-m", "AP", "--ties", ties, "--depth", "5", "-f", "json", "--quiet"]) == 0
        evaluated = [row["value"] for row in json.loads(capsys.readouterr().out)["results"]]
        assert main(["compare", *tied, "-m", "AP", "--ties", ties, "--depth", "5", "-f", "json", "--quiet"]) == 0
        (row,) = json.loads(capsys.readouterr().out)["comparisons"]
        assert [row["mean"], row["baseline_mean"]] == pytest.approx(evaluated)


def test_forms_of_a_test_can_be_asked_for(capsys: Capture, tmp_path: Path) -> None:
    right = tmp_path / "right.csv"
    right.write_text("item,a,b\n" + "".join(f"{n},{int(n > 3)},{int(n < 9)}\n" for n in range(12)))
    assert main(["compare", "--values", str(right), "-t", "mcnemar", "--variant", "chi-square", "--steps"]) == 0
    assert "statistic: chi-square = " in capsys.readouterr().out
    assert main(["compare", "--values", str(right), "--variant", "F"]) == 2
    assert "--variant applies to wilcoxon, mcnemar, 5x2cv, not to the test t" in capsys.readouterr().err


def test_many_systems_are_a_matrix_with_the_best_first(capsys: Capture, tmp_path: Path) -> None:
    rows = [[f"q{q}", *(round(0.1 * s + 0.01 * ((q * (s + 3)) % 5), 3) for s in range(8))] for q in range(1, 13)]
    table = "\n".join(",".join(map(str, row)) for row in [["query", *(f"s{s}" for s in range(8))], *rows])
    (tmp_path / "values.csv").write_text(table + "\n")
    asked = ["compare", "--values", str(tmp_path / "values.csv"), "--quiet"]
    assert main([*asked, "--all"]) == 0
    shown = capsys.readouterr().out
    matrix = shown.partition(": differences, paired t-test\n")[2].splitlines()
    assert [line.split()[1] for line in matrix[3:11]] == [f"s{s}" for s in range(7, -1, -1)]
    lowest = sum(row[1] for row in rows) / 12 - sum(row[8] for row in rows) / 12
    assert matrix[10].split()[2] == f"{lowest:.3f}"
    assert main([*asked, "--pairs"]) == 0
    pairs = capsys.readouterr().out
    assert "differences, paired" not in pairs
    listed = pairs.partition("paired t-test\n")[2].splitlines()[3:31]
    named = [tuple(line.split()[1:3]) for line in listed]
    assert named == list(combinations([f"s{s}" for s in range(7, -1, -1)], 2))
    assert min(float(line.split()[3]) for line in listed) > 0


def test_more_systems_than_a_matrix_can_show_are_in_tiers(capsys: Capture, tmp_path: Path) -> None:
    found = {"a": [6, 7] * 10, "b": [3, 3, 9, 9] * 5, "c": [5, 5] * 10}  # b is like both others, which differ
    found |= {f"d{s}": [(q * (s + 3)) % 4 - 10 * s for q in range(20)] for s in range(10)}
    lines = [
        ",".join(["query", *found]),
        *(",".join(map(str, [q, *row])) for q, row in enumerate(zip(*found.values()))),
    ]
    (tmp_path / "values.csv").write_text("\n".join(lines) + "\n")
    assert main(["compare", "--values", str(tmp_path / "values.csv"), "--quiet", "--all"]) == 0
    shown = capsys.readouterr().out
    rows = [line.split() for line in shown.partition("Means")[2].splitlines()[4:17]]
    assert [(row[1], row[2]) for row in rows[:4]] == [("a", "1"), ("b", "1–2"), ("c", "2"), ("d0", "3")]
    assert "differences, paired" not in shown
    assert "paired t-test, level 0.05, Holm over 78 comparisons; --pairs, or shown(pairs=True) in Python" in shown


def test_a_pair_of_a_one_sided_test_keeps_its_direction(capsys: Capture, tmp_path: Path) -> None:
    rows = "".join(f"q{q},{','.join(str(2 * s + (q * s) % 3) for s in range(5))}\n" for q in range(9))
    (tmp_path / "values.csv").write_text("query,s0,s1,s2,s3,s4\n" + rows)
    asked = ["compare", "--values", str(tmp_path / "values.csv"), "--quiet", "--pairs", "--alternative", "less"]
    assert main(asked) == 0
    first = capsys.readouterr().out.partition("paired t-test\n")[2].splitlines()[3].split()
    assert first[1:3] == ["s3", "s4"]
    assert float(first[3]) < 0


def test_means_are_sorted_by_value(capsys: Capture) -> None:
    means = printed(capsys, "-m", "AP", "--all").partition("Means")[2].splitlines()
    assert [line.split()[1] for line in means[4:6]] == ["dense", "bm25"]
