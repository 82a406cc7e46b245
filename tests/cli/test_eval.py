"""`cranfield eval` prints what was asked for."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cranfield.cli.main import main
from cranfield.rankings import evaluate as api

Golden = Callable[[str, str], None]
Capture = pytest.CaptureFixture[str]

BOTH = ["eval", "qrels.txt", "good.run", "poor.run"]


def printed(capsys: Capture, *arguments: str) -> str:
    assert main([*BOTH, *arguments]) == 0
    return capsys.readouterr().out


def tabled(text: str) -> list[str]:
    """The lines below the sentence that answers."""
    return text.partition("\n\n")[2].splitlines()


@pytest.mark.parametrize("per_query", [False, True], ids=["systems", "queries"])
@pytest.mark.parametrize("format_", ["table", "csv", "markdown", "latex", "html"])
def test_every_format_is_printed_as_before(format_: str, per_query: bool, capsys: Capture, golden: Golden) -> None:
    wanted = ["-m", "AP", "-m", "nDCG@10", "-m", "NumRet", *["-q"] * per_query]
    golden(f"cli/eval-{'queries' if per_query else 'systems'}.{format_}", printed(capsys, *wanted, "--format", format_))


def test_json_holds_values_and_settings(capsys: Capture) -> None:
    content = json.loads(printed(capsys, "-m", "AP", "-q", "-f", "json", "--ties", "name"))
    assert [(record["system"], record["value"]) for record in content["results"]] == [
        ("good", 1.0),
        ("poor", pytest.approx((1 / 6 + 1 / 2) / 2)),
    ]
    assert len(content["queries"]) == 4
    assert content["provenance"]["settings"]["ties"] == "name"


def test_names_of_trec_eval_are_understood(capsys: Capture) -> None:
    head, *_ = tabled(printed(capsys, "-m", "map", "-m", "P_5", "-m", "ndcg_cut_10", "-m", "recip_rank"))
    assert head.split() == ["system", "AP", "P@5", "nDCG@10", "RR"]


def test_without_measures_the_standard_ones_are_shown(capsys: Capture) -> None:
    assert tuple(tabled(printed(capsys))[0].split()[1:]) == api.STANDARD


def test_help_names_the_standard_measures(capsys: Capture) -> None:
    assert main(["eval", "--help"]) == 0
    assert ", ".join(api.STANDARD) in " ".join(capsys.readouterr().out.split())


def test_the_best_system_comes_first_and_csv_keeps_the_order_of_the_runs(capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "poor.run", "good.run", "-m", "RR"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("good has the best RR, 1 over 2 queries; poor follows with 0.4167.")
    assert [line.split()[0] for line in tabled(text)[2:4]] == ["good", "poor"]
    assert main(["eval", "qrels.txt", "poor.run", "good.run", "-m", "RR", "-f", "csv"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == ["system", "poor", "good"]


def test_the_answer_has_the_interval_of_the_table(capsys: Capture) -> None:
    answer, _, rows = printed(capsys, "-m", "AP", "--confidence", "0.8", "--aggregate", "median").partition("\n\n")
    assert answer.startswith("good has the best median AP, ")
    shown = json.loads(printed(capsys, "-m", "AP", "--confidence", "0.8", "--aggregate", "median", "-f", "json"))
    assert shown["answer"] == answer
    assert rows


def test_runs_can_be_sorted(capsys: Capture) -> None:
    lines = tabled(printed(capsys, "-m", "NumRet", "-m", "RR", "--sort", "NumRet"))
    assert [line.split()[0] for line in lines[2:6:2]] == ["poor", "good"]


def test_several_aggregates_can_be_asked_for(capsys: Capture) -> None:
    text = printed(capsys, "-m", "AP", "--aggregate", "mean", "--aggregate", "median", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["aggregate"] for row in rows] == ["mean", "mean", "median", "median"]


def test_digits_can_be_chosen(capsys: Capture) -> None:
    assert "0.33\n" in printed(capsys, "-m", "AP", "-d", "2")
    assert ",0.333,0.045,0.841,bounded t,2,0\n" in printed(capsys, "-m", "AP", "-d", "3", "-f", "csv")


def test_intervals_can_be_left_out(capsys: Capture) -> None:
    assert "–" in printed(capsys, "-m", "AP")
    assert "–" not in printed(capsys, "-m", "AP", "--interval", "none")
    assert "90 % intervals: BCa bootstrap" in printed(capsys, "-m", "AP", "--interval", "bca", "--confidence", "0.9")


def test_variants_of_topics_are_drawn_together(at_the_files: Path, capsys: Capture) -> None:
    (at_the_files / "topics.csv").write_text("query,topic\nq1,a\nq2,b\n")
    assert "95 % intervals: t over clusters" in printed(capsys, "-m", "AP", "--topics", "topics.csv")
    (at_the_files / "topics.csv").write_text("q1,a\n")
    assert main(["eval", "qrels.txt", "good.run", "--topics", "topics.csv"]) == 1
    assert "query 'q2' has no topic; it is missing for 1 of 2 queries" in capsys.readouterr().err


def test_a_confidence_that_is_none_is_refused(capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "good.run", "--confidence", "95"]) == 2
    assert "the confidence must lie between 0 and 1, such as 0.95, not 95" in capsys.readouterr().err


def test_bounds_can_be_asked_for(capsys: Capture) -> None:
    head, *_ = tabled(printed(capsys, "-m", "P@2", "--bounds"))
    assert head.split() == ["system", "P@2", "P(unjudged=0)@2", "P(unjudged=2)@2"]


def test_output_goes_to_a_file_in_the_format_of_its_name(at_the_files: Path, capsys: Capture) -> None:
    assert printed(capsys, "-m", "AP", "-o", "table.tex") == ""
    text = (at_the_files / "table.tex").read_text()
    assert "mean over 2 queries" in text
    assert "intervals: bounded t; none (all values are the same: no variance) for AP of good" in text


def test_the_format_that_is_named_counts_more_than_the_name_of_the_file(at_the_files: Path, capsys: Capture) -> None:
    printed(capsys, "-m", "AP", "-o", "table.tex", "-f", "markdown")
    assert (at_the_files / "table.tex").read_text().partition("\n\n")[2].startswith("| system")


def test_an_ending_that_no_format_goes_by_is_refused(at_the_files: Path, capsys: Capture) -> None:
    assert main(["eval", "qrels.txt", "good.run", "-o", "table.xlsx"]) == 2
    assert "table.xlsx: no format has the extension '.xlsx'; use one of .txt, .csv" in capsys.readouterr().err
    assert main(["eval", "qrels.txt", "good.run", "-o", "table.xlsx", "-f", "csv"]) == 0


def test_standard_input_is_read(capsys: Capture, monkeypatch: pytest.MonkeyPatch, at_the_files: Path) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((at_the_files / "good.run").read_bytes())))
    assert main(["eval", "qrels.txt", "-", "-m", "AP"]) == 0
    assert "1.0000" in capsys.readouterr().out


def test_runs_in_two_folders_are_evaluated_together(at_the_files: Path, capsys: Capture) -> None:
    for folder, run in (("a", "good.run"), ("b", "poor.run")):
        (at_the_files / folder).mkdir()
        (at_the_files / run).rename(at_the_files / folder / "the.run")
    assert main(["eval", "qrels.txt", "a/the.run", "b/the.run", "-m", "AP"]) == 0
    assert [line.split()[0] for line in tabled(capsys.readouterr().out)[2:4]] == ["a/the", "b/the"]


@pytest.mark.parametrize("format_", ["table", "csv", "json", "markdown", "latex", "html"])
def test_names_that_are_not_utf_8_are_written_out(format_: str, at_the_files: Path, capsys: Capture) -> None:
    (at_the_files / "good.run").rename(at_the_files / "caf\udce9.run")
    assert main(["eval", "qrels.txt", "caf\udce9.run", "-q", "-f", format_, "-o", "out"]) == 0
    assert "xe9" in (at_the_files / "out").read_text()
