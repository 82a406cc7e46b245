"""An option has one meaning, one letter and one name in all commands, and its choices are those of the library."""

from __future__ import annotations

import click
import pytest

from cranfield.cli.main import COMMANDS, GROUPS, app, main
from cranfield.pools.methods import METHODS
from cranfield.statistics.tests import known_tests
from laws.verb_calls import BM25, DENSE

CONTEXT = click.Context(app)
PARAMETERS = [
    (name, parameter)
    for name in COMMANDS
    for parameter in getattr(app.get_command(CONTEXT, name), "params", ())
    if isinstance(parameter, click.Option)
]


def test_a_letter_belongs_to_one_option() -> None:
    letters: dict[str, set[tuple[str, ...]]] = {}
    for _, option in PARAMETERS:
        for letter in option.opts:
            letters.setdefault(letter, set()).add(tuple(option.opts))
    assert {letter: names for letter, names in letters.items() if len(names) > 1} == {}


def test_an_option_has_one_kind_of_value() -> None:
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for _, option in PARAMETERS:
        kinds.setdefault(option.opts[-1], set()).add((option.name, option.multiple, option.is_flag, option.metavar))
    # of labels by a model: files of documents, the name of a model, several people, and a demonstration of labelling
    others = {"--documents", "--model", "--human", "--label"}
    assert {name for name, found in kinds.items() if len(found) > 1} == others


@pytest.mark.parametrize("command", [*COMMANDS][:-1])
def test_every_choice_is_in_a_catalogue(command: str) -> None:
    for name, option in PARAMETERS:
        if name == command and isinstance(option.type, click.Choice):
            assert option.type.choices
            assert option.default in (None, *option.type.choices) or not isinstance(option.default, str)
            assert len({choice.lower() for choice in option.type.choices}) == len(option.type.choices)


def test_a_choice_ignores_case(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for coefficient, format_ in (("RBO", "csv"), ("rbo", "CSV")):
        assert main(["correlate", "--documents", BM25, DENSE, "--coefficient", coefficient, "-f", format_]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert "RBO" in printed[0]


@pytest.mark.parametrize(("command", "option"), [(name, option) for name, option in PARAMETERS if option.default])
def test_the_help_shows_the_default_that_is_used(command: str, option: click.Option) -> None:
    if option.show_default is not False and isinstance(option.default, int | float | str):
        record = option.get_help_record(click.Context(click.Command(command)))
        assert record is not None
        assert option.is_flag or f"default: {option.default}" in record[1]


def test_the_tests_of_significance_are_those_of_the_library() -> None:
    offered = {name: set(option.type.choices) for name, option in PARAMETERS if option.name == "test"}
    assert offered == {name: set(known_tests()) for name in ("plot", "report", "compare", "reproduce")}


def test_the_help_has_the_title_of_every_test_and_of_every_pooling_method(capsys: pytest.CaptureFixture[str]) -> None:
    for command, catalogue in (("compare", known_tests()), ("pool", METHODS)):
        assert main([command, "--help"]) == 0
        text = "".join(capsys.readouterr().out.split()).replace("-", "")
        for name, entry in catalogue.items():
            assert f"{name}({entry.title})".replace(" ", "").replace("-", "") in text


def test_the_variants_are_those_of_the_tests() -> None:
    (offered,) = {tuple(option.type.choices) for _, option in PARAMETERS if option.name == "variant"}
    assert offered == ("wilcox", "pratt", "exact", "mid-p", "chi-square", "F", "t")


def test_a_report_takes_the_options_of_an_evaluation_and_of_a_comparison() -> None:
    taken = {command: {option.opts[-1] for name, option in PARAMETERS if name == command} for command in COMMANDS}
    exceptions = {
        "--format",  # a page is HTML
        "--findings",  # a page always has them
        "--all",  # as it has every pair
        *("--record", "--release", "--keep-files"),  # a report is no release
    }
    assert (taken["eval"] | taken["compare"]) - taken["report"] == exceptions


@pytest.mark.parametrize("command", [*COMMANDS][:-1])
def test_every_option_has_help_and_no_summary_is_cut(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert all(option.help for name, option in PARAMETERS if name == command)
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out.partition("Evaluate:")[2]
    assert f"\n  {command} " in listed
    assert "..." not in listed


def test_the_help_lists_every_command_once_in_its_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed: dict[str, list[str]] = {}
    for line in capsys.readouterr().out.partition("Exit status:")[0].splitlines():
        if line.endswith(":") and not line.startswith(" "):
            listed[line.removesuffix(":")] = names = []
        elif line[2:3].isalpha() and line.startswith("  ") and listed:
            names.append(line.split()[0])
    assert listed.pop("Options") == []
    assert listed == {group: list(commands) for group, commands in GROUPS.items()}
    assert sum(map(len, GROUPS.values())) == len(COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--rel", "2"], "--rel requires judgments"),
        (["-m", "AP"], "--measure requires --quality or --estimate"),
        (["--team", "bm25=ours"], "--team requires --quality"),
        (["--estimate", "--rel", "2"], "--rel cannot be combined with --estimate; give the grade with the measure"),
        (["--estimate", "--later", "x.run"], "--later cannot be combined with --estimate"),
        (["--quality", "--budget", "5"], "--budget cannot be combined with --quality"),
        (["--quality", "--qrels", "q", "--team", "a=x", "--team", "a=y"], "--team: a has two teams, x and y"),
    ],
)
def test_pool_refuses_options_that_have_no_effect(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pool", "bm25.run", *arguments]) == 2
    assert reason in capsys.readouterr().err


def test_a_field_of_a_form_is_given_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRANFIELD_TOKEN", "x")
    assert main(["api", "http://127.0.0.1:9/b/py", "conflicts/1", "grade=1", "grade=2"]) == 1
    assert "the field 'grade' is given twice" in capsys.readouterr().err
