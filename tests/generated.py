"""Test collections drawn at random, with everything in them that real ones have."""

from __future__ import annotations

import numpy as np

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

GRADES = (-1, 0, 0, 0, 1, 1, 2, 3)


def collection(seed: int, n_queries: int = 40, grades: tuple[int, ...] = GRADES) -> tuple[Qrels, Run]:
    """Judgments and a run: ties, gaps, unjudged documents, judged ones that nobody found, queries that either lacks.

    Some scores differ by less than a 32-bit number can tell; some queries have nothing relevant.
    """
    random = np.random.default_rng(seed)
    qrels: Qrels = {}
    run: Run = {}
    for number in range(n_queries):
        query, names = f"q{number}", [f"d{document:02}" for document in range(60)]
        judged = random.choice(names, random.integers(1, 30), replace=False)
        of = [grade for grade in grades if grade <= 0] if number % 10 == 9 else grades
        qrels[query] = {str(name): int(random.choice(of)) for name in judged}
        found = random.choice(names, random.integers(1, 40), replace=False)
        scores = random.integers(0, 12, len(found)) + random.choice([0, 1e-9, 0.25], len(found))
        run[query] = {str(name): float(score) for name, score in zip(found, scores, strict=True)}
    del run["q3"], qrels["q5"]
    return qrels, run
