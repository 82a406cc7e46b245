"""Trying mutants: each is put into a copy of the source, and the tests that run the changed line are run on it."""

from __future__ import annotations

import compileall
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from mutants.limits import BUDGET, PATIENCE, Outcome, limit
from mutants.sampling import Mutant
from mutants.swapping import Report, Swapping
from mutants.targets import SOURCE

_ALWAYS = (
    *("numpy", "pandas", "polars", "pyarrow", "pyarrow.compute", "pyarrow.csv", "rich"),
    *("scipy.stats", "scipy.optimize", "scipy.integrate", "sklearn.metrics", "statsmodels.stats.api"),
)


class Copy:
    """A copy of the source, in which one module at a time is changed."""

    def __init__(self, folder: Path) -> None:
        shutil.copytree(SOURCE, folder / "src" / SOURCE.name, ignore=shutil.ignore_patterns("__pycache__"))
        self._folder = folder
        compileall.compile_dir(folder, quiet=1)  # once: a mutant is newer than what was compiled
        for name in _ALWAYS:  # once for all mutants, which are tried in forks of this process
            importlib.import_module(name)

    def watched(self, folders: Iterable[str]) -> dict[str, Any]:
        """What every test in these folders runs and how long it takes."""
        kept = self._folder / "seen.json"
        path = os.pathsep.join([str(self._folder / "src"), str(Path.cwd())])
        command = [sys.executable, "-m", "pytest", "-p", "mutants.watching", *(f"tests/{name}" for name in folders)]
        done = subprocess.run(command, check=False, env=os.environ | {"PYTHONPATH": path, "MUTANTS_SEEN": str(kept)})
        if done.returncode > 1:  # tests that fail are left out, but one that did not run would be missed
            sys.exit("the run of all tests broke off")
        return json.loads(kept.read_text("utf-8"))

    def swap(self, tried: list[tuple[Mutant, list[str]]], report: Report) -> None:
        """Report the mutants that tests notice when only functions are swapped, in a process of its own."""
        child = os.fork()
        if child == 0:
            try:
                self._use()
                files = sorted({name.partition("::")[0] for _, names in tried for name in names})
                pytest.main(["-q", "-s", "-p", "no:xdist", *files], plugins=[Swapping(self._folder, tried, report)])
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    def _use(self) -> None:
        """Import the copy instead of the source from now on."""
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(self._folder / "src"))
        os.environ["PYTHONPATH"] = str(self._folder / "src")

    def outcome(self, mutant: Mutant, names: list[str]) -> Outcome:
        """What these tests make of a mutant."""
        changed = self._folder / mutant.module
        changed.write_text(mutant.code, "utf-8")
        try:
            child = os.fork()
            if child == 0:
                self._test(names)
            return _ending(child)
        finally:
            shutil.copyfile(mutant.module, changed)

    def _test(self, names: list[str]) -> None:
        """Run the tests in this process, and end it."""
        code = 99
        try:
            limit()
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            self._use()
            code = int(pytest.main(["-x", "--tb=no", "-p", "no:xdist", *names]))
        finally:
            os._exit(code)


def _ending(child: int) -> Outcome:
    """How a child ended: with tests that failed, that passed, or not at all in the time it had."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return "hangs" if code < 0 else "survived" if code == 0 else "killed"
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


def noticing(mutant: Mutant, seen: dict[str, Any]) -> list[str]:
    """The tests that run what a mutant changes, the quickest first."""
    by_line = {int(line): places for line, places in seen["lines"].get(str(mutant.module), {}).items()}
    found = ({place for line in lines for place in by_line.get(line, ())} for lines in mutant.lines_to_run)
    chosen, spent = [], 0.0
    for place in sorted(next(filter(None, found), ()), key=lambda place: (seen["seconds"][place], place)):
        if spent > BUDGET:
            break
        chosen.append(seen["tests"][place])
        spent += seen["seconds"][place]
    return chosen
