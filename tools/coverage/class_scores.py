"""Scores and probabilities of several classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.evidence.class_scores import ClassScores
from cranfield.measures.declaration import NoInterval
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure, declarations
from cranfield.results.evaluated import Evaluated
from cranfield.results.item_intervals import intervals
from cranfield.verbs.classification import classify
from tools.coverage.tally import DataSet

PREVALENCES = (0.05, 0.2, 0.5)  # of all classes but the first together
SHAPES = {  # how far the true class is ahead, and what its log odds are multiplied by
    "calibrated": (1.5, 1.0),
    "overconfident": (1.5, 2.0),
    "weak": (0.5, 1.0),
}
N_CLASSES = 3
N_POPULATION = 200_000


def measures() -> list[Measure]:
    """Every measure of the scores of several classes that has an interval, and averages over classes."""
    declared = [one for one in declarations("classes").values() if one.evidence is ClassScores]
    named = [parse(one.name, "classes") for one in declared if not isinstance(one.interval, NoInterval)]
    return named + [parse(name, "binary") for name in ("AUC", "AP")]


def _evaluated(shape: str, prevalence: float, random: np.random.Generator, n_items: int) -> Evaluated:
    ahead, factor = SHAPES[shape]
    proportions = np.append(1 - prevalence, np.full(N_CLASSES - 1, prevalence / (N_CLASSES - 1)))
    actual = random.choice(N_CLASSES, n_items, p=proportions)
    evidence = random.normal(0, 1, (n_items, N_CLASSES)) + ahead * (np.arange(N_CLASSES) == actual[:, None])
    odds = factor * (ahead * evidence + np.log(proportions))
    probability = np.exp(odds - odds.max(axis=1, keepdims=True))
    probability /= probability.sum(axis=1, keepdims=True)
    return classify(actual, probability=probability, labels=[*range(N_CLASSES)]).of()


def data_sets(shape: str, prevalence: float, n_items: int, n_sets: int, seed: int) -> Iterator[DataSet]:
    """Samples of items with one probability per class."""
    random, every = np.random.default_rng(seed), measures()
    population = _evaluated(shape, prevalence, random, N_POPULATION)
    true = {str(measure): population.value(measure) for measure in every}
    for _ in range(n_sets):
        found = intervals(_evaluated(shape, prevalence, random, n_items), every)
        yield true, dict(zip(map(str, every), found, strict=True))
