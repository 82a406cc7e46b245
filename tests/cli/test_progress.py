"""Progress is shown to those who wait, and to nobody else."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from threading import Thread

import pytest

from cranfield.cli.main import main
from cranfield.commands import progress
from cranfield.commands.progress import ERASED, drawn, progress_shown, working


class Terminal(io.StringIO):
    """Standard error as a terminal has it."""

    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error, on a terminal from here on."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return terminal


def test_a_pipe_sees_no_progress() -> None:
    with progress_shown(1, quiet=False) as advance:
        assert advance is None


def test_quiet_sees_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    watched(monkeypatch)
    with progress_shown(1, quiet=True) as advance:
        assert advance is None


def test_a_terminal_on_which_nothing_can_be_erased_sees_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(progress, "LONG", 0)
    with progress_shown(1, quiet=False) as advance, working(quiet=False):
        assert advance is None
    assert screen.getvalue() == ""


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    with progress_shown(1, quiet=False) as advance:
        assert advance is not None
        advance("bm25.run", 5, 10)
    assert screen.getvalue() == ""


def test_long_work_shows_which_run_and_how_far(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with progress_shown(2, quiet=False) as advance:
        assert advance is not None
        advance("bm25.run", 5, None)
        advance("dense[1].run", 5, 20)
        advance("dense[1].run", 5, None)
        advance("dense[1].run", 5, 20)
    assert "2 of 2: dense[1].run" in screen.getvalue()
    assert "62%" in screen.getvalue()  # one run and a quarter of the other


def test_other_long_work_shows_that_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    monkeypatch.setattr(progress, "LONG", 0.01)
    with working(quiet=False):
        while "working, 0 s" not in screen.getvalue():
            time.sleep(0.01)
    assert screen.getvalue().endswith(ERASED)
    assert not drawn


def test_the_time_counts_from_when_the_command_was_started(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    with working(quiet=False, since=time.monotonic() - 30):
        while "working, 30 s" not in screen.getvalue():
            time.sleep(0.01)
    assert screen.getvalue().endswith(ERASED)


def test_a_plot_on_the_terminal_shows_that_it_is_drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    screen, table = watched(monkeypatch), tmp_path / "people.csv"
    monkeypatch.setattr(progress, "LONG", 0)
    os.mkfifo(table)

    def write_when_shown() -> None:
        with table.open("w") as file:
            while "working, " not in screen.getvalue():
                time.sleep(0.01)
            file.write("actual,predicted\nyes,yes\nno,yes\n")

    writer = Thread(target=write_when_shown)
    writer.start()
    assert main(["plot", "confusion", str(table), "--actual", "actual", "--predicted", "predicted"]) == 0
    writer.join()
    assert screen.getvalue().endswith(ERASED)


def test_the_time_gives_way_to_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    monkeypatch.setattr(progress, "LONG", 0.01)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with working(quiet=False):
        while not drawn:
            time.sleep(0.01)
        with progress_shown(1, quiet=False) as advance:
            assert advance is not None
            advance("bm25.run", 5, 10)
            before = screen.getvalue().count("working")
            time.sleep(3 * progress.PAUSE)
            assert screen.getvalue().count("working") == before
    assert "bm25.run" in screen.getvalue()


def test_no_time_is_shown_while_the_user_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    monkeypatch.setattr(progress, "LONG", 0.01)
    with progress.waiting_for_answers(), working(quiet=False):  # the time must not begin first
        while not drawn:
            time.sleep(0.01)
        time.sleep(2 * progress.PAUSE)
        assert "working" not in screen.getvalue()


def test_short_or_quiet_work_shows_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    with working(quiet=False):
        pass
    with working(quiet=True):
        assert not drawn
    assert screen.getvalue() == ""
