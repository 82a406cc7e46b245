"""A run that is read in blocks is evaluated as if it were one, wherever its queries lie."""

from __future__ import annotations

import hashlib
import warnings
from pathlib import Path

import numpy as np
import pytest

from cranfield import evaluate
from cranfield.engines.choice import engine as engine_named
from cranfield.errors import BadInput
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.tables.readers import text as blocks
from cranfield.tables.readers.recognition import recognised
from cranfield.tables.readers.streams import opened
from cranfield.tables.sources import as_judgments, as_run

pytestmark = pytest.mark.usefixtures("engine")

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}, "7": {"x": 1}}
TOGETHER = [
    ("1", "b", 3),
    ("1", "a", 2),
    ("other", "a", 2),
    ("other", "b", 2),
    ("2", "c", 5),
    ("2", "a", 4),
    ("9", "a", 1),
]
APART = [TOGETHER[place] for place in (0, 2, 4, 1, 3, 6, 5)]  # no two rows of a query beside one another


def run_file(folder: Path, rows: list[tuple[str, str, int]]) -> Path:
    path = folder / "run"
    path.write_text("".join(f"{query} Q0 {document} 1 {score} t\n" for query, document, score in rows))
    return path


def found_in(path: Path, block: int, monkeypatch: pytest.MonkeyPatch) -> JudgedRanks:
    monkeypatch.setattr(blocks, "BLOCK", block)
    return engine_named().judged_ranks(as_run(str(path), "run"), as_judgments(QRELS))


@pytest.mark.parametrize("block", [20, 40, 60, 1 << 20])
@pytest.mark.parametrize("rows", [TOGETHER, APART], ids=["together", "apart"])
def test_queries_are_counted_once_wherever_their_rows_lie(
    rows: list[tuple[str, str, int]], block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = found_in(run_file(tmp_path, rows), block, monkeypatch)
    assert found.answered.tolist() == [True, True, False]
    assert found.n_retrieved.tolist() == [2, 2, 0]
    assert found.n_unjudged_queries == 2
    assert found.n_tied_queries == 1
    assert found.n_disordered_queries == 0


@pytest.mark.parametrize("block", [30, 40])
def test_only_unjudged_queries_may_be_apart(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("other", "a", 2), ("1", "a", 3), ("other", "b", 1), ("2", "a", 1), ("other", "c", 3)]
    path = run_file(tmp_path, rows)
    found = found_in(path, block, monkeypatch)
    assert len(list(as_run(str(path), "run").parts())) > 1
    assert found.n_unjudged_queries == 1
    assert found.n_disordered_queries == 1


def test_a_run_whose_queries_lie_together_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run_file(tmp_path, [("other", "a", 2), ("1", "a", 3), ("another", "b", 1), ("2", "a", 1)])
    monkeypatch.setattr(blocks, "BLOCK", 40)
    run = as_run(str(path), "run")
    assert len(list(run.parts())) > 1
    monkeypatch.setattr(run, "whole", None)
    assert engine_named().judged_ranks(run, as_judgments(QRELS)).n_unjudged_queries == 2


def test_a_query_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run_file(tmp_path, [("1", "a", 1), *(("2", f"d{number}", 9) for number in range(200)), ("3", "a", 1)])
    monkeypatch.setattr(blocks, "BLOCK", 40)
    assert len(list(as_run(str(path), "run").parts())) > 1
    monkeypatch.setattr(blocks, "MOST", 2000)
    with pytest.raises(BadInput, match=r"run, line 2: the lines of one query take more than 2 GB; split the query"):
        list(as_run(str(path), "run").parts())


def test_progress_ends_with_the_size_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run_file(tmp_path, [(str(query), "a", 1) for query in range(20_000)])
    monkeypatch.setattr(blocks, "BLOCK", 1 << 15)
    told: list[tuple[str, int, int | None]] = []
    with warnings.catch_warnings(action="ignore"):
        evaluate(QRELS, path, "AP", progress=lambda *each: told.append(each))
    size = path.stat().st_size
    assert [each[0] for each in told] == ["run"] * len(told)
    assert len(told) > 2
    assert (np.diff([0, *(each[1] for each in told)]) >= 0).all()
    assert told[-1] == ("run", size, size)


@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
@pytest.mark.parametrize("block", [7, 30, 1 << 20])
def test_blocks_hold_every_line_once(block: int, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "\n".join(f"{query} Q0 d{row} 1 {row} t" for query in range(9) for row in range(query)) + ending
    (tmp_path / "run").write_text(lines)
    monkeypatch.setattr(blocks, "BLOCK", block)
    with opened(str(tmp_path / "run")) as stream:
        parts = list(recognised(stream).content(stream, "run").chunks)
        assert stream.digest == hashlib.sha256(lines.encode()).hexdigest()
    assert "".join(part.data.decode() for part in parts) == lines
    first = np.cumsum([0, *(part.data.count(b"\n") for part in parts)])[:-1] + 1
    assert [part.line for part in parts] == first.tolist()
    assert sum(part.size for part in parts) == len(lines)
    assert len(parts) == 1 if block > len(lines) else len(parts) > 5
