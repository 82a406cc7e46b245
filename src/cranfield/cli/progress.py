"""A progress bar on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cranfield.present.table import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 0.5  # seconds before the bar appears

Advance = Callable[[str, int, int | None], None]

drawn: set[Bar] = set()  # removed if the process is interrupted


@contextmanager
def progress_shown(n_runs: int, quiet: bool) -> Iterator[Advance | None]:
    """A function to call as a run is read; None if the bar would not be seen."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bar = Bar(n_runs)
    try:
        yield bar.advance
    finally:
        bar.stop()


class Bar:
    """One line with the run being read and its progress, shown once the work takes long."""

    def __init__(self, n_runs: int) -> None:
        self._n_runs = n_runs
        self._seen: list[str] = []
        self._since = time.monotonic()
        self._drawn: tuple[Progress, TaskID] | None = None

    def advance(self, run: str, done: int, total: int | None) -> None:
        """Report how much of a run has been read, and its total size if known."""
        if new := run not in self._seen:
            self._seen.append(run)
        if self._drawn is None and time.monotonic() - self._since < PATIENCE:
            return
        drawn.add(self)
        progress, task = self._drawn = self._drawn or _drawn()
        if new:
            progress.reset(task)  # else the remaining time would be estimated from the previous run
        place = f"{len(self._seen)} of {self._n_runs}: " if self._n_runs > 1 else ""
        progress.update(task, description=f"{place}{visible(run)}", completed=done, total=total)

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
