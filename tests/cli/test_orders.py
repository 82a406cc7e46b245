"""`cranfield reproduce`, `latent` and `correlate`: the order of the runs, and the queries it comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.test_progress import watched
from cranfield.cli import progress
from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[2] / "examples"
GIVEN = [str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run")]
SHORT = {"reproduce": ["-m", "AP", "--draws", "50"], "latent": ["-m", "AP"], "correlate": ["-m", "AP", "-m", "RR"]}


def printed(capsys: Capture, command: str, *arguments: str) -> str:
    assert main([command, *GIVEN, *arguments, "--quiet"]) == 0
    return capsys.readouterr().out


def content(capsys: Capture, command: str, *arguments: str) -> dict[str, object]:
    return json.loads(printed(capsys, command, *arguments, "-f", "json"))


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "latex", "html"])
@pytest.mark.parametrize(("command", "named"), [("reproduce", "AP"), ("latent", "hybrid"), ("correlate", "RR")])
def test_every_format_prints(command: str, named: str, form: str, capsys: Capture) -> None:
    assert named in printed(capsys, command, *SHORT[command], "-f", form)


def test_each_measure_has_its_discriminative_power_and_stability(capsys: Capture) -> None:
    out = printed(capsys, "reproduce", "-m", "AP", "-m", "RR")
    assert "told apart: share of the pairs of systems that differ at the level 0.05 (randomised tukey)" in out
    assert "The order of the systems by fewer topics" in out
    found = content(capsys, "reproduce", "-m", "AP", "-m", "RR", "--draws", "200")
    assert [row["measure"] for row in found["measures"]] == ["AP", "RR"]
    assert [row["tau"] for row in found["orders"] if row["topics"] == 8] == [1.0, 1.0]
    assert sum(row["pairs"] for row in found["swaps"]) == 2 * 3 * 200
    assert found["settings"]["draws"] == 200


def test_reproducing_shows_which_measure_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    assert main(["reproduce", *GIVEN, "-m", "AP", "-m", "RR", "--draws", "20"]) == 0
    assert "2 of 2: RR" in screen.getvalue()


def test_abilities_and_difficulties_come_with_intervals(capsys: Capture) -> None:
    found = content(capsys, "latent", "-m", "AP")
    ability = {row["name"]: row for row in found["parameters"] if row["parameter"] == "ability"}
    assert max(ability, key=lambda name: ability[name]["value"]) == "hybrid"
    assert all(row["low"] < row["value"] < row["high"] for row in ability.values())
    assert {row["parameter"] for row in found["parameters"]} == {
        "ability",
        "difficulty",
        "discrimination",
        "information",
    }
    assert found["settings"] == {"measure": "AP", "model": "beta", "confidence": 0.95, "converged": True}
    assert content(capsys, "latent", "-m", "Success@1")["settings"]["model"] == "success"


def test_the_most_telling_queries_come_first_and_the_chosen_keep_the_order(capsys: Capture) -> None:
    out = printed(capsys, "latent", "-m", "AP", "--select", "2")
    assert out.startswith("How able the systems are, by AP\n")
    assert out.index("\n104 ") < out.index("\n108 ")
    assert "2 queries that keep the order of the systems" in out
    chosen = content(capsys, "latent", "-m", "AP", "--select", "2")["selected"]
    assert [row["query"] for row in chosen] == ["102", "105"]
    assert chosen[0]["tau"] == 1
    assert chosen[0]["unseen"] is None  # three systems cannot be divided into those that choose and those that do not


def test_measures_that_order_the_runs_otherwise(capsys: Capture) -> None:
    found = content(capsys, "correlate", "-m", "AP", "-m", "nDCG@10", "-m", "RR", "-c", "tau-b", "-c", "RBO")
    values = {(row["first"], row["second"], row["coefficient"]): row["value"] for row in found["correlations"]}
    assert values["AP", "nDCG@10", "tau-b"] == values["AP", "nDCG@10", "RBO"] == 1
    assert values["AP", "RR", "tau-b"] == pytest.approx(1 / 3)
    assert found["systems"] == ["bm25", "dense", "hybrid"]


def test_other_judgments_are_another_order(tmp_path: Path, capsys: Capture) -> None:
    lines = Path(GIVEN[0]).read_text().splitlines()
    turned = [f"{q} {i} {d} {int(int(g) == 0)}" for q, i, d, g in map(str.split, lines)]
    (tmp_path / "turned.qrels").write_text("\n".join(turned) + "\n")
    found = content(capsys, "correlate", "-m", "AP", "--also", str(tmp_path / "turned.qrels"), "-c", "tau-b")
    (row,) = found["correlations"]
    assert (row["first"], row["second"]) == ("AP by qrels", "AP by turned.qrels")
    assert row["value"] < 1


def test_a_measure_of_which_less_is_better_orders_the_other_way_round(capsys: Capture) -> None:
    found = content(capsys, "correlate", "-m", "P@5", "-m", "NumNonrelRet@5", "-c", "tau-b")
    assert found["correlations"][0]["value"] > 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["reproduce", *GIVEN[:2]], 1, "one system only"),
        (["reproduce", *GIVEN, "--rate", "5"], 2, "the rate of swaps must lie between 0 and 1"),
        (["reproduce", *GIVEN, "--draws", "0"], 2, "'--draws'"),
        (["reproduce", *GIVEN, "--level", "0"], 2, "level of significance"),
        (["latent", *GIVEN[:2]], 1, "two systems and two queries"),
        (["latent", *GIVEN, "-m", "NumRet"], 1, "values from 0 to 1"),
        (["latent", *GIVEN, "--model", "success"], 1, "take model='beta'"),
        (["latent", *GIVEN, "--select", "9"], 2, "between 1 and 8 queries"),
        (["latent", *GIVEN, "--confidence", "95"], 2, "confidence must lie"),
        (["correlate", *GIVEN, "-m", "AP"], 2, "one order only"),
        (["correlate", *GIVEN[:2]], 1, "one system only"),
        (["correlate", *GIVEN, "-c", "tau"], 2, "'tau' is not one of"),
        (["correlate", *GIVEN, "--also", "nowhere.qrels"], 1, "nowhere.qrels"),
        (["correlate", GIVEN[0], "-", GIVEN[1], "-m", "AP", "--also", "qrels.txt"], 2, "can be read only once"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], status: int, said: str, capsys: Capture) -> None:
    assert main(arguments) == status
    assert said in capsys.readouterr().err
