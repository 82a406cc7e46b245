"""Reports on classifiers and scorers: thresholds, and what is not a number."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cranfield.classification.classify import classify
from cranfield.classification.result import Classification
from cranfield.cli.main import main
from cranfield.present.table import Column
from cranfield.reporting.report import report
from time_limits import HANGS

ACTUAL = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
SCORE = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.2, 0.1]


def methods(given: Classification) -> str:
    """The section on methods."""
    passages = report(given).content.methods
    return " ".join(text for passage in passages for text in passage.paragraphs)


def test_the_threshold_that_the_summary_quotes_is_on_the_curve() -> None:
    content = report(classify(ACTUAL, score=SCORE, threshold=0.6)).content
    (curve,) = [figure for figure in content.figures if figure.title == "ROC curve"]
    assert "0.6" in content.lead[1]
    assert "threshold 0.6" in curve.caption
    assert curve.file is not None


def test_methods_say_where_the_threshold_was_chosen() -> None:
    chosen = methods(classify(ACTUAL * 4, score=SCORE * 4, goal="Accuracy"))
    assert "was chosen on the evaluation items" in chosen
    assert "10-fold cross-validation" in chosen
    assert "scores decide nothing" in methods(classify(ACTUAL, score=SCORE))
    given = methods(classify(ACTUAL, score=SCORE, threshold=0.6))
    assert "chosen" not in given
    assert "Scores of 0.6 and above are predicted positive" in given
    assert "threshold" not in methods(classify(ACTUAL, [1, 0] * 5))


@pytest.mark.filterwarnings("ignore")
def test_what_is_undefined_or_endless_is_said_in_words() -> None:
    made = report(classify([0] * 30 + [1] * 10, score=range(40, 0, -1), goal="Accuracy"))
    page = made.html.partition('<script type="application/json"')[0]
    assert ">null<" not in page
    assert ">inf<" not in page
    assert "above every score" in page


@pytest.mark.parametrize(
    ("p", "shown"), [(0.03, "0.0300"), (0.00004, "< 0.0001"), (0.0, "< 0.0001"), (0.0001, "0.0001")]
)
def test_a_p_value_is_never_shown_as_nothing(p: float, shown: str) -> None:
    assert Column("p", numeric=True, digits=4, probability=True).shown(p) == shown


def test_the_command_takes_items_with_several_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tags.csv"
    file.write_text("actual,predicted\na|b,a\nb,b\na,a|b\nb|c,c\n")
    page = tmp_path / "tags.html"
    assert main(["report", "--classify", str(file), "--separator", "|", "-o", str(page)]) == 0
    assert "3 classes" in page.read_text("utf-8")
    assert main(["report", str(file), str(file), "--separator", "|", "-o", str(page)]) == 2
    assert "--separator requires --classify" in capsys.readouterr().err


def test_the_command_takes_a_threshold(tmp_path: Path) -> None:
    file, page = tmp_path / "scores.csv", tmp_path / "scores.html"
    file.write_text("actual,score\n" + "".join(f"{a},{s}\n" for a, s in zip(ACTUAL, SCORE, strict=True)))
    assert main(["report", "--classify", str(file), "--threshold", "0.6", "-o", str(page)]) == 0
    assert "Scores of 0.6 and above are predicted positive; this threshold was set in advance." in page.read_text(
        "utf-8"
    )


def test_a_page_is_made_of_a_pipe(tmp_path: Path) -> None:
    program = "import sys; from cranfield.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "report", "--classify", "-", "-o", str(tmp_path / "page.html")]
    command += ["--positive", "b"]
    subprocess.run(command, input=b"actual,predicted\na,a\nb,a\nb,b\n", check=True, timeout=HANGS)
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_several_classes_have_the_curves_of_the_best_system() -> None:
    actual = list("abc") * 10
    right = {label: [0.8 if label == one else 0.1 for one in actual] for label in "abc"}
    turned = {label: [0.8 if label == one else 0.1 for one in [*actual[1:], "b"]] for label in "abc"}
    page = report(classify(actual, probability={"poor": turned, "good": right})).content
    titles = [figure.title for figure in page.figures]
    assert titles[:2] == ["good: Confusion matrix", "poor: Confusion matrix"]
    assert titles[2:] == [
        f"good: {curve}, each class against the rest"
        for curve in ("ROC curves", "Precision-recall curves", "Calibration")
    ]
