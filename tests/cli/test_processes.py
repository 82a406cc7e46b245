"""The command as a shell runs it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import TextIO

import pytest

from time_limits import HANGS

PROGRAM = "import sys; from cranfield_commands import main; sys.exit(main())"


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, *arguments]


def ran(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, env=os.environ | settings, timeout=HANGS, check=False
    )


def test_the_package_runs_as_the_command() -> None:
    words = [sys.executable, "-m", "cranfield", "measures", "nDCG"]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=HANGS, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == ran("measures", "nDCG").stdout


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
    assert process.wait(HANGS) == 0
    return written.decode().replace("\r\n", "\n")


def test_an_evaluation_waits_for_no_library_that_it_does_not_need() -> None:
    slow = ("scipy", "rich", "pandas", "polars", "altair", "jinja2", "importlib.resources", "urllib.parse", "difflib")
    examples = Path(__file__).parents[2] / "examples"
    program = PROGRAM.replace("sys.exit(main())", f"main(); print(*[name for name in {slow} if name in sys.modules])")
    files = [str(examples / name) for name in ("qrels.txt", "bm25.run", "dense.run")]
    done = subprocess.run([sys.executable, "-c", program, "eval", *files], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_a_terminal_gets_colours_and_its_own_width() -> None:
    measures = [part for k in range(1, 9) for part in ("-m", f"nDCG@{k}")]
    text = on_a_terminal("eval", "qrels.txt", "good.run", "poor.run", *measures)
    assert "\x1b[" in text
    assert text.count("good") == 4  # the answer, two blocks, and a note that it has no intervals


def test_a_terminal_without_colour_gets_bold_and_dim_text_only() -> None:
    text = on_a_terminal("eval", "qrels.txt", "good.run", "poor.run", "-m", "AP", NO_COLOR="1")
    assert set(re.findall(r"\x1b\[[\d;]*m", text)) == {"\x1b[1m", "\x1b[2m", "\x1b[0m"}
    assert "─" in text


def test_a_pipe_gets_plain_text_as_wide_as_it_is() -> None:
    measures = [part for k in range(1, 30) for part in ("-m", f"nDCG@{k}")]
    done = ran("eval", "qrels.txt", "good.run", *measures, COLUMNS="60")
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) > 200


def test_a_reader_that_stops_ends_it_quietly() -> None:
    process = subprocess.Popen(command("measures", "-f", "json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(HANGS) == -signal.SIGPIPE


def unread(fifo: TextIO) -> int:
    """How many bytes of a pipe nobody has read yet."""
    return struct.unpack("i", fcntl.ioctl(fifo, termios.FIONREAD, bytes(4)))[0]


def test_an_interrupt_ends_it_quietly() -> None:
    process = subprocess.Popen(
        command("eval", "qrels.txt", "fifo"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with open("fifo", "w") as fifo:  # opens when the command opens it too
        print("q1 Q0 d3 1 0.9 good", file=fifo, flush=True)
        while unread(fifo):
            time.sleep(0.01)  # until it waits for more
        process.send_signal(signal.SIGINT)
        try:
            out, error = process.communicate(timeout=HANGS)
        finally:
            process.kill()
    assert (process.returncode, out, error) == (130, "", "")


DEAF = (
    "import signal, sys; from cranfield.commands import process; "
    "signal.signal(signal.SIGINT, signal.default_int_handler); process._end_when_interrupted(); "
    "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]); open('fifo').read()"
)


def test_an_interrupt_ends_it_when_the_main_thread_does_not_notice() -> None:
    process = subprocess.Popen([sys.executable, "-c", DEAF], stderr=subprocess.PIPE)
    with open("fifo", "w"):
        process.send_signal(signal.SIGINT)
        try:
            _, error = process.communicate(timeout=HANGS)
        finally:
            process.kill()
    assert (process.returncode, error) == (130, b"")


@pytest.fixture(autouse=True)
def a_pipe(at_the_files: Path) -> None:
    os.mkfifo(at_the_files / "fifo")


def test_the_shell_completes_measures() -> None:
    done = ran(_CRANFIELD_COMPLETE="bash_complete", COMP_WORDS="cranfield eval q r -m nDC", COMP_CWORD="5")
    assert done.stdout.split() == ["plain,nDCG"]


def test_the_shell_completes_choices() -> None:
    done = ran(_CRANFIELD_COMPLETE="bash_complete", COMP_WORDS="cranfield eval q r --missing ", COMP_CWORD="5")
    assert done.stdout.split() == ["plain,zero", "plain,skip"]


def test_the_shell_completes_names_of_files_itself() -> None:
    done = ran(_CRANFIELD_COMPLETE="bash_complete", COMP_WORDS="cranfield eval qr", COMP_CWORD="2")
    assert done.stdout.split() == ["file,qr"]


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], {"numpy", "pyarrow", "scipy", "polars", "pandas", "rich"}),
        (["eval", "--help"], {"scipy", "polars", "pandas", "rich"}),  # the choices come from the catalogues
        (["measures"], {"scipy", "polars", "pandas"}),
        (["eval", "qrels.txt", "good.run"], {"scipy", "polars", "pandas"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_heavy_is_left_until_it_is_needed(arguments: list[str], heavy: set[str]) -> None:
    script = f"import sys; from cranfield.cli.main import main; main({arguments}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HANGS, check=True)
    assert not heavy & set(done.stderr.split())
