"""`cranfield classify` and `cranfield regress`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from classification.examples import CLASSES, SCORES
from cranfield.cli.main import main

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


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_scorer_with_a_goal(capsys: Capture) -> None:
    out = printed(capsys, "classify", "twenty.csv", "--actual", "class", "--score", "score", "--positive", "P",
                  "--goal", "Recall where Specificity >= 0.9")  # fmt: skip
    (line,) = (line.split() for line in out.splitlines() if line.startswith("Recall where Specificity"))
    assert line[-10:-4] == ["0.54", "0.1000", "0.5000", "5", "1", "5"]
    assert "0.54 <" in out
    assert "0.6800" in next(line for line in out.splitlines() if line.startswith("AUC "))


def test_labels_with_predicted_ones_in_rows(capsys: Capture) -> None:
    out = printed(capsys, "classify", "twenty.csv", "-a", "class", "-p", "guess", "--label", "P", "--label", "N",
                  "--rows", "predicted", "--reorder", "--average", "macro")  # fmt: skip
    assert "predicted \\ actual   P   N  all" in out
    assert "Each class against the rest" in out


def test_probabilities_of_classes(capsys: Capture) -> None:
    out = printed(capsys, "classify", "pets.csv", "-a", "kind", "--probability", "cat", "--probability", "dog=p_dog",
                  "--average", "macro", "-f", "json")  # fmt: skip
    own = json.loads(out)["systems"]["predictions"]
    assert own["confusion"]["counts"] == [[1, 0], [1, 1]]
    assert {each["measure"] for each in own["measures"]} >= {"LogLoss", "Brier", "AUC"}


def test_several_scorers_by_fold_as_csv(capsys: Capture) -> None:
    out = printed(capsys, "classify", "twenty.csv", "-a", "class", "--score", "score", "--score", "double", "--by",
                  "fold", "--positive", "P", "-m", "AUC", "-f", "csv")  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {(row["system"], row["group"]) for row in rows} == {(s, f) for s in ("score", "double") for f in "01"}


def test_csv_has_a_row_for_each_figure_of_the_tables(capsys: Capture) -> None:
    given = ["classify", "twenty.csv", "-a", "class", "--positive", "P"]
    rows = rows_of(printed(capsys, *given, "--score", "score", "--score", "double", "-f", "csv"))
    (test,) = [row for row in rows if row["other"]]
    assert (test["system"], test["other"], test["measure"], test["p"]) == ("score", "double", "AUC difference", "1.0")
    assert {row["goal"] for row in rows} > {"", "Accuracy", "Informedness"}
    classes = rows_of(
        printed(capsys, "classify", "twenty.csv", "-a", "class", "-p", "guess", "-f", "csv", "--average", "macro")
    )
    of_class = {(row["class"], row["measure"]) for row in classes}
    assert of_class > {(label, measure) for label in "NP" for measure in ("Precision", "Recall", "Specificity", "F")}
    assert {row["average"] for row in classes} == {"", "macro", "micro", "weighted"}


def test_json_has_what_the_tables_show(capsys: Capture) -> None:
    given = ["classify", "twenty.csv", "-a", "class", "--positive", "P", "--score", "score", "--score", "double"]
    given += ["--threshold", "0.5"]
    content = json.loads(printed(capsys, *given, "-f", "json"))
    (test,) = content["areas"]
    assert (test["system"], test["other"], test["p"]) == ("score", "double", 1.0)
    own = content["systems"]["score"]
    assert {each["measure"] for each in own["measures"]} > {"MissRate", "LRplus", "DOR", "Kappa"}
    assert [line["threshold"] for line in own["around"]][4] == own["threshold"]
    given = ["classify", "twenty.csv", "-a", "class", "-p", "guess", "--average", "macro"]
    classes = json.loads(printed(capsys, *given, "-f", "json"))
    own = classes["systems"]["guess"]
    assert (own["classes"]["P"]["items"], own["classes"]["P"]["Specificity"]["method"]) == (10, "clopper-pearson")
    assert own["averages"]["micro"]["Recall"] == 1


def test_the_interval_of_an_area_is_by_the_method_asked_for(capsys: Capture) -> None:
    given = ["classify", "twenty.csv", "-a", "class", "--positive", "P", "--score", "score", "-f", "csv"]
    found = {}
    for method in ("delong", "logit"):
        (found[method],) = [
            row
            for row in rows_of(printed(capsys, *given, "--auc-interval", method))
            if row["measure"] == "AUC" and row["low"]
        ]
    assert (found["delong"]["interval"], found["logit"]["interval"]) == ("delong", "delong, logit")
    middle = (float(found["delong"]["low"]) + float(found["delong"]["high"])) / 2
    assert middle == pytest.approx(float(found["delong"]["value"]))
    assert found["delong"]["low"] != found["logit"]["low"]


@pytest.mark.parametrize("method", ["delong", "logit", "auto"])
def test_classify_plot_and_report_give_the_area_the_same_interval(method: str, capsys: Capture) -> None:
    given = ["twenty.csv", "--actual", "class", "--positive", "P", "--score", "score", "--auc-interval", method]
    (row,) = [
        row
        for row in rows_of(printed(capsys, "classify", *given, "-f", "csv"))
        if row["measure"] == "AUC" and row["low"]
    ]
    bounds = f"{float(row['low']):.3f}–{float(row['high']):.3f}"
    assert f"interval of the AUC: score {bounds} ({row['interval']})" in printed(capsys, "plot", "roc", *given)
    assert printed(capsys, "report", "--classify", *given, "-o", "report.html") == ""
    assert bounds in Path("report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["plot", "det", "twenty.csv", "-a", "class", "--score", "score"], "det has no --auc-interval"),
        (["report", "a.qrels", "b.run"], "--auc-interval requires --classify"),
        (["plot", "systems", "a.qrels", "b.run"], "--auc-interval requires a table of predictions"),
    ],
)
def test_an_interval_of_the_area_goes_only_where_there_is_one(command: list[str], said: str, capsys: Capture) -> None:
    assert main([*command, "--auc-interval", "delong"]) == 2
    assert said in capsys.readouterr().err


def test_one_figure_has_one_interval_in_tables_and_findings(capsys: Capture) -> None:
    rows = [(1, 1, 9), (0, 1, 300), (0, 0, 4200), (1, 0, 15)]
    Path("many.csv").write_text("y,p\n" + "".join(f"{y},{p}\n" * n for y, p, n in rows))
    out = printed(capsys, "classify", "many.csv", "-a", "y", "-p", "p", "--findings", "--all")
    (line,) = [line.split() for line in out.splitlines() if line.startswith("Precision ")]
    low, high = (f"{float(bound):.3f}" for bound in line[-3:-1])
    said = " ".join(out[out.index("Findings") :].split())
    assert (line[-1], "precision is 0.03" in said) == ("clopper-pearson", True)
    shown = said.partition("(95 % CI [")[2].partition("]")[0].split(", ")
    assert [abs(float(one) - float(two)) < 0.005 for one, two in zip(shown, (low, high), strict=True)] == [True, True]


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_every_format(capsys: Capture, form: str) -> None:
    assert printed(capsys, "classify", "twenty.csv", "-a", "class", "--score", "score", "--positive", "P", "-f", form)


def test_output_goes_to_a_file(capsys: Capture) -> None:
    printed(capsys, "classify", "twenty.csv", "-a", "class", "-p", "guess", "--positive", "P", "-o", "out.json")
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
            "choose the positive class, 'N' or 'P', with positive= (--positive)",
        ),
        (["classify", "twenty.csv", "-a", "class", "-p", "guess", "-m", "Acuracy"], 2, "did you mean"),
        (["classify", "twenty.csv", "-a", "class"], 2, "nothing to evaluate"),
        (["classify", "pets.csv", "-a", "kind", "--probability", "cat", "--probability", "cat"], 2, "is given twice"),
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
    Path("swapped.csv").write_text("class,score\n" + "N,3\nP,2\nN,4\nP,1\n" * 9)
    assert main(["classify", "swapped.csv", "-a", "class", "--score", "score", "--positive", "P"]) == 0
    assert "is below 0.5; do low scores mean positive? Inverted, it would be 1 (see invert)" in capsys.readouterr().err


def test_a_scorer_below_the_diagonal_is_turned_round(capsys: Capture) -> None:
    out = printed(capsys, "classify", "twenty.csv", "-a", "class", "--score", "score", "--positive", "N", "--invert",
                  "--goal", "Accuracy", "-f", "json")  # fmt: skip
    content = json.loads(out)
    own = content["systems"]["score"]
    assert next(each["value"] for each in own["measures"] if each["measure"] == "AUC") == pytest.approx(0.68)
    assert own["threshold"] < 0
    assert content["provenance"]["settings"]["invert"] is True


def test_how_sure_a_threshold_is_is_shown_when_items_are_resampled(capsys: Capture) -> None:
    asked = ("classify", "twenty.csv", "-a", "class", "--score", "score", "--positive", "P", "--goal", "F")
    out = printed(capsys, *asked, "--resamples", "40")
    assert "resampled: 95 % bootstrap interval of the threshold; 40 resamples of the items" in out
    *_, line = (line for line in out.splitlines() if line.startswith("F  "))
    assert line.split()[1:5] == ["0.38", "0.3", "to", "0.6"]
    assert "resampled" not in printed(capsys, *asked)


def test_complements_are_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["classify", "--counts", "TP=20", "FP=180", "FN=10", "TN=1820"]
    assert main(asked) == 0
    usual = capsys.readouterr().out
    assert main([*asked, "--all"]) == 0
    every = capsys.readouterr().out
    assert "Recall" in usual
    assert "MissRate" not in usual
    assert "more: 18 measures (--all); in Python, shown(every=True)" in usual
    assert "MissRate" in every
    assert "LRplus" in every


@pytest.mark.parametrize(
    "option", [("--threshold", "0.5"), ("--goal", "F"), ("--auc-interval", "delong"), ("--resamples", "50")]
)
def test_options_about_scores_need_scores(option: tuple[str, str], capsys: Capture) -> None:
    labels = ["--actual", "class", "--predicted", "guess", "--positive", "P"]
    assert main(["classify", "twenty.csv", *labels, *option]) == 2
    assert "has no effect" in capsys.readouterr().err
