"""`--findings` says below the table what the figures hide."""

from __future__ import annotations

import json

import pytest

from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

BOTH = ["eval", "qrels.txt", "good.run", "poor.run", "--quiet", "-m", "RR"]


def printed(capsys: Capture, *arguments: str) -> str:
    assert main([*BOTH, *arguments]) == 0
    return capsys.readouterr().out


def test_findings_stand_below_the_table(capsys: Capture) -> None:
    table, _, findings = printed(capsys, "--findings").partition("\nFindings\n")
    assert table == printed(capsys)
    assert "RR: good (1.00) and poor (0.42) are 0.58 apart, which could be chance" in findings


@pytest.mark.parametrize("format_", ["markdown", "latex", "html"])
def test_findings_come_in_the_format_of_the_table(format_: str, capsys: Capture) -> None:
    with_findings = printed(capsys, "--findings", "-f", format_)
    assert with_findings.startswith(printed(capsys, "-f", format_))
    assert "which could be chance" in with_findings


def test_json_has_the_findings_with_their_figures(capsys: Capture) -> None:
    found = json.loads(printed(capsys, "--findings", "-f", "json"))["findings"]
    assert {"rule", "severity", "sentence", "why", "action", "link", "subject", "figures", "settings"} == set(found[0])


def test_json_has_none_unless_asked_for(capsys: Capture) -> None:
    assert "findings" not in json.loads(printed(capsys, "-f", "json"))


def test_csv_has_no_place_for_findings(capsys: Capture) -> None:
    assert main([*BOTH, "--findings", "-f", "csv"]) == 2
    assert "CSV has a row for each value and no place for findings" in capsys.readouterr().err


def test_no_findings_are_said_to_be_none(capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "good.run", "--quiet", "-m", "RR", "--findings"]) == 0
    assert capsys.readouterr().out.endswith("\nFindings: none\n")
