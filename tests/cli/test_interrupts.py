"""An interrupt ends a command quietly with 130, wherever it comes."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from time_limits import HANGS

# interrupts itself when a function of a file is called, and so at the same place however busy the machine is
PROGRAM = """
import signal, sys
from cranfield.commands import process

file, _, function = sys.argv.pop(1).partition(":")

def interrupt(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_name == function and code.co_filename.endswith(file):
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)

def ready(install=process._end_when_interrupted):
    install()
    sys.setprofile(interrupt)

process._end_when_interrupted = ready
sys.exit(process.main())
"""
# the same before anything of ours is imported
IMPORTING = """
import signal, sys

file = sys.argv.pop(1)

def interrupt(frame, event, _):
    if event == "call" and frame.f_code.co_name == "<module>" and frame.f_code.co_filename.endswith(file):
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)

sys.setprofile(interrupt)
from cranfield_commands import main
sys.exit(main())
"""
COMMANDS = {
    "help": ["--help"],
    "one run": ["eval", "qrels.txt", "good.run", "-o", "out.json"],
    "resampling": ["reproduce", "qrels.txt", "good.run", "poor.run", "--resamples", "100"],
    "a page": ["report", "qrels.txt", "good.run", "poor.run", "-o", "out.html"],
    "trec_eval": ["trec_eval", "qrels.txt", "good.run"],
}
PLACES = [
    ("help", "cli/main.py:<module>"),  # modules are being imported
    ("help", "cli/main.py:main"),
    ("one run", "numpy/__init__.py:<module>"),
    ("one run", "readers/recognition.py:recognised"),
    ("one run", "engines/local.py:together"),
    ("one run", "results/writing.py:_write"),  # a temporary file is there
    ("resampling", "statistics/resampling.py:generator"),
    ("a page", "reporting/figures.py:_svg"),
    ("a page", "results/writing.py:_write"),
    ("trec_eval", "trec_eval/aggregates.py:<module>"),
]


def ended(program: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, timeout=HANGS, check=False)


@pytest.mark.parametrize(("command", "place"), PLACES, ids=map(" at ".join, PLACES))
def test_it_ends_quietly_at_any_place(command: str, place: str, at_the_files: Path) -> None:
    done = ended(PROGRAM, place, *COMMANDS[command])
    said = [line for line in done.stderr.splitlines() if not line.startswith(b"cranfield: warning: ")]
    assert (done.returncode, said) == (130, [])  # but for what was warned of before
    assert not [name for name in os.listdir() if name.startswith("out.") or name.endswith(".part")]


@pytest.mark.parametrize(
    "file",
    ["cranfield/__init__.py", "catalogue.py", "commands/process.py", "cli/main.py", "click/core.py"],
)
def test_it_ends_quietly_while_modules_are_imported(file: str) -> None:
    done = ended(IMPORTING, file, "--help")
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_the_commands_begin_with_the_handling_of_interrupts() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"cranfield": "cranfield_commands:main", "trec-eval": "cranfield_commands:trec_eval"}


@pytest.mark.skipif(not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="Linux lists the processes")
def test_it_ends_what_was_started_too() -> None:
    """Such as Spark: the output stays open as long as one of the processes runs."""
    started = (
        "import signal, subprocess, sys; from cranfield.commands import process; process._end_when_interrupted(); "
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)']); signal.raise_signal(signal.SIGINT)"
    )
    done = ended(started)
    assert (done.returncode, done.stderr) == (130, b"")


def test_it_comes_too_late_when_the_work_is_done() -> None:
    done = ended("import atexit, signal; atexit.register(signal.raise_signal, signal.SIGINT)" + PROGRAM, ":", "--help")
    assert (done.returncode, done.stderr) == (0, b"")


def test_it_goes_on_where_interrupts_are_ignored() -> None:
    script = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)" + PROGRAM
    done = ended(script, "cli/main.py:main", "measures")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout
