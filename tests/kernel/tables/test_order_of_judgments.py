"""Judgments are sorted in C if the extension was built: the same order as in NumPy, and repeated ones are noticed."""

from __future__ import annotations

import random

import numpy as np
import pytest

import cranfield.native as extension
from cranfield.errors import BadInput
from cranfield.tables import judgments as module
from cranfield.tables.judgments import Judgments, judgments
from cranfield.tables.names import Names

Row = tuple[str, str, float]

pytestmark = pytest.mark.skipif(extension.native is None, reason="the extension in C was not built")

GRADES = {"few": [0, 1, 2, 3], "binary": [0, 1], "fractions": [0.5, -0.25, 0.0, -0.0, 1e-9], "far": [-7, 0, 1e15, 3e8]}


def read(rows: list[Row]) -> Judgments:
    query, document, grade = zip(*rows, strict=True)
    return judgments(Names.of(list(query)), Names.of(list(document)), np.array(grade, float))


def by_hand(rows: list[Row]) -> list[Row]:
    """By the bytes of the query, then by descending grade; sorting keeps the order of the file."""
    return sorted(rows, key=lambda row: (row[0].encode(), -row[2]))


def told(judged: Judgments) -> list[Row]:
    names = zip(judged.unit.tolist(), judged.documents.tolist(), judged.grade.tolist(), strict=True)
    return [(judged.queries[unit].decode(), document.decode(), grade) for unit, document, grade in names]


def rows_of(seed: int, grades: list[float], *, scattered: bool) -> list[Row]:
    """Ids of all lengths and scripts; documents shared by queries; queries with one judgment and with hundreds."""
    source = random.Random(seed)
    documents = [source.choice(["d", "文書", "FBIS3-", "x" * 30]) + str(place) for place in range(400)]
    rows = [
        (query, document, source.choice(grades))
        for query in ("1", "10", "2", "q" * 17, "クエリ")
        for document in source.sample(documents, source.choice([1, 2, 5, 300]))
    ]
    if scattered:
        source.shuffle(rows)
    return rows


@pytest.mark.parametrize("scattered", [False, True], ids=["by query", "scattered"])
@pytest.mark.parametrize("kind", GRADES)
@pytest.mark.parametrize("seed", range(5))
def test_judgments_are_sorted_by_query_and_grade_and_else_stay_in_order(seed, kind, scattered, monkeypatch):
    rows = rows_of(seed, GRADES[kind], scattered=scattered)
    assert told(read(rows)) == by_hand(rows)
    monkeypatch.setattr(module.extension, "native", None)
    assert told(read(rows)) == by_hand(rows)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 40])
def test_a_repeated_judgment_is_refused_wherever_it_is(size):
    rows = [("q", "x" * size + str(place), float(place % 3)) for place in range(50)]
    for again in (0, 17, 49):
        with pytest.raises(BadInput, match=rf"duplicate judgment of document '{rows[again][1]}' for query 'q'"):
            read([*rows, rows[again]])
    assert len(read([*rows, ("p", rows[0][1], 1.0)]).document) == 51


def test_columns_that_do_not_belong_together_are_refused():
    unit, grade, names = np.zeros(2, np.int64), np.zeros(2), Names.of(["a", "b"])
    columns = unit, grade, names.data, names.start, names.length
    wrong = {
        0: np.zeros(3, np.int64),
        1: np.zeros(1),
        3: np.array([0, 1 << 20], np.int32),
        4: np.array([1, 60_000], np.uint16),
    }
    for place, column in wrong.items():
        with pytest.raises(ValueError, match="do not belong together"):
            extension.native.judged_order(1, *columns[:place], column, *columns[place + 1 :])
    for stray in (-1, 2):
        assert extension.native.judged_order(1, np.array([0, stray]), *columns[1:]) is None
