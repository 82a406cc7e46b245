"""Progress is shown to those who wait, and to nobody else."""

from __future__ import annotations

import io

import pytest

from cranfield.cli import progress
from cranfield.cli.progress import progress_shown


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
        advance("bm25.run", 5, 10)
        advance("dense[1].run", 5, 20)
        advance("dense[1].run", 5, None)
        advance("dense[1].run", 5, 20)
    assert "2 of 2: dense[1].run" in screen.getvalue()
    assert "25%" in screen.getvalue()
