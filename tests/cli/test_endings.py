"""However a command ends, it says so in one line and in its exit status."""

from __future__ import annotations

import warnings

import pytest

from cranfield import compare, evaluate
from cranfield.cli import main as program
from cranfield.cli.main import main
from cranfield.errors import BadSetting

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["eval", "nowhere.txt", "good.run"], 1, "nowhere.txt: "),
        (["eval", "qrels.txt", "nowhere.run"], 1, "nowhere.run: "),
        (["eval", "qrels.txt", "strangers.run"], 1, "strangers: no query of the run has judgments"),
        (["eval", "qrels.txt", "broken.run"], 1, "broken.run, line 1"),
        (["eval", "qrels.txt", "empty.run"], 1, "empty.run"),
        (["eval", "good.run", "qrels.txt"], 1, "good.run"),
        (["eval", "qrels.txt", "good.run", "-o", "no/such/folder.csv"], 1, "there is no folder 'no/such' to write to"),
        (["eval", "qrels.txt", "good.run", "-o", "."], 1, "this is a folder"),
        (["eval", "qrels.txt", "good.run", "-m", "nDGC@10"], 2, "there is no measure 'nDGC'; did you mean nDCG"),
        (["eval", "qrels.txt", "good.run", "-m", "nDCG@0"], 2, "nDCG: k must be a positive integer, not 0"),
        (["eval", "qrels.txt", "good.run", "-m", "AP", "--sort", "RR"], 2, "cannot sort by RR; evaluated: AP"),
        (["eval", "qrels.txt", "good.run", "--ties", "bst"], 2, "'bst' is not one of 'trec', 'name'"),
        (["eval", "qrels.txt", "good.run", "--tie", "best"], 2, "no such option '--tie'"),
        (["eval", "qrels.txt", "good.run", "--digits", "many"], 2, "'--digits'"),
        (["eval", "qrels.txt", "good.run", "--depth", "0"], 2, "'--depth'"),
        (["eval", "qrels.txt", "good.run", "./good.run"], 1, "good.run: duplicate run"),
        (["eval", "-", "-"], 2, "standard input (-) can be read only once"),
        (["eval", "qrels.txt"], 2, "missing argument 'RUN…' (see cranfield eval --help)"),
        (["eval", "qrels.txt", "good.run", "-m", "P@" + "9" * 5_000], 2, "is not a usable number"),
        (["eval", "qrels.txt", "good.run", "-m", "P_" + "9" * 5_000], 2, "is not a usable number"),
        (["eval", "qrels.txt", "good.run", "-m", "P@" + "9" * 20], 2, "k must be a positive integer below 2**63"),
        (["eval", "qrels.txt", "good.run", "-m", "P(rel=1, rel=2)"], 2, "settings are written name=value"),
        (["eval", "qrels.txt", "good.run", "-m", f"F(beta={'-' * 20_000}1)"], 2, "settings are written name=value"),
        (["eval", "qrels.txt", "good.run", "-m", f"P(rel={'[' * 20_000})"], 2, "settings are written name=value"),
        (["eval", "qrels.txt", "good.run", "--confidence", "0.9999999999"], 2, "the confidence must be at most"),
        (["compare", "qrels.txt", "good.run", "poor.run", "--level", "1e-320"], 2, "must be at least 1e-09"),
        (["evl"], 2, "no such command 'evl'. Did you mean 'eval'?"),
        (["measures", "NDGC"], 2, "did you mean nDCG"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_what_is_wrong_is_said_in_one_line(arguments: list[str], status: int, said: str, capsys: Capture) -> None:
    assert main(arguments) == status
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("cranfield: ")
    assert error.count("\n") == 1
    assert said in error


def test_a_depth_beyond_every_ranking_keeps_all_of_it(capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "good.run", "-f", "csv", "--quiet"]) == 0
    whole = capsys.readouterr().out
    assert main(["eval", "qrels.txt", "good.run", "-f", "csv", "--quiet", "--depth", "9" * 20]) == 0
    assert capsys.readouterr().out == whole


def test_a_fault_of_our_own_is_said_in_one_line_too(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(program.app, "invoke", lambda _: 1 // 0)
    assert main(["measures"]) == 3
    assert capsys.readouterr().err.startswith("cranfield: a bug in cranfield, ZeroDivisionError: ")


def test_a_fault_of_our_own_is_shown_in_full_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program.app, "invoke", lambda _: 1 // 0)
    monkeypatch.setenv("CRANFIELD_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["measures"])


def test_without_a_command_help_is_shown(capsys: Capture) -> None:
    assert main([]) == 2
    assert "Usage: cranfield" in capsys.readouterr().out


def test_the_version_is_printed(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    name, version, _, engine = capsys.readouterr().out.split()
    assert (name, version[:2]) == ("cranfield", "0.")
    assert engine in ("local)", "native)")


def test_warnings_are_told_once_each(capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "tied.run", "-m", "AP"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("cranfield: warning: tied: 1 ") for line in lines)
    assert len(lines) == len(set(lines)) == 2


def test_quiet_hides_warnings(capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "tied.run", "-m", "AP", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_of_many_warnings_the_first_are_told(capsys: Capture) -> None:
    from cranfield.commands.output import warnings_told
    from cranfield.errors import CranfieldWarning

    with warnings_told(quiet=False):
        for place in range(30):
            warnings.warn(f"number {place}", CranfieldWarning, stacklevel=1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 12
    assert lines[-1] == "cranfield: warning: 19 more such warnings (--format json lists them all)"


@pytest.mark.parametrize(
    "options",
    [
        ["-m", "P@" + "9" * 5_000],
        ["-m", "P" * 5_000],
        ["-m", f"DCG(gain={{1: {'9' * 5_000}}})"],
        ["-m", "P(" + "a" * 5_000 + "=1)"],
        ["--ties", "t" * 5_000],
        ["--depth", "9" * 5_000],
        ["--" + "o" * 5_000],
        ["-o", "o" * 5_000],
    ],
    ids=lambda options: options[-1][:9],
)
def test_words_of_thousands_of_letters_are_shortened_in_messages(options: list[str], capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "good.run", *options]) in (1, 2)
    message = capsys.readouterr().err
    assert "[…]" in message
    assert len(message) < 500


def test_long_names_are_shortened_in_python_and_in_findings_too() -> None:
    long = "x" * 5_000
    with pytest.raises(BadSetting) as caught:
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, f"P({long}=1)")
    assert len(str(caught.value)) < 300
    found = compare({long: [0.1, 0.2, 0.4, 0.9], "b": [0.2, 0.1, 0.8, 0.3]}).findings()
    assert found
    assert all(len(finding.sentence) < 1_000 for finding in found)
