"""Intervals of the aggregates of a result: every setting is honoured, or it is said why not."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadSetting
from cranfield.statistics.intervals import jackknife, t_interval

RNG = np.random.default_rng(8)
QRELS = {f"q{n}": {f"d{d}": int(d % (2 + n % 3) == 0) for d in range(8)} for n in range(12)}
RUN = {query: {f"d{d}": 1.0 / place for place, d in enumerate(RNG.permutation(8), 1)} for query in QRELS}
RESULT = cranfield.evaluate(QRELS, {"run": RUN}, ["AP", "P@5"])
TOPIC = {query: str(place // 3) for place, query in enumerate(RESULT.units)}


def found(**settings: object) -> tuple[float, float, str]:
    intervals = RESULT.intervals(**settings)
    return *intervals["run", "P@5"], intervals.method[0][1]


def test_topics_are_taken_by_t_unless_asked_otherwise():
    expected = t_interval(RESULT.values[0, 1][:, None], cluster=np.arange(12) // 3)
    assert (
        found(topic=TOPIC) == (expected.low[0], expected.high[0], "t over clusters") == found(topic=TOPIC, method="t")
    )
    assert found(topic=TOPIC, method="bca")[2] == "BCa bootstrap"
    assert found(topic=TOPIC, method="percentile")[2] == "percentile bootstrap"
    with pytest.raises(BadSetting, match="values that are all 0 or 1"):
        found(topic=TOPIC, method="wilson")


def test_clusters_of_one_unit_are_units():
    values = RNG.random((9, 1))
    plain, alone = t_interval(values), t_interval(values, cluster=np.arange(9))
    assert (plain.low, plain.high) == (alone.low, alone.high)


def test_what_is_pooled_leaves_out_whole_topics():
    kept = [[q for q in RESULT.units if TOPIC[q] != topic] for topic in "0123"]
    shares = [sum(RESULT.per_query("P@5")[q] for q in queries) / len(queries) for queries in kept]
    expected = jackknife(float(RESULT.aggregated("micro")[0, 1]), np.array(shares))
    assert found(how="micro", topic=TOPIC)[:2] == pytest.approx((expected.low[0], expected.high[0]))
    assert found(how="micro", topic=TOPIC)[:2] != found(how="micro")[:2]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"how": "median", "topic": TOPIC}, "the median assumes independent queries, but queries of one topic are not"),
        ({"how": "median", "method": "bca"}, "bca applies to means, not to medians"),
        ({"how": "micro", "method": "t"}, "t applies to means, not to pooled queries"),
        ({"how": "sum"}, "a sum over these queries does not generalise to other queries"),
    ],
)
def test_what_has_no_such_interval_says_why(settings, reason):
    low, high, why = found(**settings)
    assert np.isnan([low, high]).all()
    assert why == reason


def test_what_is_pooled_and_undefined_without_a_query_says_so():
    judged = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 0}, "q3": {"a": 0}}
    run = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1, "b": 0.5}, "q3": {"a": 1}}
    intervals = cranfield.evaluate(judged, {"s": run}, ["R@1"]).intervals(how="micro")
    assert np.isnan(intervals["s", "R@1"]).all()
    assert intervals.method[0][0].startswith("undefined without some of the queries")


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(BadSetting, match="aggregate must be one of"):
        RESULT.intervals(how="foo")
    with pytest.raises(BadSetting, match=r"method must be one of .*, not 'wald'"):
        RESULT.intervals(how="median", method="wald")
    with pytest.raises(BadSetting, match="between 0 and 1"):
        RESULT.intervals(how="median", confidence=95)
    with pytest.raises(BadSetting, match="number of resamples must be a positive integer, not 0"):
        RESULT.intervals(method="bca", resamples=0)


@pytest.mark.parametrize("setting", [{"how": "median"}, {"method": "bca"}, {"resamples": 50}, {"topic": {"all": "t"}}])
def test_values_over_all_items_have_intervals_of_their_own(setting):
    result = cranfield.classify([0, 1, 1, 0], {"a": [0, 1, 0, 0]}, measures="Accuracy").result
    assert result.intervals().method[0][0]
    with pytest.raises(BadSetting, match="does not apply to values computed over all items"):
        result.intervals(**setting)
