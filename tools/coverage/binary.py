"""Binary decisions by labels, scores or probabilities: intervals of every measure, and the true values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.classification.classify import classify
from cranfield.classification.intervals import intervals
from cranfield.evidence.cells import Cells
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.declaration import NoInterval
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure, declarations
from tools.coverage.score_populations import SHAPES, VARIANTS, population
from tools.coverage.tally import DataSet

THRESHOLD = 0.5
FURTHER = (
    "F(beta=2)",
    "WeightedRates(recall=0.7)",
    "CostAccuracy(c=0.3)",
    "F(beta=10)",
    "CostAccuracy(c=0.01)",
    "ExpectedCost(fn=5)",
    "ExpectedCost(fn=1000)",
    "ExpectedCost(prevalence=0.1)",
    "NetBenefit(threshold=0.3)",
    "PartialAUC(fallout=0.3)",
)
PREVALENCES = (0.05, 0.2, 0.5)


def measures() -> list[Measure]:
    """Every measure of binary decisions that has an interval over items, some with further settings."""
    declared = [one for one in declarations("binary").values() if one.evidence in (Cells, Thresholds)]
    named = [parse(one.name, "binary") for one in declared if not isinstance(one.interval, NoInterval)]
    return named + [parse(name, "binary") for name in FURTHER]


def data_sets(shape: str, prevalence: float, n_items: int, n_sets: int, seed: int) -> Iterator[DataSet]:
    """Samples from the variants of a shape: the true values, and the intervals of each sample."""
    random, every = np.random.default_rng(seed), measures()
    for variant in range(VARIANTS):
        made = population(SHAPES[shape], prevalence, variant)
        scores = made.thresholds
        cells = scores.at(THRESHOLD)
        true = {
            str(measure): float(np.ravel(measure.values(cells if measure.declaration.evidence is Cells else scores))[0])
            for measure in every
        }
        for _ in range(n_sets // VARIANTS):
            actual, score = made.sample(random, n_items)
            if 0 < actual.sum() < n_items:
                evaluated = classify(actual, probability=score).of()
                some = every
            else:
                evaluated = classify(actual, (score >= THRESHOLD).astype(int), labels=[0, 1], positive=1).of()
                some = [measure for measure in every if measure.declaration.evidence is Cells]
            yield true, dict(zip(map(str, some), intervals(evaluated, some), strict=True))
