"""Missing queries and undefined values: each way to count both, in aggregates, intervals, samples and comparisons."""

from __future__ import annotations

import math
from statistics import mean, median, stdev

import numpy as np
import pytest

import cranfield
from cranfield.statistics.distributions import t_quantile
from cranfield.statistics.intervals import mean_interval

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")

QRELS = {"q1": {"r": 1, "x": 0}, "q2": {"r": 1}, "q3": {"x": 0}, "q4": {"x": 0}, "q5": {"r": 1, "s": 1}, "q6": {"r": 1}}
RUNS = {
    # misses q2 and q4; finds q5's first relevant document at rank 2
    "few": {"q1": {"r": 2, "x": 1}, "q3": {"x": 1}, "q5": {"x": 3, "r": 2}, "q6": {"r": 1}},
    "all": {
        "q1": {"r": 1, "x": 2},
        "q2": {"r": 1},
        "q3": {"x": 1},
        "q4": {"y": 1},
        "q5": {"r": 2, "s": 1},
        "q6": {"x": 3, "y": 2, "z": 1, "r": 0},
    },
}
# average precision of each query that counts; no document is relevant to q3 and q4, for which it is undefined
KEPT = {
    ("zero", "zero"): {
        "few": {"q1": 1, "q2": 0, "q3": 0, "q4": 0, "q5": 0.25, "q6": 1},
        "all": {"q1": 0.5, "q2": 1, "q3": 0, "q4": 0, "q5": 1, "q6": 0.25},
    },
    ("zero", "skip"): {
        "few": {"q1": 1, "q2": 0, "q5": 0.25, "q6": 1},
        "all": {"q1": 0.5, "q2": 1, "q5": 1, "q6": 0.25},
    },
    ("skip", "zero"): {
        "few": {"q1": 1, "q3": 0, "q5": 0.25, "q6": 1},
        "all": {"q1": 0.5, "q2": 1, "q3": 0, "q4": 0, "q5": 1, "q6": 0.25},
    },
    ("skip", "skip"): {
        "few": {"q1": 1, "q5": 0.25, "q6": 1},
        "all": {"q1": 0.5, "q2": 1, "q5": 1, "q6": 0.25},
    },
}
N_UNDEFINED = {"zero": {"few": 2, "all": 2}, "skip": {"few": 1, "all": 2}}
NARROW = 0.2  # confidence with which no interval ends where average precision does
WAYS = pytest.mark.parametrize(("missing", "undefined"), KEPT)


def result_of(missing: str, undefined: str, measures: tuple[str, ...] = ("AP",), qrels: dict = QRELS):
    return cranfield.evaluate(qrels, RUNS, measures, missing=missing, undefined=undefined)


def test_ap_of_the_queries_answered_and_defined_is_that_of_these_alone():
    qrels = {"q1": {"r": 1}, "q2": {"r": 1}}
    result = cranfield.evaluate(qrels, {"a": {"q1": {"r": 1.0}}}, "AP", missing="skip", undefined="skip")
    assert result["AP"] == 1.0


@WAYS
def test_the_values_that_count(missing, undefined):
    result = result_of(missing, undefined)
    for s, system in enumerate(result.systems):
        values, kept = result.counted_values(s, 0)
        found = dict(zip([q for q, inside in zip(result.units, kept, strict=True) if inside], values, strict=True))
        assert found == KEPT[missing, undefined][system]
        assert result.n_undefined[s].tolist() == [N_UNDEFINED[missing][system]]
        shown = result.per_query("AP", system)
        assert {query for query, value in shown.items() if not math.isnan(value)} == {
            query for query in KEPT[missing, "zero"][system] if query not in ("q3", "q4")
        }


@WAYS
@pytest.mark.parametrize(
    ("how", "by_hand"),
    [
        ("mean", mean),
        ("macro", mean),
        ("median", median),
        ("sum", sum),
        ("geometric", lambda values: math.prod(max(value, 1e-5) for value in values) ** (1 / len(values))),
    ],
)
def test_every_aggregate_is_of_the_values_that_count(missing, undefined, how, by_hand):
    result = result_of(missing, undefined)
    expected = [by_hand([*KEPT[missing, undefined][system].values()]) for system in result.systems]
    assert result.aggregated(how)[:, 0] == pytest.approx(expected)


