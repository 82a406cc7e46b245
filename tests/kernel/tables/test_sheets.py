"""Predictions in files: every format gives the same, and errors name the line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from classification.examples import CLASSES, SCORES
from cranfield import classify, regress
from cranfield.errors import BadInput

FRAME = pl.DataFrame({"item": [f"i{place}" for place in range(20)], "cls": list(CLASSES), "score": list(SCORES)})


def written(folder: Path, ending: str) -> Path:
    path = folder / f"predictions.{ending}"
    if ending == "csv":
        FRAME.write_csv(path)
    elif ending == "tsv":
        FRAME.write_csv(path, separator="\t")
    elif ending == "semicolon.csv":
        FRAME.write_csv(path, separator=";")
    elif ending == "csv.gz":
        path.write_bytes(gzip.compress(FRAME.write_csv().encode()))
    elif ending == "bom.csv":
        path.write_bytes(b"\xef\xbb\xbf" + FRAME.write_csv().encode())
    elif ending == "jsonl":
        FRAME.write_ndjson(path)
    elif ending == "json":
        path.write_text(json.dumps(FRAME.to_dicts()))
    elif ending == "parquet":
        FRAME.write_parquet(path)
    else:
        FRAME.write_ipc(path)
    return path


@pytest.mark.parametrize(
    "ending", ["csv", "tsv", "semicolon.csv", "csv.gz", "bom.csv", "jsonl", "json", "parquet", "arrow"]
)
def test_every_format_gives_the_same(tmp_path: Path, ending: str) -> None:
    result = classify("cls", score="score", data=written(tmp_path, ending), positive="P")
    assert result["AUC"] == 0.68
    assert result.result.provenance.inputs[0].digest


def test_a_missing_column_is_named_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"there is no column 'scores'; did you mean 'score'\? \(available: 'item', 'cls'"
    ):
        classify("cls", score="scores", data=written(tmp_path, "csv"), positive="P")


@pytest.mark.parametrize(
    ("ending", "text", "said"),
    [
        ("csv", "y,p\n1,0.5\n\n0,1.5\n", "line 4: probability is 1.5, which is not between 0 and 1"),
        ("csv", 'y,p,note\n1,0.5,"two\nlines"\n0,7,x\n', "line 4: probability is 7.0"),
        ("csv", "y,p\n1,0.5\n0,\n", "line 3: probability is missing"),
        ("csv", "y,p\n1,0.5\n0,high\n", "line 3: probability 'high' is not a number"),
        ("csv", "y,p\n1,0.5\n,0.5\n", "line 3: actual is missing"),
        ("jsonl", '{"y": 1, "p": 0.5}\n\n{"y": 0, "p": -1}\n', "line 3: probability is -1.0"),
        (
            "jsonl",
            '{"y": 1, "p": 0.5}\n{"y": 0, "p"\n',
            "line 2: this is not JSON (Expecting ':' delimiter at character 13)",
        ),
        ("json", "[1, 2]", "JSON must be a list of objects"),
        ("csv", "", "the file is empty"),
        ("csv", "y,p\n", "there is a header but no rows"),
        ("csv", "y,p,p\n1,2,3\n0,1,1\n", "duplicate column 'p'"),
        ("csv", "y,p\n1,0.5\n1,0.7\n", "line 2: actual is 1, as in every row"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, ending: str, text: str, said: str) -> None:
    path = tmp_path / f"p.{ending}"
    path.write_text(text)
    with pytest.raises(BadInput) as error:
        classify("y", probability="p", data=path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_labels_that_look_like_numbers_in_one_column_only(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y,p\n1,1\n2,x\n2,2\n")
    assert classify("y", "p", data=path).confusion.labels == ("1", "2", "x")  # type: ignore[union-attr]


def test_labels_named_as_text_for_a_column_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y,1,2\n1,0.9,0.1\n2,0.3,0.7\n")
    assert classify("y", probability=["1", "2"], data=path, measures="Accuracy")["Accuracy"] == 1
    assert classify("y", probability="2", data=path, positive="2")["Accuracy"] == 1


def test_sets_of_labels_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y,p\na,a\na;b,b\n,b\n")
    assert classify("y", "p", data=path, separator=";")["Recall"] == 0.75


def test_values_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y,a,b,fold\n1,1,2,x\n2,2,2,x\n3,5,2,y\n")
    result = regress("y", {"a": "a", "b": "b"}, data=path, by="fold")
    assert result.result.micro[0, 0] == pytest.approx(4 / 3)
    assert result.result.per_query("MSE", "a") == {"x": 0.0, "y": 4.0}
    assert result.of("b").summary.n == 3


def test_an_item_needs_a_name(tmp_path: Path) -> None:
    table = pa.table({"item": ["a", None, "c"], "y": [1, 0, 1], "p": [1, 0, 0]})
    with pytest.raises(BadInput, match="row 1: the name of the item is missing"):
        classify("y", "p", data=table, item="item")
    with pytest.raises(BadInput, match="item names must be text or numbers, not list"):
        classify("y", "p", data=table.set_column(0, "item", pa.array([["a"], ["b"], ["c"]])), item="item")


@pytest.mark.parametrize("long", [200_000, 3_000_000])
def test_a_cell_may_be_long(long: int, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text(f'note,y,p\n{"x" * long},1,1\n"a\nb",0,1\n')
    assert classify("y", "p", data=path)["Accuracy"] == 0.5
    path.write_text(f"note,y,p\n{'x' * long},1,1\na,0\n")
    with pytest.raises(BadInput, match=r"items\.csv"):
        classify("y", "p", data=path)


@pytest.mark.parametrize("n_rows", [2, 60_000], ids=["small", "large"])
def test_a_header_that_occurs_again_is_refused(tmp_path, n_rows):
    rows, path = "x" * 20 + ",1,1\n" + "x" * 20 + ",0,1\n", tmp_path / "two.csv"
    path.write_text("name,y,g\n" + rows * n_rows + "name,y,g\r\n" + rows)
    with pytest.raises(BadInput, match=rf"two.csv, line {2 * n_rows + 2}: the header occurs again"):
        classify("y", "g", data=path)
    path.write_text("name,y,g\n" + rows * n_rows + "name,y,g2\n")
    assert classify("y", "g", data=path, measures="Accuracy")["Accuracy"] == pytest.approx(n_rows / (2 * n_rows + 1))
