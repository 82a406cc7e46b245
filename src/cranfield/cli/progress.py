"""A bar on standard error while long work goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 0.5  # seconds that pass before there is anything to see

Advance = Callable[[str, int, int | None], None]


@contextmanager
def progress_shown(n_runs: int, quiet: bool) -> Iterator[Advance | None]:
    """What to call as a run is read; None where there is nobody to see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bar = Bar(n_runs)
    try:
        yield bar.advance
    finally:
        bar.stop()


class Bar:
    """One line that says which run is read and how far it is, once the work turns out to be long."""

    def __init__(self, n_runs: int) -> None:
        self._n_runs = n_runs
        self._seen: list[str] = []
        self._since = time.monotonic()
        self._drawn: tuple[Progress, TaskID] | None = None

    def advance(self, run: str, done: int, total: int | None) -> None:
        """So much of a run has been read, of so much if that is known."""
        if new := run not in self._seen:
            self._seen.append(run)
        if self._drawn is None and time.monotonic() - self._since < PATIENCE:
            return
        progress, task = self._drawn = self._drawn or _drawn()
        if new:
            progress.reset(task)  # or the time that is left would be reckoned from the run before
        place = f"{len(self._seen)} of {self._n_runs}: " if self._n_runs > 1 else ""
        progress.update(task, description=f"{place}{run}", completed=done, total=total)

    def stop(self) -> None:
        """Take the bar away."""
        if self._drawn is not None:
            self._drawn[0].stop()


def _drawn() -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.start()
    return progress, progress.add_task("", total=None)
