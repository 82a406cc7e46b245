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
    points = json.loads(printed(capsys, "--form", "cutoffs", "--points", "5,10", "-f", "json"))
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
        (["--form", "cutoffs", "--points", "2.5"], "whole numbers from 1"),
        (["--form", "sideways"], "sideways"),
    ],
)
def test_points_that_make_no_sense_are_refused(arguments: list[str], said: str, capsys: Capture) -> None:
    assert main(["curve", *GIVEN, *arguments]) == 2
    assert said in capsys.readouterr().err
