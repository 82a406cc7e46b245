"""The parser of blocks against one that goes line by line, on lines of every kind."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.errors import BadInput
from cranfield.rankings.evaluate import evaluate
from cranfield.tables.adapters.chunks import RunChunk, judged
from cranfield.tables.rankings import Rows, joined
from cranfield.tables.readers import text as blocks
from cranfield.tables.readers.recognition import Content, Shape, recognised
from cranfield.tables.readers.streams import ReplayedPipe, Stream
from cranfield.tables.readers.text import first_line

Run = dict[bytes, list[tuple[bytes, float]]]

BLOCKS = (40, 97, 300, 1 << 20)
SEPARATORS = (b" ", b"\t", b"  ", b" \t", b"\t\t ", b"\v", b" \f")


def stream(data: bytes) -> Stream:
    return Stream(ReplayedPipe(io.BytesIO(data), "file"))


def content(data: bytes, shape: Shape) -> Content:
    opened = stream(data)
    return recognised(opened).content(opened, shape)


def parts(data: bytes, block: int) -> list[Rows]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", block)
        return [RunChunk(chunk)() for chunk in content(data, "run").chunks]


def rankings(rows: Rows) -> Run:
    documents, scores = rows.documents.tolist(), rows.scores.tolist()
    return {
        query: list(zip(documents[start:end], scores[start:end], strict=True))
        for query, start, end in zip(rows.queries, rows.starts[:-1].tolist(), rows.starts[1:].tolist(), strict=True)
    }


def line_by_line(data: bytes) -> Run:
    run: Run = {}
    for line in data.split(b"\n"):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            run.setdefault(fields[0], []).append((fields[2], float(fields[4])))
    return run


def name(first: bytes = b"") -> st.SearchStrategy[bytes]:
    odd = bytes(byte for byte in range(1, 256) if not bytes([byte]).isspace())
    letters = st.sampled_from(
        [*(bytes([byte]) for byte in odd), *[b"a", b"1", b"#", b'"', b",", b"\xe9", b"\xff"] * 20]
    )
    return st.lists(letters, min_size=1, max_size=12).map(lambda letters: first + b"".join(letters))


scores = st.one_of(
    st.integers(-5, 5).map(str),
    st.floats(allow_nan=False).map(repr),
    st.sampled_from(["1.", ".5", "+3", "1e3", "-0.0", "1E-400", "007", "Infinity", "-inf"]),
).map(str.encode)


@st.composite
def lines(draw: st.DrawFn) -> list[list[bytes]]:
    """The fields of some lines: every document once for a query, queries together or scattered."""
    queries = draw(st.lists(name(b"q"), min_size=1, max_size=6, unique=True))
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(queries), name()), min_size=1, max_size=40, unique=True).filter(bool)
    )
    if draw(st.booleans()):
        pairs.sort(key=lambda pair: queries.index(pair[0]))
    spare = draw(st.sampled_from([0, 0, 1, 2]))
    rank = b"1234"  # which no score makes a number with blanks, as 1 and 007 between two tabs would be
    return [[query, b"Q0", document, rank, draw(scores), b"tag"] + [b"more"] * spare for query, document in pairs]


@st.composite
def regular_files(draw: st.DrawFn) -> bytes:
    separator, end = draw(st.sampled_from([b" ", b"\t"])), draw(st.sampled_from([b"\n", b"\r\n"]))
    last = draw(st.sampled_from([end, b""]))
    return end.join(separator.join(fields) for fields in draw(lines())) + last


@st.composite
def irregular_files(draw: st.DrawFn) -> bytes:
    edge, between = st.sampled_from([b"", b"", b" ", b"\t "]), st.sampled_from(SEPARATORS)
    data = b""
    for fields in draw(lines()):
        if draw(st.integers(0, 4)) == 0:
            data += draw(st.sampled_from([b"\n", b"# note\n", b"  \r\n", b"\t#q1 Q0 d 1 1 t\n", b"#\n"]))
        fields += draw(st.sampled_from([[], [], [b"x"], [b"x", b"y"]]))
        joined_fields = b"".join(field + draw(between) for field in fields[:-1]) + fields[-1]
        data += draw(edge) + joined_fields + draw(edge) + draw(st.sampled_from([b"\n", b"\r\n"]))
    return data.rstrip() if draw(st.booleans()) else data


@given(st.one_of(regular_files(), irregular_files()), st.sampled_from(BLOCKS))
def test_blocks_are_read_as_lines_are(data: bytes, block: int) -> None:
    read = parts(data, block)
    expected = line_by_line(data)
    assert rankings(joined(read)) == expected
    if len({query for part in read for query in part.queries}) == sum(len(part.queries) for part in read):
        assert {query: ranking for part in read for query, ranking in rankings(part).items()} == expected


@given(irregular_files(), st.sampled_from(BLOCKS))
def test_a_row_is_located_by_its_line(data: bytes, block: int) -> None:
    holding = [
        number for number, line in enumerate(data.split(b"\n"), 1) if line.strip() and line.split()[0][:1] != b"#"
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", block)
        chunks = list(content(data, "run").chunks)
    found = [chunk.where(row) for chunk in chunks for row in range(len(chunk.columns()["score"]))]
    assert found == [f"file, line {number}" for number in holding]


@given(st.one_of(regular_files(), irregular_files()), st.sampled_from(BLOCKS), st.data())
def test_a_line_that_cannot_be_read_is_named(data: bytes, block: int, drawn: st.DataObject) -> None:
    text = data.split(b"\n")
    holding = [number for number, line in enumerate(text) if line.strip() and line.split()[0][:1] != b"#"]
    at = drawn.draw(st.sampled_from(holding))
    bad = drawn.draw(st.sampled_from([b"q0 Q0 d", b"q0 Q0 d 1 high tag", b"q0 Q0 d 1 1_0 tag", b"q0 Q0 d 1 5"]))
    text[at] = bad
    with pytest.raises(BadInput, match=rf"^file, line {at + 1}: .*{re.escape(bad.decode())}"):
        parts(b"\n".join(text), block)


@given(regular_files(), st.sampled_from(BLOCKS), st.data())
def test_a_document_that_appears_again_is_refused_wherever_it_is(data: bytes, block: int, drawn: st.DataObject) -> None:
    text = data.rstrip().split(b"\n")
    first = drawn.draw(st.integers(0, len(text) - 1))
    again = drawn.draw(st.integers(first + 1, len(text)))
    text.insert(again, text[first].rstrip())
    with pytest.raises(
        BadInput, match=rf"^file, line {again + 1}: duplicate document .*first at file, line {first + 1}\)"
    ):
        joined(parts(b"\n".join(text), block))


def test_a_line_that_is_repeated_millions_of_times_is_refused_before_the_rest_is_read() -> None:
    with pytest.raises(
        BadInput, match=r"^file, line 2: duplicate document 'd1' for query '1' \(first at file, line 1\)"
    ):
        parts(b"1 Q0 d1 1 0.5 t\n" * 1000 + b"neither read nor parsed\n", 100)


@given(st.lists(st.tuples(name(b"q"), name(), st.integers(-2, 3)), min_size=1, unique_by=lambda row: row[:2]))
def test_qrels_in_blocks_are_read_as_lines_are(rows: list[tuple[bytes, bytes, int]]) -> None:
    data = b"".join(b"%b 0\t%b  %d\r\n" % row for row in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 50)
        read = judged(content(data, "qrels").chunks, "file", "")
    names = read.documents.tolist()
    found = [
        (read.queries[unit], names[place], grade)
        for unit, place, grade in zip(read.unit, read.document, read.grade, strict=True)
    ]
    assert sorted(found) == sorted(rows)
    assert read.queries == sorted({query for query, _, _ in rows})


@pytest.mark.parametrize(
    "cells", [["q1", "d,1", "0.5"], ["q1", 'a "d"', "0.5"], ["q1", "a\nd", "0.5"], ["q 1", "d", "1"]]
)
def test_quotes_hold_what_would_else_be_a_delimiter(cells: list[str]) -> None:
    quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    data = f"qid,docno,score\n{quoted}\nq2, d2 ,0.25\n".encode()
    for block in BLOCKS:
        found = {query: ranking for part in parts(data, block) for query, ranking in rankings(part).items()}
        assert found == {cells[0].encode(): [(cells[1].encode(), float(cells[2]))], b"q2": [(b"d2", 0.25)]}


def test_a_cell_may_go_on_over_the_end_of_a_block() -> None:
    rows = [(f"q{number // 3}", f"d{number}", "one\ntwo, three\n" * (number % 4)) for number in range(60)]
    data = "qid,docno,text,score\n" + "".join(f'{q},{d},"{text}",{-n}\n' for n, (q, d, text) in enumerate(rows))
    expected: Run = {}
    for number, (query, document, _) in enumerate(rows):
        expected.setdefault(query.encode(), []).append((document.encode(), -number))
    assert rankings(joined(parts(data.encode(), 100))) == expected


def test_a_quote_within_a_cell_is_but_a_letter() -> None:
    lines = [f'q{n // 30}\td{n}\t5" disk\t{-n}' if n == 3 else f"q{n // 30}\td{n}\t-\t{-n}" for n in range(90)]
    read = joined(parts("\n".join(["qid\tdocno\ttext\tscore", *lines]).encode(), 100))
    assert read.starts.tolist() == [0, 30, 60, 90]


def test_lines_of_comments_alone_may_fill_a_block() -> None:
    data = b"q1 Q0 a 1 2 t\n" + b"# nothing\n" * 100 + b"q1 Q0 b 1 1 t\n"
    assert rankings(joined(parts(data, 50))) == {b"q1": [(b"a", 2), (b"b", 1)]}


def test_a_query_longer_than_a_block_stays_whole() -> None:
    data = b"".join(b"%s Q0 d%d 1 %d t\n" % (query, n, -n) for query in (b"a", b"b", b"c") for n in range(200))
    read = parts(data, 500)
    assert [part.queries for part in read] == [[b"a"], [b"b"], [b"c"]]


def test_blocks_know_how_many_bytes_they_took() -> None:
    data = b"".join(b"q%d Q0 d 1 1 t\n" % number for number in range(100))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 200)
        assert sum(chunk.size for chunk in content(data, "run").chunks) == len(data)


def test_a_first_row_longer_than_what_a_file_is_recognised_by_is_a_row(tmp_path: Path) -> None:
    text = '"' + "word, " * 15_000 + '"'
    (tmp_path / "a.csv").write_text(f"qid,docno,score,text\nq,a,2,{text}\nq,b,1,short\n")
    assert evaluate({"q": {"b": 1}}, tmp_path / "a.csv", "RR")["RR"] == 1 / 2


@given(st.lists(st.sampled_from([b"", b" ", b"\r", b"#", b" # x", b"\t", b"a b", b" c", b"\x0b#", b"d#"]), max_size=8))
def test_the_first_line_with_content_is_that_of_a_plain_loop(lines: list[bytes]) -> None:
    held = [(n, line.strip()) for n, line in enumerate(lines, 1) if line.strip() and not line.strip().startswith(b"#")]
    assert first_line(b"\n".join(lines)) == (held or [(1, b"")])[0]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_blank_lines_are_not_gone_through_one_by_one(place: int) -> None:
    lines = [b"q Q0 d 1 2 t\n", b"q Q0 e 2 1 t\n"]
    lines.insert(place, b"\n" * 100_000)
    calls = []
    sys.setprofile(lambda _frame, event, _argument: calls.append(event))
    try:
        (ranking,) = parts(b"".join(lines), 1 << 15)
    finally:
        sys.setprofile(None)
    assert len(ranking.scores) == 2
    assert len(calls) < 10_000
