"""How the C library treats memory that is freed."""

from __future__ import annotations

from functools import cache

import numpy as np

_LARGE = 31 << 20  # glibc learns from blocks of up to 32 MB


@cache
def keep_freed_memory() -> None:
    """Let the C library keep freed memory for the next table: pages of new memory are slow at first.

    glibc decides by the largest block that was ever freed, so one is allocated and freed; none of it is used.
    """
    np.empty(_LARGE, np.uint8)
