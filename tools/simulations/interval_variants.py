"""How well variants of skewness-adjusted intervals cover a mean: `python -m tools.simulations.interval_variants`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from cranfield.statistics.distributions import t_quantile
from cranfield.statistics.intervals import bounded_interval, wilson
from tools.simulations.interval_coverage import SHAPES

SIZES = (20, 25, 50, 100)
N_COLLECTIONS = 4_000
N_POPULATION = 1_000_000
ENOUGH, TOO_MANY = 93, 97  # percent

Bounds = tuple[np.ndarray, np.ndarray]


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Mean, standard deviation and skewness of each column, and how many deviations Student's t interval reaches."""
    mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1)
    skewness = ((values - mean) ** 3).mean(axis=0) / values.std(axis=0) ** 3
    return mean, deviation, skewness, float(t_quantile(0.975, len(values) - 1)) / math.sqrt(len(values))


def johnson(values: np.ndarray) -> Bounds:
    """Johnson's interval (1978): Student's t, moved by the skewness of the sample."""
    mean, deviation, skewness, reach = _moments(values)
    centre = mean + skewness * deviation / (6 * len(values)) * (1 + 2 * (reach**2) * len(values))
    return centre - reach * deviation, centre + reach * deviation


def hall(values: np.ndarray) -> Bounds:
    """Hall's interval (1992): a cubic transformation that removes the skewness of the sample."""
    mean, deviation, skewness, reach = _moments(values)
    skew = np.where(np.abs(skewness) < 1e-6, 1e-6, skewness)

    def inverse(y: float) -> np.ndarray:
        return 3 / skew * (np.cbrt(1 + skew * (y - skew / (6 * len(values)))) - 1)

    return mean - deviation * inverse(reach), mean - deviation * inverse(-reach)


def adjusted(proportion: float, sampled: float = 0.0) -> Callable[[np.ndarray], Bounds]:
    """The bounded t interval with this proportion of its slope, and this part of it from the skewness of the sample."""

    def bounds(values: np.ndarray) -> Bounds:
        mean, deviation, skewness, reach = _moments(values)
        slope = (1 - 2 * mean) * deviation / (mean * (1 - mean) + deviation**2)
        slope = proportion * ((1 - sampled) * slope + sampled * skewness / 2)
        widest = wilson(mean * len(values), float(len(values)))
        low, high = (mean - side * deviation * _reach(reach, -side * slope) for side in (1, -1))
        return np.maximum(low, widest.low), np.minimum(high, widest.high)

    return bounds


def _reach(reach: float, slope: np.ndarray) -> np.ndarray:
    left = 1 - slope * reach
    return np.where(left > 0, reach / np.where(left > 0, left, 1), np.inf)


def bounded(values: np.ndarray) -> Bounds:
    """The default."""
    interval = bounded_interval(values, (0, 1))
    return interval.low, interval.high


METHODS: dict[str, Callable[[np.ndarray], Bounds]] = {
    "bounded t": bounded,
    "bounded t, 90 % of the slope": adjusted(0.9),
    "bounded t, 80 % of the slope": adjusted(0.8),
    "bounded t, 70 % of the slope": adjusted(0.7),
    "bounded t, 30 % of the slope from the sample": adjusted(1.0, 0.3),
    "bounded t, half of the slope from the sample": adjusted(1.0, 0.5),
    "Johnson": johnson,
    "Hall": hall,
}


def misses(n_collections: int = N_COLLECTIONS) -> dict[str, list[tuple[float, float]]]:
    """The percentages of intervals below and above the true mean, for each shape and size, by method."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
    for shape in SHAPES:
        random = np.random.default_rng(1)
        population = shape.values(random, N_POPULATION)
        for n_queries in SIZES:
            values = random.choice(population, (n_queries, n_collections))
            values = values[:, values.max(axis=0) > values.min(axis=0)]
            for name, method in METHODS.items():
                low, high = method(values)
                mean = population.mean()
                found[name].append((100 * float((high < mean).mean()), 100 * float((low > mean).mean())))
    return found


def table() -> Iterator[str]:
    """The lines of the table, in Markdown."""
    yield "| interval | lowest coverage | highest coverage | cases outside 93 to 97 % | most below, above |"
    yield "|---|---:|---:|---:|---:|"
    for name, cases in misses().items():
        covered = [100 - below - above for below, above in cases]
        outside = sum(not ENOUGH <= value <= TOO_MANY for value in covered)
        sides = f"{max(below for below, _ in cases):.1f}, {max(above for _, above in cases):.1f}"
        yield f"| {name} | {min(covered):.1f} | {max(covered):.1f} | {outside} of {len(cases)} | {sides} |"


if __name__ == "__main__":
    print(*table(), sep="\n")
