"""The verbs of uncertainty, from results and plain values to answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import samples

RNG = np.random.default_rng(6)
N = 40
RELEVANT = {f"q{n}": {f"d{d}": int(d < 3) for d in range(12)} for n in range(N)}


def run(skill: float) -> dict[str, dict[str, float]]:
    """A run that puts relevant documents higher the more skill it has."""
    made = {}
    for query, judged in RELEVANT.items():
        scores = {document: skill * grade + RNG.normal() for document, grade in judged.items()}
        made[query] = dict(sorted(scores.items(), key=lambda pair: -pair[1]))
    return made


RUNS = {"weak": run(0.3), "fair": run(1.0), "good": run(2.5)}
RESULT = cranfield.evaluate(RELEVANT, RUNS, ["AP", "RR"])


def test_a_result_is_compared_by_the_verb_as_by_its_own():
    assert cranfield.compare(RESULT, "weak").records()["comparisons"] == RESULT.compare("weak").records()["comparisons"]
    assert cranfield.compare(RESULT, "weak").row("good", measure="AP").significant


def test_plain_values_are_compared():
    found = cranfield.compare({"a": [1, 2, 3.5], "b": [0, 1, 3]}, "b", correction="none")
    assert found.rows[0].p == pytest.approx(0.0377, abs=1e-4)
    with pytest.raises(BadInput, match="int has no paired units"):
        cranfield.compare(7)


def test_classifiers_are_compared_on_items_by_mcnemar_and_on_groups_by_t():
    actual = RNG.integers(0, 2, 200)
    flip = lambda share: np.where(RNG.random(200) < share, 1 - actual, actual)  # noqa: E731
    said = {"good": flip(0.1), "bad": flip(0.4)}
    items = cranfield.compare(cranfield.classify(actual, said), "bad")
    assert items.test.name == "mcnemar"
    wins = int(((said["good"] == actual) & (said["bad"] != actual)).sum())
    assert items.rows[0].wins == wins
    groups = cranfield.compare(cranfield.classify(actual, said, by=np.arange(200) % 10), "bad")
    assert (groups.test.name, groups.unit, groups.rows[0].n) == ("t", "group", 10)


def test_a_scorer_is_right_where_its_threshold_is():
    actual = RNG.integers(0, 2, 100)
    scores = {"good": actual + RNG.normal(0, 0.4, 100), "bad": actual + RNG.normal(0, 2.0, 100)}
    found = cranfield.compare(cranfield.classify(actual, score=scores, threshold=0.5), "bad").rows[0]
    assert found.mean == pytest.approx(((scores["good"] >= 0.5) == actual).mean())


def test_a_pilot_tells_how_many_queries_are_needed():
    found = cranfield.plan(RESULT, 0.05, baseline="weak")
    row = next(row for row in found.rows if row.system == "good" and row.measure == "AP")
    assert cranfield.units_needed(0.05, row.deviation) == row.needed
    assert cranfield.power(N, 0.05, row.deviation) == pytest.approx(row.power)
    assert cranfield.smallest_difference(N, row.deviation) == pytest.approx(row.smallest)
    assert found.table().num_rows == 4
    longer = cranfield.plan(RESULT, 0.05, baseline="weak", queries=row.needed).rows
    assert next(one for one in longer if one.system == "good" and one.measure == "AP").power >= 0.8
    with pytest.raises(BadInput, match="so their variance cannot be estimated"):
        cranfield.plan({"a": [1, 2], "b": [1, 2]}, 0.1)


def test_a_deviation_plans_without_a_pilot():
    (row,) = cranfield.plan(0.1, 0.02, queries=50).rows
    assert row.needed == cranfield.units_needed(0.02, 0.1)
    assert row.power == pytest.approx(cranfield.power(50, 0.02, 0.1))
    with pytest.raises(BadSetting, match="queries must be an integer of at least 2, not 0"):
        cranfield.plan(0.1, queries=0)
    with pytest.raises(BadSetting, match="pass the difference to detect, or the number of queries"):
        cranfield.plan(0.1)


def test_pairs_that_never_vary_are_left_out_of_a_plan_and_named():
    found = cranfield.plan({"a": [1, 2, 4], "b": [0, 1, 3], "c": [0, 5, 1]}, 0.1)
    assert len(found.rows) == 2
    assert found.notes == ("value: a and b differ by a constant and are left out",)


def test_reproduction_of_every_measure():
    found = cranfield.reproduce(RESULT, resamples=100)
    assert [row.measure for row in found.rows] == ["AP", "RR"]
    assert found.rows[0].discriminative_power == 1
    assert found.rows[0].swap_rate < 0.05
    assert found.table().num_rows == 2
    assert set(found.stability) == {"AP", "RR"}


def test_systems_that_are_alike_have_no_order_to_reproduce_and_it_is_said():
    (row,) = cranfield.reproduce({"a": [1, 2, 3], "b": [1, 2, 3]}, resamples=20).rows
    assert row.note == "all systems have the same mean, so there is no ranking to reproduce"


def test_queries_and_abilities_need_one_measure():
    assert len(cranfield.select_queries(RESULT, 3, "AP").queries) == 3
    with pytest.raises(BadSetting, match="choose a measure: one of AP, RR"):
        cranfield.latent(RESULT)
    found = cranfield.latent(RESULT, "AP")
    assert found.model == "beta"
    with pytest.raises(BadSetting, match=r"between 0 and 0\.5, not 0"):
        cranfield.latent(RESULT, "AP", squeeze=0)
    assert found.systems[int(np.argmax(found.ability))] == "good"


def said_by_judges() -> dict[str, dict[str, dict[str, int]]]:
    lenient = {
        query: {d: max(g, int(d in ("d3", "d4"))) for d, g in judged.items()} for query, judged in RELEVANT.items()
    }
    return {"strict": RELEVANT, "lenient": lenient}


def test_the_order_of_the_systems_by_each_judge():
    found = cranfield.reorder(said_by_judges(), RUNS, ["AP"], combined=("any", "all", "majority"))
    assert found.judges == ("lenient", "strict", "any of the judges", "all of the judges", "majority of the judges")
    both = {(row.judge, row.other): row for row in found.rows}
    assert both["lenient", "any of the judges"].tau == 1
    assert both["lenient", "any of the judges"].greatest_change == 0
    assert both["strict", "all of the judges"].greatest_change == 0
    assert both["lenient", "strict"].greatest_change > 0
    assert both["lenient", "strict"].best == "good"
    assert found.table().num_rows == 10


def test_judges_that_turn_the_order_round():
    said = {"ann": {"q": {"d1": 1, "d2": 0}}, "bob": {"q": {"d1": 0, "d2": 1}}}
    runs = {"up": {"q": {"d1": 2, "d2": 1}}, "down": {"q": {"d2": 2, "d1": 1}}}
    (row,) = cranfield.reorder(said, runs, "RR", combined=()).rows
    assert (row.tau, row.swapped, row.best, row.other_best) == (-1, 1, "up", "down")


def test_the_best_is_the_one_with_least_where_less_is_better():
    (row,) = cranfield.reorder(said_by_judges(), RUNS, "NumNonrelRet@2", combined=()).rows
    least = cranfield.evaluate(said_by_judges()["lenient"], RUNS, "NumNonrelRet@2").aggregated()[:, 0]
    assert row.best == list(RUNS)[int(least.argmin())]


def test_judges_are_compared_on_the_topics_that_both_judged():
    said = {"ann": {"q": {"d1": 1, "d2": 0}}, "bob": {"q": {"d1": 1, "d2": 0}, "r": {"d1": 0, "d2": 1}}}
    runs = {"up": {q: {"d1": 2, "d2": 1} for q in "qr"}, "down": {q: {"d2": 2, "d1": 1} for q in "qr"}}
    with pytest.warns(UserWarning, match="both runs have queries without judgments, left out: up .1., down .1."):
        (row,) = cranfield.reorder(said, runs, "RR", combined=()).rows
    assert (row.n_topics, row.tau, row.greatest_change) == (1, 1, 0)
    assert row.note == "1 topic judged by only one of them left out"


def test_no_tau_says_why():
    said = {"ann": {"q": {"d1": 1, "d2": 0}}, "bob": {"q": {"d1": 1, "d2": 1}}}
    runs = {"up": {"q": {"d1": 2, "d2": 1}}, "down": {"q": {"d2": 2, "d1": 1}}}
    (row,) = cranfield.reorder(said, runs, "RR", combined=()).rows
    assert np.isnan(row.tau)
    assert row.note == "no tau: all systems are equal by bob"
    assert row.other_best == ""
    apart = {"ann": {"q": {"d1": 1}}, "bob": {"r": {"d1": 1}}}
    both = {name: {"q": ranking["q"], "r": ranking["q"]} for name, ranking in runs.items()}
    with pytest.warns(UserWarning, match="both runs have queries without judgments"):
        (row,) = cranfield.reorder(apart, both, "RR", combined=()).rows
    assert (row.n_topics, np.isnan(row.tau)) == (0, True)
    assert "a system has no value on the topics that both judged" in row.note


def test_orders_by_every_two_measures_and_orders_as_given():
    found = cranfield.correlate(RESULT, coefficients=["tau-b", "RBO"], p=0.5)
    assert found.orders == ("AP", "RR")
    assert [row.coefficient for row in found.rows] == ["tau-b", "RBO"]
    assert found.settings["RBO"] == {"p": 0.5}
    given = cranfield.correlate(
        {"ann": ["a", "b", "c"], "bob": {"a": 3, "b": 1, "c": 2}, "cy": {"a": 1, "b": 1, "c": 1}}
    )
    assert given.rows[0].value == pytest.approx(1 / 3)
    assert given.rows[2].note == "undefined: all items are tied in the second ranking"
    both = cranfield.correlate({"first": RESULT, "second": RESULT}, coefficients="tau-b")
    assert both.orders[:2] == ("AP by first", "RR by first")
    with pytest.raises(BadInput, match="list does not contain rankings"):
        cranfield.correlate([1, 2])


def test_tau_ap_without_a_true_order_is_the_same_both_ways_round():
    orders = {
        "a": {"x": 4, "y": 3, "z": 2, "w": 1},
        "b": {"x": 3, "y": 4, "z": 1, "w": 2},
    }
    there = cranfield.correlate(orders, coefficients="tau-AP").rows[0].value
    back = cranfield.correlate(dict(reversed(orders.items())), coefficients="tau-AP").rows[0].value
    assert there == back


def test_what_has_no_order_is_said():
    with pytest.raises(BadInput, match="only one system"):
        cranfield.reorder(said_by_judges(), {"good": RUNS["good"]}, "AP")
    with pytest.raises(BadInput, match="are not grades"):
        cranfield.reorder([("q", "d1", "a", "yes"), ("q", "d1", "b", "no")], RUNS, "AP")
    with pytest.raises(BadSetting, match="any, all or majority"):
        cranfield.reorder(said_by_judges(), RUNS, "AP", combined=("most",))


def test_agreement_of_the_judges():
    found = cranfield.agree(said_by_judges(), ["Kappa", "Overlap"], per=["all"], resamples=100)
    assert found["Overlap"] == pytest.approx(3 / 5)
    assert found.row("Kappa").low < found["Kappa"] < found.row("Kappa").high


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_is_compared_as_a_table_of_values_is(make):
    wide = make({"query": ["q1", "q2", "q3"], "a": [0.1, 0.4, 0.3], "b": [0.3, 0.2, 0.5]})
    plain = cranfield.compare({"a": [0.1, 0.4, 0.3], "b": [0.3, 0.2, 0.5]}, "b")
    assert cranfield.compare(wide, "b").rows[0].p == plain.rows[0].p
    assert cranfield.latent(wide).queries == ("q1", "q2", "q3")
    tidy = {"system": ["a", "a", "b", "b"] * 2, "query": ["q1", "q2"] * 4, "measure": ["AP"] * 4 + ["RR"] * 4}
    found = cranfield.compare(make(tidy | {"value": [0.1, 0.2, 0.3, 0.2, 1.0, 0.5, 0.5, 0.5]}), "b")
    assert [row.measure for row in found.rows] == ["AP", "RR"]


def test_the_index_of_a_pandas_frame_names_the_units():
    frame = pd.DataFrame({"a": [0.1, 0.4], "b": [0.3, 0.2], "c": [0.5, 0.2]}, index=[7, 8])
    assert cranfield.latent(frame).queries == ("7", "8")


def test_a_measure_of_several_samples_is_named():
    own = {"AP": samples({"a": [0.1, 0.4], "b": [0.3, 0.2]}), "RR": samples({"a": [1, 0.5], "b": [0.5, 0.5]})}
    assert [row.measure for row in cranfield.compare(own).rows] == ["AP", "RR"]
    assert cranfield.latent(own, "AP").systems == ("a", "b")
    for wanted in (None, "P"):
        with pytest.raises(BadSetting, match="choose a measure: one of AP, RR"):
            cranfield.latent(own, wanted)
