"""A stand-in for a language model: a server on loopback with OpenAI's chat completions protocol."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Said(NamedTuple):
    """A reply: its status and content, and how it goes wrong."""

    content: Any
    status: int = 200
    after: float = 0.0  # seconds
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False  # the connection ends in the middle


def chat(text: str | None, usage: dict[str, int] | None = None, **how: Any) -> Said:
    """A completion in the format of the protocol."""
    message = {"role": "assistant", "content": text}
    content: dict[str, Any] = {"choices": [{"message": message, "finish_reason": "stop"}]}
    return Said(content | ({"usage": usage} if usage else {}), **how)


Answer = Callable[[dict[str, Any]], Said]


@contextmanager
def model_server(answer: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of an endpoint that answers as told, and the requests that it got."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            got.append(request | {"path": self.path, "authorization": self.headers.get("authorization")})
            said = answer(request)
            time.sleep(said.after)
            body = json.dumps(said.content).encode()
            try:
                self.send_response(said.status)
                for name, value in (*said.headers, ("content-length", str(len(body)))):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if said.cut else body)
            except (BrokenPipeError, ConnectionResetError):  # the client did not wait
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", got
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def asked_about(request: dict[str, Any]) -> dict[str, Any]:
    """The topic and the document of a request with the project's own prompt."""
    user = next(one["content"] for one in request["messages"] if one["role"] == "user")
    found: dict[str, Any] = json.loads(user)
    return found
