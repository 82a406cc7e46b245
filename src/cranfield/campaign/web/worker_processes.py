"""Workers as the server sees them: a job is done in a process of its own, without the server's secrets."""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cranfield.campaign.web.worker_progress import PATH
from cranfield.errors import BadInput, TooBusy

SECONDS, LONGEST = 120, 3_600  # for a waiting request, and for a job outside the requests
MEMORY = 4 << 30  # bytes of a worker
GRACE = 5  # seconds to wait for a worker that should have ended
PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "VIRTUAL_ENV")  # the only environment variables passed on


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


_places = Places(max(2, os.cpu_count() or 1), waiting=16)


def worked(job: str, *, seconds: float = SECONDS, progress: Path | None = None, **arguments: Any) -> Any:
    """The result of a job in a separate process; the text of the judgments, `qrels`, is passed as a file."""
    with _places.one(), tempfile.TemporaryDirectory(prefix="cranfield-job-") as folder:
        environment = {"TMPDIR": folder} | ({} if progress is None else {PATH: str(progress)})
        if "qrels" in arguments:
            file = Path(folder) / "qrels.txt"
            file.write_text(arguments["qrels"], encoding="utf-8")
            arguments = arguments | {"qrels": str(file)}
        request: dict[str, Any] = {"job": job, "arguments": arguments, "environment": environment}
        return _answered(json.dumps(request | {"seconds": seconds, "memory": MEMORY}), seconds)


def _answered(request: str, seconds: float) -> Any:
    started = time.monotonic()
    with nursery.worker() as connection:
        connection.settimeout(seconds + GRACE)
        text = b""
        with suppress(OSError):  # a worker that ended before it read everything, or does not end
            connection.sendall(request.encode())
            connection.shutdown(socket.SHUT_WR)
            text = b"".join(iter(lambda: connection.recv(1 << 20), b""))
    try:
        answer = json.loads(text)
    except ValueError:
        if time.monotonic() - started >= seconds:
            raise BadInput(f"this took longer than {seconds:g} seconds and was stopped") from None
        raise BadInput("this needs more memory than a worker may use, or failed; the server's log says more") from None
    if "error" in answer:
        raise BadInput(answer["error"])
    return answer["value"]


class Nursery:
    """The process that forks workers, started when the first one is needed, and again if it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self._connections: socket.socket | None = None

    def worker(self) -> socket.socket:
        """A connection to a new worker."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            self._require()
            assert self._connections is not None
            socket.send_fds(self._connections, [b"1"], [theirs.fileno()])
        return ours

    def prepare(self) -> None:
        """Start the process, so that the first job does not wait for it."""
        with self._lock:
            self._require()

    def _require(self) -> None:
        if self.process is None or self.process.poll() is not None:
            self.close()
            self._start()

    def _start(self) -> None:
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self._connections, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "cranfield.campaign.web.worker"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,  # Ctrl-C is for the server, whose end the process notices
            )

    def close(self) -> None:
        """End the process and with it all workers."""
        if self._connections is not None:
            self._connections.close()
        if self.process is not None:
            self.process.wait()


nursery = Nursery()
atexit.register(nursery.close)
