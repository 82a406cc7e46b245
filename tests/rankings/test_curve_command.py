"""`cranfield curve` gives the points of precision against recall."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[2] / "examples"
GIVEN = [str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run")]


def printed(capsys: Capture, *arguments: str) -> str:
    assert main(["curve", *GIVEN, *arguments]) == 0
    return capsys.readouterr().out


def test_eleven_levels_of_recall_for_each_run_unless_told_otherwise(capsys: Capture) -> None:
    lines = printed(capsys).splitlines()
    assert lines[0].split() == ["system", "recall", "precision"]
    assert [line.split()[0] for line in lines[2:]] == ["bm25"] * 11 + ["dense"] * 11


def test_cutoffs_give_both_means(capsys: Capture) -> None:
    points = json.loads(printed(capsys, "--form", "cutoffs", "--points", "5,10", "-f", "json"))["points"]
    assert [(point["system"], point["rank"]) for point in points] == [
        ("bm25", 5),
        ("bm25", 10),
        ("dense", 5),
        ("dense", 10),
    ]
    assert points[0]["precision"] == pytest.approx(0.6)


def test_every_rank_is_a_point_of_its_query(capsys: Capture) -> None:
    lines = printed(capsys, "--form", "ranks", "--points", "2", "-f", "csv").splitlines()
    assert lines[0] == "system,query,rank,recall,precision"
    assert len(lines) == 1 + 2 * 8 * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--points", "0.5,two"], "not a list of numbers"),
        (["--points", "2"], "levels of recall from 0 to 1"),
        (["--form", "cutoffs", "--points", "2.5"], "positive integers"),
        (["--form", "sideways"], "sideways"),
        (["--form", "cutoffs", "--points", "1e30"], "positive integers"),
        (["--rel", "nan"], "rel must be a grade"),
    ],
)
def test_points_that_make_no_sense_are_refused(arguments: list[str], said: str, capsys: Capture) -> None:
    assert main(["curve", *GIVEN, *arguments]) == 2
    assert said in capsys.readouterr().err


def test_what_is_undefined_is_null_and_its_column_stays(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "qrels").write_text("q 0 d 0\n")
    (tmp_path / "run").write_text("q Q0 d 1 1 t\n")
    given = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert main(["curve", *given, "-f", "json"]) == 0
    assert {point["precision"] for point in json.loads(capsys.readouterr().out)["points"]} == {None}
    assert main(["curve", *given]) == 0
    assert capsys.readouterr().out.split()[:3] == ["system", "recall", "precision"]


def test_a_run_without_a_judged_query_has_no_curve(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "run").write_text("elsewhere Q0 d 1 1 t\n")
    assert main(["curve", GIVEN[0], str(tmp_path / "run")]) == 1
    assert "no query of the run has judgments" in capsys.readouterr().err


def test_what_may_mislead_is_said_of_curves_too(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "run").write_text("\n".join(Path(GIVEN[1]).read_text().splitlines()[:1]))
    assert main(["curve", GIVEN[0], str(tmp_path / "run")]) == 0
    assert "missing from the run" in capsys.readouterr().err
