"""The command as a shell runs it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = "import sys; from cranfield.cli.main import main; sys.exit(main())"


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, *arguments]


def ran(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, env=os.environ | settings, timeout=60, check=False
    )


def on_a_terminal(*arguments: str, **settings: str) -> str:
    """What the command writes when standard output is a terminal of 60 columns."""
    leader, follower = pty.openpty()
    environment = os.environ | {"COLUMNS": "60", "TERM": "xterm-256color"} | settings
    process = subprocess.Popen(
        command(*arguments), stdin=follower, stdout=follower, stderr=subprocess.DEVNULL, env=environment
    )
    os.close(follower)
    written = b""
    try:
        while part := os.read(leader, 1 << 16):
            written += part
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(leader)
    assert process.wait(60) == 0
    return written.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_its_own_width() -> None:
    measures = [part for k in range(1, 9) for part in ("-m", f"nDCG@{k}")]
    text = on_a_terminal("eval", "qrels.txt", "good.run", "poor.run", *measures)
    assert "\x1b[" in text
    assert text.count("good") == 2  # two blocks


def test_a_terminal_without_colour_gets_none() -> None:
    text = on_a_terminal("eval", "qrels.txt", "good.run", "poor.run", "-m", "AP", NO_COLOR="1")
    assert "\x1b" not in text
    assert "─" in text


def test_a_pipe_gets_plain_text_as_wide_as_it_is() -> None:
    measures = [part for k in range(1, 30) for part in ("-m", f"nDCG@{k}")]
    done = ran("eval", "qrels.txt", "good.run", *measures, COLUMNS="60")
    assert "\x1b" not in done.stdout
    assert len(done.stdout.splitlines()[0]) > 200


def test_a_reader_that_stops_ends_it_quietly() -> None:
    process = subprocess.Popen(command("measures", "-f", "json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == -signal.SIGPIPE


def test_an_interrupt_ends_it_quietly() -> None:
    process = subprocess.Popen(
        command("eval", "qrels.txt", "fifo"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with open("fifo", "w"):  # opens when the command opens it too
        time.sleep(0.5)  # and now it waits for something to read
        process.send_signal(signal.SIGINT)
        try:
            out, error = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, out, error) == (130, "", "")


@pytest.fixture(autouse=True)
def a_pipe(at_the_files: Path) -> None:
    os.mkfifo(at_the_files / "fifo")


def test_the_shell_completes_measures() -> None:
    done = ran(_CRANFIELD_COMPLETE="complete_bash", COMP_WORDS="cranfield eval q r -m nDC", COMP_CWORD="5")
    assert done.stdout.split() == ["nDCG"]


def test_the_shell_completes_choices() -> None:
    done = ran(_CRANFIELD_COMPLETE="complete_bash", COMP_WORDS="cranfield eval q r --missing ", COMP_CWORD="5")
    assert done.stdout.split() == ["zero", "skip"]


def test_the_shell_completes_names_of_files_itself() -> None:
    done = ran(_CRANFIELD_COMPLETE="complete_bash", COMP_WORDS="cranfield eval qr", COMP_CWORD="2")
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], {"numpy", "pyarrow", "scipy", "polars", "pandas", "rich"}),
        (["eval", "--help"], {"numpy", "pyarrow", "scipy", "polars", "pandas", "rich"}),
        (["measures"], {"scipy", "polars", "pandas"}),
        (["eval", "qrels.txt", "good.run"], {"scipy", "polars", "pandas"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_heavy_is_left_until_it_is_needed(arguments: list[str], heavy: set[str]) -> None:
    script = f"import sys; from cranfield.cli.main import main; main({arguments}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert not heavy & set(done.stderr.split())
