"""Calls to other servers: one kit for rate limits, retries, timeouts and secrets."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from cranfield.errors import BadInput, BadSetting, MissingExtra, pip_line
from cranfield.frozen import frozen

TRIES = 6
SECONDS = 120.0  # to wait for a server
LONGEST_PAUSE = 60.0  # between two tries, unless the server asks for more
LONGEST_WAIT = 600.0  # that a server may ask for
LARGEST = 1 << 22  # bytes of a reply
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # statuses that may pass


@frozen
class HttpReply:
    """A server's reply, after as many tries as it took."""

    status: int
    content: bytes
    tries: int
    milliseconds: int  # of the last try


class Unreachable(BadInput):
    """A server that did not answer, after all tries."""


def secret(name: str) -> str | None:
    """The secret in an environment variable, or in the file that NAME_FILE names."""
    if value := os.environ.get(name):
        return value
    path = os.environ.get(f"{name}_FILE")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


class Pace:
    """At most `rate` calls per minute, over all threads; a server that is busy slows all of them down."""

    def __init__(self, rate: float | None) -> None:
        self._gap, self._next, self._lock = 60 / rate if rate else 0.0, 0.0, threading.Lock()

    def wait(self, stopped: threading.Event) -> None:
        """Wait for the next call, unless stopped."""
        with self._lock:
            start = max(self._next, time.monotonic())
            self._next = start + self._gap
        stopped.wait(max(0.0, start - time.monotonic()))

    def pause(self, seconds: float) -> None:
        """Let all calls wait."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


class Caller:
    """Sends JSON to one server from several threads."""

    def __init__(
        self, address: str, *, headers: Mapping[str, str], rate: float | None = None, tries: int = TRIES,
        seconds: float = SECONDS,
    ) -> None:  # fmt: skip
        try:
            import httpx
        except ImportError:
            raise MissingExtra(f"calls to other servers need httpx: {pip_line('label')}") from None
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadSetting(f"{address!r} is not the address of an endpoint, such as http://127.0.0.1:8080/v1")
        self.address, self._tries, self._pace = address.rstrip("/"), tries, Pace(rate)
        self._errors: tuple[type[Exception], ...] = (httpx.HTTPError, httpx.InvalidURL)
        self._client = httpx.Client(headers=dict(headers), timeout=seconds, follow_redirects=False)
        self.stopped = threading.Event()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def send(self, path: str, content: Any) -> HttpReply:
        """The reply to JSON; a server that is busy, fails or cuts its reply is asked again, later and later."""
        why = ""
        for attempt in range(1, self._tries + 1):
            self._pace.wait(self.stopped)
            if self.stopped.is_set():
                raise Unreachable("stopped")
            start = time.monotonic()
            try:
                status, headers, body = self._sent(path, content)
            except self._errors as error:
                why, pause = str(error) or type(error).__name__, 0.0
            else:
                answered = HttpReply(status, body, attempt, round(1000 * (time.monotonic() - start)))
                if status not in PASSING:
                    return answered
                why, pause = f"status {status}: {body[:200].decode(errors='replace')}", asked_pause(headers)
            if attempt < self._tries:
                backoff = min(2 ** (attempt - 1), LONGEST_PAUSE) * random.uniform(0.5, 1)
                if pause > LONGEST_WAIT:
                    raise Unreachable(f"{self.address} asks to wait {pause:,.0f} s; try again later")
                if pause:
                    self._pace.pause(pause)
                self.stopped.wait(max(backoff, pause))
        raise Unreachable(f"{self.address} failed {self._tries} times: {why}")

    def _sent(self, path: str, content: Any) -> tuple[int, Mapping[str, str], bytes]:
        body = bytearray()
        with self._client.stream("POST", f"{self.address}{path}", json=content) as response:
            for piece in response.iter_bytes():
                body += piece
                if len(body) > LARGEST:
                    raise BadInput(f"{self.address} answers with more than {LARGEST >> 20} MB")
            return response.status_code, response.headers, bytes(body)


def asked_pause(headers: Mapping[str, str]) -> float:
    """The seconds that a busy server asks to wait; 0 if it does not say."""
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return 0.0
