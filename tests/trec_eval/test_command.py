"""The command as a process: its streams, its status, and what it does not wait for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cranfield.cli import main
from cranfield.trec_eval import command as trec_eval
from trec_eval.running import Files

QRELS, RUN = "1 0 a 1\n2 0 a 1\n", "1 Q0 a 1 2 tag\n2 Q0 \udcff 1 1 tag\n"
_COMMAND = "import sys; from cranfield.trec_eval.command import main; status = main(); {}; sys.exit(status)"


def process(*arguments: object, then: str = "") -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    code = _COMMAND.format(then or "None")
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, check=False)


def test_it_prints_and_ends(files: Files) -> None:
    done = process("-m", "map", *files(QRELS, RUN))
    assert (done.stdout, done.stderr, done.returncode) == (b"map                   \tall\t0.5000\n", b"", 0)


def test_what_is_wrong_is_said_after_what_was_printed(files: Files) -> None:
    done = process("-q", "-m", "map", *files(QRELS + "3 0 a 1\n", RUN))
    assert done.stdout == b"map                   \t1\t1.0000\nmap                   \t2\t0.0000\n"
    assert (done.stderr, done.returncode) == (b"trec_eval: result qid '3' not found in qrels\n", 4)


def test_it_waits_for_no_library_that_it_does_not_need(files: Files) -> None:
    heavy = ("typer", "click", "rich", "pyarrow", "polars", "pandas", "scipy")
    then = f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    assert process("-m", "all_trec", *files(QRELS, RUN), then=then).stderr == b"[]\n"


def test_it_ends_when_nobody_reads_on(files: Files) -> None:
    code = _COMMAND.format("None")
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", code, "-q", *map(str, files(QRELS, RUN))]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.stderr, done.returncode) == (b"", -13)


def test_it_is_a_command_of_cranfield(files: Files, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main.main(["trec_eval", "-m", "map", *map(str, files(QRELS, RUN))]) == 0
    assert main.main(["trec_eval", "-x"]) == 1
    printed = capfdbinary.readouterr()
    assert printed.out == b"map                   \tall\t0.5000\n"
    assert printed.err.startswith(b"trec_eval: invalid option -- 'x'\nUsage: trec_eval")


def test_a_fault_is_one_line(files: Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(_: object) -> object:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr("cranfield.trec_eval.program.options", fail)
    monkeypatch.delenv("CRANFIELD_DEBUG", raising=False)
    assert trec_eval.trec_eval([]) == trec_eval.FAULT
    assert capsys.readouterr().err == "trec_eval: ZeroDivisionError: of ours (CRANFIELD_DEBUG=1 shows where)\n"
    monkeypatch.setenv("CRANFIELD_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        trec_eval.trec_eval([])
