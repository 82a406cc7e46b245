"""`--system-info`: cost, time and storage of systems beside their measures, and the plot of quality against cost."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cli.files import FILES, written
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting
from cranfield.rankings.plots.cost_quality import pareto_front

Capture = pytest.CaptureFixture[str]

RUNS = ["qrels.txt", "good.run", "poor.run"]
INFO = "System,USD per 1,000,ms,hardware\ngood,2.5,38,GPU\npoor,0.1,,ordinateur à 2 cœurs\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path, FILES))
    Path("costs.csv").write_text(INFO.replace("USD per 1,000", '"USD per 1,000"'))


def printed(capsys: Capture, *arguments: str) -> str:
    assert main([*arguments, "--system-info", "costs.csv", "--quiet"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
@pytest.mark.parametrize("command", ["eval", "compare"])
def test_tables_show_what_else_is_known(command: str, form: str, capsys: Capture) -> None:
    out = printed(capsys, command, *RUNS, "-m", "RR", "-f", form)
    for text in ("USD per 1,000", "hardware", "GPU", "ordinateur à 2 cœurs", "0.1", "2.5", "38"):
        assert text in out


def test_a_baseline_that_is_a_number_has_no_info(capsys: Capture) -> None:
    out = printed(capsys, "compare", *RUNS, "-m", "RR", "--baseline", "0.3")
    rows = [line.split() for line in out.splitlines()]
    assert [row[-4:] for row in rows if row and row[0] == "good" and "GPU" in row]
    assert ["0.3", "0.3000"] in rows


def test_every_row_of_the_results_has_the_columns(capsys: Capture) -> None:
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "eval", *RUNS, "-m", "RR", "-m", "AP", "-f", "csv"))))
    assert [(row["system"], row["USD per 1,000"], row["ms"]) for row in rows] == [
        ("good", "2.5", "38"), ("good", "2.5", "38"), ("poor", "0.1", ""), ("poor", "0.1", ""),
    ]  # fmt: skip
    document = json.loads(printed(capsys, "eval", *RUNS, "-m", "RR", "-f", "json"))
    assert document["results"][1]["hardware"] == "ordinateur à 2 cœurs"
    assert [each["role"] for each in document["provenance"]["inputs"]] == ["qrels", "run", "run", "system info"]
    compared = json.loads(printed(capsys, "compare", *RUNS, "-m", "RR", "-f", "json"))
    assert compared["system_info"]["ms"] == {"good": 38, "poor": None}


def test_sorting_keeps_what_belongs_to_a_system(capsys: Capture) -> None:
    rows = [line.split() for line in printed(capsys, "eval", *RUNS, "-m", "RR", "--sort", "RR").splitlines()]
    assert {row[0]: row[2] for row in rows if row and row[0] in ("good", "poor")} == {"good": "2.5", "poor": "0.1"}


def test_a_report_has_the_columns_and_a_plot_of_each_number() -> None:
    given = ["report", *RUNS, "-m", "RR", "--system-info", "costs.csv", "-o", "page.html", "--quiet"]
    assert main(given) == 0
    page = Path("page.html").read_text()
    assert "ordinateur à 2 cœurs" in page
    assert "RR against USD per 1,000" in page
    assert "RR against ms" in page


def test_the_plot_of_quality_against_cost(capsys: Capture) -> None:
    given = ["plot", "cost-quality", *RUNS, "-m", "RR", "--system-info", "costs.csv", "--quiet"]
    assert main([*given, "-o", "plot.csv"]) == 0
    rows = {row["system"]: row for row in csv.DictReader(Path("plot.csv").read_text().splitlines())}
    assert {name: (float(row["cost"]), row["front"]) for name, row in rows.items()} == {
        "good": (2.5, "True"), "poor": (0.1, "True"),
    }  # fmt: skip
    assert main([*given, "--against", "ms", "-o", "plot.svg"]) == 0
    assert "without ms: poor" in Path("plot.svg").read_text()
    assert main([*given, "--against", "hardware"]) == 2
    assert "there is no numeric column 'hardware' in the system info" in capsys.readouterr().err
    assert main(["plot", "cost-quality", *RUNS, "--quiet"]) == 2
    assert "pass --system-info" in capsys.readouterr().err
    assert main(["plot", "tiers", *RUNS, "--system-info", "costs.csv", "--quiet"]) == 2
    assert "tiers has no --system" in capsys.readouterr().err


def test_the_front_is_what_no_other_beats() -> None:
    random = np.random.default_rng(5)
    cost, loss = random.integers(0, 8, (2, 40)).astype(float)  # many ties
    expected = [
        not any(
            cost[j] <= cost[i] and loss[j] <= loss[i] and (cost[j] < cost[i] or loss[j] < loss[i]) for j in range(40)
        )
        for i in range(40)
    ]
    assert pareto_front(cost, loss).tolist() == expected
    assert 0 < sum(expected) < 40


def test_python_takes_a_dict() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1}}
    result = cranfield.evaluate(qrels, {"x": run, "y": run}, "RR", system_info={"x": {"cost": 3}, "y": {"cost": 2}})
    assert result.info == {"cost": {"x": 3, "y": 2}}
    assert [row["front"] for row in result.plot.cost_quality().data.to_pylist()] == [False, True]
    with pytest.raises(BadSetting, match="pass --system-info"):
        cranfield.evaluate(qrels, run, "RR").plot.cost_quality()


def test_saved_results_keep_it(tmp_path: Path) -> None:
    result = cranfield.evaluate({"q": {"a": 1}}, {"x": {"q": {"a": 1}}}, "RR", system_info={"x": {"cost": 3}})
    result.save(tmp_path / "saved.cranfield")
    assert cranfield.load(tmp_path / "saved.cranfield").info == {"cost": {"x": 3}}


@pytest.mark.parametrize(("text", "said"), [
    ("system,USD\ngood,1\n", "there is no row for 'poor'"),
    ("name of it,USD\ngood,1\npoor,2\n", "names the system; call it system"),
    ("system,USD\ngood,1\npoor,2\ngood,3\n", "duplicate system 'good'"),
    ("system,value\ngood,1\npoor,2\n", "the column 'value' conflicts with a column of the results"),
    ("system,rr\ngood,1\npoor,2\n", "the column 'rr' conflicts with a column of the results"),
    ("system,USD\n,1\npoor,2\n", "the name of the system is missing"),
])  # fmt: skip
def test_tables_that_cannot_be_used_are_refused(text: str, said: str, capsys: Capture) -> None:
    Path("costs.csv").write_text(text)
    assert main(["eval", *RUNS, "-m", "RR", "--system-info", "costs.csv"]) == 1
    assert said in capsys.readouterr().err


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="cost is inf"):
        cranfield.evaluate({"q": {"a": 1}}, {"x": {"q": {"a": 1}}}, "RR", system_info={"x": {"cost": float("inf")}})


def test_systems_that_were_not_evaluated_are_named(capsys: Capture) -> None:
    Path("costs.csv").write_text("system,USD\ngood,1\npoor,2\nother,3\n")
    assert main(["eval", *RUNS, "-m", "RR", "--system-info", "costs.csv"]) == 0
    assert "costs.csv: 'other' not evaluated" in capsys.readouterr().err
