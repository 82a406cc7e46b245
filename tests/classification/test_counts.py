"""Published confusion matrices: `cranfield classify --counts` and `classify(counts=…)`."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting

Capture = pytest.CaptureFixture[str]
approx = pytest.approx

CANCER = ["TP=20", "FP=180", "FN=10", "TN=1820"]
PEOPLE = [[13, 4, 2], [2, 15, 1], [5, 1, 57]]  # rows are predicted
NAMES = ["Woman", "Man", "Child"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [",".join([name, *map(str, row)]) for name, row in zip(NAMES, PEOPLE, strict=True)]
    Path("people.csv").write_text("predicted,Woman,Man,Child\n" + "\n".join(lines) + "\n")
    items = [f"{a},{p}" for p, row in zip(NAMES, PEOPLE) for a, n in zip(NAMES, row) for _ in range(n)]
    Path("items.csv").write_text("a,p\n" + "\n".join(items) + "\n")
    cells = {"1,1": 20, "0,1": 180, "1,0": 10, "0,0": 1820}
    Path("cancer.csv").write_text("a,p\n" + "".join(f"{cell}\n" * n for cell, n in cells.items()))


def printed(capsys: Capture, *arguments: str) -> str:
    assert main([*arguments, "--quiet"]) == 0
    return capsys.readouterr().out


def refused(capsys: Capture, *arguments: str) -> str:
    assert main([*arguments]) != 0
    return capsys.readouterr().err


def measured(text: str) -> dict[str, dict[str, str]]:
    rows = csv.DictReader(io.StringIO(text))
    return {row["measure"]: row for row in rows if row.get("class", "") in ("", "all", None)}


def test_the_cancer_test_has_the_intervals_of_its_2030_items(capsys: Capture) -> None:
    found = json.loads(printed(capsys, "classify", "--counts", *CANCER, "-f", "json"))
    rates = {each["measure"]: each for each in found["systems"]["predictions"]["measures"]}
    parts = {"Recall": (20, 30), "Specificity": (1820, 2000), "Precision": (20, 200), "NPV": (1820, 1830)}
    for name, (n, of) in parts.items():
        assert (rates[name]["value"], rates[name]["low"], rates[name]["high"]) == approx(
            (n / of, *proportion_confint(n, of, method="beta"))
        )
    others = {"Accuracy": 0.9064039408866995, "MCC": 0.23348550853492078, "Kappa": 0.15212134535062652,
              "F": 0.17391304347826086, "GMeasure": 0.2581988897471611, "LRplus": 7.407407407407407}  # fmt: skip
    assert {name: rates[name]["value"] for name in others} == approx(others)


@pytest.mark.parametrize("form", ["csv", "table", "markdown", "latex", "html"])
def test_counts_and_the_items_behind_them_are_shown_alike(form: str, capsys: Capture) -> None:
    by_count = printed(capsys, "classify", "--counts", "people.csv", "--rows", "predicted", "-f", form)
    by_item = printed(capsys, "classify", "items.csv", "-a", "a", "-p", "p", "--rows", "predicted", "-f", form,
                      *(part for name in NAMES for part in ("--label", name)))  # fmt: skip
    assert by_count.replace("predictions", "p") == by_item.replace("predictions", "p")


def test_the_example_of_three_classes(capsys: Capture) -> None:
    out = json.loads(printed(capsys, "classify", "--counts", "people.csv", "--rows", "predicted", "-f", "json"))
    values = {each["measure"]: each["value"] for each in out["systems"]["predictions"]["measures"]}
    expected = {"Accuracy": 0.85, "Precision": 0.8074352548036758, "Recall": 0.7833333333333333,
                "F": 0.7943232063899587, "Kappa": 0.7262773722627737, "MCC": 0.7274021516499668}  # fmt: skip
    assert {name: values[name] for name in expected} == approx(expected)


def test_a_virus_test_and_one_that_always_says_no() -> None:
    virus = cranfield.classify(counts={"tp": 595, "fp": 4965, "fn": 105, "tn": 94335}, measures=["Precision", "NPV"])
    assert (virus["Precision"], virus["NPV"]) == approx((0.10701438848920863, 0.9988881829733164))
    never = cranfield.classify(counts="TP=0, FP=0, FN=30, TN=2000", measures=["Accuracy", "Precision", "NPV"])
    assert (never["Accuracy"], never["NPV"]) == approx((0.9852216748768473, 0.9852216748768473))
    assert math.isnan(never["Precision"])


@pytest.mark.parametrize(
    "counts",
    [
        {"Woman": {"Woman": 13, "Man": 2, "Child": 5}, "Man": {"Woman": 4, "Man": 15, "Child": 1},
         "Child": {"Child": 57, "Man": 1, "Woman": 2}},
        np.array(PEOPLE).T,
        np.array(PEOPLE).T.tolist(),
        pd.DataFrame(np.array(PEOPLE).T, index=NAMES, columns=NAMES),
        pl.DataFrame({"actual": NAMES, **{name: PEOPLE[place] for place, name in enumerate(NAMES)}}),
        Path("people.csv"),
    ],
    ids=["dict", "array", "rows", "pandas", "polars", "path"],
)  # fmt: skip
def test_every_form_of_a_matrix_is_the_same(counts: Any) -> None:
    rows: Any = "predicted" if isinstance(counts, Path) else "actual"
    result = cranfield.classify(counts=counts, labels=NAMES, rows=rows)
    assert result.confusion is not None
    assert result.confusion.labels == tuple(NAMES)
    assert result.confusion.counts.tolist() == np.array(PEOPLE).T.tolist()


@pytest.mark.parametrize("rows", ["actual", "predicted"])
def test_cells_with_names_do_not_depend_on_how_the_matrix_is_shown(rows: str, capsys: Capture) -> None:
    given = ["classify", "--counts", "TP=20", "FP=180", "FN=10", "TN=1820", "--rows", rows]
    assert main([*given, "-f", "csv"]) == 0
    found = {row["measure"]: row["value"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert (float(found["Recall"]), float(found["Precision"])) == pytest.approx((2 / 3, 0.1))
    assert main(given) == 0
    positive = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("positive "))
    assert positive.split()[1:3] == (["10", "20"] if rows == "actual" else ["180", "20"])


def test_a_path_may_contain_an_equals_sign(capsys: Capture) -> None:
    Path("fold=1").mkdir()
    Path("people.csv").rename("fold=1/people.csv")
    assert cranfield.classify(counts="fold=1/people.csv", rows="predicted")["Accuracy"] == 85 / 100
    assert "0.85" in printed(capsys, "classify", "--counts", "fold=1/people.csv", "--rows", "predicted")


def test_the_columns_may_be_in_another_order_than_the_rows(tmp_path: Path) -> None:
    Path("m.tsv").write_text("\tb\ta\na\t1\t2\nb\t3\t4\n")
    result = cranfield.classify(counts="m.tsv", average="macro")
    assert result.confusion is not None
    assert (result.confusion.labels, result.confusion.counts.tolist()) == (("a", "b"), [[2, 1], [4, 3]])


def test_classes_0_and_1_have_a_positive_one() -> None:
    Path("m.csv").write_text("actual,0,1\n0,1820,180\n1,10,20\n")
    assert cranfield.classify(counts="m.csv")["Precision"] == 0.1


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ("TP=20 FP=180 FN=10", "TN is missing"),
        ("TP=20 FP=180 FN=10 TN=1 TX=3", "'TX' is not one of them"),
        ("TP=20 FP=180 FN=10 TN=1 TP=3", "TP is given twice"),
        ("TP=20 FP=1.5 FN=10 TN=1", "FP: '1.5' is not a count"),
        ("TP=20 FP=-1 FN=10 TN=1", "FP: '-1' is not a count"),
        ("TP=20 and FP=1", "is not a list of counts"),
        ({"TP": 0, "FP": 0, "FN": 0, "TN": 0}, "all counts are 0"),
        ([[1, 2], [3]], "row 1 has 1 counts for 2 columns"),
        ([[1, None], [3, 4]], "None is not a count"),
        ({"a": {"b": 10**10}, "b": {}}, "at most 3,000,000,000"),
    ],
)
def test_what_is_no_matrix_is_refused(counts: Any, reason: str) -> None:
    with pytest.raises(BadInput, match=reason.replace("(", r"\(")):
        cranfield.classify(counts=counts)


def test_what_goes_with_items_is_refused_beside_counts(capsys: Capture) -> None:
    with pytest.raises(BadSetting, match="weight applies to single items"):
        cranfield.classify(counts="TP=1 FP=1 FN=1 TN=1", weight=[1])
    assert "actual applies to single items" in refused(capsys, "classify", "--counts", *CANCER, "-a", "x")
    assert "pass rows='predicted'" in refused(capsys, "classify", "--counts", "people.csv")
    assert "--actual is missing" in refused(capsys, "classify", "items.csv")
    assert "are these counts? (--counts)" in refused(capsys, "classify", *CANCER, "-a", "x")
    with pytest.raises(BadSetting, match="rows must be one of 'actual', 'predicted', not 'columns'"):
        cranfield.classify(counts="TP=1 FP=1 FN=1 TN=1", rows="columns")  # type: ignore[arg-type]


def test_rows_and_columns_need_the_same_names() -> None:
    Path("m.csv").write_text("actual,a,b\na,1,2\nc,3,4\n")
    with pytest.raises(
        BadInput, match=r"m\.csv: rows and columns must have the same names; 'c' names only a row or only a column"
    ):
        cranfield.classify(counts="m.csv")
    Path("n.csv").write_text("1,2\n3,4\n")
    with pytest.raises(BadInput, match="a matrix needs a header"):
        cranfield.classify(counts="n.csv")
