"""`--findings` says below the table what the figures hide."""

from __future__ import annotations

import json
from pathlib import Path

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


def test_a_comparison_has_findings(capsys: Capture) -> None:
    assert main(["compare", *BOTH[1:], "--findings", "--steps"]) == 0
    steps, _, findings = capsys.readouterr().out.partition("\nFindings\n")
    assert "decision: " in steps
    assert "are 0.58 apart, which could be chance" in findings


def test_raters_have_findings(capsys: Capture, at_the_files: Path) -> None:
    rows = [f"{item},{rater},{rater == 'ann' or item < 17}" for item in range(20) for rater in ("ann", "bob")]
    (at_the_files / "ratings.csv").write_text("\n".join(["item,rater,category", *rows]))
    assert main(["agree", "ratings.csv", "--per", "all", "-f", "json", "--findings"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["rule"] == "kappa-prevalence"


@pytest.mark.parametrize("format_", ["table", "json"])
def test_answers_have_findings(format_: str, capsys: Capture, at_the_files: Path) -> None:
    rows = [f"{int(item < 2)},{int(item in (0, 5))}" for item in range(40)]
    (at_the_files / "answers.csv").write_text("\n".join(["actual,predicted", *rows]))
    asked = ["classify", "answers.csv", "-a", "actual", "-p", "predicted", "-f", format_, "--findings"]
    assert main(asked) == 0
    assert "Accuracy is 0.95, not above the 0.95 that always answering" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_csv_has_no_place_for_findings(command: str, capsys: Capture) -> None:
    assert main([command, *BOTH[1:], "--findings", "-f", "csv"]) == 2
    assert "CSV has a row for each value and no place for findings" in capsys.readouterr().err


def test_no_findings_are_said_to_be_none(capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "good.run", "--quiet", "-m", "RR", "--findings"]) == 0
    assert capsys.readouterr().out.endswith("\nFindings: none\n")


@pytest.mark.parametrize("format_", ["table", "json"])
def test_predicted_values_have_findings(format_: str, capsys: Capture, at_the_files: Path) -> None:
    rows = [f"{value},{value + 9 + value % 3}" for value in range(50)]
    (at_the_files / "prices.csv").write_text("\n".join(["price,guess", *rows]))
    words = ["regress", "prices.csv", "--actual", "price", "--predicted", "guess", "--findings", "-f", format_]
    assert main(words) == 0
    assert "Predictions are too high by" in capsys.readouterr().out
