"""Runs and judgments in memory: dicts, frames and rows, with names of any kind."""

from __future__ import annotations

import collections
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

from cranfield.tables.sources import as_judgments, as_runs
from kernel.tables.refusals import refused


def ranked(run: object) -> dict[bytes, list[tuple[bytes, float]]]:
    (source,) = as_runs(run)
    batch = source.whole()
    return {
        query: list(zip(batch.names(at, np.arange(end - start)), batch.scores[start:end].tolist(), strict=True))
        for at, (query, start, end) in enumerate(zip(batch.queries, batch.starts[:-1], batch.starts[1:], strict=True))
    }


EXPECTED = {b"1": [(b"7", 2.0), (b"8", 1.0)]}


@pytest.mark.parametrize(
    "run",
    [
        {"1": {"7": 2.0, "8": 1.0}},
        {1: {7: 2, 8: True}},
        {np.int64(1): {np.int32(7): np.float32(2), np.str_("8"): 1}},
        {b"1": {b"7": 2, b"8": 1}},
        {"1": {7: 2, 8: 1}},
        {np.str_("1"): {np.str_("7"): 2, np.str_("8"): 1}},
        MappingProxyType({"1": MappingProxyType({"7": 2, "8": 1})}),
        collections.defaultdict(dict, {"1": collections.OrderedDict({"7": 2, "8": Decimal(1)})}),
    ],
)
def test_keys_of_any_kind_are_names(run):
    assert ranked(run) == EXPECTED
    judged = as_judgments(run)
    assert judged.queries == [b"1"]
    assert judged.documents.tolist() == [b"7", b"8"]
    (source,) = as_runs(run)
    rankings = source.whole()
    found = rankings.judged(judged, judged.units(rankings.queries))
    assert [column.tolist() for column in found] == [[0, 0], [0, 1], [2.0, 1.0]]


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({}, "the dict is empty"),
        ({"q": 0.5}, "q: 0.5 (float) does not contain a run"),
        ({"q": {"d": 1}, "r": 0.5}, "query 'r': expected {document: score}, got 0.5"),
        ({"q": {"d": None}}, "query 'q', document 'd': score None is not a number"),
        ({"q": {"d": "high"}}, "score 'high' is not a number"),
        ({"q": {"d": float("nan")}}, "score nan is not a number"),
        ({"q": {"d": [1]}}, "score [1] is not a number"),
        ({"q": {"d": 10**400}}, "query 'q', document 'd': score 1000"),
        ({"q": {"d": 1}, 1.5: {"d": 1}, "r": {"d": 1}}, "1.5 (float) is not an id"),
        ({"a": {"q": {"d": {"e": 1}}}}, "a: query 'q', document 'd': score {'e': 1} is not a number"),
        ({"q": {1.5: 1}}, "1.5 (float) is not an id"),
        ({None: {"d": 1}}, "None (NoneType) is not an id"),
        ({1: {"d": 1}, "1": {"d": 2}}, "duplicate key '1'"),
        ({"q": {"\ud800": 1, "d": 1}, "\ud800": {}}, "surrogate"),
        (3, "3 (int) does not contain a run"),
        (b"q Q0 d 1 2 t", "(bytes) does not contain a run"),
        ([], "there is no run"),
        ({"q": [("d", 1)]}, "q, row 0 (counting from 0): ('d', 1) is not a row"),
    ],
)
def test_a_dict_of_another_shape_is_refused(run, said):
    refused(run, said)


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ({}, "the dict is empty"),
        ({"q": ["d"]}, "query 'q': expected {document: grade}, got ['d']"),
        ({"q": {"d": float("inf")}}, "grade inf is not a finite number"),
        ({"q": {"d": "x"}}, "grade 'x' is not a number"),
        ({"q": {"d": 10**400}}, "query 'q', document 'd': grade 1000"),
        (3, "3 (int) does not contain judgments"),
        ([("q", "d", 1), ("q", "d", 0)], "row 1 (counting from 0): duplicate judgment of document 'd' for query 'q'"),
    ],
)
def test_judgments_of_another_shape_are_refused(qrels, said):
    refused(qrels, said, judgments=True)


