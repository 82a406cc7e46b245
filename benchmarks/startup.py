"""Starting: what an import costs, on top of Python itself."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.cases import Case, Job, Target, Tool, Values

MODULES = {
    "cranfield evaluate": "cranfield.api",
    "cranfield": "cranfield",
    "pytrec_eval": "pytrec_eval",
    "ir_measures": "ir_measures",
    "ranx": "ranx",
}


def cases(_quick: bool) -> tuple[Case, ...]:
    """One case: the imports."""
    tools = {name: Tool(partial(_importing, module)) for name, module in MODULES.items()}
    targets = tuple(Target(tool, at_most=0.3, times=False) for tool in ("cranfield", "cranfield evaluate"))
    return (Case("import", "import of the package, and of what evaluates", tools, targets=targets, warm=False),)


def _importing(module: str, _data: Path) -> Job:
    def work() -> Callable[[], Values]:
        importlib.import_module(module)
        return dict

    return work
