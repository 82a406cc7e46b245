"""Several systems, by label, score or probability, in classify, plot and report alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from cranfield import classify
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting

Y = [1, 0, 1, 0, 1, 0]
TREE = [0.9, 0.1, 0.8, 0.3, 0.7, 0.6]
FOREST = [0.6, 0.2, 0.4, 0.3, 0.9, 0.1]
OTHER = [1 - each for each in TREE]
ANSWER = [1, 0, 0, 0, 1, 0]
WORDS = ["yes" if each else "no" for each in Y]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("what", ["score", "probability", "predicted"])
def test_two_systems_are_two(what: str, make: Callable[[object], object]) -> None:
    given = {"tree": ANSWER, "forest": Y} if what == "predicted" else {"tree": TREE, "forest": FOREST}
    settings = {} if what == "predicted" else {"threshold": 0.5}
    found = classify(Y, **{what: make(given)}, **settings)
    assert found.systems == ("tree", "forest")
    for name, column in given.items():
        assert found[name, "Accuracy"] == classify(Y, **{what: column}, **settings)["Accuracy"]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_a_column_for_each_class_is_one_system(make: Callable[[object], object]) -> None:
    found = classify(WORDS, probability=make({"yes": TREE, "no": OTHER}), average="macro")
    assert found.systems == ("predictions",)
    assert found["Accuracy"] == pytest.approx(5 / 6)


@pytest.mark.parametrize("keys", [(1, 0), ("1", "0"), (True, False), ("true", "False")])
def test_classes_may_be_named_as_texts(keys: tuple[object, object]) -> None:
    actual = Y if keys[0] in (1, "1") and keys[0] is not True else [bool(each) for each in Y]
    assert classify(actual, probability={keys[0]: TREE, keys[1]: OTHER}).systems == ("predictions",)


def test_systems_may_each_have_a_column_for_each_class() -> None:
    table = np.array([OTHER, TREE]).T
    named = {"a": {"yes": TREE, "no": OTHER}, "b": pd.DataFrame({"no": OTHER, "yes": TREE})}
    found = classify(WORDS, probability=named, measures="LogLoss")
    assert found.systems == ("a", "b")
    assert found["a", "LogLoss"] == found["b", "LogLoss"]
    with pytest.raises(BadInput, match="some systems name the classes of their columns and others do not"):
        classify(WORDS, probability=named | {"c": table})
    found = classify(WORDS, probability=named | {"c": table}, labels=["no", "yes"], measures="LogLoss")
    assert found["a", "LogLoss"] == found["c", "LogLoss"]


def test_labels_scores_and_probabilities_of_several_systems() -> None:
    found = classify(Y, {"tree": ANSWER}, score={"tree": TREE, "line": FOREST}, probability={"forest": FOREST})
    assert found.systems == ("tree", "line", "forest")
    assert [own.predictions.is_probability for own in found.evaluated] == [False, False, True]
    assert found.of("tree").predictions.predicted is not None
    assert found.of("forest").threshold == 0.5


def test_columns_of_scores_and_of_probabilities_are_two_systems() -> None:
    found = classify("y", score="a", probability="b", data={"y": Y, "a": TREE, "b": FOREST})
    assert found.systems == ("a", "b")
    assert found.of("b").threshold == 0.5


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: classify(Y, score=TREE, probability=FOREST), "both scores and probabilities"),
        (
            lambda: classify(Y, score={"a": TREE}, probability={"a": FOREST}),
            "a: got both scores and probabilities",
        ),
        (lambda: classify(Y, score={1: TREE, 0: OTHER}), "two scores per item, one for each of two classes"),
        (lambda: classify(Y, score={"a": TREE, 3: TREE, "3": TREE}), "duplicate '3' among the systems of score"),
        (
            lambda: classify(WORDS, probability={"yes": TREE, "forest": FOREST}),
            "actual is 'no', for which there is no column; there is one for each of 'yes'",
        ),
        (lambda: classify(Y, probability={"tree": TREE, "forest": [2.0] * 6}), "row 0: probability is 2.0"),
    ],
)
def test_what_could_be_either_is_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises(BadInput) as error:
        call()
    assert said in str(error.value)


def test_systems_of_one_probability_need_a_positive_class() -> None:
    with pytest.raises(BadSetting, match="choose the positive class, 'no' or 'yes'"):
        classify(WORDS, probability={"tree": TREE, "forest": FOREST})
    assert classify(WORDS, probability={"tree": TREE, "forest": FOREST}, positive="yes").systems == ("tree", "forest")


def test_numbers_in_texts_are_numbers() -> None:
    assert classify(Y, probability=[str(each) for each in TREE])["AUC"] == classify(Y, probability=TREE)["AUC"]
    found = classify(Y, probability={"tree": [str(each) for each in TREE], "forest": FOREST})
    assert found["tree", "AUC"] == classify(Y, score=TREE)["AUC"]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of answers, with probabilities that no threshold near a half suits best."""
    low = [each / 10 for each in TREE]
    path = tmp_path / "answers.csv"
    pd.DataFrame(
        {"y": Y, "tree": TREE, "forest": FOREST, "low": low, "answer": ANSWER, "other": Y, "0": OTHER, "1": TREE}
    ).to_csv(path, index=False)
    monkeypatch.chdir(tmp_path)
    return path


