"""`cranfield plan` says what it takes to see a difference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cli.files import at_the_files as at_the_files
from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[2] / "examples"
PILOT = [str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run")]


def printed(capsys: Capture, *arguments: str) -> str:
    assert main(["plan", *arguments, "--quiet"]) == 0
    return capsys.readouterr().out


def told(capsys: Capture, *arguments: str) -> dict[str, object]:
    (row,) = json.loads(printed(capsys, *arguments, "-f", "json"))["plan"]
    return row


def test_a_pilot_tells_how_many_queries_show_a_difference(capsys: Capture) -> None:
    out = printed(capsys, *PILOT, "-m", "AP", "--difference", "0.1")
    assert out.startswith(
        "About 35 queries (17 to 139, as the pilot is small) are needed to detect a difference of 0.1 in AP with power "
        "0.8 (you have 8). With 8 queries, differences of 0.24 or more are detected with that power.\n"
    )
    assert "AP bm25 dense 0.1000 0.2047 8 0.22 35 17 139 0.2366" in " ".join(out.split())
    assert "needed: number of queries for power 0.8" in out
    assert "low, high: 95 % interval of the number of queries needed" in out
    assert "level: 0.05, for one comparison" in out


def test_without_a_difference_the_observed_one_is_planned_for(capsys: Capture) -> None:
    row = told(capsys, *PILOT, "-m", "nDCG@10")
    assert (
        row["needed"] == told(capsys, *PILOT, "-m", "nDCG@10", "--difference", str(row["difference"]))["needed"] == 106
    )
    assert (row["power"], row["needed_low"]) == (None, None)  # an observed difference is uncertain itself
    out = printed(capsys, *PILOT, "-m", "nDCG@10")
    assert out.startswith("About 106 queries are needed to detect the observed difference of 0.04 in nDCG@10")


def test_of_many_pairs_three_are_shown(capsys: Capture) -> None:
    rng = np.random.default_rng(1)
    planned = cranfield.plan({f"s{n}": rng.random(20) for n in range(6)}, 0.1)
    assert len(planned.rows) == 15
    spread = sorted(row.deviation for row in planned.rows)
    lines = str(planned).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("---")) + 1
    assert [float(line.split()[4]) for line in lines[start : start + 3]] == pytest.approx(
        [spread[0], spread[7], spread[-1]], abs=1e-4
    )
    assert "half of the pairs need at most" in lines[0]


def test_many_comparisons_need_more_queries_each(capsys: Capture) -> None:
    asked = ("--deviation", "0.1", "--difference", "0.02")
    ten = told(capsys, *asked, "--comparisons", "10")
    assert ten["needed"] == told(capsys, *asked, "--level", "0.005")["needed"] == 337
    assert ten["level"] == 0.005
    assert "level: 0.005, 0.05 divided by 10 comparisons (Bonferroni)" in printed(capsys, *asked, "--comparisons", "10")


def test_a_deviation_that_is_known_leaves_no_uncertainty(capsys: Capture) -> None:
    row = told(capsys, "--deviation", "0.1", "--difference", "0.02")
    assert (row["needed_low"], row["needed_high"], row["deviation_low"]) == (None, None, None)


def test_a_deviation_does_instead_of_a_pilot(capsys: Capture) -> None:
    assert told(capsys, "--deviation", "0.1", "--difference", "0.02")["needed"] == 199
    assert told(capsys, "--deviation", "0.1", "--queries", "50")["smallest"] == pytest.approx(0.0404183, abs=1e-7)


def test_other_queries_than_those_of_the_pilot(capsys: Capture) -> None:
    few, many = (told(capsys, *PILOT, "-m", "AP", "--difference", "0.1", "--queries", n) for n in ("8", "35"))
    assert few["power"] < 0.8 <= many["power"]
    assert few["needed"] == many["needed"] == 35


def test_a_one_sided_test_needs_fewer_queries(capsys: Capture) -> None:
    asked = ("--deviation", "0.1", "--difference", "0.02", "--alternative", "greater")
    assert told(capsys, *asked)["needed"] == 156
    assert "paired t-test, greater" in printed(capsys, *asked)


def test_what_was_not_asked_is_not_shown(capsys: Capture) -> None:
    out = printed(capsys, "--deviation", "0.1", "--queries", "50")
    assert out.splitlines()[4].split() == ["deviation", "queries", "smallest"]


@pytest.mark.parametrize("form", ["csv", "markdown", "latex", "html"])
def test_every_format_prints(form: str, capsys: Capture) -> None:
    assert "199" in printed(capsys, "--deviation", "0.1", "--difference", "0.02", "-f", form)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "either a pilot (QRELS RUN RUN …) or --deviation"),
        ([*PILOT, "--deviation", "0.1"], 2, "either a pilot"),
        (PILOT[:2], 2, "at least two runs; got"),
        (["--deviation", "0.1"], 2, "pass the difference to detect"),
        (["--deviation", "0", "--difference", "0.1"], 2, "must be a number above 0"),
        (["--deviation", "0.1", "--difference", "0"], 2, "difference must not be 0"),
        (["--deviation", "0.1", "--difference", "nan"], 2, "must be a number, not nan"),
        (["--deviation", "0.1", "--difference", "0.1", "--power", "2"], 2, "power must be a number between 0 and 1"),
        (["--deviation", "0.1", "--difference", "0.1", "--level", "5"], 2, "level must be a number between 0 and 1"),
        (["--deviation", "0.1", "--queries", "1"], 2, "queries must be an integer of at least 2"),
        (["--deviation", "0.1", "--queries", "9", "--comparisons", "0"], 2, "comparisons must be a positive integer"),
        (
            ["--deviation", "0.1", "--queries", "9", "-b", "zzz"],
            2,
            "does not apply to a deviation, which has no systems",
        ),
        (["--deviation", "0.1", "--queries", "9", "-m", "AP"], 2, "--measure requires a pilot"),
        ([*PILOT, "--difference", "0.1", "-b", "bm52"], 1, "no system 'bm52'"),
        ([PILOT[0], PILOT[1], "good.run", "--difference", "0.1"], 1, "no query of the run"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], status: int, said: str, capsys: Capture) -> None:
    assert main(["plan", *arguments]) == status
    assert said in capsys.readouterr().err
