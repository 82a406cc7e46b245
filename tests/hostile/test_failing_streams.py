"""Closed descriptors and failing disks end a command with the right status and one line, and change nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FULL = "/dev/full"
COMMANDS = {"eval": "eval qrels.txt run.txt -m AP", "trec_eval": "trec_eval qrels.txt run.txt"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "run.txt").write_text("q1 Q0 a 1 3 r\nq2 Q0 b 2 2 r\n")
    (tmp_path / "part.txt").write_text("q1 Q0 a 1 3 r\n")  # lacks a query, which is a warning
    return tmp_path


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, as a shell runs it with these redirections."""
    line = f"unset PYTHONUNBUFFERED; {sys.executable} -m cranfield {command}"
    return subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&- >&- 2>&-"])
def test_a_file_is_written_whatever_is_closed(closed: str, folder: Path) -> None:
    open_ = shell("eval qrels.txt part.txt -m AP -f csv -o open.csv", folder)
    done = shell(f"eval qrels.txt part.txt -m AP -f csv -o closed.csv {closed}", folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == ("" if "2>&-" in closed else open_.stderr)
    assert (folder / "closed.csv").read_bytes() == (folder / "open.csv").read_bytes()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("lost", ["2>&-", f"2>{FULL}"])
def test_messages_that_cannot_be_written_change_nothing_else(command: str, lost: str, folder: Path) -> None:
    done = shell(f"{COMMANDS[command]} {lost}", folder)
    assert done.returncode == 0
    assert "1.0000" in done.stdout
    nowhere = COMMANDS[command].replace("run.txt", "nowhere.txt")
    assert shell(f"{nowhere} {lost}", folder).returncode == (2 if command == "trec_eval" else 1)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("lost", "why"), [(">&-", "Bad file descriptor"), (f">{FULL}", "No space left on device")])
def test_output_that_cannot_be_written_is_an_error(command: str, lost: str, why: str, folder: Path) -> None:
    done = shell(f"{COMMANDS[command]} {lost}", folder)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(f": standard output: {why}")
    assert "Exception" not in done.stderr


def test_a_file_on_a_full_disk_is_an_error(folder: Path) -> None:
    done = shell(f"{COMMANDS['eval']} -o {FULL}", folder)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"cranfield: {FULL}: No space left on device")


def test_standard_input_that_is_closed_is_an_error(folder: Path) -> None:
    done = shell("eval qrels.txt - <&-", folder)
    assert (done.returncode, done.stderr) == (
        1,
        "cranfield: standard input: cannot be read (Bad file descriptor)\n",
    )
