"""Predicted distributions as files hold them: quantiles, samples, and mean with standard deviation."""

from __future__ import annotations

import random
from dataclasses import dataclass

from generators.amounts import AMOUNTS
from generators.answers import WEIGHTS

LEVELS = ("0.05", "0.25", "0.5", "0.75", "0.95")
QUANTILES = ("q05", "q25", "q50", "q75", "q95")

Row = tuple[str, ...]  # actual, weight, the quantiles, a standard deviation, and the samples


@dataclass(frozen=True)
class Predicted:
    """Rows of an actual value and what was predicted of it."""

    rows: list[Row]
    weighted: bool

    @property
    def n_samples(self) -> int:
        """Number of samples of each row."""
        return len(self.rows[0]) - 3 - len(LEVELS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return "actual", "weight", *QUANTILES, "sd", *(f"member{place}" for place in range(self.n_samples))

    @property
    def is_valid(self) -> bool:
        """Whether all are numbers that can be squared, quantiles do not cross, and some weight counts."""
        try:
            numbers = [[float(text) for text in row] for row in self.rows]
        except ValueError:
            return False
        if not numbers or self.n_samples < 2 or len({len(row) for row in numbers}) > 1:
            return False
        fits = all(max(map(abs, row)) <= 1e140 and row[1] >= 0 and row[7] >= 0 for row in numbers)
        return fits and all(row[2:7] == sorted(row[2:7]) for row in numbers) and any(row[1] for row in numbers)

    def file(self) -> bytes:
        """The rows as CSV."""
        return ("".join(",".join(row) + "\n" for row in (self.columns, *self.rows))).encode()


def predicted(source: random.Random) -> Predicted:
    """Values of one size and predictions that may be of another, some of them equal to the actual value."""
    actual, spread = (AMOUNTS[source.choice(list(AMOUNTS))] for _ in range(2))
    weight = WEIGHTS[source.choice(list(WEIGHTS))]
    n_samples = source.choice([2, 3, 10])
    rows = []
    for _ in range(source.choice([1, 2, 3, 10])):
        own = actual(source)
        values = [source.choice([own, spread(source), actual(source)]) for _ in range(len(LEVELS) + n_samples)]
        deviation = source.choice(["0", spread(source).lstrip("-")])
        rows.append((own, weight(source), *sorted(values[:5], key=float), deviation, *values[5:]))
    return Predicted(rows, source.random() < 0.5)
