"""The extension in C, if it was built, and for this version of cranfield."""

from __future__ import annotations

from importlib import import_module
from typing import Any

VERSION = 11  # that of native/module.c, where the functions are listed


def _built() -> Any:
    try:
        module = import_module("cranfield._native")
    except ImportError:  # there was no compiler
        return None
    return module if getattr(module, "VERSION", None) == VERSION else None


native = _built()


def unset_bytes(size: int) -> bytearray:
    """A bytearray of this length that is overwritten before it is read."""
    return bytearray(size) if native is None else native.unset_bytes(size)
