"""`cranfield measures` tells what can be measured."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from cranfield.cli.main import main
from cranfield.commands.parameters import measure_names
from cranfield.measures.registry import declarations

Golden = Callable[[str, str], None]
Capture = pytest.CaptureFixture[str]


def test_a_measure_is_explained_as_before(capsys: Capture, golden: Golden) -> None:
    assert main(["measures", "Success"]) == 0
    golden("cli/measures-Success.txt", capsys.readouterr().out)


def test_all_measures_are_listed(capsys: Capture) -> None:
    assert main(["measures"]) == 0
    firsts = [line.partition(" ")[0] for line in capsys.readouterr().out.splitlines()]
    assert set(declarations()) <= set(firsts)


def test_all_measures_are_json(capsys: Capture) -> None:
    assert main(["measures", "--format", "json"]) == 0
    assert set(declarations()) <= {record["name"] for record in json.loads(capsys.readouterr().out)}


def test_a_measure_is_found_by_another_tools_name(capsys: Capture) -> None:
    assert main(["measures", "ndcg_cut_10", "-f", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("**nDCG: Normalised discounted cumulative gain (rankings)**")


def test_names_are_completed() -> None:
    assert ("nDCG", "Normalised discounted cumulative gain") in measure_names("nD")
    assert [name for name, _ in measure_names("nDCG@1")] == [f"nDCG@{k}" for k in (1, 5, 10, 20, 100, 1000)]
    assert list(measure_names("nothing")) == []
