"""Trying mutants: the tests that run what was changed are run on each of them."""

from __future__ import annotations

import compileall
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tools.mutants.forks import BUDGET, in_forks
from tools.mutants.sampling import Mutant
from tools.mutants.swapping import Report, Swapping, Tried
from tools.mutants.targets import SOURCE

_ALWAYS = (
    *("numpy", "pandas", "polars", "pyarrow", "pyarrow.compute", "pyarrow.csv", "rich"),
    *("scipy.stats", "scipy.optimize", "scipy.integrate", "sklearn.metrics", "statsmodels.stats.api"),
)


class Copy:
    """A copy of the source, so that this one may be edited meanwhile."""

    def __init__(self, folder: Path) -> None:
        shutil.copytree(SOURCE, folder / "src" / SOURCE.name, ignore=shutil.ignore_patterns("__pycache__"))
        self._folder = folder
        compileall.compile_dir(folder, quiet=1)
        for name in _ALWAYS:  # once for all mutants, which are tried in forks of this process
            importlib.import_module(name)

    def watched(self, folders: Iterable[str]) -> dict[str, Any]:
        """What every test in these folders runs and how long it takes."""
        kept = self._folder / "seen.json"
        path = os.pathsep.join([str(self._folder / "src"), str(Path.cwd())])
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "tools.mutants.watching",
            *(f"tests/{name}" for name in folders),
        ]
        done = subprocess.run(command, check=False, env=os.environ | {"PYTHONPATH": path, "MUTANTS_SEEN": str(kept)})
        if done.returncode > 1:  # tests that fail are left out, but one that did not run would be missed
            sys.exit("the run of all tests broke off")
        return json.loads(kept.read_text("utf-8"))

    def swap(self, tried: list[Tried], report: Report) -> None:
        """Try the mutants whose functions can be swapped, in a process of its own, which imports the copy."""
        child = os.fork()
        if child == 0:
            try:
                self._use(self._folder)
                files = sorted({name.partition("::")[0] for _, names in tried for name in names})
                pytest.main(["-q", "-s", "-p", "no:xdist", *files], plugins=[Swapping(self._folder, tried, report)])
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    def replace(self, tried: list[Tried], report: Report) -> None:
        """Try mutants whose module is imported anew with the change."""
        for (mutant, _), failed in in_forks(list(reversed(tried)), self._failing):
            report(mutant, "hangs" if failed is None else "killed" if failed else "survived")

    def _failing(self, tried: Tried) -> str:
        mutant, names = tried
        self._use(self._changed(mutant))
        return "some test" if names and pytest.main(["-x", "--tb=no", "-p", "no:xdist", *names]) else ""

    def _changed(self, mutant: Mutant) -> Path:
        """A folder with the copy, in which one module is that of a mutant."""
        folder = self._folder / str(os.getpid())
        shutil.copytree(self._folder / "src", folder / "src", copy_function=os.link)
        (folder / mutant.module).unlink()
        (folder / mutant.module).write_text(mutant.code, "utf-8")
        return folder

    def _use(self, folder: Path) -> None:
        """Import the source in a folder from now on."""
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(folder / "src"))
        os.environ["PYTHONPATH"] = str(folder / "src")


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
