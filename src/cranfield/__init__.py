"""cranfield: how good is a system that ranks, labels or scores, and how sure are we.

Measures are names of this module too: `cranfield.nDCG @ 10`, `cranfield.P(rel=2) @ 5`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cranfield.api import evaluate as evaluate
    from cranfield.api import precision_recall as precision_recall
    from cranfield.findings.examination import examine as examine
    from cranfield.registry import Measure as Measure
    from cranfield.registry import parse as parse
    from cranfield.results.values import Result as Result

_HOME = {
    "Measure": "cranfield.registry",
    "Result": "cranfield.results.values",
    "evaluate": "cranfield.api",
    "examine": "cranfield.findings.examination",
    "parse": "cranfield.registry",
    "precision_recall": "cranfield.api",
}

__all__ = ["Measure", "Result", "evaluate", "examine", "parse", "precision_recall"]


def __getattr__(name: str) -> Any:
    """Public names are fetched when first used, so that importing cranfield stays fast."""
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if not name.startswith("_"):
        registry = importlib.import_module("cranfield.registry")
        if name in registry.families():
            return registry.Measure(name)
    raise AttributeError(f"module 'cranfield' has no attribute {name!r}")
