"""Data that other threads change or read at the same time: a value that they had, or an error; never a crash."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from cranfield import evaluate
from cranfield.engines.protocol import Engine
from cranfield.errors import BadInput
from cranfield.tables.sources import as_judgments, as_run
from time_limits import HANGS


def test_a_run_that_changed_before_its_documents_are_read_is_refused(engine: Engine) -> None:
    run = {"q": {"a": 1.0, "b": 0.5}, "r": {"a": 1.0}}
    source = as_run(run)
    source.whole()
    run["r"]["c"] = 2.0
    with pytest.raises(BadInput, match="the dict changed while it was read: query 'r' had 1 documents, and later 2"):
        engine.judged_ranks(source, as_judgments({"q": {"a": 1}}))
    run["r"].popitem()
    run["s"] = {"d": 1.0}  # the queries are those that were there when the reading began
    assert engine.judged_ranks(source, as_judgments({"q": {"a": 1}})).n_unjudged_queries == 1


@pytest.mark.usefixtures("engine")
def test_threads_that_change_dicts_make_no_value_that_there_never_was() -> None:
    """A thread exchanges two scores, and adds and removes a document, while others evaluate."""
    qrels = {f"q{n}": {"a": 1, "b": 0, "d0": 1} for n in range(20)}
    run = {query: {"a": 2.0, "b": 1.0, **{f"d{n}": -float(n) for n in range(50)}} for query in qrels}
    ended = Event()

    def change() -> None:
        while not ended.is_set():
            for ranking in run.values():
                ranking.update(a=1.0, b=2.0)  # in one step, as far as other threads can see
                ranking["new"] = 3.0
                del ranking["new"]
                ranking.update(a=2.0, b=1.0)

    with warnings.catch_warnings(action="ignore"):
        known = set()
        for a, b in ((2.0, 1.0), (1.0, 2.0)):
            for more in ({}, {"new": 3.0}):
                ranking = {**run["q0"], "a": a, "b": b, **more}
                known.add(evaluate({"q0": qrels["q0"]}, {"q0": ranking}, "AP")["AP"])
        thread = Thread(target=change)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        thread.start()
        try:
            for _ in range(30):
                try:
                    values = evaluate(qrels, run, "AP").per_query("AP")
                except BadInput as error:
                    assert "changed while" in str(error)  # noqa: PT017
                else:
                    assert set(values.values()) <= known
        finally:
            sys.setswitchinterval(interval)
            ended.set()
            thread.join()


def test_a_generator_that_two_threads_read_is_refused() -> None:
    """Each thread would get a part of the rows."""
    begun, go_on = Event(), Event()

    def rows() -> Iterator[tuple[str, str, float]]:
        yield "q", "a", 1.0
        begun.set()
        go_on.wait(HANGS)
        yield "q", "b", 0.5

    shared, values = rows(), []
    thread = Thread(target=lambda: values.append(evaluate({"q": {"a": 1}}, shared, "NumRet")["NumRet"]))
    thread.start()
    assert begun.wait(HANGS)
    with pytest.raises(BadInput, match=r"changed while they were read \(generator already executing\)"):
        evaluate({"q": {"a": 1}}, shared, "NumRet")
    go_on.set()
    thread.join()
    assert values == [2.0]


@pytest.mark.parametrize("change", ["append", "pop"])
def test_rows_that_change_while_they_are_read_are_those_of_one_moment(change: str) -> None:
    rows: list[Any] = [("q", f"d{n}", float(-n)) for n in range(1000)]
    n_read = 0

    class Row(tuple):  # type: ignore[type-arg]
        """A row that changes the list when it is read."""

        def __iter__(self) -> Iterator[Any]:
            nonlocal n_read
            n_read += 1
            rows.append(("q", f"new{n_read}", 1.0)) if change == "append" else rows.pop(0)
            return super().__iter__()

    rows[10] = Row(rows[10])
    with warnings.catch_warnings(action="ignore"):
        assert evaluate({"q": {"d5": 1}}, rows, "NumRet")["NumRet"] == 1000
    assert n_read


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("form", ["dict", "text", "csv"])
def test_threads_that_evaluate_the_same_data_find_the_same_values(form: str, tmp_path: Path) -> None:
    """They share the judgments, and what is computed from these when it is first needed."""
    qrels = {f"q{n}": {f"d{document}": document % 3 for document in range(n, n + 30)} for n in range(50)}
    run: Any = {query: {f"d{n}": 1 / (n + 1) for n in range(60)} for query in qrels}
    wanted = evaluate(qrels, run).per_query("AP")
    rows = [(query, document, score) for query, ranking in run.items() for document, score in ranking.items()]
    if form == "text":
        run = tmp_path / "run.txt"
        run.write_text("".join(f"{query} Q0 {document} 1 {score!r} t\n" for query, document, score in rows))
    elif form == "csv":
        run = tmp_path / "run.csv"
        run.write_text("query,document,score\n" + "".join(f"{q},{document},{score!r}\n" for q, document, score in rows))
    values: list[dict[str, float]] = []
    for _ in range(3):
        judged = as_judgments(qrels)
        threads = [
            Thread(target=lambda judged=judged: values.append(evaluate(judged, run).per_query("AP"))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert values == [wanted] * 12
