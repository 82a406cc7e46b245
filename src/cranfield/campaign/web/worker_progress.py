"""The progress of a worker: a number in a file, which the worker writes and the server reads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

PATH = "CRANFIELD_PROGRESS"  # the file to which a worker writes it
PAUSE = 0.2  # seconds between two writes


def reading_progress(runs: Mapping[str, str]) -> Callable[[str, int, int | None], None]:
    """A callback for reading runs; it writes the proportion of their total bytes read so far."""
    total = max(1, sum(os.path.getsize(path) for path in runs.values()))
    n_read: dict[str, int] = {}
    written = 0.0

    def advance(run: str, done: int, _: int | None) -> None:
        nonlocal written
        n_read[run] = done
        if time.monotonic() - written > PAUSE and (path := os.environ.get(PATH)):
            written = time.monotonic()
            Path(path).write_text(str(min(1.0, sum(n_read.values()) / total)))

    return advance


def proportion_done(path: Path) -> float | None:
    """The last number that a worker wrote; None if it has written nothing."""
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None
