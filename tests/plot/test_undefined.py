"""Plots and reports of values that are undefined, and of runs without documents."""

from __future__ import annotations

import io
import json
import warnings
from dataclasses import replace

import pytest
from rich.console import Console

import cranfield
from cranfield.present.plots.terminal import printed

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 2}}
RUN = {"q1": {"a": 2.0, "x": 1.0}}


@pytest.fixture(autouse=True)
def _quiet() -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cranfield.errors.CranfieldWarning)
        yield


@pytest.mark.parametrize("qrels", [{"q1": {"a": 1}}, {"q1": {"a": 0}}], ids=["no interval", "no value"])
def test_systems_without_an_interval_or_a_value_are_drawn(qrels: dict[str, dict[str, int]]) -> None:
    result = cranfield.evaluate(qrels, {"one": RUN, "two": RUN}, "AP", undefined="skip")
    plot = replace(result, info={"USD": {"one": 1.0, "two": 3.0}}).plot.cost_quality()
    assert "NaN" not in plot.to_json()
    assert json.loads(plot.to_json())["datasets"]["data"][0]["low"] is None
    printed(plot, Console(file=io.StringIO(), width=80))


@pytest.mark.parametrize("settings", [{"form": "ranks", "query": "q2"}, {"form": "cutoffs", "points": [1]}])
def test_a_run_without_relevant_documents_has_an_empty_curve(settings: dict[str, object]) -> None:
    plot = cranfield.plot.precision_recall({"q1": {"a": 0}, "q2": {"c": 1}}, {"run": RUN}, **settings)
    printed(plot, Console(file=io.StringIO(), width=80))
    assert plot.to_svg()


def test_the_opening_sentence_names_an_undefined_measure() -> None:
    report = cranfield.report(cranfield.regress([1.0, 1.0, 1.0], [1.0, 2.0, 1.0], measures=["R2"]))
    assert report.content.lead == ("R2 is undefined for predictions.",)


def test_the_leaderboard_of_a_report_has_runs_without_documents() -> None:
    report = cranfield.report(QRELS, {"empty": {"q1": {}}, "run": RUN}, ["AP"])
    explorer = report.content.explorer
    assert explorer is not None
    assert dict(zip(explorer["systems"], explorer["board"]["judged"], strict=True)) == {"run": 0.5, "empty": None}
