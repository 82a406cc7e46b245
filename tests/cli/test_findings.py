"""`--findings` says below the table what the figures hide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.present.findings.rules import known_rules

Capture = pytest.CaptureFixture[str]

BOTH = ["eval", "qrels.txt", "good.run", "poor.run", "--quiet", "-m", "RR"]


def printed(capsys: Capture, *arguments: str) -> str:
    assert main([*BOTH, *arguments]) == 0
    return capsys.readouterr().out


def test_findings_stand_below_the_table(capsys: Capture) -> None:
    table, _, findings = printed(capsys, "--findings").partition("\nFindings\n")
    assert printed(capsys) == f"{table}\nWhat the figures hide: --findings   Every query: -q\n"
    assert "RR: good (1.00) and poor (0.42) differ by 0.58, not statistically significant" in findings


@pytest.mark.parametrize("format_", ["markdown", "latex", "html"])
def test_findings_come_in_the_format_of_the_table(format_: str, capsys: Capture) -> None:
    with_findings = printed(capsys, "--findings", "-f", format_)
    assert with_findings.startswith(printed(capsys, "-f", format_))
    assert "not statistically significant" in with_findings


def test_json_has_the_findings_with_their_figures(capsys: Capture) -> None:
    found = json.loads(printed(capsys, "--findings", "-f", "json"))["findings"]
    fields = {"rule", "severity", "headline", "sentence", "why", "action", "link", "subject", "figures", "settings"}
    assert fields == set(found[0])


def test_json_has_none_unless_asked_for(capsys: Capture) -> None:
    assert "findings" not in json.loads(printed(capsys, "-f", "json"))


def test_a_comparison_has_findings(capsys: Capture) -> None:
    assert main(["compare", *BOTH[1:], "--findings", "--steps"]) == 0
    steps, _, findings = capsys.readouterr().out.partition("\nFindings\n")
    assert "decision: " in steps
    assert "differ by 0.58, not statistically significant" in findings


def test_a_comparison_ends_with_headlines_and_with_the_option_that_explains_them(capsys: Capture) -> None:
    assert main(["compare", *BOTH[1:]]) == 0
    *_, table, headlines, more = capsys.readouterr().out.split("\n\n")
    assert "adjusted p" in table
    assert [line[:9].rstrip() for line in headlines.splitlines()] == ["serious", "caution", "", "caution"]
    assert headlines.endswith("\ncaution  good and poor are not significantly different in RR.")
    assert more == "Findings explained: --findings\n"


def test_python_shows_the_headlines_without_the_options(capsys: Capture) -> None:
    assert main(["compare", *BOTH[1:]]) == 0
    compared = cranfield.evaluate("qrels.txt", ["good.run", "poor.run"], "RR").compare()
    text, _, options = capsys.readouterr().out.rpartition("\n\n")
    assert f"{text}\n" == str(compared)
    assert "--findings" in options


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
    assert "Accuracy is 0.95, not above the 0.95 of always predicting" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_csv_has_no_place_for_findings(command: str, capsys: Capture) -> None:
    assert main([command, *BOTH[1:], "--findings", "-f", "csv"]) == 2
    assert "CSV has one row per value and no place for findings" in capsys.readouterr().err


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


@pytest.mark.parametrize("test", [["-t", "t"], ["-t", "corrected t", "--overlap", "0.25"]])
def test_folds_are_not_multiplied(test: list[str], capsys: Capture, at_the_files: Path) -> None:
    (at_the_files / "folds.csv").write_text("fold,A,B\n1,.2,.18\n2,.22,.21\n3,.18,.18\n4,.25,.22\n5,.21,.2\n")
    asked = ["compare", "--values", "folds.csv", *test, "--findings", "-f", "json", "--quiet"]
    assert main(asked) == 0
    found = {each["rule"]: each for each in json.loads(capsys.readouterr().out)["findings"]}
    assert found.keys() == {"not-significant"}
    action = found["not-significant"]["action"]
    assert "more folds are not more evidence: collect more data, or repeat the cross-validation" in action
    assert "to detect a difference" not in found["not-significant"]["sentence"]


def test_a_rule_is_explained_and_all_are_listed(capsys: Capture) -> None:
    assert main(["findings", "short-run"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "A run has far fewer documents than others" in shown
    assert "proportion = 0.5" in shown
    assert "Get the run at full depth" in shown
    assert main(["findings"]) == 0
    listed = capsys.readouterr().out
    assert all(rule in listed for rule in known_rules())
    assert main(["findings", "shortrun"]) == 2
    assert "did you mean short-run?" in capsys.readouterr().err


def test_rules_are_data_too(capsys: Capture) -> None:
    assert main(["findings", "too-perfect", "-f", "json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["rule"] == "too-perfect"
    assert record["limits"] == {"value": 0.999, "least": 50}