@WAYS
def test_intervals_are_of_the_values_that_count(missing, undefined):
    result = result_of(missing, undefined)
    drawn = result.intervals(method="bca")
    for system in result.systems:
        values = [*KEPT[missing, undefined][system].values()]
        half = t_quantile((1 + NARROW) / 2, len(values) - 1) * stdev(values) / math.sqrt(len(values))
        found = result.intervals(method="t", confidence=NARROW)[system, "AP"]
        assert found == pytest.approx((mean(values) - half, mean(values) + half))
        bca = mean_interval(np.array(values, np.float64), method="bca").within((0, 1))
        assert drawn[system, "AP"] == pytest.approx((bca.low[0], bca.high[0]))


@WAYS
def test_intervals_over_topics_take_the_topics_of_the_values_that_count(missing, undefined):
    topic = {query: "first" if query in ("q1", "q2") else query for query in QRELS}
    found = result_of(missing, undefined).intervals(method="t", topic=topic, confidence=NARROW)
    for system in found.systems:
        own = KEPT[missing, undefined][system]
        cluster = np.unique([topic[query] for query in own], return_inverse=True)[1]
        expected = mean_interval(np.array([*own.values()], np.float64), NARROW, "t", cluster=cluster)
        assert found[system, "AP"] == pytest.approx((expected.low[0], expected.high[0]))


@WAYS
def test_samples_are_of_the_queries_that_count_for_every_system(missing, undefined):
    few, many = (KEPT[missing, undefined][system] for system in ("few", "all"))
    shared = [query for query in many if query in few]
    samples = result_of(missing, undefined).samples("AP")
    assert samples.units == tuple(shared)
    assert samples.values.tolist() == [[own[query] for query in shared] for own in (few, many)]
    lost = ["AP: missing from the run of some system: 2 of 6 queries, left out"] * (missing == "skip")
    n_undefined = 1 if missing == "skip" else 2  # of the queries that both answer
    lost += [f"AP: undefined for some system: {n_undefined} of 6 queries, left out"] * (undefined == "skip")
    assert list(samples.notes) == lost
    (row,) = result_of(missing, undefined).compare().rows
    assert (row.n, row.left_out) == (len(shared), 6 - len(shared))
    assert row.difference == pytest.approx(mean(few[query] - many[query] for query in shared))


@pytest.mark.parametrize("undefined", ["zero", "skip"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_a_micro_average_pools_the_queries_that_count_and_its_interval_leaves_each_of_them_out(missing, undefined):
    found = result_of(missing, undefined, ("R@1",))
    relevant_first = {"few": {"q1", "q6"}, "all": {"q2", "q5"}}
    for s, system in enumerate(found.systems):
        counted = [query for query in QRELS if missing == "zero" or query in RUNS[system]]

        def pooled(queries, system=system):
            n_relevant = sum(grade for query in queries for grade in QRELS[query].values())
            return len(relevant_first[system].intersection(queries)) / n_relevant

        whole, left_out = pooled(counted), [pooled([q for q in counted if q != out]) for out in counted]
        assert found.aggregated("micro")[s, 0] == pytest.approx(whole)
        n = len(counted)
        error = math.sqrt((n - 1) / n * sum((value - mean(left_out)) ** 2 for value in left_out))
        half = t_quantile((1 + NARROW) / 2, n - 1) * error
        bounds = found.intervals(how="micro", confidence=NARROW)[system, "R@1"]
        assert bounds == pytest.approx((whole - half, whole + half))


def test_a_finding_says_over_which_queries_its_means_are():
    told = {missing: cranfield.examine(result_of(missing, "zero")) for missing in ("zero", "skip")}
    zero, skip = ([each.sentence for each in found if each.rule == "not-significant"] for found in told.values())
    assert "few (0.38) and all (0.46) differ by 0.08, not statistically" in zero[0]
    assert " on the 4 queries scored for all systems, not statistically" in skip[0]
