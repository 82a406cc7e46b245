"""Several classes by labels, and clusters: confusion matrices with a rare class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.classification.classify import classify
from cranfield.classification.evaluated import Evaluated
from cranfield.classification.intervals import AVERAGED, intervals
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.measures.declaration import NoInterval
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure, declarations
from tools.coverage.tally import DataSet

PREVALENCES = (0.05, 0.2, 0.5)  # of all classes but the first together
SHAPES = {  # number of classes, the probability of the right answer, and how often the last class is predicted
    "3 classes, 60 % right": (3, 0.6, 1.0),
    "3 classes, 90 % right": (3, 0.9, 1.0),
    "5 classes, 75 % right": (5, 0.75, 1.0),
    "10 classes, 75 % right": (10, 0.75, 1.0),
    "3 classes, chance": (3, 0.0, 1.0),
    "3 classes, one hardly predicted": (3, 0.75, 0.05),
}
VARIANTS = 4
DRAWS = 100
MANY = 10**9  # items of a population


def measures() -> list[Measure]:
    """Every measure of a confusion matrix that has an interval, and usual averages over classes."""
    declared = [one for one in declarations("classes").values() if one.evidence is Confusion]
    named = [parse(one.name, "classes") for one in declared if not isinstance(one.interval, NoInterval)]
    named.append(parse("Kappa(weights='quadratic')", "classes"))
    return named + [parse(name, "binary") for name in AVERAGED if parse(name, "binary").declaration.evidence is Cells]


def _matrix(n_classes: int, right: float, seldom: float, prevalence: float) -> np.ndarray:
    """The probability of each pair of classes; wrong answers are proportional to the frequency of classes."""
    proportions = np.append(1 - prevalence, np.full(n_classes - 1, prevalence / (n_classes - 1)))
    matrix = right * np.diag(proportions) + (1 - right) * np.outer(proportions, proportions)
    matrix[:, 0] += (1 - seldom) * matrix[:, -1]
    matrix[:, -1] *= seldom
    return matrix


def _evaluated(count: np.ndarray) -> Evaluated:
    names = "abcdefghij"[: len(count)]
    return classify(counts={a: {b: int(n) for b, n in zip(names, row)} for a, row in zip(names, count)}).of()


def data_sets(shape: str, prevalence: float, n_items: int, n_sets: int, seed: int) -> Iterator[DataSet]:
    """Samples of confusion matrices."""
    n_classes, right, seldom = SHAPES[shape]
    random, every = np.random.default_rng(seed), measures()
    for variant in range(VARIANTS):
        way = 2 * (variant + 0.5) / VARIANTS - 1
        matrix = _matrix(n_classes, right * (1 + 0.05 * way), seldom, prevalence * (1 + 0.1 * way))
        population = _evaluated(np.rint(matrix * MANY))
        true = {_name(measure): population.value(measure) for measure in every if measure.name not in ("AMI",)}
        true["AMI"] = population.value(parse("NMI", "classes"))  # chance agreement vanishes in a population
        for _ in range(n_sets // VARIANTS):
            count = random.multinomial(n_items, matrix.ravel() / matrix.sum()).reshape(matrix.shape)
            found = intervals(_evaluated(count), every, resamples=DRAWS)
            yield true, dict(zip(map(_name, every), found, strict=True))


def _name(measure: Measure) -> str:
    return f"macro {measure}" if measure.declaration.evidence is Cells else str(measure)
