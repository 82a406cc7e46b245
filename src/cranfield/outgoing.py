"""Requests to other servers: in parallel, not too fast, again after failures that pass, and to nobody else."""

from __future__ import annotations

import base64
import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from cranfield.errors import BadInput, MissingExtra, pip_line
from cranfield.frozen import frozen

LONGEST_PAUSE = 60.0  # seconds between two tries, unless the server may ask for more
REDIRECTS = 3
HIDDEN = "***"


class Failure(BadInput):
    """A request without a usable reply, in words."""


class ReplyTooLarge(Failure):
    """A reply that is larger than the limit."""


class Unreachable(Failure):
    """A server that did not answer, after all tries; `why` is the last error."""

    def __init__(self, words: str, why: str = "", tries: int = 0) -> None:
        super().__init__(words)
        self.why, self.tries = why, tries


@frozen
class HttpReply:
    """A server's reply, after as many tries as it took."""

    status: int
    content: bytes
    tries: int
    milliseconds: float  # of the last try


@frozen
class AskingRules:
    """When a kind of server is asked again, after how long, and how large its replies may be."""

    passing: frozenset[int]  # statuses after which the same request may succeed
    errors: tuple[str, ...]  # those of httpx after which it may
    first_pause: float  # seconds before the second try, doubled before each further one
    longest_wait: float | None  # seconds that a server may ask for; None: never wait longer than LONGEST_PAUSE
    largest: int  # bytes of a reply


def secret(name: str) -> str | None:
    """The secret in an environment variable, or in the file that NAME_FILE names."""
    if value := os.environ.get(name):
        return value
    path = os.environ.get(f"{name}_FILE")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


