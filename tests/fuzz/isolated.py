"""Cases checked in a process of their own, which is ended when a check takes too long."""

from __future__ import annotations

import signal
import time
import warnings
from collections.abc import Collection
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from fuzz.target import Target

LONGEST = 10.0  # seconds of the processor that a case may take
HANGS = 120.0  # seconds by the clock, which a busy machine and other processes prolong


class Failure(NamedTuple):
    """What the check of a case ended with."""

    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


class OutOfTime(Exception):
    """The time was up before the check ended."""


def failure_here(target: Target, case: Any) -> Failure | None:
    """What the check has against a case, found in this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error = target.failure(case)
    return None if error is None else Failure(type(error).__name__, str(error))


class Isolated:
    """A process that checks cases one after another; after a crash or a case that takes too long, another goes on."""

    def __init__(
        self, targets: Collection[Target], seconds: float, longest: float = LONGEST, hangs: float = HANGS
    ) -> None:
        self._targets, self._longest, self._hangs = {target.name: target for target in targets}, longest, hangs
        self._end = time.monotonic() + seconds
        self._process: Any = None

    def __enter__(self) -> Isolated:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def failure(self, target: Target, case: Any) -> Failure | None:
        """What the check has against a case; `OutOfTime` if there is no time left to find out."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise OutOfTime
        if self._process is None:
            self._start()
        self._connection.send((target.name, case))
        if not self._connection.poll(min(left, self._hangs)):
            self._stop()
            if left < self._hangs:
                raise OutOfTime
            return Failure("TooSlow", f"the check takes longer than {self._hangs:g} seconds")
        try:
            found: Failure | None = self._connection.recv()
        except EOFError:
            status = self._stop()
            if status == -signal.SIGPROF:
                return Failure("TooSlow", f"the check takes longer than {self._longest:g} seconds of the processor")
            return Failure("Crashed", f"the process ended with status {status}")
        return found

    def _start(self) -> None:
        context = get_context("fork")
        self._connection, own = context.Pipe()
        self._process = context.Process(target=_serve, args=(own, self._targets, self._longest), daemon=True)
        self._process.start()
        own.close()

    def _stop(self) -> int | None:
        """End the process, if it has not ended; its status."""
        if self._process is None:
            return None
        self._process.kill()
        self._process.join()
        self._connection.close()
        status: int | None = self._process.exitcode
        self._process = None
        return status


def _serve(connection: Connection, targets: dict[str, Target], longest: float) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, whatever it is doing
    while True:
        try:
            name, case = connection.recv()
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_PROF, longest)
        found = failure_here(targets[name], case)
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send(found)
