"""Values of systems on the same queries, compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cranfield import compare
from examination.planted.catalogue import clean, problem

Column = NDArray[np.float64]


def values(rng: Generator, n: int, *better: float, spread: float = 0.12) -> dict[str, Column]:
    """The values of systems, each better by so much than a common difficulty, give or take the spread."""
    base = rng.uniform(0.2, 0.6, n)
    return {f"s{place}": np.clip(base + gain + spread * rng.normal(size=n), 0, 1) for place, gain in enumerate(better)}


@clean({"n": 50}, {"n": 100}, {"n": 200})
def a_clear_difference(rng: Generator, n: int) -> Any:
    return compare(values(rng, n, 0.0, 0.15))


@clean({"n": 100}, {"n": 200})
def three_that_differ(rng: Generator, n: int) -> Any:
    return compare(values(rng, n, 0.0, 0.12, 0.24))


@problem("few-units")
def three_queries_and_a_tiny_p_value(rng: Generator) -> Any:
    base = rng.uniform(0.3, 0.6, 3)
    return compare({"old": base, "new": base + 0.2 + rng.normal(0, 0.002, 3)})


@problem("too-regular")
def a_constant_gain(rng: Generator) -> Any:
    base = rng.uniform(0.3, 0.6, 40)
    return compare({"old": base, "new": base + 0.05 + rng.normal(0, 0.002, 40)})


@problem("tiny-difference")
def a_difference_nobody_notices(rng: Generator) -> Any:
    base = rng.uniform(0.3, 0.6, 3000)
    return compare({"old": base, "new": base + 0.004 + rng.normal(0, 0.03, 3000)})


@problem("uncorrected")
def many_tests_without_correction(rng: Generator) -> Any:
    return compare(values(rng, 40, *[0.0] * 7, 0.2), correction="none")


@problem("not-significant")
def equal_systems(rng: Generator) -> Any:
    return compare(values(rng, 40, 0.0, 0.0))


@problem("repeated-rows")
def queries_repeated(rng: Generator) -> Any:
    return compare({name: np.tile(own, 4) for name, own in values(rng, 30, 0.0, 0.05).items()})
