"""Reports on predicted values and on raters, from Python and from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, mean_absolute_error

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadSetting

ACTUAL = [10.0, 12.5, 15.0, 18.0, 20.0, 25.0, 30.0, 40.0, 50.0, 80.0]
GUESSES = {"near": [11, 12, 15, 19, 21, 24, 30, 42, 47, 83], "fär off": [30, 10, 12, 40, 20, 5, 60, 41, 20, 60]}
GRADES = {"Ann": "00120311220" * 2, "Bob": "00120301120" * 2, "Çem": "01120321020" * 2}
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def prices(tmp_path: Path) -> str:
    rows = zip([f"p{n}" for n in range(10)], ACTUAL, *GUESSES.values(), strict=True)
    path = tmp_path / "prices.csv"
    path.write_text("item,price,near,fär off\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def ratings(tmp_path: Path) -> str:
    rows = [f"{n % 2},d{n},{','.join(grades)}\n" for n, grades in enumerate(zip(*GRADES.values(), strict=True))]
    path = tmp_path / "ratings.csv"
    path.write_text(f"topic,document,{','.join(GRADES)}\n" + "".join(rows))
    return str(path)


def test_a_report_on_predicted_values_has_the_best_first_and_both_compared() -> None:
    page = cranfield.report(cranfield.regress(ACTUAL, GUESSES, measures="MAE")).content
    assert [row[0].value for row in page.board.rows] == ["near", "fär off"]
    error = mean_absolute_error(ACTUAL, GUESSES["near"])
    assert page.lead[0].startswith(f"near has the best MAE of 2 systems ({error:.5g})")
    assert "of 2 differences in squared and absolute errors" in page.lead[1]
    assert [figure.title for figure in page.figures[:3]] == [
        "Predicted against actual values: near",
        "Residuals: near",
        "Predicted against actual values: fär off",
    ]
    assert [table.title for table in page.tables] == ["Errors compared", "Residuals (predicted minus actual)"]


def test_a_report_on_one_system_compares_nothing() -> None:
    page = cranfield.report(cranfield.regress(ACTUAL, GUESSES["near"])).content
    assert len(page.lead) == 1
    assert "comparisons.csv" not in [file.name for file in page.downloads]


def test_a_report_on_raters_has_one_row_per_pair_and_topic(ratings: str) -> None:
    page = cranfield.report(cranfield.agree(ratings)).content
    pairs, topics = page.tables
    assert [row[0].value for row in pairs.rows] == ["Ann & Bob", "Ann & Çem", "Bob & Çem"]
    kappa = [column.name for column in pairs.columns].index("Kappa")
    expected = cohen_kappa_score([*GRADES["Ann"]], [*GRADES["Bob"]])
    assert pairs.rows[0][kappa].value == pytest.approx(expected)
    assert sum(int(str(row[1].value)) for row in topics.rows) == len(GRADES["Ann"])
    mean = np.mean(
        [cohen_kappa_score([*GRADES[a]], [*GRADES[b]]) for a, b in (("Ann", "Bob"), ("Ann", "Çem"), ("Bob", "Çem"))]
    )
    assert page.lead[0].startswith(f"Cohen's kappa is {mean:.2f}, 95 % CI ")
    assert [figure.title[:5] for figure in page.figures] == ["Kappa", "Kappa"]


def test_the_command_line_reports_on_both(prices: str, ratings: str, tmp_path: Path) -> None:
    page, other = tmp_path / "prices.html", tmp_path / "raters.html"
    columns = ["--actual", "price", "--predicted", "near", "--predicted", "fär off", "-m", "MAE,R2"]
    assert main(["report", "--regress", prices, *columns, "-o", str(page)]) == 0
    assert "<b>near</b> has the best MAE of 2 systems (1.25)" in page.read_text("utf-8")
    assert main(["report", "--agree", ratings, "-m", "Alpha", "--steps", "--title", "Three", "-o", str(other)]) == 0
    assert "<title>Three</title>" in other.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--regress", "--agree"], "--regress cannot be combined with --agree"),
        (["--regress", "--baseline", "a"], "--baseline does not apply to --regress"),
        (["--order", "a,b"], "--order requires --agree"),
        (["--regress"], "--regress takes one table with one row per item"),
    ],
)
def test_options_of_another_subject_are_refused(arguments: list[str], said: str, prices: str, capsys: Capture) -> None:
    assert main(["report", prices, *arguments]) == 2
    assert said in capsys.readouterr().err


def test_ratings_are_needed(capsys: Capture) -> None:
    assert main(["report", "--agree"]) == 2
    assert "--agree takes a table of ratings" in capsys.readouterr().err


def test_a_page_that_was_not_named_is_not_replaced(
    ratings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.html").write_text("mine")
    assert main(["report", "--agree", ratings, "-m", "Alpha"]) == 2
    assert "report.html exists; replace it with -o report.html" in capsys.readouterr().err
    assert (tmp_path / "report.html").read_text() == "mine"
    assert main(["report", "--agree", ratings, "-m", "Alpha", "-o", "report.html"]) == 0
    assert (tmp_path / "report.html").read_text() != "mine"


@pytest.mark.parametrize("setting", [{"query": "q"}, {"sort": "MSE"}, {"per_query": True}, {"queries": {"q": "text"}}])
def test_settings_of_rankings_are_refused_for_a_result(setting: dict[str, object]) -> None:
    with pytest.raises(BadSetting, match=f"{next(iter(setting))} requires judgments and runs"):
        cranfield.report(cranfield.regress(ACTUAL, GUESSES), **setting)  # type: ignore[arg-type]
