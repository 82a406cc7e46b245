"""Requests of several threads to one server."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from cranfield.outgoing import AskingRules, Caller, Secrets, Unreachable
from engine_server import Asked, EngineServer, serving

BUSY = frozenset({429})
RULES = AskingRules(passing=BUSY, errors=("TimeoutException",), first_pause=0.01, longest_wait=60.0, largest=1000)


def busy_once(seconds: float) -> Any:
    """Replies of a server that is busy at first."""
    replies = iter([(429, {}, {"Retry-After": str(seconds)})])

    def answer(_: Asked) -> Any:
        return next(replies, {})

    return answer


def caller_of(server: EngineServer) -> Caller:
    """A client of a server of the tests, which tries twice."""
    return Caller(server.url, RULES, Secrets(), timeout=5, tries=2, rate=None)


def test_a_busy_server_slows_all_threads_down() -> None:
    with (
        serving(busy_once(0.6)) as server,
        caller_of(server) as caller,
    ):
        start = time.monotonic()
        first = threading.Thread(target=caller.ask, args=("GET", "/", None, {}))
        first.start()
        time.sleep(0.2)
        assert caller.ask("GET", "/", None, {}).tries == 1
        assert time.monotonic() - start >= 0.6
        first.join()
    assert len(server.asked) == 3


def test_whoever_waits_for_a_busy_server_can_be_stopped() -> None:
    with (
        serving(busy_once(30)) as server,
        caller_of(server) as caller,
    ):
        start = time.monotonic()
        stop = threading.Timer(0.2, caller.stop)
        stop.start()
        with pytest.raises(Unreachable, match="stopped"):
            caller.ask("GET", "/", None, {})
        assert time.monotonic() - start < 10
        stop.join()
    assert len(server.asked) == 1
