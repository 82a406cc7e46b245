"""`cranfield classify` and `cranfield regress`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cranfield.cli.main import main
from labels.examples import CLASSES, SCORES

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{c},{s},{i % 2},{2 * s},{c}" for i, (c, s) in enumerate(zip(CLASSES, SCORES, strict=True))]
    Path("twenty.csv").write_text("class,score,fold,double,guess\n" + "\n".join(rows) + "\n")
    Path("pets.csv").write_text("kind,cat,p_dog\ncat,0.9,0.1\ndog,0.2,0.8\ndog,0.6,0.4\n")
    Path("values.csv").write_text("y,a,b,fold\n1,1,2,x\n2,2,2,x\n3,5,2,y\n4,4,2,y\n")


def printed(capsys: Capture, *arguments: str) -> str:
    assert main([*arguments, "--quiet"]) == 0
    return capsys.readouterr().out


def test_a_scorer_with_a_goal(capsys: Capture) -> None:
    out = printed(capsys, "classify", "twenty.csv", "--actual", "class", "--score", "score", "--positive", "P",
                  "--goal", "Recall where Specificity >= 0.9")  # fmt: skip
    assert "Recall where Specificity >= 0.9       0.54  0.5000   5   1   5   9  0.54 to 0.54" in out
    assert "0.54 <" in out
    assert "AUC                Area under the ROC curve                    0.6800" in out


def test_labels_with_predicted_ones_in_rows(capsys: Capture) -> None:
    out = printed(capsys, "classify", "twenty.csv", "-a", "class", "-p", "guess", "--label", "P", "--label", "N",
                  "--rows", "predicted", "--reorder")  # fmt: skip
    assert "predicted \\ actual   P   N  all" in out
    assert "Each class against the rest" in out


def test_probabilities_of_classes(capsys: Capture) -> None:
    out = printed(capsys, "classify", "pets.csv", "-a", "kind", "--probability", "cat", "--probability", "dog=p_dog",
                  "-f", "json")  # fmt: skip
    own = json.loads(out)["systems"]["predictions"]
    assert own["confusion"]["counts"] == [[1, 0], [1, 1]]
    assert {each["measure"] for each in own["measures"]} >= {"LogLoss", "Brier", "AUC"}


def test_several_scorers_by_fold_as_csv(capsys: Capture) -> None:
    out = printed(capsys, "classify", "twenty.csv", "-a", "class", "--score", "score", "--score", "double", "--by",
                  "fold", "--positive", "P", "-m", "AUC", "-f", "csv")  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {(row["system"], row["group"]) for row in rows} == {(s, f) for s in ("score", "double") for f in "01"}


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_every_format(capsys: Capture, form: str) -> None:
    assert printed(capsys, "classify", "twenty.csv", "-a", "class", "--score", "score", "--positive", "P", "-f", form)


def test_output_goes_to_a_file(capsys: Capture) -> None:
    printed(capsys, "classify", "twenty.csv", "-a", "class", "-p", "guess", "-o", "out.json")
    assert json.loads(Path("out.json").read_text())["systems"]["guess"]["items"] == 20


def test_predicted_values(capsys: Capture) -> None:
    out = printed(capsys, "regress", "values.csv", "-a", "y", "-p", "a", "-p", "b", "--by", "fold", "-m", "MSE")
    assert next(line.split() for line in out.splitlines() if line.startswith("a ")) == ["a", "1.0000"]
    content = json.loads(printed(capsys, "regress", "values.csv", "-a", "y", "-p", "a", "-f", "json"))
    assert content["systems"]["a"]["measures"]["MaxError"] == 2
    assert printed(capsys, "regress", "values.csv", "-a", "y", "-p", "a", "-f", "csv").startswith("system,measure")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (
            ["classify", "twenty.csv", "-a", "klass", "-p", "guess"],
            1,
            "there is no column 'klass'; did you mean 'class'?",
        ),
        (["classify", "nothing.csv", "-a", "class", "-p", "guess"], 1, "nothing.csv: there is no such file"),
        (
            ["classify", "twenty.csv", "-a", "class", "--score", "score"],
            2,
            "say which label is the positive one, 'N' or 'P'",
        ),
        (["classify", "twenty.csv", "-a", "class", "-p", "guess", "-m", "Acuracy"], 2, "did you mean"),
        (["classify", "twenty.csv", "-a", "class"], 2, "there is nothing to assess"),
        (["classify", "pets.csv", "-a", "kind", "--probability", "cat", "--probability", "cat"], 2, "two columns"),
        (["classify", "pets.csv", "-a", "kind", "--probability", "cat", "--probability", "dog"], 1, "no column 'dog'"),
        (["regress", "values.csv", "-a", "fold", "-p", "a"], 1, "line 2: actual 'x' is not a number"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(capsys: Capture, arguments: list[str], status: int, said: str) -> None:
    assert main(arguments) == status
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_scorer_below_the_diagonal_is_pointed_out(capsys: Capture) -> None:
    assert main(["classify", "twenty.csv", "-a", "class", "--score", "score", "--positive", "N"]) == 0
    assert "warning: score: the AUC of 0.32 is below a half; negated scores would have 0.68" in capsys.readouterr().err


def test_a_scorer_below_the_diagonal_is_turned_round(capsys: Capture) -> None:
    out = printed(capsys, "classify", "twenty.csv", "-a", "class", "--score", "score", "--positive", "N", "--invert",
                  "-f", "json")  # fmt: skip
    content = json.loads(out)
    own = content["systems"]["score"]
    assert next(each["value"] for each in own["measures"] if each["measure"] == "AUC") == pytest.approx(0.68)
    assert own["threshold"] < 0
    assert content["provenance"]["settings"]["invert"] is True


def test_how_sure_a_threshold_is_is_shown_when_items_are_resampled(capsys: Capture) -> None:
    asked = ("classify", "twenty.csv", "-a", "class", "--score", "score", "--positive", "P", "--goal", "F")
    out = printed(capsys, *asked, "--resamples", "40")
    assert "resampled: where 95% of the thresholds lie in 40 resampled sets of items" in out
    *_, line = (line for line in out.splitlines() if line.startswith("F  "))
    assert line.split()[1:5] == ["0.38", "0.3", "to", "0.6"]
    assert "resampled" not in printed(capsys, *asked)
