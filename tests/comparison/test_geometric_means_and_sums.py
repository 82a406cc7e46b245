"""Measures that are not averaged: geometric means, whose differences are between logarithms, and sums."""

from __future__ import annotations

import csv
import io
import re
from math import log
from statistics import geometric_mean

import pytest
from scipy import stats

import cranfield
from cranfield.comparison.result import Compared

VALUES = {"new": [0.9, 0.5, 0.7, 0.2, 0.8, 0.4], "old": [0.6, 0.5, 0.5, 0.3, 0.7, 0.1]}
TABLE = "query,system,measure,value\n" + "".join(
    f"q{place},{system},GMAP,{value}\n" for system, values in VALUES.items() for place, value in enumerate(values)
)
NOTE = "GMAP: differences are between logarithms, whose mean gives the geometric mean"


@pytest.fixture
def table(tmp_path) -> str:
    path = tmp_path / "values.csv"
    path.write_text(TABLE)
    return str(path)


def of(compared: cranfield.comparison.compare.Comparison, system: str) -> Compared:
    return next(row for row in compared.rows if row.system == system)


def test_a_number_is_compared_with_the_geometric_mean(table):
    compared = cranfield.compare(table, 0.5)
    for system, values in VALUES.items():
        row = of(compared, system)
        logs = [log(value) for value in values]
        assert row.p == pytest.approx(stats.ttest_1samp(logs, log(0.5)).pvalue)
        assert (row.wins, row.losses) == (sum(v > 0.5 for v in values), sum(v < 0.5 for v in values))
        assert row.difference == pytest.approx(log(geometric_mean(values) / 0.5))
        assert (row.mean, row.baseline_mean) == pytest.approx((geometric_mean(values), 0.5))
        deviation = stats.tstd([value - log(0.5) for value in logs])
        assert compared.working(row)["deviation"] == pytest.approx(deviation)


def test_means_are_the_same_in_tables_and_in_csv(table):
    compared = cranfield.compare(table, "old")
    (row,) = csv.DictReader(io.StringIO(compared.to_csv()))
    assert float(row["mean"]) == pytest.approx(compared["new", "GMAP"]) == pytest.approx(geometric_mean(VALUES["new"]))
    assert float(row["difference"]) == pytest.approx(log(float(row["mean"]) / float(row["baseline_mean"])))
    assert row["interval"] == "95 % t, between logarithms"
    assert compared.bounds == "95 % t"


def test_a_finding_names_the_values_and_the_scale_of_the_difference(table):
    (finding,) = (one for one in cranfield.compare(table, "old").findings() if one.rule == "not-significant")
    shown = [geometric_mean(VALUES[system]) for system in ("new", "old")]
    assert f"new ({shown[0]:.2f}) and old ({shown[1]:.2f}) differ by " in finding.sentence
    assert "between mean logarithms" in finding.sentence


def test_steps_subtract_logarithms(table):
    compared = cranfield.compare(table, "old")
    steps = compared.steps(compared.rows[0])
    mean = (sum(map(log, VALUES[system])) / 6 for system in ("new", "old"))
    assert "mean difference of logarithms: {:.4f} - {:.4f} = ".format(*mean) in steps


def test_a_mixed_model_takes_logarithms_whatever_the_form_of_the_data(table):
    logs = {system: [log(value) for value in values] for system, values in VALUES.items()}
    expected = cranfield.mixed_model(logs, "old").contrasts[0]
    found = cranfield.mixed_model(table, "old")
    assert found.contrasts[0].difference == pytest.approx(expected.difference)
    assert found.contrasts[0].p == pytest.approx(expected.p)
    assert NOTE in found.notes


def test_a_meta_analysis_names_the_scale_and_the_queries_left_out():
    some = {**RUNS, "old": {query: ranked for query, ranked in RUNS["old"].items() if query != "q3"}}
    with pytest.warns(cranfield.errors.CranfieldWarning, match="missing"):
        part = cranfield.evaluate(QRELS, some, ["GMAP", "AP"], missing="skip")
    every = cranfield.evaluate(QRELS, RUNS, ["GMAP", "AP"], missing="skip")
    found = cranfield.meta_analysis({"all": every, "part": part}, "old")
    assert NOTE in found.notes
    assert "part: AP: missing from the run of some system: 1 of 6 queries, left out" in found.notes


