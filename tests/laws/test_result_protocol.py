"""Everything that a verb returns prints, converts, examines and compares itself, and is what the CLI prints."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, CranfieldWarning
from cranfield.plot import drawable_plots
from cranfield.results.verb_result import VerbResult
from laws.verb_calls import CALLS, called, commands, folder, result_of

FORMATS = ["latex", "markdown", "html"]


def a_third(names: Sequence[str]) -> list[Any]:
    """All names, of which `make test` takes every third."""
    return [pytest.param(name, marks=pytest.mark.thorough if place % 3 else ()) for place, name in enumerate(names)]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What a command prints in the folder of the tables."""

    def run(*arguments: str) -> str:
        monkeypatch.chdir(folder())
        assert main([*arguments, "--quiet"] if arguments[0] not in ("agree",) else list(arguments)) == 0
        return capsys.readouterr().out

    return run


@called
def test_it_is_a_frozen_result_of_a_kind(name: str) -> None:
    result = result_of(name)
    assert isinstance(result, VerbResult)
    assert isinstance(result.kind, str)
    assert dataclasses.is_dataclass(result)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.provenance = None


def test_every_kind_has_its_own_name() -> None:
    kinds = {type(result_of(name)): result_of(name).kind for name in CALLS}
    assert len(set(kinds.values())) == len(kinds)


@pytest.mark.parametrize("name", commands())
def test_it_is_printed_as_the_command_line_prints_it(name: str, printed: Callable[..., str]) -> None:
    _, command, options = CALLS[name]
    result = result_of(name)
    assert command is not None
    plain = printed(*command)
    text, _, last = plain.rpartition("\n\n")
    if last.endswith((": --findings\n", ": -q\n")):  # the options that show more
        plain = f"{text}\n"
    assert result.shown(**options) == plain
    assert options or str(result) == plain


@pytest.mark.parametrize(
    ("name", "format_"),
    [  # one format of each result in `make test`
        pytest.param(
            name, format_, marks=() if place % len(FORMATS) == FORMATS.index(format_) else pytest.mark.thorough
        )
        for place, name in enumerate(commands())
        for format_ in FORMATS
    ],
)
def test_it_is_written_as_the_command_line_writes_it(name: str, format_: str, printed: Callable[..., str]) -> None:
    _, command, options = CALLS[name]
    assert command is not None
    assert getattr(result_of(name), f"to_{format_}")(**options) == printed(*command, "-f", format_)


@pytest.mark.parametrize("name", commands())
def test_json_and_csv_are_those_of_the_command_line(name: str, printed: Callable[..., str]) -> None:
    _, command, options = CALLS[name]
    assert command is not None
    ours = json.loads(result_of(name).to_json(**options))
    theirs = json.loads(printed(*command, "-f", "json"))
    for content in (ours, theirs):  # a file is named by the path it was given by
        for origin in content["provenance"]["inputs"]:
            origin["name"] = Path(origin["name"]).name
    assert ours == theirs
    assert result_of(name).to_csv(**options) == printed(*command, "-f", "csv")


@pytest.mark.parametrize("name", a_third(commands()))
def test_csv_has_the_digits_of_the_command_line(name: str, printed: Callable[..., str]) -> None:
    _, command, options = CALLS[name]
    assert command is not None
    assert result_of(name).to_csv(digits=2, **options) == printed(*command, "-f", "csv", "-d", "2")


@called
def test_its_repr_is_short_and_says_what_its_str_says(name: str) -> None:
    result = result_of(name)
    assert len(repr(result).splitlines()) < 150
    assert repr(result).splitlines()[0] == str(result).splitlines()[0]
    assert "array(" not in repr(result)
    assert "<" in result._repr_html_()


@called
def test_its_records_are_tables_frames_and_files(name: str, tmp_path: Path) -> None:
    result, options = result_of(name), CALLS[name][2]
    main_name = result.main(**options)
    rows = result.records(**options)[main_name]
    found = result.table(**options)
    assert isinstance(found, pa.Table)
    assert found.num_rows == len(rows) == len(result.to_pandas(**options)) == len(result.to_polars(**options))
    assert list(result.to_polars(**options).columns) == found.column_names == list(rows[0])
    for other in result.records(**options):
        assert result.table(other, **options).num_rows == len(result.records(**options)[other])
    result.to_parquet(tmp_path / "table.parquet", **options)
    stored = pyarrow.parquet.read_table(tmp_path / "table.parquet")
    assert stored.equals(found)
    assert json.loads(stored.schema.metadata[b"cranfield"]) == result.provenance.to_dict()


@called
def test_its_dict_is_the_content_of_its_json(name: str) -> None:
    result, options = result_of(name), CALLS[name][2]
    for own in ({}, options | {"digits": 2, "findings": True}):
        plain = result.to_dict(**own)
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain == json.loads(result.to_json(**own))


@called
def test_its_findings_are_those_of_examine(name: str) -> None:
    result = result_of(name)
    examined = cranfield.examine(*([result.result] if result.kind == "comparison" and result.result else []), result)
    expected = result if name == "examine" else examined
    assert [finding.sentence for finding in result.findings()] == [finding.sentence for finding in expected]
    assert result.shown(findings=True).endswith(str(result.findings()))
    assert json.loads(result.to_json(findings=True))["findings"] == result.findings().records()["findings"]


@called
def test_its_warnings_are_data(name: str) -> None:
    for warning in result_of(name).warnings:
        assert warning.kind
        assert warning.message in result_of(name).provenance.to_dict()["warnings"]
        assert isinstance(warning.subject, tuple)


def test_a_warning_names_its_kind_and_its_subject() -> None:
    with pytest.warns(CranfieldWarning):
        result = cranfield.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"one": {"q": {"a": 1}}}, "AP")
    assert [(each.kind, each.subject) for each in result.warnings] == [("missing-queries", ("one",))]
    with pytest.warns(CranfieldWarning):
        scored = cranfield.classify([1, 0] * 10, score=[0.1, 0.9] * 10)
    assert [(each.kind, each.subject) for each in scored.warnings] == [("worse-than-chance", ("predictions",))]


@called
def test_it_compares_its_systems_or_says_why_not(name: str) -> None:
    result = result_of(name)
    if result.kind not in ("result", "classification", "regression", "cross-validation"):
        with pytest.raises(BadInput, match="no paired units"):
            result.compare()
    elif len(result.systems) == 1:
        with pytest.raises(BadInput, match=r"at least two systems|thresholds were chosen"):
            result.compare()
    else:
        assert result.compare().records() == cranfield.compare(result).records()


@called
def test_it_has_a_plot_that_needs_no_settings(name: str) -> None:
    result = result_of(name)
    assert repr(result.plot).startswith("plots: ")
    drawn = drawable_plots(result)
    to_choose = ("precision_recall by query", "regress", "regress outputs", "regress groups")
    assert drawn or name in to_choose  # one of the queries, systems or outputs must be chosen
    for plot in drawn.values():
        assert plot.data.num_rows
        assert plot.to_csv().count("\n") == plot.data.num_rows + 1


@called
def test_it_has_a_report(name: str) -> None:
    result = result_of(name)
    content = cranfield.report(result, title="One result").content
    assert content.title == "One result"
    assert content.board.rows or name == "examine"
    assert len(content.findings) == len(result.findings())
    assert {"report.json", "findings.json"} <= {file.name for file in content.downloads}
