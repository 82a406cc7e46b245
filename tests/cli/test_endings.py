"""However a command ends, it says so in one line and in its exit status."""

from __future__ import annotations

import warnings

import pytest

from cranfield.cli import main as program
from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["eval", "nowhere.txt", "good.run"], 1, "nowhere.txt: "),
        (["eval", "qrels.txt", "nowhere.run"], 1, "nowhere.run: "),
        (["eval", "qrels.txt", "strangers.run"], 1, "strangers: no query of the run is among the 2 judged ones"),
        (["eval", "qrels.txt", "broken.run"], 1, "broken.run, line 1"),
        (["eval", "qrels.txt", "empty.run"], 1, "empty.run"),
        (["eval", "good.run", "qrels.txt"], 1, "good.run"),
        (["eval", "qrels.txt", "good.run", "-o", "no/such/folder.csv"], 1, "there is no folder 'no/such' to write to"),
        (["eval", "qrels.txt", "good.run", "-o", "."], 1, "this is a folder"),
        (["eval", "qrels.txt", "good.run", "-m", "nDGC@10"], 2, "there is no measure 'nDGC'; did you mean nDCG"),
        (["eval", "qrels.txt", "good.run", "-m", "nDCG@0"], 2, "nDCG: k must be a whole number from 1, not 0"),
        (["eval", "qrels.txt", "good.run", "-m", "AP", "--sort", "RR"], 2, "cannot sort by RR: evaluated are AP"),
        (["eval", "qrels.txt", "good.run", "--ties", "bst"], 2, "'bst' is not one of 'trec', 'name'"),
        (["eval", "qrels.txt", "good.run", "--tie", "best"], 2, "no such option: --tie"),
        (["eval", "qrels.txt", "good.run", "--digits", "many"], 2, "'--digits'"),
        (["eval", "qrels.txt", "good.run", "--depth", "0"], 2, "'--depth'"),
        (["eval", "qrels.txt", "good.run", "./good.run"], 1, "good.run: this run is given twice"),
        (["eval", "-", "-"], 2, "standard input (-) can be read only once"),
        (["eval", "qrels.txt"], 2, "missing argument 'RUN' (cranfield eval --help says how)"),
        (["evl"], 2, "no such command 'evl'. Did you mean 'eval'?"),
        (["measures", "NDGC"], 2, "did you mean nDCG"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_said_in_one_line(arguments: list[str], status: int, said: str, capsys: Capture) -> None:
    assert main(arguments) == status
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("cranfield: ")
    assert error.count("\n") == 1
    assert said in error


def test_a_fault_of_our_own_is_said_in_one_line_too(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(program, "app", lambda *_, **__: 1 // 0)
    assert main(["measures"]) == 3
    assert capsys.readouterr().err.startswith("cranfield: a fault in cranfield, ZeroDivisionError: ")


def test_a_fault_of_our_own_is_shown_in_full_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "app", lambda *_, **__: 1 // 0)
    monkeypatch.setenv("CRANFIELD_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["measures"])


def test_without_a_command_help_is_shown(capsys: Capture) -> None:
    assert main([]) == 2
    assert "Usage: cranfield" in capsys.readouterr().out


def test_the_version_is_printed(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("cranfield 0.")


def test_warnings_are_told_once_each(capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "tied.run", "-m", "AP"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("cranfield: warning: tied: 1 ") for line in lines)
    assert len(lines) == len(set(lines)) == 2


def test_quiet_hides_warnings(capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "tied.run", "-m", "AP", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_of_many_warnings_the_first_are_told(capsys: Capture) -> None:
    from cranfield.cli.warned import warnings_told
    from cranfield.errors import CranfieldWarning

    with warnings_told(quiet=False):
        for place in range(30):
            warnings.warn(f"number {place}", CranfieldWarning, stacklevel=1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 12
    assert lines[-1] == "cranfield: warning: 19 more such warnings (--format json lists them all)"
