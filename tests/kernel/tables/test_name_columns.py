"""Names are joined by their bytes alone: whatever else is in the column, and whatever the other column holds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cranfield import evaluate
from cranfield.arrays import is_constant
from cranfield.tables.judgments import Judgments, grouped, judgments
from cranfield.tables.names import Names, TextNames, decode
from cranfield.tables.rankings import GrowingNumbers, Rows, concatenated, rows

LENGTHS = range(71)
AROUND_WORDS = [length + nudge for length in (0, 8, 16, 24) for nudge in (-1, 0, 1) if length + nudge >= 0]

# Any bytes, with lengths near the words in which they are hashed, NULs and bytes that are not UTF-8.
any_bytes = st.one_of(
    st.binary(max_size=70),
    st.sampled_from(AROUND_WORDS).flatmap(lambda length: st.binary(min_size=length, max_size=length)),
    st.builds(lambda head, n: head + bytes(n), st.binary(max_size=20), st.integers(0, 20)),
    st.builds(lambda letter, n: letter * n, st.sampled_from([b"a", b"\x00", b"\xff", b"0"]), st.integers(0, 70)),
)
columns = st.lists(any_bytes, max_size=12)


def from_arrow(names: list[bytes]) -> Names:
    return Names.from_arrow(pa.array(names, pa.binary()))


def from_a_slice(names: list[bytes]) -> Names:
    column = pa.array([b"before it", *names, b"and after it"], pa.large_binary())
    return Names.from_arrow(column.slice(1, len(names)))


def from_chunks(names: list[bytes]) -> Names:
    half = len(names) // 2
    return Names.from_arrow(pa.chunked_array([names[:half], names[half:]], pa.binary()))


def taken(names: list[bytes]) -> Names:
    return Names.of([b"a longer name than all others" * 3, *reversed(names)]).take(np.arange(len(names), 0, -1))


def joined(names: list[bytes]) -> Names:
    half = len(names) // 2
    return concatenated([Names.of(names[:half]), from_arrow(names[half:])])


def spelled(names: list[bytes]) -> Names:
    return TextNames([decode(name) for name in names])


ROUTES = [Names.of, from_arrow, from_a_slice, from_chunks, taken, joined, spelled]
every_route = pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.__name__)
Route = Callable[[list[bytes]], Names]


def alone(name: bytes) -> int:
    return int(Names.of([name]).hash[0])


@every_route
@given(names=columns)
@settings(max_examples=60)
def test_a_column_holds_its_names(route: Route, names: list[bytes]) -> None:
    column = route(names)
    assert (len(column), column.tolist(), [column[i] for i in range(len(names))]) == (len(names), names, names)
    assert column.texts() == [decode(name) for name in names]


@every_route
@given(names=columns)
@example(names=[b"d1", b"longdocname1"])
@settings(max_examples=60)
def test_the_hash_of_a_name_is_the_same_in_every_column(route: Route, names: list[bytes]) -> None:
    assert route(names).hash.tolist() == [alone(name) for name in names]


def test_a_name_of_any_length_hashes_the_same_beside_a_name_of_any_other() -> None:
    names = [b"x" * length for length in LENGTHS]
    expected = [alone(name) for name in names]
    for other in names:
        assert Names.of([*names[: len(other)], other]).hash.tolist() == [*expected[: len(other)], expected[len(other)]]
        assert [Names.of([name, other]).hash[0] for name in names] == expected


@given(names=st.sets(any_bytes, max_size=40))
def test_different_names_have_different_hashes(names: set[bytes]) -> None:
    assert len(set(Names.of(names).hash.tolist())) == len(names)


@pytest.mark.parametrize(
    "style",
    [
        "d{}",
        "{:07}",
        "{:016}",
        "FBIS3-{}",
        "clueweb09-en{:04}-00-{:05}",
        "https://example.org/{}/{}.html",
        "{:08x}-{:04}-4000-8000-{:012}",
        "{:\x00<20}",
    ],
)
def test_the_numbered_names_of_a_collection_have_different_hashes(style: str) -> None:
    names = [style.format(number, 7 * number, number) for number in range(50_000)]
    assert len(np.unique(Names.of(names).hash)) == len(set(names))


@given(left=columns, right=columns)
@example(left=[b"d1", b""], right=[b"longdocname1", b"d1", b""])
@settings(max_examples=300)
def test_two_columns_are_compared_as_their_bytes_are(left: list[bytes], right: list[bytes]) -> None:
    here, there = Names.of(left), from_arrow(right)
    index = np.repeat(np.arange(len(left)), len(right))
    other = np.tile(np.arange(len(right)), len(left))
    expected = [a == b for a in left for b in right]
    assert here.equal(index, there, other).tolist() == expected
    assert (here.hash[index] == there.hash[other]).tolist() == expected


@given(names=columns, times=st.integers(1, 3))
def test_rows_are_grouped_as_by_a_dict(names: list[bytes], times: int) -> None:
    given_names = names * times
    queries, unit = grouped(Names.of(given_names))
    assert queries == sorted(set(names))
    assert [queries[place] for place in unit] == given_names


pairs = st.lists(st.tuples(any_bytes, any_bytes), max_size=15, unique=True)


@given(judged=pairs, retrieved=pairs, both=pairs)
@example(judged=[(b"1", b"longdocname1")], retrieved=[], both=[(b"1", b"d1")])
@example(judged=[(b"a long query id", b"d")], retrieved=[], both=[(b"1", b"d")])
@example(judged=[], retrieved=[(b"1", b"clueweb09-en0000-00-00000")], both=[(b"1", b"d1")])
@settings(max_examples=300)
def test_judged_documents_are_found_as_in_a_dict(
    judged: list[tuple[bytes, bytes]], retrieved: list[tuple[bytes, bytes]], both: list[tuple[bytes, bytes]]
) -> None:
    grades = {pair: float(number) for number, pair in enumerate([*judged, *both])}
    run = list(dict.fromkeys([*both, *retrieved]))
    qrels = judgments(*_columns(list(grades)), np.array(list(grades.values())))
    ranking = rows(*_columns(run), np.zeros(len(run)), where=str)
    expected = {pair: grade for pair, grade in grades.items() if pair in set(run)}
    for few in (-1, 100):  # looked up, compared one by one
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("cranfield.tables.rankings._FEW", few)
            assert _found(ranking, qrels) == expected


def _columns(pairs_given: list[tuple[bytes, bytes]]) -> tuple[Names, Names]:
    return Names.of([query for query, _ in pairs_given]), from_arrow([document for _, document in pairs_given])


def _found(ranking: Rows, qrels: Judgments) -> dict[tuple[bytes, bytes], float]:
    query, place, _ = ranking.judged(qrels, qrels.units(ranking.queries))
    grade = dict(zip(qrels.document.tolist(), qrels.grade.tolist(), strict=True))
    return {
        (ranking.queries[unit], qrels.documents[one]): grade[one]
        for unit, one in zip(query.tolist(), place.tolist(), strict=True)
    }


@pytest.mark.parametrize("length", [1, *AROUND_WORDS[2:], 40, 60])
@pytest.mark.parametrize("where", ["qrels", "run"])
@pytest.mark.parametrize("column", ["query", "document"])
def test_a_long_id_in_one_file_changes_no_figure(length: int, where: str, column: str, tmp_path: Path) -> None:
    query, document = ("x" * length, "d1") if column == "query" else ("1", "x" * length)
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 d1 1\n" + (f"{query} 0 {document} 0\n" if where == "qrels" else ""))
    run.write_text("1 Q0 d1 1 3 t\n" + (f"{query} Q0 {document} 2 2 t\n" if where == "run" else ""))
    with warnings.catch_warnings(action="ignore"):
        assert evaluate(qrels, run, "AP").per_query("AP")["1"] == 1.0


@pytest.mark.parametrize(
    ("parts", "once"),
    [
        ([[1.0, 1.0], [], [1.0]], True),
        ([[1.0, 1.0], [1.0, 2.0], [1.0]], False),
        ([[1.0, 1.0], [2.0, 2.0], [2.0]], False),
        ([[0.0, 0.0], [-0.0]], False),
        ([[1.0, 2.0], [2.0]], False),
        ([[], []], False),
    ],
)
def test_equal_numbers_are_stored_once(parts: list[list[float]], once: bool) -> None:
    numbers = GrowingNumbers()
    for part in parts:
        numbers.add(np.array(part, np.float64))
    assert numbers.column().tobytes() == np.concatenate([*map(np.array, parts)]).astype(np.float64).tobytes()
    assert is_constant(numbers.column()) == once
