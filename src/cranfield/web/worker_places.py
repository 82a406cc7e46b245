"""A limit on the number of concurrent workers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cranfield.errors import TooBusy


class Places:
    """One slot per core; requests are refused if too many are waiting."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._places = threading.Semaphore(at_once)
        self._most, self._n_here, self._lock = at_once + waiting, 0, threading.Lock()

    @contextmanager
    def one(self) -> Iterator[None]:
        """A slot, as soon as one is free."""
        with self._lock:
            if self._n_here >= self._most:
                raise TooBusy("too many files are being read at the moment; try again in a minute")
            self._n_here += 1
        try:
            with self._places:
                yield
        finally:
            with self._lock:
                self._n_here -= 1
