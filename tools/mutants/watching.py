"""Which lines each test runs, and how long it takes: so a mutant meets only the tests that can notice it.

A plugin of pytest, for one run of all tests on the code as it is; what it learns is kept in a file.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage

from tools.mutants.targets import modules

Seen = dict[str, Any]  # "seconds" of each test, and for each module and line, in "lines", the tests that run it

_seconds: dict[str, float] = {}
_failed: set[str] = set()
_watch: list[Coverage] = []


def pytest_configure() -> None:
    """Begin to watch."""
    here = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0])
    watch = Coverage(
        data_file=None, include=[str(here / Path(*path.parts[1:])) for path in modules()], config_file=False
    )
    watch.start()
    _watch.append(watch)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Count what runs, and the processor's time, for one test."""
    _watch[0].switch_context(item.nodeid)
    started = time.process_time()
    try:
        return (yield)
    finally:
        _seconds[item.nodeid] = time.process_time() - started
        _watch[0].switch_context("")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Leave out what fails already."""
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write down what was seen."""
    _watch[0].stop()
    data = _watch[0].get_data()
    lines: dict[str, dict[str, list[int]]] = {}
    numbers = {name: number for number, name in enumerate(_seconds) if name not in _failed}
    for file in data.measured_files():
        found = defaultdict(list, data.contexts_by_lineno(file))
        lines["src/" + file.split("/src/", 1)[1]] = {
            str(line): [numbers[test] for test in tests if test in numbers] for line, tests in found.items()
        }
    seen = {"tests": list(_seconds), "seconds": list(_seconds.values()), "lines": lines}
    Path(os.environ["MUTANTS_SEEN"]).write_text(json.dumps(seen), encoding="utf-8")
