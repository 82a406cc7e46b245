"""Workers: disposable processes, without secrets, that do one job each (`worker_jobs`).

`worker_processes` starts `python -m cranfield.campaign.web.worker` with a socket as its standard input. This process
imports what jobs need, once, and then forks a worker for each connection that it receives. The worker reads a job as
JSON, answers in JSON and ends; its time and memory are limited.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import socket
import sys
import tempfile
import traceback
import warnings
from typing import Any, NoReturn

from cranfield.errors import CranfieldError

NICENESS = 10  # of workers: judgments come before computations
IMPORTED = ("cranfield.campaign.web.worker_jobs", "cranfield.engines.tie_breaking", "pyarrow", "scipy.stats")


def main() -> None:
    """Fork a worker for each connection that arrives, until the server closes the socket: then all workers end."""
    os.nice(NICENESS)
    for name in IMPORTED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # workers that have ended are not waited for
    signal.signal(signal.SIGTERM, _end_all)
    with socket.socket(fileno=sys.stdin.fileno()) as connections:
        while received := socket.recv_fds(connections, 1, 1)[1]:
            with socket.socket(fileno=received[0]) as connection:
                if os.fork() == 0:
                    connections.close()
                    _work(connection)
    _end_all()


def _end_all(*_: object) -> None:
    """End this process and its workers, which are its process group."""
    os.killpg(0, signal.SIGKILL)


def _work(connection: socket.socket) -> NoReturn:
    """Do one job, and end."""
    try:
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        warnings.simplefilter("ignore")
        with connection.makefile("r", encoding="utf-8") as requests:
            request = json.load(requests)
        resource.setrlimit(resource.RLIMIT_DATA, (request["memory"], request["memory"]))
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])  # which ends the process
        os.environ.update(request["environment"])
        tempfile.tempdir = None  # is read from the environment again
        answer = json.dumps(_answer(request["job"], request["arguments"]))
        connection.sendall(answer.encode())
    except BaseException:  # a bug in cranfield, which belongs in the log of the server
        traceback.print_exc()
    finally:
        os._exit(0)


def _answer(job: str, arguments: dict[str, Any]) -> dict[str, Any]:
    from cranfield.campaign.web.worker_jobs import JOBS  # imported by `main` before the fork

    try:
        return {"value": JOBS[job](**arguments)}
    except CranfieldError as error:
        return {"error": _without_paths(str(error), arguments)}
    except MemoryError:
        return {"error": "the file needs more memory than a worker may use"}


def _without_paths(words: str, arguments: dict[str, Any]) -> str:
    """The error with the file's original name in place of its path on the server."""
    paths = [arguments.get("path", ""), arguments.get("qrels", ""), *arguments.get("runs", {}).values()]
    for path in filter(None, paths):
        words = words.replace(path, "the file")
    return words


if __name__ == "__main__":
    main()