class Secrets:
    """The values of placeholders of the environment and of files, read once, and removed from all texts."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def value(self, kind: str, name: str) -> str:
        """The value of a placeholder."""
        key = kind + name
        if key not in self._values:
            self._values[key] = self._read(kind, name)
        return self._values[key]

    def _read(self, kind: str, name: str) -> str:
        if kind == "env:":
            if not (value := os.environ.get(name)):
                raise BadInput(f"the environment has no variable {name}, which {{{{env:{name}}}}} refers to")
            return value
        try:
            with open(name, encoding="utf-8") as file:
                return file.read().strip()
        except UnicodeDecodeError:
            raise BadInput(f"{name}: not a text, which {{{{file:{name}}}}} refers to") from None

    def hidden(self, text: str) -> str:
        """The text without any secret, however it is encoded."""
        for value in self._values.values():
            for form in _forms(value):
                text = text.replace(form, HIDDEN)
        return text

    def also(self, value: str) -> None:
        """One more text that must never be shown, such as one that is made from a secret."""
        self._values[f"made:{len(self._values)}"] = value


def _forms(value: str) -> list[str]:
    encoded = base64.b64encode(value.encode()).decode()
    forms = {value, quote(value), quote(value, safe=""), json.dumps(value)[1:-1], repr(value)[1:-1], encoded}
    return sorted((form for form in forms if form), key=len, reverse=True)


def require_httpx(what: str) -> None:
    """Say which extra is missing, before anything is asked."""
    try:
        import httpx  # noqa: F401
    except ImportError:
        raise MissingExtra(f"{what} httpx: {pip_line('fetch')}") from None


class Pace:
    """At most `rate` requests per second, over all threads; a server that is busy slows all of them down."""

    def __init__(self, rate: float | None) -> None:
        self._gap, self._next, self._lock = 1 / rate if rate else 0.0, 0.0, threading.Lock()
        self.stopped = threading.Event()

    def wait(self) -> None:
        """Wait for the next turn, unless stopped."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._gap
        if turn > now:
            self.sleep(turn - now)

    def pause(self, seconds: float) -> None:
        """Let all requests wait."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    def sleep(self, seconds: float) -> None:
        """Wait so long, unless stopped."""
        self.stopped.wait(seconds)


class Caller:
    """A client of one server, which may be used by several threads."""

    def __init__(
        self, address: str, rules: AskingRules, secrets: Secrets, *, timeout: float, tries: int, rate: float | None,
        parallel: int | None = None, certificates: str | None = None, proxies: bool = True,
        allowed: Callable[[str], bool] | None = None,
    ) -> None:  # fmt: skip
        import httpx

        self.address, self._rules, self._secrets, self._tries = address, rules, secrets, tries
        self._allowed, self._timeout, self._pace = allowed, timeout, Pace(rate)
        verify: Any = True
        if certificates is not None:
            import ssl

            try:
                verify = ssl.create_default_context(cafile=certificates)
            except (OSError, ssl.SSLError) as error:
                raise BadInput(f"{certificates}: not readable as certificates: {error}") from None
        elif address.startswith("http:"):
            verify = False  # nothing to verify: loading all certificates would take 20 ms
        limits = httpx.Limits(max_connections=parallel, max_keepalive_connections=parallel)
        self._http = httpx.Client(
            timeout=timeout, verify=verify, limits=limits, trust_env=proxies, follow_redirects=False,
            headers={"Accept": "application/json", "User-Agent": "cranfield"},
        )  # fmt: skip
        self._timeouts = httpx.TimeoutException
        self._errors: tuple[type[Exception], ...] = (httpx.HTTPError, httpx.InvalidURL)
        self._passing: tuple[type[Exception], ...] = tuple(getattr(httpx, name) for name in rules.errors)

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def stop(self) -> None:
        """Send nothing more."""
        self._pace.stopped.set()

    def ask(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]) -> HttpReply:
        """The reply to a request, tried again while the server is too busy or cannot be reached."""
        for attempt in range(1, self._tries + 1):
            self._pace.wait()
            if self._pace.stopped.is_set():
                raise Unreachable("stopped")
            retry_after = None
            try:
                reply, retry_after = self._once(method, target, body, headers, attempt)
            except self._passing as error:
                if attempt == self._tries:
                    why = str(error) or type(error).__name__
                    raise Unreachable(self._unreachable(error, why), self._secrets.hidden(why), attempt) from None
            except self._errors as error:
                raise Failure(self._secrets.hidden(str(error))) from None
            else:
                if reply.status not in self._rules.passing or attempt == self._tries:
                    return reply
            self._wait(attempt, retry_after)
        raise AssertionError

    def _wait(self, attempt: int, retry_after: float | None) -> None:
        """Wait before the next try: later and later, and all threads as long as the server asks."""
        pause = min(self._rules.first_pause * 2 ** min(attempt - 1, 30), LONGEST_PAUSE) * random.uniform(0.5, 1)
        if retry_after is not None:
            if self._rules.longest_wait is None:
                retry_after = min(retry_after, LONGEST_PAUSE)
            elif retry_after > self._rules.longest_wait:
                raise Unreachable(f"{self.address} asks to wait {retry_after:,.0f} s; try again later")
            self._pace.pause(retry_after)
            pause = max(pause, retry_after)
        self._pace.sleep(pause)

    def _unreachable(self, error: Exception, why: str) -> str:
        times = f" ({self._tries} tries)" if self._tries > 1 else ""
        if isinstance(error, self._timeouts):
            return f"no answer within {self._timeout:g} s{times}"
        return self._secrets.hidden(f"{self.address} cannot be reached{times}: {why}")

    def _once(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str], attempt: int
    ) -> tuple[HttpReply, float | None]:
        """The reply to one try, and how long the server asks to wait."""
        address, start = self.address + target, time.perf_counter()
        for _ in range(REDIRECTS + 1):
            if self._allowed is not None and not self._allowed(address):
                raise Failure(f"the address {_host(address)} is not allowed")
            with self._http.stream(method, address, content=body, headers=dict(headers)) as response:
                content = b"".join(self._limited(response.iter_bytes()))
                taken = 1000 * (time.perf_counter() - start)
            if not response.has_redirect_location:
                reply = HttpReply(response.status_code, content, attempt, taken)
                return reply, _retry_after(response.headers.get("retry-after"))
            address = self._redirected(method, response.status_code, address, response.headers["location"])
        raise Failure(f"more than {REDIRECTS} redirects")

    def _limited(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > self._rules.largest:
                raise ReplyTooLarge(f"the answer is larger than {self._rules.largest >> 20} MB")
            yield piece

    def _redirected(self, method: str, status: int, address: str, location: str) -> str:
        """The address of a redirect to the same host; others are refused, because they would receive the secrets."""
        target = urljoin(address, location)
        before, after = urlsplit(address), urlsplit(target)
        same = before.hostname == after.hostname and (before.port == after.port or before.scheme != after.scheme)
        if not same or (before.scheme, after.scheme) not in (("http", "http"), ("http", "https"), ("https", "https")):
            refused = f"redirected from {_host(address)} to {_host(target)}, which is refused"
            raise Failure(f"{refused}: give the final address")
        if method == "GET" or status in (307, 308):
            return target
        raise Failure(f"the server redirects POST requests (status {status}): give the final address")


def _host(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _retry_after(text: str | None) -> float | None:
    """The seconds of a Retry-After header, which may be a date."""
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
