"""A client for benchmarks on a server: every page as JSON, every form as a call.

It only uses the standard library, so it works without the server's dependencies.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit

from cranfield.errors import BadInput

TOKEN = "CRANFIELD_TOKEN"
SECONDS = 300
CHUNK = 1 << 20
PAUSE = 1.0


def token_of_environment() -> str:
    """The token of the person or machine assessor running the program."""
    token = os.environ.get(TOKEN)
    if not token:
        raise BadInput(f"set {TOKEN} to a token from your account page")
    return token


def parts_of(benchmark: str) -> SplitResult:
    """The parts of a benchmark's address."""
    address = urlsplit(benchmark)
    if address.scheme not in ("http", "https") or not address.hostname or not address.path.startswith("/b/"):
        raise BadInput(f"{benchmark!r} is not the address of a benchmark, such as https://judge.example.org/b/NAME")
    return address


def connected(address: SplitResult) -> HTTPConnection:
    """A connection to the server at an address; redirects are not followed."""
    connect = HTTPSConnection if address.scheme == "https" else HTTPConnection
    return connect(address.netloc, timeout=SECONDS)


class BenchmarkClient:
    """`client.get("conflicts")` is the page of that name as data; `client.post("conflicts/17", {…})` sends a form.

    A page that begins with a slash is outside the benchmark, such as `/benchmarks`.
    """

    def __init__(self, benchmark: str, token: str) -> None:
        self._address = parts_of(benchmark)
        self._headers = {"Authorization": f"Bearer {token}"}

    def get(self, page: str = "") -> Any:
        """A page as data, or a file as text; waits while its figures are being computed."""
        while (answer := self._answer("GET", page, None, {})) and isinstance(answer, dict) and "computing" in answer:
            time.sleep(PAUSE)
        return answer

    def post(self, page: str, fields: Mapping[str, Any]) -> Any:
        """The server's response to a form."""
        kind = "application/x-www-form-urlencoded"
        return self._answer("POST", page, urlencode(fields).encode(), {"Content-Type": kind})

    def send(self, page: str, content: Mapping[str, Any]) -> Any:
        """The server's response to JSON."""
        return self._answer("POST", page, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def upload(self, page: str, path: str | Path, fields: Mapping[str, Any] | None = None) -> Any:
        """The server's response to a form with a file, which is sent in chunks."""
        file, boundary = Path(path), secrets.token_hex(16)
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in (fields or {}).items()
        ]
        name = "".join(char if char.isalnum() or char in ".-_" else "_" for char in file.name)
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n')
        start, end = "".join(parts).encode(), f"\r\n--{boundary}--\r\n".encode()
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        headers["Content-Length"] = str(len(start) + file.stat().st_size + len(end))
        return self._answer("POST", page, _pieces(start, file, end), headers)

    def _answer(self, method: str, page: str, body: bytes | Iterable[bytes] | None, headers: dict[str, str]) -> Any:
        place = "" if page.startswith("/") else f"{self._address.path.rstrip('/')}/"
        path = f"/api{place}{page}".rstrip("/")
        connection = connected(self._address)
        try:
            connection.request(method, path, body, self._headers | headers)
            response = connection.getresponse()
            content = response.read()
            is_json = response.headers.get_content_type() == "application/json"
            answer = json.loads(content) if is_json else content.decode()
        except OSError as error:
            raise BadInput(f"{self._address.netloc} cannot be reached: {error.strerror or error}") from None
        except (HTTPException, ValueError) as error:
            raise BadInput(f"{self._address.netloc} is not a cranfield server: {error}") from None
        finally:
            connection.close()
        if response.status >= 400:
            raise BadInput(answer.get("error", response.reason) if isinstance(answer, dict) else response.reason)
        return answer


def _pieces(start: bytes, path: Path, end: bytes) -> Iterator[bytes]:
    yield start
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece
    yield end
