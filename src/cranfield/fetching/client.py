"""Asking over HTTP: in parallel, not too fast, again after failures that pass, and nobody but the engine."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from cranfield.errors import BadInput, BadSetting, MissingExtra
from cranfield.fetching.requests import Filled, Secrets

PASSING = (429, 502, 503, 504)  # statuses after which the same request may succeed
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds before the second try, doubled before each further one
REDIRECTS = 3
LARGEST = 64 << 20  # bytes of an answer


class Failure(Exception):
    """A request without a usable answer, in words."""


class Answer(NamedTuple):
    """The content of an answer, and how long the engine took for it."""

    status: int
    text: bytes
    milliseconds: float


def imported() -> Any:
    """httpx, which is an extra."""
    try:
        import httpx
    except ImportError:
        raise MissingExtra("fetching needs httpx: pip install 'cranfield[fetch]'") from None
    return httpx


def require_address(url: str) -> str:
    """The address of an engine without a final slash; one with a password is refused."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadSetting(f"url must be the address of the engine, such as http://127.0.0.1:9200, not {url!r}")
    if parts.username or parts.password:
        raise BadSetting("url must not contain a password: use login='user:{{env:NAME}}'")
    if parts.query or parts.fragment:
        raise BadSetting("url is the address of the engine only; parameters belong to request")
    return url.rstrip("/")


class Client:
    """A client of one engine, which may be used by several threads."""

    def __init__(
        self, url: str, secrets: Secrets, *, timeout: float, tries: int, rate: float | None, parallel: int,
        certificates: str | None = None, proxies: bool = True, allowed: Callable[[str], bool] | None = None,
    ) -> None:  # fmt: skip
        httpx = imported()
        self._url, self._secrets, self._tries, self._allowed = url, secrets, tries, allowed
        self._pace = _Pace(rate)
        verify: Any = True
        if certificates is not None:
            import ssl

            try:
                verify = ssl.create_default_context(cafile=certificates)
            except (OSError, ssl.SSLError) as error:
                raise BadInput(f"{certificates}: not readable as certificates: {error}") from None
        elif url.startswith("http:"):
            verify = False  # nothing to verify: loading all certificates would take 20 ms
        limits = httpx.Limits(max_connections=parallel, max_keepalive_connections=parallel)
        self._http = httpx.Client(
            timeout=timeout, verify=verify, limits=limits, trust_env=proxies, follow_redirects=False,
            headers={"Accept": "application/json", "User-Agent": "cranfield"},
        )  # fmt: skip
        self._timeout = timeout

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def ask(self, request: Filled) -> Answer:
        """The answer to a request, tried again while the engine is too busy or cannot be reached."""
        pause = FIRST_PAUSE
        for attempt in range(1, self._tries + 1):
            self._pace.wait()
            wait: float | None = None
            try:
                answer, wait = self._once(request)
            except self._passing as error:
                if attempt == self._tries:
                    raise Failure(self._unreachable(error, attempt)) from None
            else:
                if answer.status not in PASSING or attempt == self._tries:
                    return answer
            time.sleep(min(LONGEST_PAUSE, pause * random.uniform(0.5, 1) if wait is None else wait))
            pause *= 2
        raise AssertionError

    @property
    def _passing(self) -> tuple[type[Exception], ...]:
        httpx = imported()
        return httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError

    def _unreachable(self, error: Exception, attempts: int) -> str:
        httpx = imported()
        times = f" ({attempts} tries)" if attempts > 1 else ""
        if isinstance(error, httpx.TimeoutException):
            return f"no answer within {self._timeout:g} s{times}"
        return self._secrets.hidden(f"{self._url} cannot be reached{times}: {error or type(error).__name__}")

    def _once(self, request: Filled) -> tuple[Answer, float | None]:
        """The answer to one try, and how long the engine asks to wait."""
        httpx = imported()
        address = self._url + request.target
        method, body, headers = request.method, request.body, dict(request.headers)
        start = time.perf_counter()
        for _ in range(REDIRECTS + 1):
            if self._allowed is not None and not self._allowed(address):
                raise Failure(f"the address {_host(address)} is not allowed")
            try:
                with self._http.stream(method, address, content=body, headers=headers) as response:
                    content = b"".join(_limited(response.iter_bytes()))
                    taken = 1000 * (time.perf_counter() - start)
            except (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.DecodingError, httpx.ProxyError) as error:
                raise Failure(self._secrets.hidden(str(error))) from None
            if not response.has_redirect_location:
                return Answer(response.status_code, content, taken), _retry_after(response.headers.get("retry-after"))
            address = self._redirected(method, response.status_code, address, response.headers["location"])
        raise Failure(f"more than {REDIRECTS} redirects")

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
        raise Failure(f"the engine redirects POST requests (status {status}): give the final address")


def _host(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _limited(pieces: Any) -> Any:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > LARGEST:
            raise Failure(f"the answer is larger than {LARGEST >> 20} MB; ask for fewer results or fields")
        yield piece


def _retry_after(text: str | None) -> float | None:
    """The seconds of a Retry-After header, which may be a date."""
    if not text:
        return None
    if text.strip().isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


class _Pace:
    """Requests of all threads, at most so many per second."""

    def __init__(self, rate: float | None) -> None:
        self._gap = 0.0 if rate is None else 1 / rate
        self._next = time.monotonic()
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Wait for the next turn."""
        if not self._gap:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._gap
        time.sleep(max(0.0, turn - now))
