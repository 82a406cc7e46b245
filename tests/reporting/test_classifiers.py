"""Reports on classifiers: classes, items and comparisons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cranfield.classification.classify import classify
from cranfield.classification.result import Classification
from cranfield.cli.main import main
from cranfield.errors import BadInput
from cranfield.reporting.classification import MOST, together
from cranfield.reporting.classification import items_data as items
from cranfield.reporting.report import report


def test_a_report_on_classes_has_matrix_classes_and_methods() -> None:
    labels = ["cat", "dog", "fox"] * 10
    content = report(classify(labels, ["cat", "dog", "dog"] * 10)).content
    assert content.figures[0].name.startswith("confusion")
    assert content.tables[0].title == "Each class against the rest"
    assert "30 items of the classes cat, dog, fox" in content.methods[0].paragraphs[0]


ACTUAL = ["spam", "ham", "spam", "ham", "ham"]
SCORES = [0.9, 0.8, 0.2, 0.1, 0.6]


def scored(*, score: list[float], threshold: float = 0.5) -> Classification:
    return classify(ACTUAL, score=score, positive="spam", threshold=threshold)


def test_items_hold_what_is_true_what_was_said_and_the_score() -> None:
    both = together({"a": scored(score=SCORES), "b": scored(score=[0.9, 0.1, 0.8, 0.1, 0.1])})
    data = items(both, ["m1", "m2", "m3", "m4", "m5"])
    assert data is not None
    said = [[data["classes"][data["answers"][place][0]] for place in own] for own in data["predicted"]]
    assert said == [["spam", "spam", "ham", "ham", "spam"], ACTUAL]
    assert [data["classes"][data["answers"][place][0]] for place in data["actual"]] == ACTUAL
    assert (data["wrong"], data["items"][1], data["score"][0], data["threshold"]) == ([3, 0], "m2", SCORES, [0.5, 0.5])


def test_items_of_several_classes_have_sets_of_answers() -> None:
    data = items(classify([{"a", "b"}, {"b"}, set()], [{"a"}, {"b"}, set()]))
    assert data is not None
    named = [[[data["classes"][code] for code in data["answers"][place]] for place in data[key]] for key in ("actual",)]
    assert named == [[["a", "b"], ["b"], []]]
    assert data["wrong"] == [1]


def test_an_answer_that_is_not_the_class_asked_for_is_right_if_that_is_true() -> None:
    data = items(classify(["a", "b", "c"], score=[0.9, 0.8, 0.1], positive="a", threshold=0.5))
    assert data is not None
    assert [data["answers"][place] for place in data["predicted"][0]] == [[0], [0], [-1]]
    assert data["wrong"] == [1]


def test_of_very_many_items_the_surest_mistakes_are_kept() -> None:
    rng = np.random.default_rng(0)
    actual = rng.random(20_000) < 0.5
    score = np.round(rng.random(20_000) * 0.8, 6)
    score[[7, 19_001]] = 0.999
    actual[[7, 19_001]] = False
    data = items(classify(actual, score=score, positive=True, threshold=0.5))
    assert data is not None
    assert len(data["items"]) == MOST
    assert {"8", "19002"} <= set(data["items"])
    assert data["total"] == 20_000


def test_a_report_on_classifiers_says_whether_chance_explains_the_difference() -> None:
    actual = [1, 0] * 50
    both = classify(actual, {"poor": [1] * 60 + [0] * 40, "good": actual})
    content = report(both).content
    assert content.lead[-1].startswith(
        "0 items are predicted correctly by poor only and 50 by good only, a significant"
    )
    assert content.tables[0].title == "Correct predictions compared (McNemar)"
    assert [cell.value for cell in content.tables[0].rows[0]][:4] == ["poor", "good", 0, 50]


@pytest.mark.filterwarnings("ignore")
def test_a_scorer_that_is_best_at_accepting_nothing_has_a_report() -> None:
    content = report(classify([0] * 30 + [1] * 10, score=range(40, 0, -1), positive=1, goal="Accuracy")).content
    assert "the threshold above every score is the best for Accuracy" in content.lead[1]
    assert content.explorer is not None
    assert content.explorer["threshold"] == [None]


def test_classifiers_must_speak_of_the_same_items() -> None:
    one, other = classify([1, 0, 1], [1, 0, 0]), classify([1, 1, 0], [1, 0, 0])
    with pytest.raises(BadInput, match="a and b have different actual labels"):
        together({"a": one, "b": other})
    assert together({"a": one, "b": classify([1, 0, 1], [1, 1, 1])}).systems == ("a", "b")


def test_the_command_reports_on_several_classifiers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, said in (("tree", "yes"), ("forest", "no")):
        rows = "".join(f"{truth},{answer}\n" for truth, answer in (("yes", "yes"), ("no", said), ("no", "no")) * 5)
        (tmp_path / f"{name}.csv").write_text(f"actual,predicted\n{rows}")
    out = tmp_path / "report.html"
    files = [str(tmp_path / "tree.csv"), str(tmp_path / "forest.csv")]
    assert main(["report", "--classify", *files, "--positive", "yes", "-o", str(out)]) == 0
    assert "<b>forest</b> has the best Accuracy of 2 systems (1.0000" in out.read_text("utf-8")
    (tmp_path / "named.csv").write_text("actual,predicted,id\n1,1,first mail\n0,1,second mail\n")
    assert main(["report", "--classify", str(tmp_path / "named.csv"), "--item", "id", "-o", str(out)]) == 0
    assert "second mail" in out.read_text("utf-8")
    assert main(["report", "--classify", *files, "--baseline", "tree", "-o", str(out)]) == 2
    (tmp_path / "odd.csv").write_text("actual,answer\n1,1\n0,1\n")
    assert main(["report", "--classify", str(tmp_path / "odd.csv"), "-o", str(out)]) == 2
    assert "name the column to evaluate" in capsys.readouterr().err


def test_the_lead_says_which_classifiers_the_best_exceeds() -> None:
    actual = [n % 2 for n in range(60)]
    guesses = {
        "perfect": actual,
        "nearly": [1 - label if n < 2 else label for n, label in enumerate(actual)],
        "poor": [1 - label if n < 25 else label for n, label in enumerate(actual)],
    }
    first, second = report(classify(actual, guesses)).content.lead
    assert first.startswith("perfect has the best Accuracy of 3 systems (1.0000, 95 % CI ")
    assert second.startswith(
        "In correct predictions, perfect is not significantly better than nearly; perfect is significantly better "
        "than poor (McNemar's test, adjusted by Holm"
    )
