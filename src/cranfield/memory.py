"""How the C library treats memory that is freed."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np

MANY = 1 << 22  # tables with at least this many rows save memory even if that takes time
_LARGE = 31 << 20  # glibc learns from blocks of up to 32 MB


@cache
def keep_freed_memory() -> None:
    """Let the C library keep freed memory for the next table: pages of new memory are slow at first.

    glibc decides by the largest block that was ever freed, so one is allocated and freed; none of it is used.
    """
    np.empty(_LARGE, np.uint8)


def give_back_freed_memory(n_rows: int) -> None:
    """Let the C library give freed memory back, if a table is so large that the gaps left while it grew matter."""
    if n_rows > MANY:
        with suppress(ImportError, OSError, AttributeError, TypeError):  # glibc only
            import ctypes  # NumPy imports it too

            ctypes.CDLL(None).malloc_trim(0)
