"""Predicted values as files hold them: rounded, constant, tiny beyond the smallest normal number, and huge."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from generators.answers import WEIGHTS

AMOUNTS: dict[str, Callable[[random.Random], str]] = {
    "one decimal": lambda source: f"{source.randrange(-20, 21) / 10}",
    "money": lambda source: f"{source.uniform(0, 1e5):.2f}",
    "whole": lambda source: str(source.randrange(100)),
    "few": lambda source: source.choice(["0", "1", "2.5"]),
    "the same": lambda _: "0.1",
    "tiny": lambda source: f"{source.randrange(1, 10)}e-{source.choice([200, 308])}",
    "subnormal": lambda source: f"{source.randrange(1, 1000)}e-322",
    "huge": lambda source: f"{source.choice(['', '-'])}{source.randrange(1, 10)}e139",
}


@dataclass(frozen=True)
class Amounts:
    """Rows of an actual value, a predicted one and a weight."""

    rows: list[tuple[str, str, str]]
    weighted: bool

    @property
    def is_valid(self) -> bool:
        """Whether all are numbers that can be squared, and some weight counts."""
        try:
            numbers = [[float(text) for text in row] for row in self.rows]
        except ValueError:
            return False
        fits = all(len(row) == 3 and max(map(abs, row)) <= 1e140 and row[2] >= 0 for row in numbers)
        return fits and any(row[2] for row in numbers)

    def file(self) -> bytes:
        """The rows as CSV."""
        return ("actual,predicted,weight\n" + "".join(",".join(row) + "\n" for row in self.rows)).encode()


def amounts(source: random.Random) -> Amounts:
    """Values of one size, predicted with errors that may be of another."""
    actual, error = (AMOUNTS[source.choice(list(AMOUNTS))] for _ in range(2))
    weight = WEIGHTS[source.choice(list(WEIGHTS))]
    rows = []
    for _ in range(source.choice([1, 2, 3, 10, 30])):
        own = actual(source)
        said = source.choice([own, error(source), repr(float(own) + float(error(source)))])
        rows.append((own, said, weight(source)))
    return Amounts(rows, source.random() < 0.5)
