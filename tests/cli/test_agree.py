"""`cranfield agree` says how far raters agree, and whether it matters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

LINES = [
    "q1 ann d1 1",
    "q1 bob d1 1",
    "q1 ann d2 0",
    "q1 bob d2 1",
    "q1 ann d3 2",
    "q1 bob d3 2",
    "q2 ann d1 0",
    "q2 bob d1 0",
    "q2 ann d4 1",
    "q2 bob d4 0",
]


@pytest.fixture(autouse=True)
def judged(at_the_files: Path) -> None:
    (at_the_files / "judges.qrels").write_text("\n".join(LINES) + "\n")
    for who in ("ann", "bob"):
        own = [line.replace(who, "0") for line in LINES if who in line]
        (at_the_files / f"{who}.qrels").write_text("\n".join(own) + "\n")
    (at_the_files / "labels.csv").write_text("item,ann,bob\nd1,good,good\nd2,poor,fair\nd3,fair,fair\n")


def printed(capsys: Capture, *arguments: str) -> str:
    assert main(["agree", *arguments, "--quiet"]) == 0
    return capsys.readouterr().out


def test_coefficients_for_all_and_for_each_topic(capsys: Capture) -> None:
    out = printed(capsys, "judges.qrels", "--resamples", "50", "--all")
    assert "All raters" in out
    assert "Topics" in out
    assert "Kappa(weights='linear')" in out
    assert "2 raters, 3 categories, 2 topics" in out
    assert "95 % intervals for other items (draws: 50, seed 0)" in out


@pytest.mark.parametrize("scope", ["pair", "topic"])
@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_two_raters_are_a_pair_and_one_topic_is_a_topic(scope: str, form: str, capsys: Capture) -> None:
    assert "Kappa" in printed(capsys, "labels.csv", "--per", scope, "--resamples", "10", "-f", form)


def test_a_table_that_would_say_the_same_again_is_left_out(capsys: Capture) -> None:
    out = printed(capsys, "labels.csv", "--resamples", "10")
    assert "All raters" in out
    assert "Every" not in out


def test_a_file_for_each_rater_is_the_same(capsys: Capture) -> None:
    wanted = ("-m", "Kappa", "--per", "all", "--per", "topic", "--resamples", "0", "-f", "json")
    one = json.loads(printed(capsys, "judges.qrels", *wanted))
    two = json.loads(printed(capsys, "ann.qrels", "bob.qrels", *wanted))
    assert one["agreement"] == two["agreement"]
    assert one["agreement"][0]["value"] == pytest.approx(0.375)


def test_texts_in_an_order_of_their_own(capsys: Capture) -> None:
    given = ("labels.csv", "-m", "Alpha(level='ordinal')", "--resamples", "0", "-f", "csv")
    ordered, turned = (printed(capsys, *given, "--order", order) for order in ("poor,fair,good", "fair,good,poor"))
    assert ordered != turned


def test_the_order_of_the_runs_by_each_judge(capsys: Capture) -> None:
    out = printed(capsys, "judges.qrels", "--per", "all", "-m", "Kappa", "-r", "good.run", "-r", "poor.run")
    assert "Rankings of the systems by judge" in out
    assert "any of the judges" in out
    content = json.loads(
        printed(
            capsys, "judges.qrels", "-m", "Kappa", "-r", "good.run", "-r", "poor.run", "--rank-by", "RR", "-f", "json"
        )
    )
    assert {row["measure"] for row in content["orders"]} == {"RR"}


def test_the_judgments_of_all_combined_as_asked(capsys: Capture) -> None:
    runs = ("-r", "good.run", "-r", "poor.run", "--combined", "majority", "--rel", "2", "-f", "json")
    content = json.loads(printed(capsys, "judges.qrels", "-m", "Kappa", "--resamples", "0", *runs))
    assert {row["other"] for row in content["orders"]} == {"bob", "majority of the judges"}


@pytest.mark.parametrize("files", [["judges.qrels"], ["ann.qrels", "bob.qrels"], ["labels.csv"]])
def test_json_says_where_ratings_came_from(files: list[str], capsys: Capture) -> None:
    content = json.loads(printed(capsys, *files, "-m", "Kappa", "--resamples", "0", "-f", "json"))
    sources = content["provenance"]["inputs"]
    assert [source["name"] for source in sources] == files
    assert all(len(source["digest"]) == 64 for source in sources)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["qrels.txt"], 1, "all ratings are by one rater, '0'"),
        (["nowhere.csv"], 1, "nowhere.csv"),
        (["judges.qrels", "-m", "Kapa"], 2, "did you mean Kappa"),
        (["labels.csv", "--order", "poor,good"], 1, "category 'fair' is not in the given order"),
        (["judges.qrels", "-m", "Kappa", "-r", "good.run"], 1, "only one system"),
        (["labels.csv", "-m", "Overlap"], 1, "fair, good, poor are texts without an order"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], status: int, said: str, capsys: Capture) -> None:
    assert main(["agree", *arguments]) == status
    assert said in capsys.readouterr().err


def test_items_that_are_numbers_are_listed_by_number(at_the_files: Path, capsys: Capture) -> None:
    rows = [f"{item},a,{mark},b" for item, mark in ((2, "a"), (10, "b"), (1, "a"), (3, "b"))]
    (at_the_files / "numbered.csv").write_text("\n".join(["item,ann,bob,cy", *rows]) + "\n")
    out = printed(capsys, "numbered.csv", "-m", "Fleiss", "--steps", "--resamples", "10")
    table = out.split("p_j")[0].splitlines()
    assert [line.split()[0] for line in table if line[:1].isdigit()] == ["1", "2", "3", "10"]


@pytest.mark.parametrize("option", [("--rank-by", "AP"), ("--combined", "all"), ("--rel", "2")])
def test_options_about_runs_need_runs(option: tuple[str, str], capsys: Capture) -> None:
    assert main(["agree", "judges.qrels", *option]) == 2
    assert f"{option[0]} has no effect without --run" in capsys.readouterr().err
