"""Values of systems on the same units, as text: tenths, few values, constants, and numbers of every size."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

SIDES = ("two-sided", "greater", "less")

Draw = Callable[[], Decimal]


@dataclass(frozen=True)
class Table:
    """The values of two or more systems, `rows[unit]`, as decimal text."""

    systems: list[str]
    rows: list[list[str]]
    alternative: str = "two-sided"

    @property
    def is_valid(self) -> bool:
        """Whether it is a table of at least two systems, with a number in every cell; shrinking makes others."""
        wide = len(self.systems)
        if self.alternative not in SIDES:
            return False
        if wide < 2 or len({*self.systems}) < wide or not all(name.isalpha() for name in self.systems) or not self.rows:
            return False
        return all(len(row) == wide and all(map(_is_number, row)) for row in self.rows)

    def file(self) -> bytes:
        """One row per unit and one column per system."""
        lines = [["query", *self.systems], *([f"q{n}", *row] for n, row in enumerate(self.rows, 1))]
        return "".join(",".join(line) + "\n" for line in lines).encode()


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except ArithmeticError:
        return False


def _kinds(source: random.Random) -> dict[str, Draw]:
    """Ways to draw a value; no value has more than twelve digits, which binary numbers keep apart."""
    step = source.choice(["0.1", "0.05", "0.01", "0.001", "0.3", "0.07"])
    top, few = source.choice([3, 10, 100]), [Decimal(source.randrange(1000)) / 1000 for _ in range(3)]
    moved = Decimal(10) ** source.randrange(3, 9)
    thirds = [Decimal("0.3333"), Decimal("0.6667"), Decimal(0), Decimal(1)]
    return {
        "steps": lambda: Decimal(step) * source.randrange(top + 1),
        "few": lambda: source.choice(few),
        "thirds": lambda: source.choice(thirds),
        "answers": lambda: Decimal(source.randrange(2)),
        "whole": lambda: Decimal(source.randrange(-top, top + 1)),
        "digits": lambda: Decimal(source.randrange(-(10**6), 10**6)) / 10**6,
        "large": lambda: moved + Decimal("0.1") * source.randrange(top + 1),
        "small": lambda: Decimal(source.randrange(top + 1)) * Decimal("1e-9"),
        "mixed": lambda: Decimal(source.randrange(1, 10)) * Decimal(10) ** source.randrange(-4, 5),
    }


def _spelled(value: Decimal, source: random.Random) -> str:
    """The number in one of the ways it may be written in."""
    plain = f"{value:f}"
    return source.choice([plain, plain, plain, f"{value:e}", plain + ("0" if "." in plain else ".0")])


def tables(source: random.Random) -> Table:
    """Two to four systems on one to sixteen units, or on many."""
    kinds = _kinds(source)
    draw = kinds[source.choice([*kinds, "steps", "steps", "steps"])]
    systems = ["a", "b", "c", "d"][: source.choice([2, 2, 2, 3, 4])]
    n_units = source.choice([1, 2, 2, 3, 4, 5, 6, 8, 10, 12, source.randrange(2, 16), source.randrange(14, 60)])
    rows = [[draw() for _ in systems] for _ in range(n_units)]
    related = source.choice(["no", "no", "same", "step", "copies"])
    step = draw()
    for row in rows:
        if related == "same":
            row[1] = row[0]
        elif related == "step":
            row[1] = row[0] + step
        elif related == "copies" and source.random() < 0.6:
            row[1] = row[0]
    spelled = [[_spelled(value, source) for value in row] for row in rows]
    return Table(systems, spelled, source.choice(SIDES))
