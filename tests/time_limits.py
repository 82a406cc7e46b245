"""How long a test waits for a process before it takes it to hang."""

from __future__ import annotations

HANGS = 300  # seconds by the clock: far beyond what a busy machine needs, since load must not fail a test
