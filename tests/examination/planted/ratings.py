"""Ratings by several raters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cranfield import agree
from examination.planted.catalogue import clean, problem

Column = NDArray[np.int64]


def rating(rng: Generator, truth: Column, error: float, k: int) -> Column:
    """The true categories, of which a proportion is replaced by another one."""
    return np.where(rng.random(len(truth)) < error, (truth + rng.integers(1, k, len(truth))) % k, truth)


def agreement(*raters: Column) -> Any:
    """The agreement of raters, each with a column."""
    ratings = {f"rater {place}": dict(enumerate(own.tolist())) for place, own in enumerate(raters, 1)}
    return agree(ratings, per=("all",), resamples=20)


@clean(*({"raters": r, "k": k, "n": n} for r, k, n in [(2, 2, 100), (2, 4, 200), (3, 2, 100), (4, 3, 60), (5, 4, 200)]))
def raters_who_agree(rng: Generator, raters: int, k: int, n: int) -> Any:
    truth = rng.integers(0, k, n)
    return agreement(*(rating(rng, truth, 0.1, k) for _ in range(raters)))


@clean({"k": 2}, {"k": 4})
def one_rater_less_careful(rng: Generator, k: int) -> Any:
    truth = rng.integers(0, k, 150)
    return agreement(*(rating(rng, truth, error, k) for error in (0.08, 0.08, 0.08, 0.2)))


@problem("odd-rater")
def a_random_rater_among_four(rng: Generator) -> Any:
    truth = rng.integers(0, 3, 100)
    return agreement(*(rating(rng, truth, 0.12, 3) for _ in range(3)), rng.integers(0, 3, 100))


@problem("odd-rater")
def an_inverted_rater_among_four(rng: Generator) -> Any:
    truth = rng.integers(0, 4, 100)
    return agreement(*(rating(rng, truth, 0.12, 4) for _ in range(3)), 3 - rating(rng, truth, 0.12, 4))


@problem("low-agreement")
def raters_who_guess(rng: Generator) -> Any:
    return agreement(*(rng.integers(0, 3, 120) for _ in range(2)))


@problem("kappa-prevalence")
def a_rare_category(rng: Generator) -> Any:
    truth = (rng.random(300) < 0.02).astype(int)
    return agreement(*(rating(rng, truth, 0.05, 2) for _ in range(2)))
