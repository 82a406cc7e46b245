"""Names of users that plots also use, and names that are shown alike."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest
from rich.console import Console

import cranfield
from cranfield.evidence.confusion import Confusion
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.terminal import printed

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1, "c": 2}}
RUNS = {
    "ideal": {"q1": {"a": 1.0, "x": 0.5}, "q2": {"x": 1.0}},
    "dense": {"q1": {"x": 2.0, "b": 1.0}, "q2": {"c": 1.0}},
}


@pytest.fixture(autouse=True)
def _quiet() -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cranfield.errors.CranfieldWarning)
        yield


def lines(plot: Plot) -> list[str]:
    console = Console(file=io.StringIO(), width=80)
    printed(plot, console)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


def test_a_system_called_ideal_is_drawn_beside_the_ideal_ranking() -> None:
    rows = cranfield.plot.buildup(QRELS, RUNS, k=2).data.to_pylist()
    value = {(row["system"], row["rank"]): row["value"] for row in rows}
    assert value["ideal", 2] == 1  # grade 2 at rank 1 of one of two queries
    assert value["(ideal)", 2] > value["ideal", 2]


def test_a_class_called_all_is_not_merged_with_the_margins() -> None:
    plot = cranfield.plot.confusion(Confusion.of(("all", "some"), np.array([[5, 1], [2, 7]])))
    cells = {(row["actual"], row["predicted"]): row["n"] for row in plot.data.to_pylist()}
    assert (cells["all", "all"], cells["all", "(all)"], cells["(all)", "(all)"]) == (5, 6, 15)
    assert plot.spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == ["all", "some", "(all)"]
    assert [line.split()[0] for line in lines(plot)[3:6]] == ["all", "some", "(all)"]


def test_rows_whose_names_are_shortened_alike_are_not_merged_on_a_terminal() -> None:
    names = [f"the-long-name-of-a-system-{middle}-with-the-same-end-as-others" for middle in ("one", "two")]
    runs = dict(zip(names, RUNS.values(), strict=True))
    shown = [line for line in lines(cranfield.plot.strips(QRELS, runs, query="q1", k=2)) if line.startswith("the-long")]
    assert [line.split()[1:] for line in shown] == [["█2", "·"], ["·", "▒1"]]


def test_gates_of_one_measure_have_separate_bars() -> None:
    gates = [
        {"measure": "AP", "require": "at least", "value": 0.1},
        {"measure": "AP", "require": "at least", "value": 0.9},
    ]
    checked = cranfield.check({"qrels": QRELS, "run": RUNS["dense"], "gate": gates})
    assert len(checked.plot.summary().data) == 2
