"""Numbers, counts and names as written in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cranfield.rounding import LONG_SUMS


def counted(n: int, kind: str) -> str:
    """A number of units with its noun.

    >>> counted(1, "query"), counted(0, "query"), counted(2, "fold")
    ('1 query', '0 queries', '2 folds')
    """
    return f"{n:,} {kind if n == 1 else plural(kind)}"


def plural(kind: str) -> str:
    """The plural of a noun.

    >>> plural("query"), plural("class"), plural("day")
    ('queries', 'classes', 'days')
    """
    if kind.endswith(("s", "x", "ch", "sh")):
        return f"{kind}es"
    return f"{kind[:-1]}ies" if kind.endswith("y") and kind[-2:-1] not in "aeiou" else f"{kind}s"


_FEWEST, _MOST = 2, 6  # decimals
_NAMED = 3
_LEVELS = (0.001, 0.005, 0.01, 0.05, 0.1)  # of significance
_WHOLE = 1e-6  # of a percent


def amount(n: float) -> str:
    """A count or a sum of weights: `1,830`, `2.5`."""
    return f"{n:,.0f}" if n == round(n) else f"{n:,.1f}"


def count(n: float, thing: str) -> str:
    """A count with its noun: `1 query`, `3 queries`."""
    return f"{amount(n)} {thing if n == 1 else plural(thing)}"


def top(k: int) -> str:
    """The documents of all queries down to a rank: `top-ranked documents`, `top 10 documents`."""
    return "top-ranked documents" if k == 1 else f"top {k:,} documents"


def verb(n: float, one: str, several: str) -> str:
    """The singular or plural form of a verb."""
    return one if n == 1 else several


def percent(value: float) -> str:
    """A proportion in percent, never rounded to 0 or 100, with decimals near these: `71 %`, `99.5 %`."""
    exact = 100 * value
    fewest = 0 if 10 <= exact <= 90 or abs(exact - round(exact)) < _WHOLE else 1
    for digits in range(fewest, _MOST):
        shown = f"{exact:.{digits}f}"
        if float(shown) not in (0, 100) or float(shown) == exact:
            return f"{shown} %"
    return f"{exact:.3g} %"


def numbers(*values: float) -> list[str]:
    """The values with two or more decimals, as many as needed to distinguish them from each other and from 0 and 1."""
    for digits in range(_FEWEST, _MOST):
        shown = [f"{value:z.{digits}f}" for value in values]
        if _distinct(shown, values) and len(set(shown)) == len(set(values)):
            return shown
    return [f"{value:.{_FEWEST + 1}g}" for value in values]


def _distinct(shown: Sequence[str], values: Sequence[float]) -> bool:
    """Whether only 0 and, up to rounding errors, 1 are shown as such."""
    allowed = {0.0: 0.0, 1.0: LONG_SUMS}
    return all(
        abs(value - float(text)) <= allowed.get(float(text), np.inf) for text, value in zip(shown, values, strict=True)
    )


def subtraction(one: float, other: float, difference: float) -> list[str]:
    """Two values and their difference, with as many decimals as make the printed ones agree if possible."""
    from decimal import Decimal  # rarely needed

    for digits in range(_FEWEST, _MOST):
        shown = [f"{figure:z.{digits}f}" for figure in (one, other, difference)]
        agreeing = abs(Decimal(shown[0]) - Decimal(shown[1])) == Decimal(shown[2])
        if agreeing and _distinct(shown, (one, other, difference)):
            return shown
    return numbers(one, other, difference)


def number(value: float) -> str:
    """One value with two or more decimals, as many as needed to distinguish it from 0 and 1."""
    return numbers(value)[0]


def signed(difference: float) -> str:
    """A difference with its sign: `+0.18`, `-0.04`."""
    return f"{'-' if difference < 0 else '+'}{number(abs(difference))}"


def coefficient(figure: float) -> str:
    """A value that may be negative, such as a correlation: `0.18`, `-0.04`."""
    return f"-{number(-figure)}" if figure < 0 else number(figure)


def interval(low: float, high: float) -> str:
    """Lower and upper bound: `0.10 to 0.26`."""
    return f"{coefficient(low)} to {coefficient(high)}"


def value(figure: float) -> str:
    """A quantity with three significant digits: `12,300`, `4.10`, `0.00210`."""
    rounded = float(f"{figure:.3g}")
    digits = max(0, 2 - int(np.floor(np.log10(abs(rounded))))) if rounded else 0
    return f"{rounded:,.{digits}f}"


def probability(p: float) -> str:
    """A p-value: `p = 0.03`, `p < 0.001`; with more digits if it would be rounded to a usual level."""
    if p < 0.001 or 1 > p >= 0.995:
        return "p < 0.001" if p < 0.001 else "p > 0.99"
    shown = (f"{p:.{digits}g}" for digits in range(2, _MOST))
    return f"p = {next((text for text in shown if float(text) not in _LEVELS or float(text) == p), f'{p:g}')}"


def brief(name: str, longest: int = 28) -> str:
    """A name for headlines, shortened in the middle if it is long."""
    return name if len(name) <= longest else f"{name[: longest // 2 - 1]}…{name[-longest // 2 :]}"


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """A list of names, and the number of the others: `a, b and c`, `a, b, c and 4 more`."""
    return _joined(names, most, "and", "more")


def any_of(names: Sequence[str], most: int = _NAMED) -> str:
    """A list of names after a negation: `not better than a, b or c`, `not better than a, b, c or 4 others`."""
    return _joined(names, most, "or", "other" if len(names) == most + 1 else "others")


def _joined(names: Sequence[str], most: int, before_last: str, rest: str) -> str:
    shown = list(names) if len(names) <= most else [*names[:most], f"{len(names) - most:,} {rest}"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {before_last} {shown[-1]}"


def tally(counts: Mapping[str, int], most: int = 5) -> str:
    """Counts by name: `3 on AP and 2 on RR`."""
    return listed([f"{n:,} on {name}" for name, n in counts.items()], most)
