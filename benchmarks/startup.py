"""Starting: what an import costs, on top of Python itself."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.cases import Case, Job, Target, Tool, Values

MODULES = {
    "cranfield evaluate": "cranfield.rankings.evaluate",
    "cranfield": "cranfield",
    "pytrec_eval": "pytrec_eval",
    "ir_measures": "ir_measures",
    "ranx": "ranx",
}


TREC_EVAL = "from cranfield.commands.process import trec_eval; trec_eval()"
LINES = {"qrels.txt": "{q} 0 d{d} 1\n", "run.txt": "{q} Q0 d{d} {d} -{d} t\n"}


def cases(_quick: bool) -> tuple[Case, ...]:
    """The imports, and the smallest evaluation there is."""
    tools = {name: Tool(partial(_importing, module)) for name, module in MODULES.items()}
    targets = tuple(Target(tool, at_most=0.3, times=False) for tool in ("cranfield", "cranfield evaluate"))
    small = {"trec-eval": Tool(_evaluating), "import numpy": Tool(partial(_process, "import numpy"))}
    return (
        Case("import", "import of the package, and of what evaluates", tools, targets=targets, warm=False),
        Case(
            "small", "trec-eval on three queries, from the start of the process to its end, beside an import of NumPy",
            small, _make, (Target("import numpy", at_least=1 / 1.6),), warm=False,
        ),
    )  # fmt: skip


def _make(data: Path) -> None:
    folder = data / "small"
    folder.mkdir(parents=True, exist_ok=True)
    for name, line in LINES.items():
        (folder / name).write_text("".join(line.format(q=q, d=d) for q in range(3) for d in range(1, 11)))


def _evaluating(data: Path) -> Job:
    return _process(TREC_EVAL, data, *(str(data / "small" / name) for name in LINES))


def _process(program: str, _data: Path, *arguments: str) -> Job:
    def work() -> Callable[[], Values]:
        subprocess.run([sys.executable, "-c", program, *arguments], check=True, stdout=subprocess.DEVNULL)
        return dict

    return work


def _importing(module: str, _data: Path) -> Job:
    def work() -> Callable[[], Values]:
        importlib.import_module(module)
        return dict

    return work
