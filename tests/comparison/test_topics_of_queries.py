"""Queries that are variants of topics: tests compare means of topics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import cranfield
from cranfield.comparison.compare import compare_samples
from cranfield.errors import BadInput
from cranfield.evidence.samples import Samples
from cranfield.results.samples import topic_means
from cranfield.statistics.tests import find

TOPIC = {"1": "fish", "2": "fish", "3": "fish", "4": "birds", "5": "birds", "6": "cats", "7": "dogs"}
VALUES = {"new": [0.5, 0.4, 0.6, 0.3, 0.5, 0.9, 0.2], "old": [0.1, 0.2, 0.3, 0.4, 0.2, 0.5, 0.3]}


def means(values: list[float]) -> list[float]:
    topics = sorted({*TOPIC.values()})
    return [np.mean([v for v, topic in zip(values, TOPIC.values(), strict=True) if topic == name]) for name in topics]


def test_the_t_test_of_topics_is_that_of_their_means():
    found = cranfield.compare(VALUES, "old", topic=TOPIC)
    row = found.rows[0]
    expected = stats.ttest_rel(means(VALUES["new"]), means(VALUES["old"]))
    assert (row.p, row.n) == (pytest.approx(expected.pvalue), 4)
    interval = expected.confidence_interval()
    assert (row.low, row.high) == pytest.approx((interval.low, interval.high))
    assert found.unit == "topic"
    assert found.means[:, 0] == pytest.approx([np.mean(means(VALUES[name])) for name in ("new", "old")])
    assert "every topic counts the same" in found.notes[0]


@pytest.mark.parametrize("test", ["randomisation", "wilcoxon", "sign", "tukey", "nemenyi", "dunnett", "bootstrap"])
def test_every_test_takes_topics(test):
    clustered = cranfield.compare(VALUES, "old", test=test, topic=TOPIC)
    averaged = cranfield.compare({name: means(values) for name, values in VALUES.items()}, "old", test=test)
    assert clustered.rows[0].p == pytest.approx(averaged.rows[0].p)


def test_posteriors_take_topics():
    clustered = cranfield.compare_bayesian(VALUES, "old", topic=TOPIC)
    averaged = cranfield.compare_bayesian({name: means(values) for name, values in VALUES.items()}, "old")
    assert clustered.rows[0].better == pytest.approx(averaged.rows[0].better)


def test_geometric_means_of_topics_are_geometric():
    samples = Samples(("a", "b"), tuple("1245"), np.array([[0.1, 0.4, 0.2, 0.8], [0.3, 0.3, 0.1, 0.9]]))
    found = topic_means({"GMAP": samples}, TOPIC)["GMAP"]
    assert found.units == ("birds", "fish")
    assert found.values == pytest.approx(np.array([[0.4, 0.2], [0.3, 0.3]]))


def test_a_query_without_topic_is_reported():
    with pytest.raises(BadInput, match=r"unit '7' has no topic; it is missing for 1 of 7 units"):
        cranfield.compare(VALUES, topic={name: topic for name, topic in TOPIC.items() if name != "7"})


@pytest.mark.simulation
def test_variants_of_a_topic_are_not_independent_and_topics_keep_the_level():
    rng = np.random.default_rng(5)
    units = tuple(map(str, range(100)))
    topic = {unit: str(place // 4) for place, unit in enumerate(units)}
    naive, clustered = [], []
    for _ in range(1_000):
        values = np.repeat(rng.normal(size=(2, 25)), 4, axis=1) + rng.normal(size=(2, 100))
        samples = Samples(("a", "b"), units, values)
        naive.append(find("t")(samples.pairs()).p[0] < 0.05)
        clustered.append(compare_samples({"v": samples.by_topic(topic)}).rows[0].p < 0.05)
    assert np.mean(naive) > 0.15
    assert 0.03 < np.mean(clustered) < 0.07
