"""Forks in which mutants are tried, several at once, with limits of time and memory."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from typing import Literal, TypeVar

Job = TypeVar("Job")
Outcome = Literal["killed", "hangs", "survived"]

BUDGET = 20.0  # seconds of tests that a mutant is put to, the quickest of those that run its line first
_AT_ONCE = os.cpu_count() or 1
_SECONDS = int(3 * BUDGET) + 60  # of the processor
_PATIENCE = 900  # seconds by the clock, as others may use the machine
_MEMORY = 8 << 30


def in_forks(jobs: list[Job], run: Callable[[Job], str]) -> Iterator[tuple[Job, str | None]]:
    """What `run` returns for each job, the last first; None if it does not end."""
    running: dict[int, tuple[Job, int]] = {}
    while jobs or running:
        while jobs and len(running) < _AT_ONCE:
            job = jobs.pop()
            told, tell = os.pipe()
            child = os.fork()
            if child == 0:
                _end(tell, run, job)
            os.close(tell)
            running[child] = job, told
        for child in list(running):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                job, told = running.pop(child)
                with os.fdopen(told, encoding="utf-8") as pipe:
                    yield job, pipe.read() if status == 0 else None
        time.sleep(0.02)


def _end(tell: int, run: Callable[[Job], str], job: Job) -> None:
    """Do a job in this process, tell its result and end the process."""
    result = "failed to run"
    try:
        signal.alarm(_PATIENCE)
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))  # not of addresses, which V8 reserves freely
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silent, stream)
        result = run(job)
    finally:
        os.write(tell, result.encode())
        os._exit(0)
