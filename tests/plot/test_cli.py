"""`cranfield plot` draws into a file, or on the terminal."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.files import FILES, written
from cranfield.cli.main import main
from cranfield.cli.plot import _subject, kinds
from cranfield.present.plots.theme import COLOURS
from plot.gallery import ACTUAL, SCORES

Golden = Callable[[str, str], None]
Capture = pytest.CaptureFixture[str]

RUNS = ["qrels.txt", "good.run", "poor.run"]
TABLE = ["predictions.csv", "--actual", "label"]
RATERS = {"ann.qrels": "q 0 d1 1\nq 0 d2 0\nq 0 d3 1\n", "bob.qrels": "q 0 d1 1\nq 0 d2 0\nq 0 d3 0\n"}


@pytest.fixture(autouse=True)
def at_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with runs, predictions and judges."""
    rows = [
        f"{int(yes)},{score},{score**2:.4f},{int(score > 0.5)},{place % 2}"
        for place, (yes, score) in enumerate(zip(ACTUAL, SCORES, strict=True))
    ]
    (tmp_path / "predictions.csv").write_text("\n".join(["label,one,other,answer,fold", *rows]) + "\n")
    (tmp_path / "costs.csv").write_text("system,USD\ngood,2.5\npoor,0.1\n")
    monkeypatch.chdir(written(tmp_path, FILES | RATERS))
    return tmp_path


def arguments(kind: str) -> list[str]:
    """A command that draws this kind."""
    if kind == "kappas":
        return ["plot", kind, *RATERS]
    if kind == "cost-quality":
        return ["plot", kind, *RUNS, "--system-info", "costs.csv", "--quiet"]
    if _subject(kind) in ("rankings", "Result"):
        return ["plot", kind, *RUNS, "--quiet"]
    answers = ["--predicted", "answer"] if kind == "confusion" else ["--score", "one"]
    if _subject(kind) == "Regression":
        answers = ["--predicted", "one", *(["--standard-deviation", "other"] if kind in ("pit", "quantiles") else [])]
    return ["plot", kind, *TABLE, *answers, *(["--by", "fold"] if kind == "averaged-roc" else [])]


@pytest.mark.parametrize("kind", kinds())
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
        (["roc", *RUNS], "roc needs a table of predictions; give the true labels with --actual"),
        (["strips", *TABLE, "--score", "one"], "strips needs judgments and runs; --actual does not apply"),
        (["systems", "qrels.txt"], "systems needs judgments and runs: cranfield plot systems QRELS RUN…"),
        (["systems", *RUNS, "--query", "q1"], "systems has no --query"),
        (["roc", *TABLE], "give the columns to plot with --predicted, --score or --probability"),
        (["systems", *RUNS, "-o", "x.gif"], "x.gif: the file name must end in one of .svg, .png"),
        (["precision-recall", *RUNS, "--points", "five"], "'five' is not a list of numbers such as 5,10,20"),
        (["pie", *RUNS], "'pie' is not one of 'averaged-roc', 'buildup'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(given: list[str], said: str, capsys: Capture) -> None:
    assert main(["plot", *given]) == 2
    assert said in capsys.readouterr().err


def test_without_the_extra_the_command_says_what_to_install(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    assert main(["plot", "systems", *RUNS, "-o", "systems.svg", "--quiet"]) == 1
    assert capsys.readouterr().err == "cranfield: plots need Altair: pip install 'cranfield[plots]'\n"