class Scored(NamedTuple):
    query_id: int
    doc_id: int
    score: float


@dataclass
class Document:
    rank: int
    qid: str
    docno: str


@pytest.mark.parametrize(
    "rows",
    [
        [Scored(1, 7, 2), Scored(1, 8, 1)],
        (("1", "7", 2), ("1", 8, "1")),
        [["1", b"7", 2], ["1", "8", 1]],
        iter([{"qid": "1", "docno": "7", "score": 2, "text": None}, {"score": 1, "docno": "8", "qid": 1}]),
        {"a": (row for row in [Scored(1, 7, 2), Scored(1, 8, 1)])},
    ],
)
def test_rows_are_a_run(rows):
    assert ranked(rows) == EXPECTED


def test_ranks_do_where_rows_have_no_scores():
    assert ranked([Document(1, "1", "7"), Document(2, "1", "8")]) == {b"1": [(b"7", -1.0), (b"8", -2.0)]}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("q", "d")], "row 0 (counting from 0): ('q', 'd') is not a row; a row is (query, document, score)"),
        ([("q", "d", 1), ("q", "e")], "row 1 (counting from 0): ('q', 'e') does not have the fields of the first row"),
        ([("q", "d", 1), ("q", "e", None)], "row 1 (counting from 0): score None is not a number"),
        ([("q", "d", 1), ("q", "e", "high")], "row 1 (counting from 0): score 'high' is not a number"),
        ([("q", "d", 1), ("q", "e", 10**400)], "row 1 (counting from 0): score 1000"),
        ([("q", "d", 1), ("q", "e", float("nan"))], "row 1 (counting from 0): the score is NaN"),
        ([("q", "d", 1), ("q", None, 1)], "row 1 (counting from 0): document None (NoneType) is not an id"),
        ([("q", "d", 1), ("q", "d", 2)], "row 1 (counting from 0): duplicate document 'd' for query 'q'"),
        ([{"qid": "q", "doc": "d", "value": 1}], "no column for score or rank among 'qid', 'doc', 'value'"),
        ([Scored(1, 7, 2), 5], "row 1 (counting from 0): 5 does not have the fields"),
    ],
)
def test_rows_that_cannot_be_read_are_named(rows, said):
    refused(rows, said)


def columns(qid: Any, docno: Any, score: Any, **others: Any) -> dict[str, Any]:
    return {"qid": qid, "docno": docno, "score": score, **others}


def objects(*values: object) -> pandas.Series:
    return pandas.Series(values, dtype=object)


