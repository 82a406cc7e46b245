"""Results as what questions are asked of: on which scale, with which queries, by which measure."""

from __future__ import annotations

import numpy as np
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
    assert cranfield.reproduce(result, draws=50).rows[0].tau == cranfield.reproduce(logs, draws=50).rows[0].tau
    assert cranfield.select_queries(result, 2).tau == pytest.approx(
        cranfield.select_queries(logs, 2, seed=0).tau, abs=1e-12
    )
    for notes in (cranfield.plan(result, 0.1).notes, (cranfield.reproduce(result, draws=5).rows[0].note,)):
        assert "differences are those of the logarithms" in notes[0]


def test_latent_models_and_plots_take_values_as_they_are():
    result = evaluated("GMAP")
    assert result.samples("GMAP").values.min() >= 0
    assert cranfield.latent(result).model == "beta"  # which takes values from 0 to 1


def test_queries_left_out_are_announced_by_every_verb():
    some = {"up": UP, "down": {query: ranked for query, ranked in DOWN.items() if query != "q3"}}
    with pytest.warns(cranfield.errors.CranfieldWarning):
        result = cranfield.evaluate(QRELS, some, "AP", missing="skip")
    said = "AP: not every system answers 1 of the 8 queries, which are left out"
    assert cranfield.compare(result).notes == (said,)
    assert cranfield.plan(result, 0.1).notes == (said,)
    assert said in cranfield.reproduce(result, draws=5).rows[0].note
    assert cranfield.select_queries(result, 2).notes == (said,)
    assert said in cranfield.latent(result).notes


def classified():
    actual = np.tile([0, 1, 1, 0, 1], 8)
    said = {"a": actual, "b": np.roll(actual, 1), "c": np.r_[actual[:20], 1 - actual[20:]]}
    return cranfield.classify(actual, said, measures=["Accuracy", "F1"], by=np.arange(40) % 4)


def test_a_classification_is_asked_by_the_measure_that_is_named():
    assert len(cranfield.select_queries(classified(), 2, "Accuracy").queries) == 2
    assert cranfield.latent(classified(), "Accuracy").systems == ("a", "b", "c")
    with pytest.raises(BadSetting, match="say by which measure: one of Accuracy"):
        cranfield.latent(classified())


def test_groups_are_called_groups():
    alone = cranfield.classify([0, 1, 1], {"a": [0, 1, 0], "b": [1, 1, 1]}, measures="Accuracy", by=["x", "x", "x"])
    with pytest.raises(BadInput, match="1 group only"):
        cranfield.compare(alone)
    with pytest.raises(BadInput, match="1 group only"):
        cranfield.plan(alone, 0.1)


def test_plain_values_have_no_measure():
    with pytest.raises(BadSetting, match="plain values, which have no measure"):
        cranfield.select_queries({"a": [1, 2], "b": [2, 4]}, 1, "AP")
