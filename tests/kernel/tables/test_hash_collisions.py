"""Hashes only save time: names with the same hash are still different names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cranfield import evaluate
from cranfield.errors import BadInput
from cranfield.tables.names import Lookup, Names, mixed

WORD = 8


WAYS = {"looked up": -1, "compared one by one": 100}


@pytest.fixture(autouse=True, params=WAYS.values(), ids=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judged documents are found in every way, however few there are."""
    monkeypatch.setattr("cranfield.tables.rankings._FEW", request.param)


def hashed(value: int) -> int:
    return int(mixed(np.array([value], np.uint64))[0])


def twins(first: bytes, other: bytes, rest: bytes) -> tuple[bytes, bytes]:
    """Two names of sixteen bytes that share a hash: `first` and `other` are how they begin."""
    length = hashed(2 * WORD)
    one, two = (hashed(length ^ int.from_bytes(start, "little")) for start in (first, other))
    last = int.from_bytes(rest, "little") ^ one ^ two
    return first + rest, other + last.to_bytes(WORD, "little")


A, B = twins(b"document", b"anything", b"-number1")
ROWS = [(b"q", b"d", 4.0), (b"q", A, 3.0), (b"q", b"e", 2.0)]


def by_query(rows: list[tuple[bytes, bytes, float]]) -> dict[bytes, dict[bytes, float]]:
    made: dict[bytes, dict[bytes, float]] = {}
    for query, document, value in rows:
        made.setdefault(query, {})[document] = value
    return made


def test_the_twins_share_a_hash() -> None:
    assert A != B
    assert len(set(Names.of([A, B]).hash.tolist())) == 1


@pytest.mark.parametrize("form", [list, by_query], ids=["rows", "dict"])
@pytest.mark.parametrize("judged", [[A, B], [B, A], [A], [B]], ids=["both", "both, reversed", "one", "other"])
@pytest.mark.filterwarnings("ignore")
def test_documents_with_one_hash_are_two(form: Any, judged: list[bytes]) -> None:
    qrels = [(b"q", b"d", 0), *((b"q", name, 1) for name in judged)]
    assert evaluate(form(qrels), ROWS, "NumRelRet")["NumRelRet"] == int(A in judged)
    assert evaluate(form(qrels), [*ROWS, (b"q", B, 1.0)], "NumRelRet")["NumRelRet"] == len(judged)
    assert evaluate(form(qrels), ROWS, "NumRel")["NumRel"] == len(judged)


@pytest.mark.parametrize("form", [list, by_query], ids=["rows", "dict"])
@pytest.mark.parametrize(("judged", "wanted"), [([A, B], 3), ([A], 2), ([B], 1)])
@pytest.mark.filterwarnings("ignore")
def test_queries_with_one_hash_are_two(form: Any, judged: list[bytes], wanted: int) -> None:
    run = [(A, b"d", 2.0), (A, b"e", 1.0), (B, b"d", 1.0)]
    qrels = [(query, name, 1) for query in judged for name in (b"d", b"e")]
    assert evaluate(form(qrels), run, "NumRelRet")["NumRelRet"] == wanted


@pytest.mark.filterwarnings("ignore")
def test_subtopics_with_one_hash_are_two() -> None:
    qrels = [{"qid": "q", "docno": name, "subtopic": topic, "rel": 1} for name in (A, B) for topic in (A, B)]
    assert evaluate(qrels, ROWS, "StRecall@5")["StRecall@5"] == 1
    assert evaluate(qrels, ROWS, "AP_IA")["AP_IA"] == pytest.approx(1 / 2 / 2)


def test_a_document_that_is_there_twice_is_refused_among_names_with_one_hash() -> None:
    with pytest.raises(BadInput, match="duplicate document"):
        evaluate([(b"q", A, 1)], [(b"q", A, 1.0), (b"q", B, 1.0), (b"q", A, 2.0)], "AP")
    with pytest.raises(BadInput, match="duplicate judgment"):
        evaluate([(b"q", A, 1), (b"q", B, 1), (b"q", A, 0)], [(b"q", A, 1.0)], "AP")


@pytest.mark.parametrize("bits", [0, 1, 4, 9, 64])
@pytest.mark.parametrize("n_names", [0, 1, 2, 40, 3000])
def test_names_are_found_however_many_share_a_number(bits: int, n_names: int) -> None:
    if bits < 9 and n_names > 40:
        pytest.skip("too many names of one number")
    names = [f"{n}.".encode() * (1 + n % 3) for n in range(n_names)]
    asked = [*names[::-2], b"absent", *(name + b"?" for name in names[::3]), *names[:1]]
    index, column = Names.of(names), Names.of(asked)
    kept = np.uint64((1 << bits) - 1)
    rows, places = Lookup(index, index.hash & kept).find(column, column.hash & kept)
    found = dict(zip(rows.tolist(), places.tolist(), strict=True))
    assert len(found) == len(rows)
    known = {name: place for place, name in enumerate(names)}
    assert found == {row: known[name] for row, name in enumerate(asked) if name in known}


def test_a_name_is_found_under_its_own_number_only() -> None:
    names = Names.of([b"a", b"a", b"b"])
    number = np.array([1, 2, 1], np.uint64)
    rows, places = Lookup(names, number).find(Names.of([b"a", b"b", b"b"]), np.array([2, 2, 1], np.uint64))
    assert sorted(zip(rows.tolist(), places.tolist(), strict=True)) == [(0, 1), (2, 2)]
