"""Directions: what is said where lower values may be better."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting, CranfieldWarning

SLOW, FAST = [30.0, 51.5, 42.0, 77.0, 64.5], [20.0, 44.0, 39.5, 60.0, 58.0]


def values(measure: str) -> pd.DataFrame:
    rows = [
        (name, query, measure, value)
        for name, row in (("slow", SLOW), ("fast", FAST))
        for query, value in enumerate(row)
    ]
    return pd.DataFrame(rows, columns=["system", "query", "measure", "value"])


@pytest.mark.parametrize("measure", ["latency", "Validation loss", "word error rate", "cost in USD"])
def test_an_unknown_measure_whose_name_suggests_that_lower_is_better_is_named(measure):
    with pytest.warns(CranfieldWarning, match=f"higher values of {measure} count as better; if lower ones are, pass"):
        assert cranfield.compare(values(measure), "fast").rows[0].wins == 5
    assert cranfield.compare(values(measure), "fast", lower_is_better=[measure]).rows[0].wins == 0
    assert cranfield.compare(values(measure), "fast", lower_is_better=False).rows[0].wins == 5


def test_nothing_is_said_of_known_measures_of_others_and_where_the_direction_does_not_matter():
    assert cranfield.compare(values("MAE"), "fast").rows[0].losses == 5
    assert cranfield.compare(values("speed"), "fast").rows[0].wins == 5
    assert cranfield.plan(values("latency"), 5).rows


def test_a_gate_on_such_a_measure_warns_too():
    gates = {"values": {"slow": SLOW, "fast": FAST}, "run": "slow", "baseline": "fast", "min_queries": 5}
    gate = {"measure": "latency", "require": "better"}
    with pytest.warns(CranfieldWarning, match="higher values of latency count as better"):
        (undecided,) = cranfield.check(gates | {"gate": [gate]}).gates
    assert undecided.outcome == "undecided"
    assert "set lower_is_better" in undecided.reasons[0]
    assert "higher values of latency count as better" in undecided.warnings[0]
    (failed,) = cranfield.check(gates | {"gate": [gate], "lower_is_better": ["latency"]}).gates
    assert failed.outcome == "failed"


@pytest.mark.parametrize(
    ("alternative", "meaning"), [("greater", "higher values are worse"), ("less", "lower values are better")]
)
def test_a_one_sided_test_says_what_its_alternative_means_for_errors(alternative, meaning):
    shown = str(cranfield.compare(values("MAE"), "fast", alternative=alternative))
    assert f"alternative {alternative}: {meaning} for MAE" in shown


def test_orders_by_a_measure_for_which_lower_is_better_are_named(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("system,AP,MissRate\na,0.5,0.1\nb,0.4,0.25\nc,0.3,0.35\n")
    assert main(["correlate", "--orders", str(path), "--quiet"]) == 0
    assert "the highest MissRate is read as the best, though lower is better" in capsys.readouterr().out
    assert "MissRate is read" not in str(cranfield.correlate({"MissRate": ["a", "b", "c"], "AP": ["a", "c", "b"]}))


def test_values_that_no_latent_model_takes_are_shown_as_they_are():
    with pytest.raises(BadInput, match=r"there are values from 20\.0 to 77\.0"):
        cranfield.latent(values("MAE"))
    assert np.isfinite(
        cranfield.latent({"a": [0.1, 0.5, 0.3], "b": [0.2, 0.4, 0.9]}, lower_is_better=True).ability
    ).all()


def test_percentages_beside_proportions_are_pointed_out_in_gates_and_published_means():
    gate = {"measure": "share of failures", "require": "at most", "value": 5}
    gates = {"values": {"new": [0.5, 0.75, 0.25]}, "run": "new", "gate": [gate], "min_queries": 3}
    (undecided,) = cranfield.check(gates).gates
    assert undecided.outcome == "undecided"
    assert "are some of them percentages?" in undecided.reasons[0]
    published = cranfield.compare_published({"new": (0.85, 0.1, 50), "old": (75.0, 10.0, 50)})
    assert "are some of them percentages?" in str(published)


def test_a_correction_that_a_simultaneous_test_would_ignore_is_refused():
    with pytest.raises(BadSetting, match="so bonferroni would have no effect; with family='all'"):
        cranfield.compare({"a": SLOW, "b": FAST}, test="tukey", correction="bonferroni")
