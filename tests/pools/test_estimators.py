"""Estimates from samples: exact where everything is judged, unbiased over many samples where not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting
from cranfield.measures.naming import parse
from cranfield.pools.sample import SampledTopic, estimator
from pools.simulated import collection

GRADED = {"q": {"a": 2, "b": 0, "c": 1, "d": 0, "e": 3}}
RUNS = {"x": {"q": {"b": 9, "a": 8, "e": 7, "d": 6}}, "y": {"q": {"c": 9, "e": 8, "b": 7}}}


@pytest.mark.parametrize("measure", ["AP", "AP@2", "AP(rel=2)", "nDCG", "nDCG@2"])
def test_a_sample_of_everything_gives_the_measure_itself(measure):
    sample = cranfield.pool(RUNS, "stratified", strata={2: 1, 9: 1})
    estimated = cranfield.evaluate_sample(sample, GRADED, RUNS, measure)
    exact = cranfield.evaluate(GRADED, RUNS, measure)
    assert estimated.values == pytest.approx(exact.values, abs=1e-15)
    assert estimated.warnings[0].message == "values are estimated from a sample of 5 of 5 pooled documents"


def test_an_estimate_by_hand():
    # one stratum of four documents, of which those at ranks 1 and 3 are sampled, with probability 1/2, and relevant
    grade, rank = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1, 2, 3, 4])
    topic = SampledTopic(grade, rank, np.ones(4, int), np.full(4, 0.5))
    # R is estimated as 4: the other sampled relevant document stands for (4 - 1) / (2 - 1) documents above rank 3
    assert estimator(parse("AP"))(topic) == (2 * 1 / 1 + 2 * (1 + 3) / 3) / 4
    ideal = sum(1 / np.log2(rank + 1) for rank in (1, 2, 3, 4))
    assert estimator(parse("nDCG"))(topic) == pytest.approx((2 / 1 + 2 / 2) / ideal)


@pytest.mark.parametrize("grades", ["1110101", "0111011", "1011111", "3021013"])
def test_the_mean_of_the_estimates_from_all_samples_is_average_precision(grades):
    truth = np.array([*map(float, grades)])
    rank = np.array([1, 2, 0, 4, 6, 3, 9])  # one relevant document is not retrieved
    relevant = truth >= 1
    ranks = sorted(rank[relevant & (rank > 0)].tolist())
    exact = sum(place / own for place, own in enumerate(ranks, 1)) / relevant.sum()
    estimates = []
    for sample in itertools.combinations(range(7), 5):  # at least two of them are relevant
        grade = np.where(np.isin(np.arange(7), sample), truth, -1.0)
        estimates.append(estimator(parse("AP"))(SampledTopic(grade, rank, np.ones(7, int), np.full(7, 5 / 7))))
    assert np.mean(estimates) == pytest.approx(exact, abs=1e-12)


@pytest.mark.simulation
@pytest.mark.parametrize("method", ["uniform", "stratified"])
def test_estimates_of_a_thousand_samples_are_unbiased(method):
    qrels, runs = collection(n_systems=2, n_topics=1, n_documents=120, n_relevant=40, seed=3)
    settings = {"proportion": 0.4, "depth": 40} if method == "uniform" else {"strata": "10:1,40:0.4"}
    whole = cranfield.pool(runs, depth=40)
    pooled = {row.document: qrels["000"][row.document] for row in whole}  # what is outside counts as not relevant
    exact = cranfield.evaluate({"000": pooled}, runs, ["AP", "nDCG"]).values[:, :, 0]
    found = []
    for seed in range(1000):
        sample = cranfield.pool(runs, method, seed=seed, **settings)
        judged = {"000": {row.document: pooled[row.document] for row in sample if row.selected}}
        found.append(cranfield.evaluate_sample(sample, judged, runs).values[:, :, 0])
    assert_unbiased(np.array(found), exact)


@pytest.mark.simulation
def test_inferred_average_precision_of_a_thousand_samples_is_unbiased_for_a_long_ranking():
    random = np.random.default_rng(4)
    relevant = (random.random(2000) < np.linspace(0.9, 0.2, 2000)).astype(int)
    names = [f"d{number}" for number in range(2000)]
    run = {"q": {name: -float(number) for number, name in enumerate(names)}}
    exact = cranfield.evaluate({"q": dict(zip(names, relevant.tolist(), strict=True))}, run, "AP")["AP"]
    found = []
    for _ in range(1000):
        grade = np.full(2000, -1)
        sampled = random.choice(2000, 1000, replace=False)
        grade[sampled] = relevant[sampled]
        found.append(cranfield.evaluate({"q": dict(zip(names, grade.tolist(), strict=True))}, run, "infAP")["infAP"])
    assert_unbiased(np.array(found), np.array(exact))


def assert_unbiased(values: np.ndarray, exact: np.ndarray) -> None:
    """The mean lies within three standard errors."""
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - exact) < 3 * error).all(), (values.mean(axis=0), exact, error)


def test_every_sampled_document_must_be_judged():
    sample = cranfield.pool(RUNS, "uniform", budget=3)
    with pytest.raises(BadInput, match="3 sampled documents unjudged"):
        cranfield.evaluate_sample(sample, {"q": {"zz": 1}}, RUNS)


@pytest.mark.parametrize("measure", ["P@10", "nDCG(gain=exp2)"])
def test_other_measures_cannot_be_estimated(measure):
    with pytest.raises(BadSetting, match=r"cannot be estimated|no setting 'gain'"):
        cranfield.evaluate_sample(cranfield.pool(RUNS, "uniform", budget=5), GRADED, RUNS, measure)
