"""Figures and names as they stand in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cranfield.results.writing import plural

_FEWEST, _MOST = 2, 6  # decimals
_NAMED = 3
_WHOLE = 1e-6  # of a percent


def amount(n: float) -> str:
    """A number of things, or a sum of weights: `1,830`, `2.5`."""
    return f"{n:,.0f}" if n == round(n) else f"{n:,.1f}"


def count(n: float, thing: str) -> str:
    """So many of a thing: `1 query`, `3 queries`."""
    *described, noun = thing.split(" ")
    return " ".join([amount(n), *described, noun if n == 1 else plural(noun)])


def verb(n: float, one: str, several: str) -> str:
    """The form of a verb for so many."""
    return one if n == 1 else several


def share(value: float) -> str:
    """A share in percent, with decimals where it is near none or all, to which it is not rounded: `71 %`, `99.5 %`."""
    percent = 100 * value
    fewest = 0 if 10 <= percent <= 90 or abs(percent - round(percent)) < _WHOLE else 1
    for digits in range(fewest, _MOST):
        shown = f"{percent:.{digits}f}"
        if float(shown) not in (0, 100) or float(shown) == percent:
            return f"{shown} %"
    return f"{percent:.3g} %"


def numbers(*values: float) -> list[str]:
    """The values with as many decimals, two or more, as it takes to tell them apart, and from 0 and 1."""
    for digits in range(_FEWEST, _MOST):
        shown = [f"{value:z.{digits}f}" for value in values]
        kept = all(float(text) == value or float(text) not in (0, 1) for text, value in zip(shown, values))
        if kept and len(set(shown)) == len(set(values)):
            return shown
    return [f"{value:.{_FEWEST + 1}g}" for value in values]


def number(value: float) -> str:
    """One value, with two decimals or as many as it takes not to be zero."""
    return numbers(value)[0]


def value(figure: float) -> str:
    """A quantity in units of its own, to three figures: `12,300`, `4.10`, `0.0021`."""
    digits = max(0, 2 - int(np.floor(np.log10(abs(figure))))) if figure else 0
    return f"{float(f'{figure:.3g}'):,.{digits}f}"


def probability(p: float) -> str:
    """A p-value: `p = 0.03`, `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """The names in a row, and how many more there are: `a, b and c`, `a, b, c and 4 more`."""
    shown = list(names) if len(names) <= most else [*names[:most], f"{len(names) - most} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def tally(counts: Mapping[str, int], most: int = 5) -> str:
    """How many on each: `3 on AP, 2 on RR`."""
    return listed([f"{n} on {name}" for name, n in counts.items()], most)
