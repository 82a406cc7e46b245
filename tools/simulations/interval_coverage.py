"""How often 95 % intervals of a mean over queries cover it: `python -m tools.simulations.interval_coverage`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from cranfield.statistics.intervals import Interval, bootstrap, bounded_interval, t_interval

N_COLLECTIONS = 2_000
N_POPULATION = 4_000_000
SIZES = (10, 20, 25, 50, 100)
RESAMPLES = 1_000
SEED = 0

Values = Callable[[np.random.Generator, int], np.ndarray]


class Shape(NamedTuple):
    """How the values of a measure are distributed over queries."""

    name: str
    values: Values


def _zeros(proportion: float, values: Values) -> Values:
    return lambda random, n: np.where(random.random(n) < proportion, 0.0, values(random, n))


def _few_easy(random: np.random.Generator, n: int) -> np.ndarray:
    return np.where(random.random(n) < 0.12, random.beta(1, 1.3, n), random.beta(0.5, 8, n))


SHAPES = (
    Shape("AP, ordinary topics: Beta(1, 2)", lambda random, n: random.beta(1, 2, n)),
    Shape("AP, hard topics: Beta(0.25, 2.25)", lambda random, n: random.beta(0.25, 2.25, n)),
    Shape("AP, hard but for 12 % of the topics: Beta(0.5, 8) and Beta(1, 1.3)", _few_easy),
    Shape("nDCG, 10 % zeros, otherwise Beta(2, 2)", _zeros(0.1, lambda random, n: random.beta(2, 2, n))),
    Shape("nDCG, easy topics: Beta(5, 1)", lambda random, n: random.beta(5, 1, n)),
    Shape("RR, geometric rank, p = 0.4", lambda random, n: 1 / random.geometric(0.4, n)),
    Shape("RR, 70 % zeros, otherwise geometric, p = 0.35",
          _zeros(0.7, lambda random, n: 1 / random.geometric(0.35, n))),
    Shape("P@10, binomial with Beta(0.8, 1.6)", lambda random, n: random.binomial(10, random.beta(0.8, 1.6, n)) / 10),
    Shape("P@10, hard topics, binomial with Beta(0.3, 2.7)",
          lambda random, n: random.binomial(10, random.beta(0.3, 2.7, n)) / 10),
    Shape("90 % zeros, otherwise Beta(2, 2)", _zeros(0.9, lambda random, n: random.beta(2, 2, n))),
)  # fmt: skip


def intervals(values: np.ndarray) -> dict[str, Interval]:
    """The intervals of each column, by method."""
    return {
        "bounded t": bounded_interval(values, (0, 1)),
        "t": t_interval(values),
        "percentile": bootstrap(values, resamples=RESAMPLES, seed=SEED, corrected=False),
        "BCa": bootstrap(values, resamples=RESAMPLES, seed=SEED),
    }


def misses(shape: Shape, n_queries: int, n_collections: int = N_COLLECTIONS) -> dict[str, tuple[float, float]]:
    """The proportions of intervals below and above the true mean, by method; without collections of equal values."""
    random = np.random.default_rng(SEED)
    population = shape.values(random, N_POPULATION)
    mean = population.mean()
    values = random.choice(population, (n_queries, n_collections))
    values = values[:, values.max(axis=0) > values.min(axis=0)]
    return {
        name: (float((interval.high < mean).mean()), float((interval.low > mean).mean()))
        for name, interval in intervals(values).items()
    }


def skewness(shape: Shape) -> float:
    """The skewness of a distribution."""
    values = shape.values(np.random.default_rng(SEED), N_POPULATION)
    away = values - values.mean()
    return float((away**3).mean() / (away**2).mean() ** 1.5)


def table() -> Iterator[str]:
    """The lines of the table, in Markdown."""
    yield "| values of a query (skewness) | interval | " + " | ".join(f"{n} queries" for n in SIZES) + " |"
    yield "|---|---|" + "---:|" * len(SIZES)
    for shape in SHAPES:
        by_size = [misses(shape, n_queries) for n_queries in SIZES]
        for method in by_size[0]:
            cells = " | ".join(_cell(*by_method[method]) for by_method in by_size)
            yield f"| {shape.name} ({skewness(shape):.1f}) | {method} | {cells} |"


def _cell(below: float, above: float) -> str:
    return f"{100 * (1 - below - above):.1f} ({100 * below:.1f}, {100 * above:.1f})"


if __name__ == "__main__":
    print(*table(), sep="\n")
