"""Commands run one after another in a fork of one process that has imported everything, with a limit on memory.

Started as a program, it reads a line `[folder, arguments]` of JSON for each command and answers with a line
`[status, out, err]`. A negative status is the signal that ended the process; another fork goes on with the next.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import extension_file
from time_limits import HANGS

MEMORY = 2 << 30  # bytes that commands may use beyond what the imports use; V8 alone reserves more than half a GB
SECONDS = 60  # of the processor that one command may take
_LAZY = ("pyarrow.parquet", "pyarrow.json", "pyarrow.csv", "scipy.stats", "scipy.optimize", "rich.console")


class Ending(NamedTuple):
    """How a command ended, and what it wrote."""

    status: int
    out: str
    err: str


class Runner:
    """The process that forks; it ends with the `with` block."""

    def __enter__(self) -> Runner:
        environment = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"}  # others reserve 1 GB in advance
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hostile.runner"],
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=HANGS)

    def __call__(self, commands: Sequence[Sequence[str]], folder: Path) -> list[Ending]:
        """Run commands in a folder."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        found = []
        for arguments in commands:
            print(json.dumps([str(folder), arguments]), file=self._process.stdin, flush=True)
            found.append(Ending(*json.loads(self._process.stdout.readline())))
        return found


def _serve() -> None:
    _import_all()
    answers = os.dup(1)
    while True:
        written = os.memfd_create("out"), os.memfd_create("err")  # held here too, to be read if the fork crashes
        child = os.fork()
        if not child:
            _answer_all(answers, written)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == 0:
            return
        _answer(answers, Ending(status, *map(_text, written)))


def _import_all() -> None:
    import cranfield

    extension_file.use()
    for module in pkgutil.walk_packages(cranfield.__path__, "cranfield."):
        importlib.import_module(module.name)
    for name in _LAZY:
        importlib.import_module(name)


def _answer_all(answers: int, written: tuple[int, int]) -> None:
    commands = open(os.dup(0), "rb", buffering=0)  # noqa: SIM115, where the next fork goes on reading
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for place, file in enumerate(written, 1):
        os.dup2(file, place)
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, used + MEMORY))
    while line := commands.readline():
        folder, arguments = json.loads(line)
        os.chdir(folder)
        _answer(answers, _run(arguments, written))
    os._exit(0)


def _answer(answers: int, ending: Ending) -> None:
    with open(answers, "w", closefd=False) as stream:
        stream.write(json.dumps(ending) + "\n")


def _run(arguments: list[str], written: tuple[int, int]) -> Ending:
    from cranfield.cli.main import main

    for file in written:
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.alarm(HANGS)
    status = main(arguments)
    signal.alarm(0)
    signal.setitimer(signal.ITIMER_PROF, 0)
    sys.stdout.flush()
    sys.stderr.flush()
    return Ending(status, *map(_text, written))


def _text(file: int) -> str:
    return os.pread(file, os.fstat(file).st_size, 0).decode("utf-8", "backslashreplace")


if __name__ == "__main__":
    _serve()