def test_plots_show_geometric_means_and_the_power_of_the_test_that_is_made(table):
    compared = cranfield.compare(table, "old")
    shown = cranfield.plot.systems(compared)
    assert shown.sketch.means == tuple((name, pytest.approx(compared[name, "GMAP"])) for name in ("new", "old"))
    assert "geometric mean" in shown.subtitle
    planned = cranfield.plan(table, 0.1).rows[0]
    assert f"standard deviation {planned.deviation:.3g}, as between new and old, between logarithms" in (
        cranfield.plot.power(compared).subtitle
    )


def test_plain_means_of_such_a_measure_are_announced(table):
    said = "GMAP: means and differences here are arithmetic, not geometric"
    assert said in cranfield.monitor(table, "old").notes
    assert said in cranfield.estimate(table, table).notes


def test_a_gate_says_that_its_difference_is_between_logarithms(table):
    gates = [{"measure": "GMAP", "require": "better"}, {"measure": "GMAP", "require": "at least", "value": 0.5}]
    checked = cranfield.check({"values": table, "run": "new", "baseline": "old", "min_queries": 6, "gate": gates})
    assert NOTE in str(checked)
    assert re.search(r"between mean logarithms \(90 % interval [^)]+\) over 6 queries", str(checked))
    assert "logarithms" not in str(cranfield.check({"values": table, "run": "new", "gate": gates[1:]}))


def test_a_gate_on_a_table_requires_the_geometric_mean(table):
    value = geometric_mean(VALUES["new"])  # 0.523, where the arithmetic mean is 0.583
    for required, passed in ((value - 0.001, True), (value + 0.001, False)):
        demand = {"measure": "GMAP", "require": "at least", "value": required}
        assert cranfield.check({"values": table, "run": "new", "min_queries": 6, "gate": [demand]}).passed is passed


FOUND = {"new": [9, 6, 5, 9, 5, 3], "old": [7, 6, 4, 8, 3, 4]}  # relevant documents retrieved: 37 and 32
QRELS = {f"q{place}": {f"d{n}": 1 for n in range(10)} for place in range(6)}
RUNS = {
    system: {f"q{place}": {f"d{n}": -n for n in range(found)} for place, found in enumerate(of_queries)}
    for system, of_queries in FOUND.items()
}


def gated(baseline: object, **demand: object) -> cranfield.gates.result.Gate:
    demand = {"measure": "NumRelRet", "baseline": baseline, **demand}
    gates = {"qrels": QRELS, "run": RUNS["new"], "min_queries": 6, "gate": [demand]}
    return cranfield.check(gates).gates[0]


def test_a_gate_on_a_sum_compares_sums():
    difference = [new - old for new, old in zip(FOUND["new"], FOUND["old"], strict=True)]
    with_run = gated(RUNS["old"], require="not worse", margin=3)
    assert (with_run.value, with_run.baseline_value, with_run.difference) == (37, 32, 5)
    assert with_run.p == pytest.approx(stats.ttest_1samp(difference, -3 / 6, alternative="greater").pvalue)
    error = stats.sem(difference) * 6
    assert with_run.low == pytest.approx(5 - stats.t.ppf(0.95, 5) * error)


def test_a_number_that_a_sum_is_compared_with_is_a_sum():
    with_number = gated(32, require="better")
    assert (with_number.baseline, with_number.baseline_value) == ("32", 32)
    assert with_number.difference == pytest.approx(5)
    assert with_number.p == pytest.approx(stats.ttest_1samp(FOUND["new"], 32 / 6, alternative="greater").pvalue)


def test_a_gate_on_a_sum_is_the_same_for_a_table_of_values(tmp_path):
    path = tmp_path / "values.csv"
    rows = [f"q{at},{name},NumRelRet,{n}" for name, counts in FOUND.items() for at, n in enumerate(counts)]
    path.write_text("\n".join(["query,system,measure,value", *rows]))
    demand = {"measure": "NumRelRet", "require": "at least", "value": 37}
    (gate,) = cranfield.check({"values": str(path), "run": "new", "min_queries": 6, "gate": [demand]}).gates
    assert (gate.value, gate.passed) == (37, True)


def test_a_comparison_says_that_it_compares_means_of_what_is_summed():
    compared = cranfield.evaluate(QRELS, RUNS, "NumRelRet").compare()
    assert compared["new", "NumRelRet"] == pytest.approx(37 / 6)
    assert "NumRelRet: values and differences are means per query, not sums" in compared.notes
