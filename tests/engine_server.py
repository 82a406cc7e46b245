"""A server of the tests' own on loopback that answers as a function says, and remembers what it was asked."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def content(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


Reply = Any  # JSON with status 200; or a tuple: status, JSON or bytes, and maybe headers


class EngineServer(NamedTuple):
    """The address of a running server, and the requests so far."""

    url: str
    asked: list[Asked]


@contextmanager
def serving(answer: Callable[[Asked], Reply], *, context: ssl.SSLContext | None = None) -> Iterator[EngineServer]:
    """A server that runs while the block does."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or every answer would wait for 40 ms

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            asked.append(request)
            reply = answer(request)
            status, content, headers = (*reply, {})[:3] if isinstance(reply, tuple) else (200, reply, {})
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = _answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client may leave while it is answered
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield EngineServer(f"{'http' if context is None else 'https'}://127.0.0.1:{server.server_port}", asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
