"""Processes that are started beside evaluating threads: each evaluates, and none waits for ever."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cranfield.forks import SharedLock
from time_limits import HANGS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def started(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "hostile.forking", *arguments],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=HANGS,
    )


@pytest.mark.parametrize("form", ["dict", "csv"])
def test_processes_forked_beside_a_thread_that_evaluates_find_the_same_value(form: str) -> None:
    """In Python 3.11, cached properties have a lock: one in four of these processes never ended."""
    found = started("fork", form, "15", "0.02")
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("wait", ["0", pytest.param("0.4", marks=pytest.mark.thorough)])
def test_a_process_forked_while_another_thread_imports_finds_the_same_value(wait: str) -> None:
    """Locks of modules that are being imported are held for ever in the new process."""
    found = started("fork", "csv", "1", wait)
    assert found.returncode == 0, found.stderr


def test_processes_spawned_beside_a_thread_that_evaluates_find_the_same_value() -> None:
    found = started("spawn", "csv", "1", "0.1")
    assert found.returncode == 0, found.stderr


def test_a_lock_that_another_thread_holds_is_free_in_a_forked_process() -> None:
    lock, held, end = SharedLock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            end.wait(HANGS)

    def take() -> None:
        with lock:
            pass

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(HANGS)
    process = multiprocessing.get_context("fork").Process(target=take)
    process.start()
    process.join(10)
    process.kill()
    end.set()
    thread.join()
    assert process.exitcode == 0
