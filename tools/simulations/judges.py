"""Simulated topics with documents, labelled by people and by judges with known faults, and three systems."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

CUTS = (0.2, 1.0, 1.8)  # of the latent relevance, between grades
SYSTEMS = {"good": 1.5, "fair": 0.8, "weak": 0.4}  # how much they know of it
TOPIC = 0.8  # standard deviation of the relevance of topics


class Judge(NamedTuple):
    """The faults of a judge, in units of the latent relevance."""

    lenient: float = 0.0
    by_topic: float = 0.0  # standard deviation of its leniency over topics
    noise: float = 0.5
    length: float = 0.0  # for each standard deviation of the length
    favours: float = 0.0  # documents that the good system retrieved
    drift: float = 0.0  # from one trial to the next


JUDGES = {
    "like people": Judge(),
    "lenient": Judge(lenient=0.6, by_topic=0.4),
    "noisy": Judge(noise=1.5, by_topic=0.2),
    "biased": Judge(lenient=0.3, by_topic=0.3, length=0.4, favours=0.4, drift=0.2),
}


class Labelled(NamedTuple):
    """Labels by topic and document, and what they depend on."""

    topic: Any
    human: Any
    second: Any  # another person
    trials: Any  # of the machine
    length: Any
    ranks: dict[str, Any]


def labelled(rng: np.random.Generator, judge: Judge, n_topics: int, n_documents: int, n_trials: int = 3) -> Labelled:
    """Documents of topics, with their labels."""
    shape = (n_topics, n_documents)
    relevance = rng.normal(0, 1, shape) + rng.normal(0, TOPIC, (n_topics, 1))
    length = rng.normal(0, 1, shape) + 0.3 * relevance
    scores = {name: knows * relevance + rng.normal(0, 1, shape) for name, knows in SYSTEMS.items()}
    ranks = {name: (-score).argsort(axis=1).argsort(axis=1) + 1 for name, score in scores.items()}
    human, second = (np.digitize(relevance + rng.normal(0, 0.5, shape), CUTS) for _ in range(2))
    seen = relevance + judge.lenient + rng.normal(0, judge.by_topic, (n_topics, 1)) + judge.length * length
    seen = seen + judge.favours * (ranks["good"] <= n_documents // 2) + rng.normal(0, judge.noise, shape)
    trials = [np.digitize(seen + judge.drift * t + rng.normal(0, 0.3, shape), CUTS) for t in range(n_trials)]
    topic = np.repeat(np.arange(n_topics), n_documents)
    flat = {name: rank.ravel() for name, rank in ranks.items()}
    return Labelled(
        topic, human.ravel(), second.ravel(), np.array([one.ravel() for one in trials]), length.ravel(), flat
    )


def qrels_of(data: Labelled, grades: Any) -> dict[str, dict[str, int]]:
    """Grades as judgments."""
    qrels: dict[str, dict[str, int]] = {}
    for place, (topic, grade) in enumerate(zip(data.topic.tolist(), grades.tolist(), strict=True)):
        qrels.setdefault(f"q{topic}", {})[f"d{place}"] = grade
    return qrels


def runs_of(data: Labelled) -> dict[str, dict[str, dict[str, float]]]:
    """The systems as runs."""
    return {
        name: {query: dict(row) for query, row in qrels_of(data, -rank).items()} for name, rank in data.ranks.items()
    }  # type: ignore[misc]
