"""Paired tests by hand: from a table as text, in fractions, so that nothing is ever rounded before it is compared."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

EXACT, EXACT_TIED = 50, 13  # differences up to which signed ranks are counted exactly, without ties and with them


def read(table: bytes) -> dict[str, list[Fraction]]:
    """The values of each system, a row a unit and a column a system after the first, as the text says."""
    head, *rows = csv.reader(io.StringIO(table.decode()))
    return {name: [Fraction(row[place]) for row in rows] for place, name in enumerate(head) if place}


@dataclass(frozen=True)
class Tested:
    """What a test found; None where there is none."""

    statistic: float | None
    p: float | None


def differences(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    """First less second, unit by unit."""
    return [a - b for a, b in zip(first, second, strict=True)]


def signs(apart: list[Fraction]) -> tuple[int, int, int]:
    """How many are above 0, 0 and below."""
    return sum(d > 0 for d in apart), sum(d == 0 for d in apart), sum(d < 0 for d in apart)


def sided(above: Fraction, below: Fraction, alternative: str) -> float:
    """The p-value, given the chance of as much or more, and of as much or less."""
    if alternative == "two-sided":
        return float(min(1, 2 * min(above, below)))
    return float(above if alternative == "greater" else below)


def sign(apart: list[Fraction], alternative: str = "two-sided") -> Tested:
    """The sign test: wins against tosses of a coin."""
    wins, _, losses = signs(apart)
    n = wins + losses
    tosses = [Fraction(math.comb(n, k), 2**n) for k in range(n + 1)]
    return Tested(wins, sided(sum(tosses[wins:], Fraction(0)), sum(tosses[: wins + 1], Fraction(0)), alternative))


def flipped(sizes: list[Fraction]) -> Counter[Fraction]:
    """How many of the ways to choose among the sizes come to each sum."""
    ways = Counter({Fraction(0): 1})
    for size in sizes:
        more: Counter[Fraction] = Counter()
        for total, times in ways.items():
            more[total] += times
            more[total + size] += times
        ways = more
    return ways


def ranked(sizes: list[Fraction]) -> list[Fraction]:
    """The rank of each size from the smallest up, equal ones sharing the mean of theirs."""
    ordered = sorted(sizes)
    return [Fraction(2 * ordered.index(size) + ordered.count(size) + 1, 2) for size in sizes]


def wilcoxon(apart: list[Fraction], alternative: str = "two-sided") -> Tested:
    """The signed-rank test: differences of 0 left out, equal sizes given their mean rank."""
    some = [d for d in apart if d]
    if not some:
        return Tested(0, 1.0)
    ranks = ranked([abs(d) for d in some])
    won = sum((rank for d, rank in zip(some, ranks, strict=True) if d > 0), Fraction(0))
    statistic = float(min(won, sum(ranks) - won) if alternative == "two-sided" else won)
    tied = len(set(ranks)) < len(ranks)
    if len(some) > (EXACT_TIED if tied else EXACT):
        return Tested(statistic, _normal(ranks, won, alternative))
    ways = flipped(ranks)
    above = Fraction(sum(times for total, times in ways.items() if total >= won), 2 ** len(some))
    below = Fraction(sum(times for total, times in ways.items() if total <= won), 2 ** len(some))
    return Tested(statistic, sided(above, below, alternative))


def _normal(ranks: list[Fraction], won: Fraction, alternative: str) -> float:
    """By the normal distribution with the mean and the variance that chance signs give the sum of ranks."""
    z = float(won - sum(ranks) / 2) / math.sqrt(sum(rank**2 for rank in ranks) / 4)
    if alternative == "two-sided":
        return math.erfc(abs(z) / math.sqrt(2))
    return math.erfc((z if alternative == "greater" else -z) / math.sqrt(2)) / 2


def randomisation(apart: list[Fraction], alternative: str = "two-sided") -> Tested:
    """All ways to exchange the two systems unit by unit, and how many differ in the mean by as much."""
    total, size = sum(apart), sum(abs(d) for d in apart)
    sums = Counter({2 * chosen - size: times for chosen, times in flipped([abs(d) for d in apart]).items()})
    extreme = {
        "two-sided": lambda other: abs(other) >= abs(total),
        "greater": lambda other: other >= total,
        "less": lambda other: other <= total,
    }[alternative]
    p = Fraction(sum(times for other, times in sums.items() if extreme(other)), 2 ** len(apart))
    return Tested(float(total / len(apart)), float(p))


def student(apart: list[Fraction], alternative: str = "two-sided") -> Tested:
    """The t-test; none where differences do not vary, but that of nothing where all are 0."""
    n = len(apart)
    mean = sum(apart) / n
    variance = sum((d - mean) ** 2 for d in apart) / (n - 1)
    if not variance:
        return Tested(None, None) if mean else Tested(0, 1.0)
    t = float(mean) / math.sqrt(variance / n)
    beyond = (1 - within(abs(t), n - 1)) / 2
    if alternative == "two-sided":
        return Tested(t, 2 * beyond)
    return Tested(t, beyond if (t > 0) == (alternative == "greater") else 1 - beyond)


def within(t: float, freedom: int, steps: int = 1_000) -> float:
    """The part of Student's distribution between -t and t: its density, integrated by Simpson's rule over an angle."""
    end = math.atan(t / math.sqrt(freedom))
    density = [math.cos(end * k / steps) ** (freedom - 1) for k in range(steps + 1)]
    area = end / steps / 3 * (density[0] + density[-1] + 4 * sum(density[1:-1:2]) + 2 * sum(density[2:-1:2]))
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return 2 * scale * area


def holm(values: list[float | None]) -> list[float | None]:
    """Holm's adjusted p-values; what was not tested counts as a comparison."""
    order = sorted(range(len(values)), key=lambda place: (values[place] is None, values[place]))
    found: list[float | None] = [None] * len(values)
    least = 0.0
    for before, place in enumerate(order):
        if values[place] is not None:
            least = max(least, min(1.0, values[place] * (len(values) - before)))
            found[place] = least
    return found


def tau_b(first: list[Fraction], second: list[Fraction]) -> float | None:
    """Kendall's tau-b over all pairs; None where one of the orders ties all."""
    pairs = [
        (a - c, b - d)
        for i, (a, b) in enumerate(zip(first, second, strict=True))
        for c, d in list(zip(first, second, strict=True))[:i]
    ]
    untied = sum(a != 0 for a, _ in pairs) * sum(b != 0 for _, b in pairs)
    return sum((a * b > 0) - (a * b < 0) for a, b in pairs) / math.sqrt(untied) if untied else None


TESTS = {"sign": sign, "wilcoxon": wilcoxon, "randomisation": randomisation, "t": student}
