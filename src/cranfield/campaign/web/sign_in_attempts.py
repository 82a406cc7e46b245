"""Limits on attempts to sign in: how many there may be within a minute, per account and per address.

Decided here: how often somebody may try to sign in.
"""

from __future__ import annotations

import threading
import time
from collections import deque

from fastapi import HTTPException

PERIOD = 60  # seconds


class Attempts:
    """The number of attempts in the last minute, per key, in this process."""

    def __init__(self, most: int, *, keys: int = 10_000) -> None:
        self._most, self._keys = most, keys
        self._tried: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def allow(self, key: str) -> bool:
        """Count an attempt; whether it is within the limit."""
        moment = time.monotonic()
        with self._lock:
            if len(self._tried) >= self._keys:
                self._tried = {name: times for name, times in self._tried.items() if times[-1] > moment - PERIOD}
            times = self._tried.setdefault(key, deque(maxlen=self._most + 1))
            times.append(moment)
            return len(times) <= self._most or times[0] < moment - PERIOD


PER_ACCOUNT, PER_ADDRESS = Attempts(10), Attempts(60)


def require_few_attempts(address: str, email: str) -> None:
    """Count an attempt to sign in from an address; refuse it if there were too many."""
    if not (PER_ADDRESS.allow(address) and PER_ACCOUNT.allow(f"{address} {email.casefold()}")):
        raise HTTPException(429, "too many attempts; wait a minute")
