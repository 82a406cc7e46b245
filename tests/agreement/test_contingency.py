"""The contingency table of two raters, and counts by item, through every door."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput

Capture = pytest.CaptureFixture[str]
approx = pytest.approx

EXPECTED = {"Agreement": 0.6, "Kappa": 1 / 11, "Fleiss": 1 / 21, "S": 0.2, "AC1": 0.3103448275862069,
            "Alpha": 0.05952380952380952}  # fmt: skip
TABLE = {"yes": {"yes": 20, "no": 12}, "no": {"yes": 4, "no": 4}}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("named.csv").write_text("first,yes,no\nyes,20,12\nno,4,4\n")
    Path("corner.tsv").write_text("\tno\tyes\nyes\t12\t20\nno\t4\t4\n")
    Path("grades.csv").write_text(",1,0\n1,20,12\n0,4,4\n")


def values(capsys: Capture, *arguments: str) -> dict[str, float]:
    assert main(["agree", *arguments, "-f", "csv", "--per", "all", "--quiet"]) == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    return {row["measure"]: float(row["value"] or "nan") for row in rows}


@pytest.mark.parametrize("given", [["20", "12", "4", "4"], ["named.csv"], ["corner.tsv"], ["grades.csv"]], ids=" ".join)
def test_the_lecture_s_table_on_the_command_line(given: list[str], capsys: Capture) -> None:
    found = values(capsys, "--counts", *given, "--resamples", "20")
    assert {name: found[name] for name in EXPECTED} == approx(EXPECTED)
    assert ("Overlap" in found) == (given == ["grades.csv"])  # only grades are relevant or not


@pytest.mark.parametrize(("data", "counts"), [(TABLE, True), ([[20, 12], [4, 4]], "contingency")])
def test_the_same_in_python(data: Any, counts: Any) -> None:
    result = cranfield.agree(data, counts=counts, resamples=50)
    assert result["Kappa"] == approx(1 / 11)
    assert result.raters == ("first", "second")  # of the rows, of the columns


def test_counts_and_the_ratings_behind_them_have_the_same_intervals() -> None:
    rows = [(f"{n:02}", who, c) for n, pair in enumerate(["yy"] * 20 + ["yn"] * 12 + ["ny"] * 4 + ["nn"] * 4)
            for who, c in zip(("a", "b"), pair)]  # fmt: skip
    by_item, by_count = cranfield.agree(rows), cranfield.agree(TABLE, counts=True)
    one, other = by_item.row("Kappa"), by_count.row("Kappa")
    assert one.value == approx(other.value)
    assert (one.low, one.high) == approx((other.low, other.high), abs=0.03)  # other random draws
    assert not math.isnan(one.low)


def test_an_order_makes_weights_possible(capsys: Capture) -> None:
    cells = ["10", "2", "1", "3", "8", "2", "0", "1", "9"]
    found = values(capsys, "--counts", *cells, "--order", "poor,fair,good", "-m", "Kappa(weights='linear')")
    counts = [[10, 2, 1], [3, 8, 2], [0, 1, 9]]
    n, rows, columns = 36, [13, 13, 10], [13, 11, 12]
    seen = sum(counts[i][j] * abs(i - j) for i in range(3) for j in range(3)) / n
    chance = sum(rows[i] * columns[j] * abs(i - j) for i in range(3) for j in range(3)) / n**2
    assert found["Kappa(weights='linear')"] == approx(1 - seen / chance)


@pytest.mark.parametrize("lines", ["0 0 0 0 14\n0 2 6 4 2\n0 0 3 5 6\n", "1 2 3 8\n0 2 6 6\n"])
def test_a_first_line_of_counts_is_not_taken_for_the_categories(lines: str, capsys: Capture) -> None:
    Path("fleiss.txt").write_text(lines)
    assert main(["agree", "--counts", "fleiss.txt"]) != 0
    assert "it must name the categories" in capsys.readouterr().err


def test_numbers_that_are_no_square_are_refused() -> None:
    with pytest.raises(BadInput, match="3 numbers do not form a square matrix"):
        cranfield.agree(["1", "2", "3"], counts=True)


def test_categories_that_add_up_like_the_counts_are_names_beside_a_named_item(tmp_path: Path) -> None:
    """A first line of numbers alone could be counts, but not one that names the column of the items."""
    path = tmp_path / "counts.csv"
    path.write_text("item,01,1,2\nd0,0,2,2\nd1,1,2,1\n")
    found = cranfield.agree(path, "Fleiss", counts=True, resamples=0).records()["agreement"]
    assert found[0]["value"] == approx((1 / 4 - 26 / 64) / (1 - 26 / 64))
