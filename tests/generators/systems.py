"""Several systems that label or score the same items, as columns of one file."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import dataclass
from typing import Literal, get_args

from generators.answers import SCORES

What = Literal["predicted", "score", "probability"]

NAMES = ("tree", "forest", "SVM", "a b", "7", "猫")  # none is a class
CLASSES = ("no", "yes")


@dataclass(frozen=True)
class Column:
    """What one system says of each item, as text."""

    system: str
    what: What
    cells: list[str]


@dataclass(frozen=True)
class Systems:
    """The class of each item, and the columns of the systems."""

    actual: list[str]
    columns: list[Column]

    @property
    def is_valid(self) -> bool:
        """Whether items are of both classes and every system says something of each; shrinking undoes that."""
        names = [column.system for column in self.columns]
        shaped = all(len(column.cells) == len(self.actual) and all(column.cells) for column in self.columns)
        known = shaped and all(map(_fits, self.columns)) and set(names) <= set(NAMES)
        return set(self.actual) == set(CLASSES) and known and len(set(names)) == len(names) > 0

    @property
    def by_kind(self) -> dict[What, dict[str, Column]]:
        """The columns by what they hold and by system."""
        every: tuple[What, ...] = get_args(What)
        found = {what: {each.system: each for each in self.columns if each.what == what} for what in every}
        return {what: own for what, own in found.items() if own}

    def file(self) -> bytes:
        """One row per item, one column per system."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["actual", *(column.system for column in self.columns)])
        writer.writerows(zip(self.actual, *(column.cells for column in self.columns), strict=True))
        return out.getvalue().encode()


def _fits(column: Column) -> bool:
    try:
        values = [float(cell) for cell in column.cells] if column.what != "predicted" else []
    except ValueError:
        return False
    inside = column.what != "probability" or all(0 <= value <= 1 for value in values)
    return inside and (column.what != "predicted" or set(column.cells) <= set(CLASSES))


def systems(source: random.Random) -> Systems:
    """One to four systems, all of one kind or of several."""
    actual = [*CLASSES, *source.choices(CLASSES, k=source.choice([0, 1, 4, 20]))]
    source.shuffle(actual)
    kinds: list[What] = source.choice([["predicted"], ["score"], ["probability"], [*get_args(What)]])
    names = source.sample(NAMES, source.choice([1, 2, 2, 2, 3, 4]))
    return Systems(actual, [_column(name, source.choice(kinds), len(actual), source) for name in names])


def _column(name: str, what: What, n_items: int, source: random.Random) -> Column:
    score = SCORES[source.choice([kind for kind in SCORES if kind not in ("tiny", "huge")])]
    make = {
        "predicted": lambda: source.choice(CLASSES),
        "score": lambda: score(source),
        "probability": lambda: f"{source.randrange(101) / 100}",
    }[what]
    return Column(name, what, [make() for _ in range(n_items)])
