"""Progress on standard error: a bar while runs are read, and the elapsed time of other long work."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from cranfield.present.table import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 0.5  # seconds before the bar appears
LONG, PAUSE = 1.0, 0.2  # seconds before the elapsed time appears, and between updates
SIGNS = "⠋⠙⠸⠴⠦⠇"
ERASED = "\r\x1b[K"

Advance = Callable[[str, int, int | None], None]

drawn: set[Bar | Clock] = set()  # removed if the process is interrupted
asking = Event()  # set while a command waits for the user


@contextmanager
def progress_shown(n_runs: int, quiet: bool) -> Iterator[Advance | None]:
    """A callback for reading runs; None if the bar would not be visible."""
    if quiet or not _erasable():
        yield None
        return
    bar = Bar(n_runs)
    try:
        yield bar.advance
    finally:
        bar.stop()


@contextmanager
def working(quiet: bool, since: float | None = None) -> Iterator[None]:
    """Show the elapsed time of long work without a progress bar, from now or from a time of the monotonic clock."""
    if quiet or not _erasable():
        yield
        return
    clock = Clock(time.monotonic() if since is None else since)
    try:
        yield
    finally:
        clock.stop()


@contextmanager
def waiting_for_answers() -> Iterator[None]:
    """Show no elapsed time while the user is asked."""
    asking.set()
    try:
        yield
    finally:
        asking.clear()


class Clock:
    """One line with the elapsed time, unless a bar is shown."""

    def __init__(self, since: float) -> None:
        self._since = since
        self._done = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        turn = 0
        if self._done.wait(max(0.0, self._since + LONG - time.monotonic())):
            return
        drawn.add(self)
        while not self._done.is_set():
            if drawn == {self} and not asking.is_set():
                write(f"{ERASED}{SIGNS[turn % len(SIGNS)]} working, {time.monotonic() - self._since:.0f} s")
            turn += 1
            self._done.wait(PAUSE)

    def stop(self) -> None:
        """Remove the line."""
        self._done.set()
        self._thread.join()
        if self in drawn:
            write(ERASED)
        drawn.discard(self)


def _erasable() -> bool:
    """Whether standard error is a terminal on which a line can be erased."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def write(text: str) -> None:
    """Write to standard error at once."""
    sys.stderr.write(text)
    sys.stderr.flush()


class Bar:
    """One line with the run being read and the progress of all runs, shown only if the work takes long."""

    def __init__(self, n_runs: int) -> None:
        self._n_runs = n_runs
        self._proportion: dict[str, float] = {}  # of each run, as far as it is known
        self._since = time.monotonic()
        self._drawn: tuple[Progress, TaskID] | None = None

    def advance(self, run: str, done: int, total: int | None) -> None:
        """Report how much of a run has been read, and its total size if known."""
        if run not in self._proportion:  # runs of unknown size have been read when the next one begins
            self._proportion = {name: proportion or 1.0 for name, proportion in self._proportion.items()}
        self._proportion[run] = min(done / total, 1.0) if total else 0.0
        if self._drawn is None and time.monotonic() - self._since < PATIENCE:
            return
        if self not in drawn:
            write(ERASED * bool(drawn))  # the time of the previous work
        drawn.add(self)
        progress, task = self._drawn = self._drawn or _drawn()
        if self._n_runs == 1:
            if progress.tasks[0].description != visible(run):  # other work, at another speed
                progress.reset(task)
            progress.update(task, description=visible(run), completed=done, total=total)
            return
        place = f"{len(self._proportion)} of {self._n_runs}: {visible(run)}"
        progress.update(task, description=place, completed=sum(self._proportion.values()), total=self._n_runs)

    def stop(self) -> None:
        """Remove the bar."""
        if self._drawn is not None:
            self._drawn[0].stop()
        drawn.discard(self)


def _drawn() -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.start()
    return progress, progress.add_task("", total=None)
