"""Forks beside other threads, which do not exist in the new process: what they hold there, they hold for ever.

Python replaces its own locks after a fork, but not those of modules that are being imported; and the first evaluation
of a kind imports what it needs.

Decided here: what a forked process must not find locked.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock, get_ident  # the module `threading` imports more than a start needs
from types import FrameType

_LONGEST = 10  # seconds that a fork waits for imports, before it happens anyway


class SharedLock:
    """A lock of the whole process that is free in a forked one."""

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = allocate_lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _wait_for_imports() -> None:
    """Wait until cranfield is importing nothing in other threads."""
    end = time.monotonic() + _LONGEST
    while any(map(_is_importing, _other_threads())) and time.monotonic() < end:
        time.sleep(0.001)


def _other_threads() -> list[FrameType]:
    """What the other threads are doing."""
    this = get_ident()
    return [frame for thread, frame in sys._current_frames().items() if thread != this]


def _is_importing(frame: FrameType | None) -> bool:
    """Whether cranfield waits for a module: a program that is itself imported may run for hours."""
    imports = False
    while frame is not None:
        imports |= frame.f_code.co_filename == "<frozen importlib._bootstrap>"
        if imports and str(frame.f_globals.get("__name__")).partition(".")[0] == "cranfield":
            return True
        frame = frame.f_back
    return False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_imports)
