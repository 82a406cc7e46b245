"""`cranfield plot` draws into a file, or on the terminal."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from cli.files import FILES, written
from cranfield import plot
from cranfield.cli.main import main
from cranfield.cli.plot import OF_RANKINGS, OF_RESULTS, OF_VALUES, Kind
from cranfield.present.plots.theme import COLOURS
from plots.gallery import ACTUAL, SCORES

Golden = Callable[[str, str], None]
Capture = pytest.CaptureFixture[str]

RUNS = ["qrels.txt", "good.run", "poor.run"]
TABLE = ["predictions.csv", "--actual", "label"]
RATERS = {"ann.qrels": "q 0 d1 1\nq 0 d2 0\nq 0 d3 1\n", "bob.qrels": "q 0 d1 1\nq 0 d2 0\nq 0 d3 0\n"}


@pytest.fixture(autouse=True)
def at_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with runs, predictions and judges."""
    rows = [f"{int(yes)},{score},{score**2:.4f},{int(score > 0.5)}" for yes, score in zip(ACTUAL, SCORES, strict=True)]
    (tmp_path / "predictions.csv").write_text("\n".join(["label,one,other,answer", *rows]) + "\n")
    monkeypatch.chdir(written(tmp_path, FILES | RATERS))
    return tmp_path


def arguments(kind: str) -> list[str]:
    """A command that draws this kind."""
    if kind == "kappas":
        return ["plot", kind, *RATERS]
    if kind in OF_RANKINGS + OF_RESULTS:
        return ["plot", kind, *RUNS, "--quiet"]
    answers = ["--predicted", "answer"] if kind == "confusion" else ["--score", "one"]
    if kind in OF_VALUES:
        answers = ["--predicted", "one"]
    return ["plot", kind, *TABLE, *answers]


def test_every_plot_of_the_library_can_be_asked_for() -> None:
    assert {kind.replace("-", "_") for kind in get_args(Kind)} == set(plot.__all__) - {"Plot"}


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_is_drawn_on_the_terminal_and_its_data_written(kind: str, capsys: Capture) -> None:
    assert main(arguments(kind)) == 0
    assert len(capsys.readouterr().out.splitlines()) > 3
    assert main([*arguments(kind), "-o", "data.csv"]) == 0
    assert capsys.readouterr().out == ""
    assert len(list(csv.DictReader(io.StringIO(Path("data.csv").read_text())))) > 0


def test_curves_are_drawn_in_characters(capsys: Capture, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(["plot", "precision-recall", *RUNS]) == 0
    golden("cli/plot-precision-recall.txt", capsys.readouterr().out)


def test_a_pipe_is_as_wide_as_columns_says(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["plot", "precision-recall", *RUNS]) == 0
    frame = next(line for line in capsys.readouterr().out.splitlines() if "└" in line)
    assert len(frame) <= 60


def test_a_picture_is_written_in_a_theme() -> None:
    assert main(["plot", "systems", *RUNS, "-m", "AP", "-o", "systems.svg", "--theme", "dark"]) == 0
    assert COLOURS["dark"].paper in Path("systems.svg").read_text()


def test_several_scorers_are_several_columns() -> None:
    assert main(["plot", "roc", *TABLE, "--score", "one", "--score", "other", "-o", "roc.json"]) == 0
    rows = json.loads(Path("roc.json").read_text())["datasets"]["data"]
    assert {row["system"] for row in rows} == {"one", "other"}


def test_scorers_have_precision_and_recall_too(capsys: Capture) -> None:
    assert main(["plot", "precision-recall", *TABLE, "--score", "one"]) == 0
    assert "at every threshold" in capsys.readouterr().out


def test_one_query_is_drawn_after_every_rank(capsys: Capture) -> None:
    assert main(["plot", "precision-recall", *RUNS, "--form", "ranks", "--query", "q1"]) == 0
    assert "query q1, after every rank" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["roc", *RUNS], "roc is drawn of one table of predictions: say with --actual where the true labels are"),
        (["strips", *TABLE, "--score", "one"], "strips is drawn of judgments and runs, which have no --actual column"),
        (["systems", "qrels.txt"], "systems needs judgments and runs: cranfield plot systems QRELS RUN…"),
        (["systems", *RUNS, "--query", "q1"], "systems has no --query"),
        (["roc", *TABLE], "say which column has the answers, with --predicted, or the scores, with --score"),
        (["systems", *RUNS, "-o", "x.gif"], "x.gif: the name of the file must end in one of .svg, .png"),
        (["precision-recall", *RUNS, "--points", "five"], "'five' is not a list of numbers such as 5,10,20"),
        (["pie", *RUNS], "'pie' is not one of 'precision-recall', 'buildup'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(given: list[str], said: str, capsys: Capture) -> None:
    assert main(["plot", *given]) == 2
    assert said in capsys.readouterr().err


def test_without_the_extra_the_command_says_what_to_install(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    assert main(["plot", "systems", *RUNS, "-o", "systems.svg", "--quiet"]) == 1
    assert capsys.readouterr().err == "cranfield: plots need Altair: pip install 'cranfield[plots]'\n"
