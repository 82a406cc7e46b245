"""cranfield: how good is a system that ranks, labels or scores, and how sure are we."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cranfield.api import evaluate as evaluate
    from cranfield.registry import Measure as Measure
    from cranfield.registry import parse as parse
    from cranfield.results.values import Result as Result

_HOME = {
    "evaluate": "cranfield.api",
    "Measure": "cranfield.registry",
    "parse": "cranfield.registry",
    "Result": "cranfield.results.values",
}

__all__ = ["Measure", "Result", "evaluate", "parse"]


def __getattr__(name: str) -> Any:
    """Public names are fetched when first used, so that importing cranfield stays fast."""
    if name not in _HOME:
        raise AttributeError(f"module 'cranfield' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
