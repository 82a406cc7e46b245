"""The entry point for runs: several runs, what they are called, standard input and pipes."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from cranfield.errors import BadInput
from cranfield.rankings.evaluate import evaluate
from cranfield.tables.readers import text as blocks
from cranfield.tables.sources import as_judgments, as_run, as_runs
from cranfield.tables.system_names import system_name, system_names

RUN = {"q": {"d": 1.0}}
LINES = b"q1 Q0 a 1 3 t\nq2 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 b 2 2 t\n"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25.run", "bm25"),
        ("bm25.trec.gz", "bm25"),
        ("input.bm25", "input.bm25"),
        ("v1.2.TSV.zst", "v1.2"),
        (".run", ".run"),
        ("a.b.parquet", "a.b"),
        ("-", "stdin"),
    ],
)
def test_a_system_is_called_as_its_file(path, name):
    assert system_name(path) == name


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a/x.run", "b/x.run", "y.run"], ["a/x", "b/x", "y"]),
        (["a/c/x.run", "b/c/x.run"], ["a/c/x", "b/c/x"]),
        (["a/x.run", "a/x.json"], ["x.run", "x.json"]),
        (["a/x.run", "a/x.json", "b/x.run"], ["a/x.run", "a/x.json", "b/x.run"]),
    ],
)
def test_files_called_alike_are_told_apart(paths, names):
    assert system_names(paths) == names


def test_a_run_given_twice_is_refused():
    with pytest.raises(BadInput, match=r"^b/\.\./x.run: duplicate run"):
        system_names(["x.run", "b/../x.run"])


def test_runs_may_have_names_of_their_own(tmp_path):
    path = tmp_path / "x.run"
    path.write_bytes(LINES)
    assert [source.name for source in as_runs({"mine": path, "other": RUN})] == ["mine", "other"]
    assert [source.name for source in as_runs([path, RUN, RUN])] == ["x", "run 2", "run 3"]
    assert [source.name for source in as_runs(path)] == ["x"]


def test_runs_by_name_are_told_from_queries():
    assert [source.name for source in as_runs({"a": RUN, "b": RUN})] == ["a", "b"]
    assert [source.name for source in as_runs({"q": {}, "r": {"d": 1}})] == ["run"]
    assert [source.name for source in as_runs([[("q", "d", 1)], [("q", "d", 1)]])] == ["run 1", "run 2"]
    assert [source.name for source in as_runs(iter([RUN, RUN]))] == ["run 1", "run 2"]


class FromElsewhere:
    """A run of another library, as ranx has them."""

    name = "theirs"

    def to_dict(self) -> dict[str, dict[str, float]]:
        return RUN


def test_what_can_become_a_dict_is_read():
    (source,) = as_runs([FromElsewhere()])
    assert (source.name, source.form) == ("theirs", "kernel FromElsewhere")
    assert as_runs(FromElsewhere())[0].name == "theirs"
    assert as_judgments(FromElsewhere()).name == "theirs"


def test_what_was_read_is_taken_as_it_is():
    judged = as_judgments(RUN)
    assert as_judgments(judged) is judged
    source = as_run(RUN)
    assert as_runs(source) == [source]


@pytest.fixture
def standard_input(monkeypatch):
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_scattered_lines_are_read_from_standard_input_too(standard_input, monkeypatch, pack):
    monkeypatch.setattr(blocks, "BLOCK", 30)
    standard_input(pack(LINES))
    result = evaluate({"q1": {"b": 1}, "q2": {"a": 1}}, "-", ["RR"])
    assert result.systems == ("stdin",)
    assert result.per_query("RR") == {"q1": 0.5, "q2": 1.0}


def test_standard_input_is_read_once(standard_input):
    standard_input(b"q 0 d 1\n")
    assert as_judgments("-").name == "standard input"
    with pytest.raises(BadInput, match=r"standard input \(-\) can be read only once"):
        as_runs("-")
    standard_input(LINES)
    with pytest.raises(BadInput, match=r"standard input \(-\) can be read only once"):
        as_runs(["-", "-"])


def test_errors_in_standard_input_say_so(standard_input):
    standard_input(b"q Q0 d 1 2 t\nq Q0 d\n")
    with pytest.raises(BadInput, match=r"^standard input, line 2: 3 fields"):
        as_runs("-")[0].whole()


def test_without_standard_input_it_cannot_be_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(BadInput, match="standard input"):
        as_runs("-")


def test_a_pipe_is_read_like_a_file(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 30)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(LINES))
    writer.start()
    result = evaluate({"q1": {"b": 1}, "q2": {"a": 1}}, pipe, ["RR"])
    writer.join()
    assert result.per_query("RR") == {"q1": 0.5, "q2": 1.0}


def test_no_query_in_common_is_said(tmp_path):
    path = tmp_path / "x.run"
    path.write_bytes(LINES)
    with pytest.raises(BadInput, match="x: no query of the run has judgments"):
        evaluate({"other": {"a": 1}}, path, ["RR"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("side", ["qrels", "run"])
def test_a_dict_may_call_some_documents_by_number_or_bytes(side: str) -> None:
    mixed: dict[Any, float] = {"a": 4, 5: 3, b"b": 2, "c": 2, "z": 0}
    texts = {"a": 4, "5": 3, "b": 2, "c": 2, "z": 0}
    qrels = {"q": mixed if side == "qrels" else texts}
    run = {"q": mixed if side == "run" else texts}
    whole = evaluate({"q": texts}, {"q": texts}, ["nDCG", "AP", "RR(rel=3)"])
    assert evaluate(qrels, run, ["nDCG", "AP", "RR(rel=3)"]).values.tolist() == whole.values.tolist()


@pytest.mark.filterwarnings("ignore")
def test_a_dict_that_calls_a_document_by_text_and_by_number_is_refused() -> None:
    with pytest.raises(BadInput, match="duplicate key '5'"):
        evaluate({"q": {"5": 1, "6": 1}}, {"q": {"a": 3.0, 5: 2.0, "5": 2.0, "c": 1.0}}, "AP")