CHOICES = {
    "scores": (["--score", "tree", "--score", "forest"], {"tree", "forest"}),
    "probabilities": (["--probability", "tree", "--probability", "forest"], {"tree", "forest"}),
    "a score and a probability": (["--score", "tree", "--probability", "forest"], {"tree", "forest"}),
    "labels": (["--predicted", "answer", "--predicted", "other"], {"answer", "other"}),
    "labels and scores": (["-p", "answer", "-p", "other", "-s", "tree"], {"answer", "other", "tree"}),
}


@pytest.mark.parametrize(("options", "systems"), CHOICES.values(), ids=CHOICES)
def test_the_commands_know_the_same_systems(
    options: list[str], systems: set[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["classify", file.name, "--actual", "y", *options, "-f", "json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["systems"]) == systems
    assert main(["report", "--classify", file.name, "--actual", "y", *options, "-o", "page.html"]) == 0
    page = Path("page.html").read_text()
    assert all(f'<td class="text">{name}' in page or f">{name}<" in page for name in systems)
    cut = ["--threshold", "0.5"] if {"-s", "--score"} & {*options} else []
    for name in systems:
        status = main(["plot", "confusion", file.name, "--actual", "y", *options, *cut, "--system", name])
        assert status == 0, capsys.readouterr().err


def test_a_column_for_each_class_by_name_or_by_label(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = []
    for options in (["0", "1"], ["0=0", "1=tree"]):
        flags = [flag for option in options for flag in ("--probability", option)]
        assert main(["classify", file.name, "--actual", "y", *flags, "-f", "json"]) == 0
        values.append(list(json.loads(capsys.readouterr().out)["systems"].values()))
    assert values[0] == values[1]
    assert len(values[0]) == 1


@pytest.mark.parametrize(
    ("options", "threshold"), [(["--probability", "low"], "0.5"), (["--score", "low", "--threshold", "0.07"], "0.07")]
)
def test_every_command_cuts_a_file_at_the_same_threshold(
    options: list[str], threshold: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["classify", file.name, "--actual", "y", *options]) == 0
    assert f"scores of {threshold} and above are predicted positive" in capsys.readouterr().out
    assert main(["plot", "confusion", file.name, "--actual", "y", *options]) == 0
    assert f"scores of {threshold} and above are predicted positive" in capsys.readouterr().out
    assert main(["plot", "distributions", file.name, "--actual", "y", *options]) == 0
    assert "the threshold is above every score" in (out := capsys.readouterr().out) or threshold in out
    assert main(["plot", "roc", file.name, "--actual", "y", *options]) == 0
    assert f"threshold {threshold}" in capsys.readouterr().out


def test_a_plot_takes_a_threshold_and_a_goal(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", "confusion", file.name, "-a", "y", "--score", "tree", "--threshold", "0.75"]) == 0
    assert "scores of 0.75 and above are predicted positive" in capsys.readouterr().out
    assert main(["plot", "confusion", file.name, "-a", "y", "--score", "tree", "--goal", "Recall"]) == 2
    assert "10-fold cross-validation needs 10 items of each class" in capsys.readouterr().err
    assert main(["plot", "calibration", file.name, "-a", "y", "--probability", "tree", "--threshold", "0.75"]) == 2
    assert "calibration has no --threshold" in capsys.readouterr().err


def test_a_column_given_twice_is_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["classify", file.name, "-a", "y", "--score", "tree", "--score", "tree"]) == 2
    assert "--score tree is given twice" in capsys.readouterr().err


def test_a_report_on_several_files_names_files_and_columns(file: Path) -> None:
    Path("second.csv").write_bytes(file.read_bytes())
    options = ["--actual", "y", "--score", "tree", "--score", "forest", "-o", "page.html"]
    assert main(["report", "--classify", file.name, "second.csv", *options]) == 0
    page = Path("page.html").read_text()
    assert all(name in page for name in ("answers: tree", "answers: forest", "second: tree", "second: forest"))
