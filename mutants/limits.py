"""How long the tests of a mutant may run, and how it may end."""

from __future__ import annotations

import resource
from typing import Literal

Outcome = Literal["killed", "hangs", "survived"]

BUDGET = 20.0  # seconds of tests that a mutant is put to, the quickest of those that run its line first
PATIENCE = 900  # seconds by the clock, as others may use the machine
_SECONDS = int(3 * BUDGET) + 60
_MEMORY = 8 << 30


def limit() -> None:
    """Limit the processor's time and the memory of this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))  # not of addresses, which V8 reserves freely
