"""One class against the rest, and strict thresholds, in `classify`, `plot` and `report`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import cranfield
from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

PEOPLE = "predicted,Woman,Man,Child\nWoman,13,4,2\nMan,2,15,1\nChild,5,1,57\n"
PROBABILITIES = """y,cat,dog,bird,guess
cat,0.6,0.3,0.1,cat
dog,0.2,0.5,0.3,dog
bird,0.4,0.35,0.25,cat
cat,0.3,0.5,0.2,dog
dog,0.1,0.8,0.1,dog
bird,0.1,0.2,0.7,bird
"""
OF_CLASSES = ("--probability", "cat", "--probability", "dog", "--probability", "bird")
CLASSES = "PPNPPPNNPNPNPNNNPNPN"
SCORES = [.9, .8, .7, .6, .55, .54, .53, .52, .51, .505, .4, .39, .38, .37, .36, .35, .34, .33, .3, .1]  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    Path("animals.csv").write_text(PROBABILITIES)
    Path("numbers.csv").write_text("y,guess\n3,3\n1,3\n2,2\n3,1\n1,1\n")
    Path("sets.csv").write_text("y,guess\na|b,a\nb,b|c\nc,a|c\n")
    rows = [f"{c},{s}" for c, s in zip(CLASSES, SCORES, strict=True)]
    Path("twenty.csv").write_text("class,score\n" + "\n".join(rows) + "\n")


def matrix(capsys: Capture, *arguments: str) -> tuple[list[object], list[list[int]]]:
    assert main(["classify", *arguments, "-f", "json", "--quiet"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"].values()
    return system["confusion"]["labels"], system["confusion"]["counts"]


@pytest.mark.parametrize(("name", "counts"), [
    ("Woman", [[74, 6], [7, 13]]), ("Man", [[77, 3], [5, 15]]), ("Child", [[34, 6], [3, 57]]),
])  # fmt: skip
def test_one_class_of_a_published_matrix_against_the_rest(name: str, counts: list[list[int]], capsys: Capture) -> None:
    given = ("--counts", "people.csv", "--rows", "predicted", "--collapse", name)
    assert matrix(capsys, *given) == ([f"not {name}", name], counts)
    assert main(["classify", *given, "--quiet", "--all"]) == 0
    out = capsys.readouterr().out
    assert f"not {name}" in out
    assert f"positive class: {name}" in out
    npv = counts[0][0] / (counts[0][0] + counts[1][0])
    assert f"{npv:.4f}" in out


def test_labels_scores_and_sets_collapse_too(capsys: Capture) -> None:
    one = (["not cat", "cat"], [[3, 1], [1, 1]])
    assert matrix(capsys, "animals.csv", "-a", "y", "-p", "guess", "--collapse", "cat") == one
    assert matrix(capsys, "animals.csv", "-a", "y", *OF_CLASSES, "--collapse", "cat") == one  # the most probable class
    at = ("--collapse", "cat", "--threshold", "0.3")
    assert matrix(capsys, "animals.csv", "-a", "y", *OF_CLASSES, *at) == (["not cat", "cat"], [[3, 1], [0, 2]])
    assert matrix(capsys, "animals.csv", "-a", "y", "-s", "cat", *at) == (["not cat", "cat"], [[3, 1], [0, 2]])
    assert matrix(capsys, "animals.csv", "-a", "y", "-p", "guess", "-s", "cat", "--collapse", "cat") == one
    assert matrix(capsys, "numbers.csv", "-a", "y", "-p", "guess", "--collapse", "3") == (
        ["not 3", 3],
        [[2, 1], [1, 1]],
    )
    sets = ("sets.csv", "-a", "y", "-p", "guess", "--separator", "|", "--collapse", "a")
    assert matrix(capsys, *sets) == (["not a", "a"], [[1, 1], [0, 1]])


def test_a_collapsed_result_is_that_of_two_classes() -> None:
    actual, predicted = ["a", "b", "c", "a"], ["a", "c", "c", "b"]
    collapsed = cranfield.classify(actual, predicted, collapse="a", measures=["F", "MCC"])
    two = cranfield.classify([x == "a" for x in actual], [x == "a" for x in predicted], measures=["F", "MCC"])
    assert collapsed.by_system() == two.by_system()


@pytest.mark.parametrize(("arguments", "said"), [
    (["--collapse", "wolf"], "wolf"),
    (["--collapse", "cat", "--positive", "dog"], "makes 'cat' positive, not 'dog'"),
])  # fmt: skip
def test_unknown_and_contradicting_classes_are_refused(arguments: list[str], said: str, capsys: Capture) -> None:
    assert main(["classify", "animals.csv", "-a", "y", "-p", "guess", *arguments]) != 0
    assert said in capsys.readouterr().err


def test_curves_of_one_class_against_the_rest(capsys: Capture) -> None:
    given = ["plot", "roc", "animals.csv", "-a", "y", *OF_CLASSES, "--collapse", "cat", "-o", "roc.csv"]
    assert main(given) == 0
    rows = list(csv.DictReader(Path("roc.csv").read_text().splitlines()))
    curve = [(float(row["fallout"]), float(row["recall"])) for row in rows if row["part"] == "curve"]
    assert curve == [(0, 0), (0, 0.5), (0.25, 0.5), (0.25, 1), (0.5, 1), (1, 1)]
    assert main(["plot", "confusion", "animals.csv", "-a", "y", "-p", "guess", "--collapse", "cat"]) == 0
    assert "TP 1" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["roc", "distributions", "confusion"])
def test_strict_thresholds_in_plots(kind: str, capsys: Capture) -> None:
    given = ["plot", kind, "twenty.csv", "-a", "class", "-s", "score", "--positive", "P", "--threshold", "0.54"]
    assert main([*given, "--strict"]) == 0
    out = capsys.readouterr().out
    assert ("strict: only scores above it" if kind == "roc" else "scores above 0.54 are predicted positive") in out
    assert main([*given, "--strict", "-o", "strict.csv"]) == 0
    rows = list(csv.DictReader(Path("strict.csv").read_text().splitlines()))
    if kind == "roc":
        (chosen,) = (row for row in rows if row["part"] == "chosen")
        assert (float(chosen["recall"]), float(chosen["fallout"])) == (0.4, 0.1)  # 5 of 10 with the item at 0.54
    elif kind == "confusion":
        assert [float(row["n"]) for row in rows if row["name"] == "TP"] == [4]
    else:
        assert sum(float(row["n"]) for row in rows if row["cell"] == "true positives") == 4


def test_a_strict_threshold_is_refused_where_there_is_none(capsys: Capture) -> None:
    given = ["plot", "roc", "twenty.csv", "-a", "class", "-s", "score", "--positive", "P", "--strict"]
    assert main(given) == 2
    assert "strict needs a threshold" in capsys.readouterr().err
    given[1] = "lift"
    assert main([*given, "--threshold", "0.54"]) == 2
    assert "lift has no --" in capsys.readouterr().err


def test_a_threshold_of_zero_is_a_threshold(capsys: Capture) -> None:
    given = ["plot", "confusion", "twenty.csv", "-a", "class", "-s", "score", "--positive", "P", "--threshold", "0"]
    assert main(given) == 0
    assert "scores of 0 and above" in capsys.readouterr().out


def test_a_report_names_a_strict_threshold() -> None:
    given = ["report", "--classify", "twenty.csv", "--actual", "class", "-s", "score", "--positive", "P"]
    assert main([*given, "--threshold", "0.54", "--strict", "-o", "page.html", "--quiet"]) == 0
    assert "Scores above 0.54 are predicted positive" in Path("page.html").read_text()


def test_requested_measures_are_shown_for_each_class(capsys: Capture) -> None:
    assert main(["classify", "--counts", "people.csv", "--rows", "predicted", "-m", "NPV,Kappa", "--quiet"]) == 0
    table = capsys.readouterr().out.split("Each class against the rest")[1].splitlines()
    assert table[2].split() == ["class", "NPV", "items"]
    shown = {line.split()[0]: line.split()[1] for line in table if line.startswith(("Woman", "Man", "Child"))}
    assert shown == {"Woman": f"{74 / 81:.4f}", "Man": f"{77 / 82:.4f}", "Child": f"{34 / 37:.4f}"}
