"""Scores and probabilities of several classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.classification.classify import classify
from cranfield.classification.evaluated import Evaluated
from cranfield.classification.intervals import intervals
from cranfield.evidence.class_scores import ClassScores
from cranfield.measures.declaration import NoInterval
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure, declarations
from tools.coverage.tally import DataSet

PREVALENCES = (0.05, 0.2, 0.5)  # of all classes but the first together
SHAPES = {  # number of classes, how far the true one is ahead, and what its log odds are multiplied by
    "calibrated": (3, 1.5, 1.0),
    "overconfident": (3, 1.5, 2.0),
    "weak": (3, 0.5, 1.0),
    "separated": (3, 5.0, 1.0),
    "10 classes": (10, 1.5, 1.0),
}
N_POPULATION = 200_000


def measures() -> list[Measure]:
    """Every measure of the scores of several classes that has an interval, and averages over classes."""
    declared = [one for one in declarations("classes").values() if one.evidence is ClassScores]
    named = [parse(one.name, "classes") for one in declared if not isinstance(one.interval, NoInterval)]
    return named + [parse(name, "binary") for name in ("AUC", "AP")]


def _evaluated(shape: str, prevalence: float, random: np.random.Generator, n_items: int) -> Evaluated:
    n_classes, ahead, factor = SHAPES[shape]
    proportions = np.append(1 - prevalence, np.full(n_classes - 1, prevalence / (n_classes - 1)))
    actual = random.choice(n_classes, n_items, p=proportions)
    evidence = random.normal(0, 1, (n_items, n_classes)) + ahead * (np.arange(n_classes) == actual[:, None])
    odds = factor * (ahead * evidence + np.log(proportions))
    probability = np.exp(odds - odds.max(axis=1, keepdims=True))
    probability /= probability.sum(axis=1, keepdims=True)
    return classify(actual, probability=probability, labels=[*range(n_classes)]).of()


def data_sets(shape: str, prevalence: float, n_items: int, n_sets: int, seed: int) -> Iterator[DataSet]:
    """Samples of items with one probability per class."""
    random, every = np.random.default_rng(seed), measures()
    population = _evaluated(shape, prevalence, random, N_POPULATION)
    true = {str(measure): population.value(measure) for measure in every}
    for _ in range(n_sets):
        found = intervals(_evaluated(shape, prevalence, random, n_items), every)
        yield true, dict(zip(map(str, every), found, strict=True))
