"""Limits on failed attempts to sign in: how many there may be within a minute, per account and per address.

Whoever knows the password is not counted, so a class behind one address gets in.

Decided here: how often somebody may try to sign in.
"""

from __future__ import annotations

import threading
import time
from collections import deque

from fastapi import HTTPException

PERIOD = 60  # seconds


class Attempts:
    """The failed attempts of the last minute, per key, in this process."""

    def __init__(self, most: int, *, keys: int = 10_000) -> None:
        self._most, self._keys = most, keys
        self._tried: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def exhausted(self, key: str) -> bool:
        """Whether as many attempts have failed as there may be."""
        with self._lock:
            times = self._tried.get(key)
            return times is not None and len(times) == self._most and times[0] > time.monotonic() - PERIOD

    def count(self, key: str) -> None:
        """Count a failed attempt."""
        moment = time.monotonic()
        with self._lock:
            if len(self._tried) >= self._keys:
                self._tried = {name: times for name, times in self._tried.items() if times[-1] > moment - PERIOD}
            times = self._tried.setdefault(key, deque(maxlen=self._most))
            times.append(moment)


PER_ACCOUNT, PER_ADDRESS = Attempts(10), Attempts(60)


def require_few_attempts(address: str, email: str) -> None:
    """Refuse an attempt to sign in from an address if too many have failed."""
    if PER_ADDRESS.exhausted(address) or PER_ACCOUNT.exhausted(f"{address} {email.casefold()}"):
        raise HTTPException(429, "too many attempts; wait a minute")


def count_failure(address: str, email: str) -> None:
    """Count a failed attempt to sign in."""
    PER_ADDRESS.count(address)
    PER_ACCOUNT.count(f"{address} {email.casefold()}")
