"""Processes started beside a thread that evaluates: a program, because it must end, whatever happens in it.

    python -m hostile.forking METHOD FORM TIMES WAIT

starts processes by `fork` or `spawn`, each after at most WAIT seconds, and each evaluates the same collection.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import cranfield

SECONDS = 60  # that a process may take, which needs a fraction of one


def collection(folder: Path, form: str) -> tuple[Any, Any]:
    """Judgments and a run, so large that a thread is in the midst of something most of the time."""
    source = random.Random(form)
    run = {f"q{q}": {f"d{q}-{rank}": source.random() for rank in range(100)} for q in range(100)}
    qrels = {query: dict.fromkeys(source.sample(sorted(ranking), 10), 1) for query, ranking in run.items()}
    if form == "dict":
        return qrels, run
    path = folder / f"run.{form}"
    rows = (f"{query},{document},{score}\n" for query, ranking in run.items() for document, score in ranking.items())
    path.write_text("query,document,score\n" + "".join(rows))
    return qrels, str(path)


def mean(data: tuple[Any, Any]) -> float:
    """The mean AP."""
    return float(cranfield.evaluate(*data, "AP")["AP"])


def evaluate_for_ever(data: tuple[Any, Any]) -> None:
    """Evaluate again and again."""
    while True:
        mean(data)


def evaluate_here(data: tuple[Any, Any], value: Any) -> None:
    """Evaluate in another process, which ends with a traceback if that takes too long."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    value.value = mean(data)


def main(method: str, form: str, times: str, wait: str) -> None:
    """Start the processes one after another; all must find the same value."""
    context = multiprocessing.get_context(method)
    source, values = random.Random(form), set()
    with tempfile.TemporaryDirectory() as folder:
        data = collection(Path(folder), form)
        threading.Thread(target=evaluate_for_ever, args=(data,), daemon=True).start()
        for _ in range(int(times)):
            time.sleep(source.uniform(0, float(wait)))
            value = context.Value("d", lock=False)
            process = context.Process(target=evaluate_here, args=(data, value))
            process.start()
            process.join()
            assert process.exitcode == 0, process.exitcode
            values.add(value.value)
        assert values == {mean(data)}, values


if __name__ == "__main__":
    main(*sys.argv[1:])
