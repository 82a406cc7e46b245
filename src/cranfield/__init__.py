"""cranfield: how good is a system that ranks, labels or scores, and how certain is that?

Measures are names of this module too: `cranfield.nDCG @ 10`, `cranfield.P(rel=2) @ 5`.
"""

from __future__ import annotations

import importlib
import os
import re
from typing import Any

import cranfield.forks  # noqa: F401, what every fork waits for
from cranfield.catalogue import provide

for _ability, _provider in {
    "answer": "present.rendering:answer_of",
    "shown": "present.rendering:shown",
    "plot": "plot:plots_of",
    "findings": "examination.examine:examine",
    "compare": "comparison.compare:compare",
    "ranking_steps": "rankings.steps:steps_of",
    "junit": "gates.tables:junit",
    "evaluate": "rankings.evaluate:evaluate",
}.items():
    provide(_ability, f"cranfield.{_provider}")

_LISTED = re.compile(r"^from (\S+) import (\w+) as \w+$", re.MULTILINE)
with open(f"{os.path.splitext(__file__)[0]}.pyi", encoding="utf-8") as _stub:
    _HOME = {name: module for module, name in _LISTED.findall(_stub.read())}
__all__ = list(_HOME)


def __dir__() -> list[str]:
    """Public names and measures, for completion."""
    return sorted({*__all__, *_registry().by_name()})


def __getattr__(name: str) -> Any:
    """Public names are fetched when first used, so that importing cranfield stays fast."""
    if name in _HOME:
        if _HOME[name] == __name__:  # a module
            return importlib.import_module(f"{__name__}.{name}")
        return getattr(importlib.import_module(_HOME[name]), name)
    if not name.startswith("_") and name in _registry().by_name():
        return _registry().by_name()[name]
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("cranfield")
    raise AttributeError(f"module 'cranfield' has no attribute {name!r}")


def _registry() -> Any:
    return importlib.import_module("cranfield.measures.registry")
