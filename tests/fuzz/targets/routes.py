"""Laws over routes: however a collection comes in, and whatever stands beside it, the figures are the same bits."""

from __future__ import annotations

import io
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from cranfield import evaluate
from cranfield.errors import CranfieldWarning
from fuzz.target import assume, target
from generators.doors import QRELS, RUNS, Row, StandardInput, tables
from generators.ids import encoded
from generators.rankings import Collection, collections, spaced_collections

MEASURES = ("AP", "nDCG@10", "RR", "P@5", "Bpref", "ERR(top=7)@10", "infAP", "NumRet", "Judged@5", "RBP")
Figures = tuple[list[str], bytes, bytes]


def figures(qrels: Any, run: Any, engine: Any = "auto") -> Figures:
    """The queries, and the bits of all values and micro-averages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        given = next((each for each in (qrels, run) if isinstance(each, StandardInput)), None)
        with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.data if given else b""))):
            sides = ("-" if isinstance(each, StandardInput) else each for each in (qrels, run))
            result = evaluate(*sides, MEASURES, engine=engine)
    return list(result.units), _bits(result.values), _bits(result.micro)


def _bits(values: np.ndarray) -> bytes:
    return np.where(np.isnan(values), np.nan, values).tobytes()


def rows_of(case: Collection) -> tuple[list[Row], list[Row]]:
    """Both sides of a collection, numbers as they are written."""
    return [(query, document, str(grade)) for query, document, grade in case.qrels], case.run


def of_files(case: Collection) -> Figures:
    """The figures of the collection as two TREC files."""
    qrels, run = rows_of(case)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        return figures(QRELS["TREC"].write(Path(one), qrels), RUNS["TREC"].write(Path(other), run))


@target(collections, seeds=8)
def every_door_gives_the_same_bits(case: Collection) -> None:
    """Files of all formats, packed or not, standard input, frames, dicts and rows."""
    assume(case.is_valid)
    wanted = of_files(case)
    for (kind, doors), rows in zip((("qrels", QRELS), ("run", RUNS)), rows_of(case), strict=True):
        for name, door in doors.items():
            if door.takes(rows):
                with tempfile.TemporaryDirectory() as folder:
                    given = door.write(Path(folder), rows)
                    sides = (given, as_dict(case.run)) if kind == "qrels" else (as_dict(rows_of(case)[0]), given)
                    assert figures(*sides) == wanted, f"{kind} as {name}"


def as_dict(rows: list[Row]) -> Any:
    """The rows as a dict of dicts."""
    return RUNS["dict"].write(Path(), rows)


@contextmanager
def chunks(block: int, rows: int, threads: int) -> Iterator[None]:
    """Files read in blocks of so many bytes (recognised by fewer), tables in slices of rows, by so many threads."""
    with (
        patch("cranfield.tables.readers.text.BLOCK", block),
        patch("cranfield.tables.readers.formats.delimited_text.HEAD", max(block // 64, 200)),
        patch("cranfield.tables.readers.text.CACHED", max(block // 32, 16)),
        patch("cranfield.tables.readers.formats.arrow_files.ROWS", rows),
        patch("cranfield.tables.adapters.frames.ROWS", rows),
        patch("os.cpu_count", lambda: threads),
    ):
        yield


BY_BLOCKS = ("TREC", "TREC, untidy", "TREC, zstd", "TREC, standard input", "CSV, quoted", "CSV", "TSV", "JSON Lines")
BY_ROWS = ("Parquet", "Arrow stream", "Polars", "pandas")


@target(collections, seeds=5)
def pieces_and_threads_change_no_bit(case: Collection) -> None:
    """Blocks of 4 MB and of 64 bytes, one thread and several."""
    assume(case.is_valid)
    wanted, (qrels, run) = of_files(case), rows_of(case)
    for block, rows, threads in ((64, 2, 1), (64, 3, 4), (200, 7, 4), (4 << 20, 1 << 17, 1)):
        with chunks(block, rows, threads):
            for name in BY_BLOCKS + BY_ROWS:
                with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
                    left = QRELS["TREC" if name == "TREC, standard input" else name].write(Path(one), qrels)
                    found = figures(left, RUNS[name].write(Path(other), run))
                assert found == wanted, f"{name} in blocks of {block} bytes or {rows} rows, {threads} threads"


@target(spaced_collections, seeds=5)
def ids_with_blanks_and_quotes_come_through_unchanged(case: Collection) -> None:
    """Every door but those of lines of fields, which have no place for blanks."""
    assume(case.is_valid)
    assume(all(name == name.strip() for row in [*case.qrels, *case.run] for name in row[:2]))
    qrels, run = rows_of(case)
    wanted = figures(as_dict(qrels), as_dict(run))
    for block, rows in ((4 << 20, 1 << 17), (64, 3)):
        with chunks(block, rows, 4):
            for name in tables("score"):
                with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
                    found = figures(QRELS[name].write(Path(one), qrels), RUNS[name].write(Path(other), run))
                assert found == wanted, f"{name} in blocks of {block} bytes or {rows} rows"


def renamed(case: Collection, name: Callable[[int], str]) -> Collection:
    """The collection with other names for its documents, which sort as before."""
    documents = sorted({row[1] for row in [*case.qrels, *case.run]}, key=encoded)
    names = {document: name(place) for place, document in enumerate(documents)}
    return Collection(
        [(query, names[document], grade) for query, document, grade in case.qrels],
        [(query, names[document], score) for query, document, score in case.run],
    )


@target(collections, seeds=20)
def new_names_in_the_same_order_change_nothing(case: Collection) -> None:
    """Documents called by others names, short and long, that sort as theirs do."""
    assume(case.is_valid)
    wanted = of_files(case)
    lengths = random.Random(len(case.run))
    for name in (
        lambda place: f"{place:03}",
        lambda place: f"{place:08}",
        lambda place: f"doc-{place:05}",
        lambda place: f"clueweb09-en0000-00-{place:05}",
        lambda place: f"{place:03}" + "x" * lengths.choice((0, 1, 4, 5, 6, 12, 13, 14, 20, 21, 22, 50)),
    ):
        assert of_files(renamed(case, name)) == wanted


@target(collections, seeds=20)
def a_judgment_of_grade_0_that_nobody_retrieved_changes_nothing(case: Collection) -> None:
    """One more document in the qrels, with an id longer than all others; Bpref counts it by definition."""
    assume(case.is_valid)
    queries, values, _ = of_files(replace(case))
    kept = [place for place, measure in enumerate(MEASURES) if measure != "Bpref"]
    for length in (9, 17, 25, 61):
        more = replace(case, qrels=[*case.qrels, (case.qrels[0][0], "Z" * length, 0)])
        assume(more.is_valid and not any(document == "Z" * length for _, document, _ in case.run))
        again, others, _ = of_files(more)
        assert (again, _of(others, kept, len(queries))) == (queries, _of(values, kept, len(queries)))


def _of(values: bytes, measures: list[int], n_queries: int) -> bytes:
    return np.frombuffer(values).reshape(len(MEASURES), n_queries)[measures].tobytes()


@target(collections, seeds=20)
def another_query_changes_no_other(case: Collection) -> None:
    """A query appended to both files, with a short id or a long one."""
    assume(case.is_valid)
    queries, values, _ = of_files(case)
    for query in ("~", "~" * 8, "~" * 9, "~" * 17, "~" * 60):
        assume(query not in queries and all(row[0] != query for row in case.run))
        more = Collection([*case.qrels, (query, "d1", 1)], [*case.run, (query, "d1", "1")])
        again, others, _ = of_files(more)
        place = [again.index(one) for one in queries]
        found = np.frombuffer(others).reshape(len(MEASURES), len(again))
        assert found[:, place].tobytes() == values, f"with query {query!r}"
        assert found[:3, again.index(query)].tolist() == [1, 1, 1]


@target(collections, seeds=20)
def a_run_is_evaluated_as_if_it_were_alone(case: Collection) -> None:
    """A dict, the same as rows, and every other document of it, evaluated in one call and in three."""
    assume(case.is_valid)
    qrels, run = (as_dict(rows) for rows in rows_of(case))
    half = {query: dict(list(found.items())[::2]) for query, found in run.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        runs = {"dict": run, "half": half, "rows": list(RUNS["tuples"].write(Path(), case.run))}
        together = evaluate(qrels, runs, MEASURES)
        for place, each in enumerate(runs.values()):
            assert _bits(together.values[place]) == _bits(evaluate(qrels, each, MEASURES).values[0])
    assert _bits(together.values[0]) == _bits(together.values[2])
