"""Simulated systems of known quality, on topics whose relevant documents are all known."""

from __future__ import annotations

import numpy as np

Runs = dict[str, dict[str, dict[str, float]]]
Qrels = dict[str, dict[str, int]]


def collection(
    n_systems: int = 20, n_topics: int = 10, n_documents: int = 400, n_relevant: int = 40, seed: int = 1
) -> tuple[Qrels, Runs]:
    """Complete judgments, and systems from poor to good: relevance times quality plus noise is the score."""
    random = np.random.default_rng(seed)
    quality = np.linspace(0.2, 2.5, n_systems)[random.permutation(n_systems)]
    qrels: Qrels = {}
    runs: Runs = {f"system {number}": {} for number in range(n_systems)}
    for topic in range(n_topics):
        relevant = np.zeros(n_documents, int)
        relevant[random.choice(n_documents, n_relevant, replace=False)] = 1
        names = [f"doc-{random.integers(10**6)}-{number}" for number in range(n_documents)]
        query = f"{topic:03}"
        qrels[query] = dict(zip(names, relevant.tolist(), strict=True))
        for number, run in enumerate(runs):
            scores = quality[number] * relevant + random.normal(size=n_documents)
            best = np.argsort(-scores)[:100]
            runs[run][query] = {names[place]: float(scores[place]) for place in best}
    return qrels, runs
