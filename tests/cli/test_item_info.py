"""`--item-info` and `--baseline`: measures that need data on items or another system, on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cranfield.cli.main import main
from cranfield.comparison.compare import compare
from cranfield.rankings.evaluate import evaluate

Capture = pytest.CaptureFixture[str]

MOVIES = Path(__file__).parents[2] / "examples" / "movies"
INPUTS = [str(MOVIES / name) for name in ("likes.qrels", "popular.run", "personal.run")]
ITEMS = str(MOVIES / "items.csv")


def printed(capsys: Capture, *arguments: str) -> Any:
    assert main([*arguments, "--quiet", "-f", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_eval_prints_what_evaluate_returns(capsys: Capture) -> None:
    measures = ["ItemGini@5", "Novelty@5", "URisk(of='Novelty@5', baseline='popular')"]
    options = ["-m", "ItemGini@5,Novelty@5,URisk(of=Novelty@5)", "--item-info", ITEMS, "--baseline", "popular"]
    document = printed(capsys, "eval", *INPUTS, *options)
    result = evaluate(INPUTS[0], INPUTS[1:], measures, item_info=ITEMS)
    expected = [result[system, measure] for system in result.systems for measure in measures]
    assert [row["value"] for row in document["results"]] == expected
    assert [origin["role"] for origin in document["provenance"]["inputs"]] == ["qrels", "run", "run", "item info"]


def test_compare_passes_the_baseline_and_the_items_on(capsys: Capture) -> None:
    options = ["-m", "Novelty@5,URisk(of=ILD@5)", "--item-info", ITEMS, "--baseline", "popular"]
    rows = printed(capsys, "compare", *INPUTS, *options)["comparisons"]
    measures = ["Novelty@5", "URisk(of='ILD@5', baseline='popular')"]
    compared = compare(evaluate(INPUTS[0], INPUTS[1:], measures, item_info=ITEMS), "popular")
    assert [(row["measure"], row["p"]) for row in rows] == [(row.measure, row.p) for row in compared.rows]


def test_a_report_passes_them_on_too(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    measures = "nDCG@5,ItemCoverage@5,URisk(of=nDCG@5),TRisk(of=nDCG@5)"
    options = ["-m", measures, "--item-info", ITEMS, "-b", "popular", "-o", str(page)]
    assert main(["report", *INPUTS, *options, "--quiet"]) == 0
    assert all(name in page.read_text("utf-8") for name in ("ItemCoverage@5", "URisk(of=", "TRisk(of="))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["eval", *INPUTS, "-m", "Novelty@5"], "Novelty@5 needs data on items"),
        (["eval", *INPUTS, "-m", "AP", "--item-info", ITEMS], "none was requested"),
        (["eval", *INPUTS, "-m", "URisk"], "URisk needs a baseline"),
        (["eval", *INPUTS, "-m", "URisk", "-b", "nobody"], "no system is called 'nobody'"),
        (["eval", *INPUTS, "-m", "Novelty@5", "--item-info", INPUTS[1]], "names the item; call it item"),
        (["compare", *INPUTS, "-m", "TRisk", "-b", "popular"], "this needs a value for each query"),
        (["report", *INPUTS, "-m", "GeoRisk,AP", "-o", "page.html"], "put another measure first"),
    ],
)
def test_mistakes_get_one_clear_line(arguments: list[str], message: str, capsys: Capture) -> None:
    assert main([*arguments, "--quiet"]) != 0
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
