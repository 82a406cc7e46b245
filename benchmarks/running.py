"""Running the cases: each tool in a fresh process, in turn, so that a noisy minute is shared by all.

Tools that share a session, such as Spark's, are run in turn in one process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.cases import Case, Figure, Target

PATIENCE = 30.0  # seconds of a processor: a tool that has taken so much is not run again
BRIEF = 10.0  # and one that has taken so much is no longer called twice in a process
SAME = 1e-9


@dataclass
class Runs:
    """What was measured of a tool on a case."""

    figures: list[dict[str, float]] = field(default_factory=list)
    values: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    fault: str = ""  # why it could not be run

    def best(self, figure: Figure) -> float | None:
        """The least time; the most memory; none where it was not measured."""
        known = [run[figure] for run in self.figures if figure in run]
        return (max(known) if figure == "peak" else min(known)) if known else None

    @property
    def taken(self) -> float:
        """The seconds of a processor spent on it so far, a second call counted like the first."""
        return sum(run["cpu"] * (2 if "warm" in run else 1) for run in self.figures)


@dataclass(frozen=True)
class Measured:
    """A case with what was measured of each tool."""

    benchmark: str
    case: Case
    runs: dict[str, Runs]

    @property
    def first(self) -> Runs:
        """The tool that the others are set beside."""
        return next(iter(self.runs.values()))

    def times(self, tool: str, figure: Figure) -> float | None:
        """A tool's figure as a multiple of the first tool's."""
        ours, theirs = self.first.best(figure), self.runs[tool].best(figure)
        return theirs / ours if ours and theirs is not None else None

    def difference(self, tool: str) -> tuple[float, int, int] | None:
        """The largest difference of a tool's values from the first's, how many differ, and of how many."""
        first, other = self.first.values, self.runs[tool].values
        names = [name for name in first if name in other and len(first[name]) == len(other[name])]
        if not names or other is first:
            return None
        apart = np.concatenate([np.abs(np.nan_to_num(first[name]) - np.nan_to_num(other[name])) for name in names])
        return float(apart.max(initial=0)), int((apart > SAME).sum()), len(apart)

    def reached(self, target: Target) -> float | None:
        """The figure that a target is about, if its tool was measured."""
        if target.tool not in self.runs:
            return None
        if target.times:
            return self.times(target.tool, target.figure)
        return self.runs[target.tool].best(target.figure)


@dataclass(frozen=True)
class Setting:
    """How the cases are run."""

    data: Path
    quick: bool
    repeat: int
    tools: Sequence[str]  # only those whose first word is among these; all if empty
    say: Callable[[str], None]


def measure(benchmark: str, case: Case, setting: Setting) -> Measured:
    """Run every tool on a case, several times and in turn."""
    runs = {tool: Runs() for tool in case.tools if not setting.tools or tool.split()[0] in setting.tools}
    setting.say(f"{case.name}: data")
    if fault := _worker(benchmark, case, ["make"], setting):
        raise RuntimeError(f"{case.name}: the data could not be made: {fault}")
    _read_once(setting.data)
    for turn in range(setting.repeat):
        for tool, so_far in runs.items():
            if not case.tools[tool].session and not so_far.fault and so_far.taken < PATIENCE:
                setting.say(f"{case.name}: {tool}, run {turn + 1} of {setting.repeat}")
                _run(benchmark, case, [tool], setting, runs)
    for session in dict.fromkeys(filter(None, (case.tools[tool].session for tool in runs))):
        setting.say(f"{case.name}: {session}, {setting.repeat} runs")
        members = [tool for tool in runs if case.tools[tool].session == session]
        _run(benchmark, case, members * setting.repeat, setting, runs)
    return Measured(benchmark, case, runs)


def _run(benchmark: str, case: Case, tools: Sequence[str], setting: Setting, runs: Mapping[str, Runs]) -> None:
    """Run tools in one process and add what was measured to their runs."""
    with tempfile.TemporaryDirectory() as out:
        calls = 2 if case.warm and runs[tools[0]].taken < BRIEF else 1
        fault = _worker(benchmark, case, tools, setting, out, calls)
        for number, tool in enumerate(tools):
            so_far, written = runs[tool], Path(out, str(number))
            so_far.fault = fault
            if not fault:
                so_far.figures.append(json.loads((written / "figures.json").read_text()))
                so_far.values = {path.stem: np.fromfile(path) for path in sorted(written.glob("*.values"))}


def _worker(benchmark: str, case: Case, tools: Sequence[str], setting: Setting, out: str = "", calls: int = 1) -> str:
    """Run a process to its end; what went wrong, if anything did."""
    compiled = setting.data / "compiled"
    if any(case.tools[tool].compiles for tool in tools if tool in case.tools):
        shutil.rmtree(compiled, ignore_errors=True)
    words = [
        benchmark,
        case.name,
        "|".join(tools),
        str(setting.data),
        "quick" if setting.quick else "full",
        out,
        str(calls),
    ]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.worker", *words],
        env=_environment() | {"NUMBA_CACHE_DIR": str(compiled)},
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1] if done.returncode else ""


def _environment() -> dict[str, str]:
    """The environment, in which Python may keep what it compiles: installed peers come compiled."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _read_once(data: Path) -> None:
    """Bring the files into memory, so that no tool pays for the disk alone."""
    for path in data.glob("*/*.txt"):
        with open(path, "rb", buffering=0) as stream:
            while stream.read(1 << 22):
                pass