FRAMES = {
    "integers": pandas.DataFrame(columns([1, 1], [7, 8], [2, 1])),
    "objects": pandas.DataFrame(columns(objects(1, "1"), [7, 8], objects(2, "1"))),
    "floats": pandas.DataFrame(columns([1.0, 1.0], [7.0, 8.0], ["2", "1.0"])),
    "nullable": pandas.DataFrame(columns([1, 1], ["7", "8"], [2, 1])).convert_dtypes(),
    "categories": pandas.DataFrame(columns(pandas.Categorical([1, 1]), [7, 8], [2, 1])),
    "other columns": pandas.DataFrame(columns([1, 1], [7, 8], [2, 1], docid=[0, 0], query=["?", "!"], x=[{}, 1])),
    "labels that are no text": pandas.DataFrame(columns([1, 1], [7, 8], [2, 1]) | {0: [1, 2]}),
    "other names": polars.DataFrame({"Query-ID": ["1", "1"], "corpus_id": ["7", "8"], "SCORE": [2, 1]}),
    "enumerated": polars.DataFrame(columns(["1", "1"], [7, 8], [2, 1])).cast({"qid": polars.Enum(["1", "2"])}),
    "decimals": polars.DataFrame(columns(["1", "1"], [7, 8], [Decimal(2), Decimal(1)])),
    "bytes": polars.DataFrame(columns([b"1", b"1"], [b"7", b"8"], [2.0, 1.0])),
    "small numbers": pa.table(columns(["1", "1"], pa.array([7, 8], pa.uint8()), pa.array([2, 1], pa.float16()))),
    "views": pa.table(
        columns(pa.array(["1", "1"], pa.string_view()), pa.array([b"7", b"8"], pa.binary_view()), [2, 1])
    ),
    "a struct": pa.table(columns(["1", "1"], [7, 8], [2, 1])).to_struct_array().combine_chunks(),
    "fixed": pa.table(columns(["1", "1"], pa.array([b"7", b"8"], pa.binary(1)), [2, 1])),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_names_in_frames_may_be_of_any_type(frame):
    assert ranked(frame) == EXPECTED


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (polars.DataFrame(columns(["q", None], ["d", "e"], [1, 2])), "row 1 (counting from 0): the query is missing"),
        (pandas.DataFrame(columns(["q", "q"], ["d", "e"], [1, None])), "row 1 (counting from 0): the score is missing"),
        (
            pandas.DataFrame(columns(["q", "q"], ["d", None], [1, 2])),
            "row 1 (counting from 0): the document is missing",
        ),
        (
            pandas.DataFrame(columns(["q", "q"], [2.0, 2.0**53], [1, 2])),
            "row 1 (counting from 0): document 9007199254740992 is a floating-point number, too large to be exact",
        ),
        (
            pa.table(columns(["q", "q"], pa.array([2.0, 2.0**24], pa.float32()), [1, 2])),
            "row 1 (counting from 0): document 16777216 is a floating-point number, too large to be exact",
        ),
        (pandas.DataFrame(columns(["q", "q"], [1.5, 2], [1, 2])), "row 0 (counting from 0): document 1.5 is not an id"),
        (
            pandas.DataFrame(columns(["q", "q"], objects("d", 1.5), [1, 2])),
            "row 1 (counting from 0): document 1.5 (float) is no",
        ),
        (pa.table(columns(["q", "q"], ["d", "e"], ["1", "x"])), "row 1 (counting from 0): score 'x' is not a number"),
        (pa.table(columns(["q", "q"], ["d", "d"], [1, 2])), "row 1 (counting from 0): duplicate document 'd'"),
        (pa.table(columns(["q"], [[1]], [1])), "the document column has type list"),
        (pa.table(columns([True], ["d"], [1])), "the query column has type bool"),
        (polars.DataFrame(columns([], [], [])), "the table has no rows"),
        (
            pandas.DataFrame([["q", "d", 1, 2]], columns=["qid", "docno", "score", "score"]),
            "duplicate column 'score'",
        ),
        (polars.DataFrame({"qid": ["q"], "docno": ["d"], "label": [1]}), "'label'; these look like judgments"),
    ],
)
def test_frames_that_cannot_be_read_are_refused(frame, said):
    refused(frame, said)


def test_batches_are_read_as_they_come():
    assert ranked(pa.table(columns(["1", "1"], [7, 8], [2, 1])).to_reader()) == EXPECTED


def test_a_frame_of_a_run_is_no_judgments():
    refused(
        pandas.DataFrame({"qid": ["q"], "docno": ["d"], "score": [1], "rank": [0]}), "belong to a run", judgments=True
    )


def test_a_frame_comes_in_pieces_of_whole_queries(monkeypatch):
    monkeypatch.setattr("cranfield.tables.adapters.frames.ROWS", 7)
    frame = polars.DataFrame({"qid": [n // 10 for n in range(50)], "docno": range(50), "score": range(50)})
    (source,) = as_runs(frame)
    assert [query for part in source.parts() for query in part().queries] == [b"0", b"1", b"2", b"3", b"4"]


def test_a_row_of_a_later_piece_is_located(monkeypatch):
    monkeypatch.setattr("cranfield.tables.adapters.frames.ROWS", 7)
    scores = [float(n) for n in range(50)]
    scores[33] = float("nan")
    refused(
        pa.table({"qid": [n // 10 for n in range(50)], "docno": range(50), "score": scores}), "row 33 (counting from 0)"
    )
