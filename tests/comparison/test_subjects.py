"""Results as what questions are asked of: on which scale, with which queries, by which measure."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting

QRELS = {f"q{n}": {"d1": 1, "d2": 0, "d3": n % 2} for n in range(8)}
UP = {f"q{n}": {"d1": 3.0, "d2": 2.0, "d3": 1.0} for n in range(8)}
DOWN = {f"q{n}": {"d3": 3.0, "d2": 2.0, "d1": 1.0} for n in range(8)}
FLAT = {f"q{n}": {"d2": 3.0, f"d{1 + n % 3 // 2 * 2}": 2.0, f"d{3 - n % 3 // 2 * 2}": 1.0} for n in range(8)}
RUNS = {"up": UP, "down": DOWN, "flat": FLAT}


def evaluated(*measures: str, **settings: object):
    return cranfield.evaluate(QRELS, RUNS, list(measures), **settings)


def test_geometric_means_are_compared_planned_and_reproduced_by_logarithms():
    result = evaluated("GMAP")
    logs = {s: np.log(np.maximum(row, 1e-5)) for s, row in zip(result.systems, result.values[:, 0], strict=True)}
    assert cranfield.compare(result).rows[0].p == pytest.approx(cranfield.compare(logs).rows[0].p)
    assert cranfield.plan(result, 0.1).rows[0].deviation == pytest.approx(cranfield.plan(logs, 0.1).rows[0].deviation)
    assert cranfield.reproduce(result, resamples=50).rows[0].tau == cranfield.reproduce(logs, resamples=50).rows[0].tau
    assert cranfield.select_queries(result, 2).tau == pytest.approx(
        cranfield.select_queries(logs, 2, seed=0).tau, abs=1e-12
    )
    for notes in (cranfield.plan(result, 0.1).notes, (cranfield.reproduce(result, resamples=5).rows[0].note,)):
        assert "differences are between logarithms" in notes[0]


def test_latent_models_and_plots_take_values_as_they_are():
    result = evaluated("GMAP")
    assert result.samples("GMAP").values.min() >= 0
    assert cranfield.latent(result).model == "beta"  # which takes values from 0 to 1


def test_queries_left_out_are_announced_by_every_verb():
    some = {"up": UP, "down": {query: ranked for query, ranked in DOWN.items() if query != "q3"}}
    with pytest.warns(cranfield.errors.CranfieldWarning):
        result = cranfield.evaluate(QRELS, some, "AP", missing="skip")
    said = "AP: missing from the run of some system: 1 of 8 queries, left out"
    assert cranfield.compare(result).notes[0] == said
    assert cranfield.plan(result, 0.1).notes == (said,)
    assert said in cranfield.reproduce(result, resamples=5).rows[0].note
    assert "AP: AP:" not in str(cranfield.reproduce(result, resamples=5))
    assert cranfield.select_queries(result, 2).notes[0] == said
    assert said in cranfield.latent(result).notes


def classified():
    actual = np.tile([0, 1, 1, 0, 1], 8)
    said = {"a": actual, "b": np.roll(actual, 1), "c": np.r_[actual[:20], 1 - actual[20:]]}
    return cranfield.classify(actual, said, measures=["Accuracy", "F1"], by=np.arange(40) % 4)


def test_a_classification_is_asked_by_the_measure_that_is_named():
    assert len(cranfield.select_queries(classified(), 2, "Accuracy").queries) == 2
    assert cranfield.latent(classified(), "Accuracy").systems == ("a", "b", "c")
    with pytest.raises(BadSetting, match="choose a measure: one of Accuracy"):
        cranfield.latent(classified())


def test_groups_are_called_groups():
    alone = cranfield.classify([0, 1, 1], {"a": [0, 1, 0], "b": [1, 1, 1]}, measures="Accuracy", by=["x", "x", "x"])
    with pytest.raises(BadInput, match="at least 2 groups are needed to test a difference; got 1"):
        cranfield.compare(alone)
    with pytest.raises(BadInput, match="at least 2 groups are needed to estimate a variance; got 1"):
        cranfield.plan(alone, 0.1)


def test_plain_values_have_no_measure():
    with pytest.raises(BadSetting, match="plain values have no measure"):
        cranfield.select_queries({"a": [1, 2], "b": [2, 4]}, 1, "AP")


def test_series_are_paired_by_their_index():
    up = pd.Series([0.1, 0.5, 0.3, 0.7], index=["w", "x", "y", "z"])
    down = pd.Series([0.9, 0.6, 0.4, 0.2], index=["z", "y", "x", "w"])
    expected = cranfield.compare({"up": [0.1, 0.5, 0.3, 0.7], "down": [0.2, 0.4, 0.6, 0.9]}).rows[0]
    found = cranfield.compare({"up": up, "down": down}).rows[0]
    assert (found.difference, found.low, found.p) == pytest.approx((expected.difference, expected.low, expected.p))
    plain = cranfield.compare({"up": up.reset_index(drop=True), "down": [0.2, 0.4, 0.6, 0.9]}).rows[0]
    assert plain.p == pytest.approx(expected.p)


def test_a_default_index_names_the_units_too_if_another_series_has_labels():
    values = pd.Series([0.1, 0.5, 0.3, 0.7])
    moved = cranfield.compare({"up": values, "down": values.iloc[::-1].add([0.1, 0.2, 0.3, 0.4])}).rows[0]
    assert (moved.difference, moved.wins, moved.losses) == (pytest.approx(-0.25), 0, 4)
    with pytest.raises(BadInput, match="a paired comparison needs the same units"):  # 0 to 3 and 1 to 4
        cranfield.compare({"up": values, "down": values.set_axis([1, 2, 3, 4])})


@pytest.mark.parametrize("named", [{"2": 0.9, "1": 0.6}, pd.Series([0.9, 0.6], index=[2, 1])])
def test_a_list_is_not_paired_with_named_units(named):
    with pytest.raises(BadInput, match="the units of b have names, but a is a list without them"):
        cranfield.compare({"a": [0.1, 0.5], "b": named})


def test_series_with_other_units_are_refused():
    up = pd.Series([0.1, 0.5, 0.3], index=["w", "x", "y"])
    with pytest.raises(BadInput, match="a paired comparison needs the same units"):
        cranfield.compare({"up": up, "down": pd.Series([0.9, 0.6, 0.4], index=["x", "y", "z"])})
    with pytest.raises(BadInput, match="up: 2 values have the index 'w'"):
        cranfield.compare({"up": up.set_axis(["w", "w", "y"]), "down": up})


@pytest.mark.parametrize("head", ["system", "model", "run", "Metric"])
def test_a_table_with_systems_or_measures_in_rows_is_refused(head, tmp_path):
    (tmp_path / "values.csv").write_text(f"{head},q1,q2,q3\nbm25,0.5,0.4,0.3\ndense,0.2,0.3,0.1\n")
    with pytest.raises(BadInput, match=f"the column '{head}' names systems or measures, but rows must be units"):
        cranfield.compare(str(tmp_path / "values.csv"))


def test_measures_of_one_system_are_not_compared_as_systems():
    frame = pd.DataFrame({"query": ["q1", "q2", "q3"], "nDCG@10": [0.5, 0.4, 0.3], "AP": [0.2, 0.3, 0.1]})
    for data in (frame, {"nDCG@10": [0.5, 0.4, 0.3], "AP": [0.2, 0.3, 0.1]}):
        with pytest.raises(BadInput, match="'nDCG@10', 'AP' are measures, but one column per system is needed"):
            cranfield.compare(data)
    letters = cranfield.compare({"F": [0.5, 0.4, 0.3], "G": [0.2, 0.3, 0.1]})  # also measures, but rather systems
    assert letters.rows[0].wins == 3


def test_the_index_of_a_frame_does_not_matter_if_a_column_names_the_rows():
    frame = pd.DataFrame({"query": [*"wxyz"], "a": [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.2, 0.1, 0.3]})
    shuffled = cranfield.compare(frame.sample(frac=1, random_state=1)).rows[0]
    assert shuffled.p == pytest.approx(cranfield.compare(frame).rows[0].p)
    ratings = pd.DataFrame({"item": [*"wxyz"], "ann": [1, 2, 1, 2], "bob": [1, 1, 1, 2]})
    kappa = cranfield.agree(ratings.iloc[[3, 1, 0, 2]], resamples=0)["Kappa"]
    assert kappa == pytest.approx(cranfield.agree(ratings, resamples=0)["Kappa"])
