"""`cranfield reproduce`, `latent` and `correlate`: the order of the runs, and the queries it comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.test_progress import watched
from cranfield.cli.main import main
from cranfield.commands import progress

Capture = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[2] / "examples"
GIVEN = [str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run")]
SHORT = {"reproduce": ["-m", "AP", "--resamples", "50"], "latent": ["-m", "AP"], "correlate": ["-m", "AP", "-m", "RR"]}


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
    assert "significant: proportion of system pairs significant at level 0.05 (randomised tukey)" in out
    assert "Ranking of the systems by fewer topics" in out
    found = content(capsys, "reproduce", "-m", "AP", "-m", "RR", "--resamples", "200")
    assert [row["measure"] for row in found["measures"]] == ["AP", "RR"]
    assert [row["tau"] for row in found["orders"] if row["topics"] == 8] == [1.0, 1.0]
    assert sum(row["pairs"] for row in found["swaps"]) == 2 * 3 * 200
    assert found["settings"]["resamples"] == 200


def test_reproducing_shows_which_measure_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    assert main(["reproduce", *GIVEN, "-m", "AP", "-m", "RR", "--resamples", "20"]) == 0
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
    assert out.startswith("By AP, hybrid has the highest ability (1.39); query 106 is the hardest")
    assert "\nAbilities of the systems by AP\n" in out
    assert out.index("\n104 ") < out.index("\n108 ")
    assert "2 queries that keep the ranking of the systems" in out
    chosen = content(capsys, "latent", "-m", "AP", "--select", "2")["selected"]
    assert [row["query"] for row in chosen] == ["102", "105"]
    assert chosen[0]["tau"] == 1
    assert chosen[0]["unseen"] is None  # three systems cannot be divided into those that choose and those that do not


def test_measures_that_order_the_runs_otherwise(capsys: Capture) -> None:
    asked = ("--coefficient", "tau-b", "--coefficient", "RBO")
    found = content(capsys, "correlate", "-m", "AP", "-m", "nDCG@10", "-m", "RR", *asked)
    values = {(row["first"], row["second"], row["coefficient"]): row["value"] for row in found["correlations"]}
    assert values["AP", "nDCG@10", "tau-b"] == values["AP", "nDCG@10", "RBO"] == 1
    assert values["AP", "RR", "tau-b"] == pytest.approx(1 / 3)
    assert found["systems"] == ["bm25", "dense", "hybrid"]


def test_other_judgments_are_another_order(tmp_path: Path, capsys: Capture) -> None:
    lines = Path(GIVEN[0]).read_text().splitlines()
    turned = [f"{q} {i} {d} {int(int(g) == 0)}" for q, i, d, g in map(str.split, lines)]
    (tmp_path / "turned.qrels").write_text("\n".join(turned) + "\n")
    found = content(capsys, "correlate", "-m", "AP", "--also", str(tmp_path / "turned.qrels"), "--coefficient", "tau-b")
    (row,) = found["correlations"]
    assert (row["first"], row["second"]) == ("AP by qrels", "AP by turned.qrels")
    assert row["value"] < 1


def test_a_measure_of_which_less_is_better_orders_the_other_way_round(capsys: Capture) -> None:
    found = content(capsys, "correlate", "-m", "P@5", "-m", "NumNonrelRet@5", "--coefficient", "tau-b")
    assert found["correlations"][0]["value"] > 0


def test_orders_in_a_table(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "scores.csv").write_text("document,ann,bob\nd1,3,3\nd2,2,1\nd3,1,2\n")
    given = [
        "correlate",
        "--orders",
        str(tmp_path / "scores.csv"),
        "--coefficient",
        "tau-b",
        "--coefficient",
        "RBO",
        "--persistence",
        "0.5",
        "-f",
        "json",
    ]
    assert main(given) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["first"] + row["second"] for row in found["correlations"]] == ["annbob", "annbob"]
    assert found["correlations"][0]["value"] == pytest.approx(1 / 3)
    assert found["settings"]["RBO"] == {"p": 0.5}
    assert found["provenance"]["inputs"][0]["role"] == "values"


@pytest.mark.parametrize("command", ["correlate", "latent", "reproduce"])
def test_values_in_a_table_are_as_good_as_runs(command: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "values.csv").write_text("")
    measures = ["-m", "AP", "-m", "RR"]
    assert main(["eval", *GIVEN, *measures, "-q", "-o", str(tmp_path / "values.csv"), "--quiet"]) == 0
    one = ["-m", "AP"] if command == "latent" else []
    assert main([command, "--values", str(tmp_path / "values.csv"), *one, "-f", "json", "--quiet"]) == 0
    again = json.loads(capsys.readouterr().out)
    direct = content(capsys, command, *(one or measures))
    first = next(iter(direct))
    for one, other in zip(again[first], direct[first], strict=True):
        assert one == pytest.approx(other)
    assert direct["provenance"]["inputs"][0]["role"] == "qrels"
    assert again["provenance"]["inputs"][0]["digest"]


def test_values_may_be_drawn_in_farther(capsys: Capture) -> None:
    far, near = (content(capsys, "latent", "--squeeze", by)["parameters"] for by in ("0.1", "0.001"))
    assert far != near


def test_ties_go_as_eval_has_them(capsys: Capture) -> None:
    best, worst = (content(capsys, "latent", "--ties", ties)["parameters"] for ties in ("best", "worst"))
    assert best != worst


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["reproduce", *GIVEN[:2]], 1, "at least 2 systems are needed"),
        (["reproduce", *GIVEN, "--rate", "5"], 2, "rate must be a number from 0 to 1"),
        (["reproduce", *GIVEN, "--resamples", "0"], 2, "resamples must be a positive integer"),
        (["reproduce", *GIVEN, "--level", "0"], 2, "level must be a number between 0 and 1"),
        (["latent", *GIVEN[:2]], 1, "two systems and two queries"),
        (["latent", *GIVEN, "-m", "NumRet"], 1, "values from 0 to 1"),
        (["latent", *GIVEN, "--model", "success"], 1, "use model='beta'"),
        (["latent", *GIVEN, "--select", "9"], 2, "k must be between 1 and the number of queries, 8"),
        (["latent", *GIVEN, "--confidence", "95"], 2, "confidence must lie"),
        (["correlate", *GIVEN, "-m", "AP"], 2, "only one ranking"),
        (["correlate", "--orders", "a.csv", "--values", "b.csv"], 2, "either --values"),
        (["correlate", GIVEN[0], "--orders", "a.csv"], 2, "QRELS applies only to runs"),
        (["correlate", "--orders", "a.csv", "--lower-is-better", "a"], 2, "--lower-is-better requires --values"),
        (["correlate", "--values", "a.csv", "--ties", "name"], 2, "--ties applies only to runs"),
        (["correlate"], 2, "give judgments and runs"),
        (["latent"], 2, "give judgments and runs"),
        (["correlate", *GIVEN[:2]], 1, "at least two systems"),
        (["correlate", *GIVEN, "--coefficient", "tau"], 2, "'tau' is not one of"),
        (["correlate", *GIVEN, "--also", "nowhere.qrels"], 1, "nowhere.qrels"),
        (["correlate", GIVEN[0], "-", GIVEN[1], "-m", "AP", "--also", "qrels.txt"], 2, "can be read only once"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], status: int, said: str, capsys: Capture) -> None:
    assert main(arguments) == status
    assert said in capsys.readouterr().err
