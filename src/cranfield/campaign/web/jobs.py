"""Worker jobs outside the requests: a page waits briefly for its job and then shows the progress.

There is no queue to lose: if the server is killed, a job starts again when it is next requested.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from cranfield.campaign.web.worker_progress import proportion_done
from cranfield.frozen import frozen

AT_ONCE = 2
PATIENCE = 4.0  # how many seconds a page waits
REMEMBERED = 60.0  # how many seconds an error is kept for repeated requests


class StillComputing(Exception):
    """The result is not ready: the time spent so far and, if known, the proportion done."""

    def __init__(self, seconds: float, proportion: float | None) -> None:
        super().__init__("the figures are being computed; ask again in a moment")
        self.seconds, self.proportion = seconds, proportion


@frozen
class Job:
    """A running job: its future result, and the file to which its worker writes the progress."""

    answer: Future[Any]
    progress: Path
    started: float


class Jobs:
    """Jobs by the hash of their inputs; each runs once, however many requests wait for it."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="job")
        self._jobs: dict[str, Job] = {}
        self._lock = threading.RLock()  # a job may end while it is being started

    def answer(self, digest: str, compute: Callable[[Path], Any]) -> Any:
        """The result of `compute`, which is passed the progress file; raises `StillComputing` if it takes long."""
        with self._lock:
            job = self._jobs.get(digest) or self._started(digest, compute)
        try:
            return job.answer.result(self.patience)
        except TimeoutError:
            raise StillComputing(time.monotonic() - job.started, proportion_done(job.progress)) from None

    def _started(self, digest: str, compute: Callable[[Path], Any]) -> Job:
        folder = Path(mkdtemp(prefix="cranfield-job-"))
        progress = folder / "progress"
        job = self._jobs[digest] = Job(self._threads.submit(compute, progress), progress, time.monotonic())
        job.answer.add_done_callback(lambda answer: self._ended(digest, answer, folder))
        return job

    def _ended(self, digest: str, answer: Future[Any], folder: Path) -> None:
        """Forget a job; a failed one only after the requests waiting for it have seen the error."""
        (folder / "progress").unlink(missing_ok=True)
        folder.rmdir()
        if answer.exception() is None:
            self._forget(digest)
        else:
            later = threading.Timer(REMEMBERED, self._forget, [digest])
            later.daemon = True
            later.start()

    def _forget(self, digest: str) -> None:
        with self._lock:
            self._jobs.pop(digest, None)
