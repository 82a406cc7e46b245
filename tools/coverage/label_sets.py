"""Multilabel items: sets of labels, and scores that rank the labels of each item."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.classification.classify import classify
from cranfield.classification.evaluated import Average, Evaluated
from cranfield.classification.intervals import intervals
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from tools.coverage.tally import DataSet

PREVALENCES = (0.05, 0.2, 0.5)  # of each label
SHAPES: dict[str, tuple[Average, float, int]] = {  # how labels are averaged, how far true ones are ahead, their number
    "macro": ("macro", 1.5, 4),
    "micro": ("micro", 1.5, 4),
    "samples, weak": ("samples", 0.7, 4),
    "macro, 10 labels": ("macro", 1.5, 10),
}
N_POPULATION = 100_000
NAMES = ("SubsetAccuracy", "F", "Precision", "Recall", "Jaccard", "AUC", "LRAP", "CoverageError", "LabelRankingLoss")


def _evaluated(shape: str, prevalence: float, random: np.random.Generator, n_items: int) -> Evaluated:
    average, ahead, n_labels = SHAPES[shape]
    frequent = random.random(n_items)[:, None] < 0.5  # labels occur together
    actual = random.random((n_items, n_labels)) < prevalence * np.where(frequent, 1.4, 0.6)
    score = random.normal(0, 1, (n_items, n_labels)) + ahead * actual
    return classify(actual.astype(int), score=score, threshold=ahead, average=average).of()


def data_sets(shape: str, prevalence: float, n_items: int, n_sets: int, seed: int) -> Iterator[DataSet]:
    """Samples of items with true labels, and scores of all labels."""
    random = np.random.default_rng(seed)
    names = [name for name in NAMES if name != "AUC" or SHAPES[shape][0] != "samples"]
    every: list[Measure] = [parse(name, "binary") for name in names]
    population = _evaluated(shape, prevalence, random, N_POPULATION if SHAPES[shape][0] != "samples" else 10_000)
    true = {str(measure): population.value(measure) for measure in every}
    for _ in range(n_sets):
        yield true, dict(zip(map(str, every), intervals(_evaluated(shape, prevalence, random, n_items), every)))
