"""One list of names of columns for all readers: usual spellings are known, and nothing else is guessed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cranfield import agree, compare, evaluate
from cranfield.errors import BadInput
from cranfield.evidence.samples import samples
from cranfield.tables.values import read_values

QUERIES = ["qid", "query_id", "Query-ID", "queryID", "topic_id", "TopicID", "topic", "Query", "q", "Q"]
UNITS = [
    *QUERIES,
    "fold",
    "Fold ID",
    "split",
    "item",
    "docno",
    "doc_id",
    "unit",
    "group",
    "id",
    "index",
    "",
    "Unnamed: 0",
]


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("first", [1, 301])
def test_the_column_of_the_units_is_no_system(name: str, first: int, tmp_path: Path) -> None:
    rows = [(first + n, 0.1 * n, 0.3 - 0.1 * n) for n in range(5)]
    path = tmp_path / "values.csv"
    path.write_text(f"{name},a,b\n" + "".join(f"{u},{a},{b}\n" for u, a, b in rows))
    frame = pd.DataFrame(rows, columns=[name, "a", "b"])
    for data in (str(path), frame, pl.from_pandas(frame), frame.set_index(name)):
        (found,) = read_values(data).values.values()
        assert list(found) == ["a", "b"]
        assert list(found["a"]) == [str(u) for u, _, _ in rows]
    compared = compare(frame)
    assert [(row.system, row.baseline) for row in compared.rows] == [("a", "b")]


@pytest.mark.parametrize("name", QUERIES)
def test_a_row_per_value_knows_the_same_names(name: str, tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text(f"{name},System,Metric,Score\n1,a,AP,.1\n2,a,AP,.2\n1,b,AP,.3\n2,b,AP,.4\n")
    found = read_values(str(path))
    assert found.values == {"AP": {"a": {"1": 0.1, "2": 0.2}, "b": {"1": 0.3, "2": 0.4}}}
    assert found.unit in ("query", "topic")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("qid,fold,a,b", "'qid', 'fold' could each name the unit"),
        ("qid,query_id,a,b", "'qid', 'query_id' could each be the query"),
        ("qid,rank,a,b", "'rank' would be read as a system"),
        ("system,qid,a,b", "'system' would be read as a system"),
        ("qid,,a,b", "'' would be read as a system"),
        ("qid,id,a,b", "'id' would be read as a system"),
        ("number,a,b,c", "'number' numbers the rows"),
        ("a,q,b,c", "'q' could be the query or one of 'a', 'q', 'b', 'c'"),
        ("qid,a,a,b", "duplicate column 'a'"),
    ],
)
def test_what_is_ambiguous_is_refused(header: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text(header + "\n" + "".join(f"{n},{n},0.{n},0.5\n" for n in range(1, 6)))
    with pytest.raises(BadInput, match=said):
        read_values(str(path))


@pytest.mark.parametrize("row", [",a,0.5", "1,,0.5", "1,a,"])
def test_a_cell_that_is_missing_is_said(row: str, tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text(f"qid,system,value\n7,b,0.5\n{row}\n")
    with pytest.raises(BadInput, match=r"values.csv, line 3: .*(is missing|has no value)"):
        read_values(str(path))


def test_a_dict_of_columns_is_no_dict_of_systems() -> None:
    with pytest.raises(BadInput, match="'query_id' is a name for units"):
        compare({"query_id": [1, 2, 3], "a": [0.1, 0.2, 0.4], "b": [0.2, 0.1, 0.3]})
    assert samples({"query": [1, 2]}).systems == ("query",)  # where it is said that these are systems


def test_runs_with_two_ids_are_ambiguous_unless_one_is_known_to_win() -> None:
    run = {"qid": ["1"], "docno": ["d1"], "docid": [7], "query": ["what"], "score": [1.0]}  # as PyTerrier has it
    assert evaluate({"1": {"d1": 1}}, pd.DataFrame(run), "RR").aggregated().item() == 1
    run["topic_id"] = ["2"]
    with pytest.raises(BadInput, match="'qid', 'topic_id' could each be the query"):
        evaluate({"1": {"d1": 1}}, pd.DataFrame(run), "RR")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["item", "label", "count"], "'label', 'count' would name raters"),
        (["item", "rank", "ann", "bob"], "'rank' would name raters"),
        (["qid", "doc_id", "docno", "ann", "bob"], "'doc_id', 'docno' could each be the item"),
        (["rater", "judge", "item", "label"], "'rater', 'judge' could each be the rater"),
    ],
)
def test_columns_that_are_no_raters_are_refused(names: list[str], said: str) -> None:
    rows = [[f"{column}{row % 2}" for column in range(len(names))] for row in range(4)]
    with pytest.raises(BadInput, match=said):
        agree(pd.DataFrame(rows, columns=names))


def test_a_text_among_the_values_of_a_system_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text("query,a,b\n1,0.1,0.2\n2,1_0,0.2\n3,0.4,0.1\n")
    with pytest.raises(BadInput, match=r"values\.csv, line 3: a is '1_0', which is not a number"):
        compare(path)


@pytest.mark.parametrize("numbers", [[51, 54, 60, 77], [3, 1, 2, 9], [1, 2, 3]], ids=str)
def test_whole_numbers_beside_proportions_identify_rows(numbers: list[int]) -> None:
    proportions = {"a": [0.5, 0.4, 0.3, 1.0][: len(numbers)], "b": [0.1, 0.2, 0.0, 0.4][: len(numbers)]}
    with pytest.raises(BadInput, match="column 'nr' numbers the rows; rename it to id"):
        read_values(pd.DataFrame({"nr": numbers, **proportions}))
    assert list(read_values(pd.DataFrame({"id": numbers, **proportions})).values["value"]) == ["a", "b"]


def test_whole_numbers_beside_other_values_are_values() -> None:
    for table in ({"a": [51, 54, 60], "b": [50.5, 52, 61]}, {"a": [1, 0], "b": [0.5, 0.6]}):
        assert list(read_values(pd.DataFrame(table)).values["value"]) == ["a", "b"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_booleans_and_decimals_are_values_in_a_frame_as_in_a_dict(frame: Callable[[dict[str, Any]], Any]) -> None:
    right = {"a": [True, False, True, True, True], "b": [True, True, False, False, False]}
    assert compare(frame(right), test="mcnemar").to_csv() == compare(right, test="mcnemar").to_csv()
    exact = {"a": [Decimal("0.5"), Decimal("0.25")], "b": [Decimal("0.125"), Decimal("0.75")]}
    floats = {name: list(map(float, values)) for name, values in exact.items()}
    assert compare(frame(exact)).to_csv() == compare(floats).to_csv()
