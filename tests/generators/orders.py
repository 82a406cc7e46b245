"""Orders of systems by several scores: rounded, repeated, negative, huge or whole, some of them tying all."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from dataclasses import dataclass

SCORES: dict[str, Callable[[random.Random], str]] = {
    "rounded": lambda source: f"{source.random():.1f}",
    "rounded less": lambda source: f"{source.random():.4f}",
    "negative": lambda source: f"{source.uniform(-9, 0):.2f}",
    "whole": lambda source: str(source.randrange(4)),
    "ranks": lambda source: str(source.randrange(1, 100)),
    "huge": lambda source: source.choice(("1e308", "-1e308", "0", "1e300")),
    "tiny": lambda source: source.choice(("1e-300", "2e-300", "0", "5e-320")),
    "same": lambda _: "0.5",
}
NAMES = ("bm25", "dense", "BM25+RM3", "01", "1", "1.0", "run,1", "システム", "NA", "null", "true", "1e5", "a b")


@dataclass(frozen=True)
class Orders:
    """Names, and their scores in each order."""

    names: list[str]
    scores: list[list[str]]

    @property
    def is_valid(self) -> bool:
        """Whether there are two different names and two orders of numbers."""
        fits = all(len(row) == len(self.names) and all(row) for row in self.scores) and len(self.scores) > 1
        return fits and len(set(self.names)) == len(self.names) > 1 and all(name in NAMES for name in self.names)

    def file(self) -> bytes:
        """One row per name, one column per order."""
        out = io.StringIO(newline="")
        header = ["system", *(f"by{at}" for at in range(len(self.scores)))]
        csv.writer(out, lineterminator="\n").writerows([header, *zip(self.names, *self.scores, strict=True)])
        return out.getvalue().encode()


def orders(source: random.Random) -> Orders:
    """Two or three orders of a few names."""
    names = source.sample(NAMES, source.choice((2, 3, 4, 5, 6)))
    kinds = source.choices(list(SCORES), k=source.choice((2, 2, 3)))
    return Orders(names, [[SCORES[kind](source) for _ in names] for kind in kinds])
