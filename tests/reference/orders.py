"""Rank correlation in plain Python: every two, every prefix and every way to break ties, as the papers define it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, permutations, product

Order = Mapping[str, Fraction]


def read(data: bytes) -> dict[str, dict[str, Fraction]]:
    """The orders in CSV: one row per name, one column of scores per order."""
    header, *rows = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
    return {name: {row[0]: Fraction(float(row[at])) for row in rows} for at, name in enumerate(header[1:], 1)}


def _signs(first: Order, second: Order) -> list[tuple[int, int]]:
    return [(_sign(first[a], first[b]), _sign(second[a], second[b])) for a, b in combinations(first, 2)]


def _sign(a: Fraction, b: Fraction) -> int:
    return (a > b) - (a < b)


def tau_a(first: Order, second: Order) -> float:
    """Kendall's tau over all pairs."""
    signs = _signs(first, second)
    return sum(x * y for x, y in signs) / len(signs)


def tau_b(first: Order, second: Order) -> float | None:
    """Kendall's tau over the pairs that are not tied."""
    signs = _signs(first, second)
    below = sum(x * x for x, _ in signs) * sum(y * y for _, y in signs)
    return sum(x * y for x, y in signs) / math.sqrt(below) if below else None


def concordance(first: Order, second: Order) -> float:
    signs = [x * y for x, y in _signs(first, second)]
    return (signs.count(1) + signs.count(0) / 2) / len(signs)


def spearman(first: Order, second: Order) -> float | None:
    """Pearson's correlation of the ranks, those of tied values being their mean."""
    a, b = (_ranks(order) for order in (first, second))
    middle = Fraction(len(a) + 1, 2)
    products = [sum((x[n] - middle) * (y[n] - middle) for n in a) for x, y in ((a, b), (a, a), (b, b))]
    return float(products[0]) / math.sqrt(products[1] * products[2]) if products[1] and products[2] else None


def _ranks(order: Order) -> dict[str, Fraction]:
    above = {name: sum(other > score for other in order.values()) for name, score in order.items()}
    return {name: above[name] + Fraction(list(order.values()).count(score) + 1, 2) for name, score in order.items()}


def strict_tau_ap(first: list[str], second: list[str]) -> Fraction:
    """Tau-AP of two orders without ties, the first being true (Yilmaz, Aslam and Robertson 2008)."""
    place = {name: at for at, name in enumerate(first)}
    total = Fraction(0)
    for at in range(1, len(second)):
        total += Fraction(sum(place[name] < place[second[at]] for name in second[:at]), at)
    return 2 * total / (len(second) - 1) - 1


def broken(order: Order) -> list[list[str]]:
    """Every order of the names that breaks the ties."""
    groups = [[name for name in order if order[name] == score] for score in sorted(set(order.values()), reverse=True)]
    return [[name for group in chosen for name in group] for chosen in product(*map(permutations, groups))]


def tau_ap_a(first: Order, second: Order) -> float | None:
    """The mean over the ways to break the ties of the second order; the first must have none."""
    truth = broken(first)
    each = [strict_tau_ap(truth[0], way) for way in broken(second)]
    return float(sum(each) / len(each)) if len(truth) == 1 else None


def tau_ap_b(first: Order, second: Order) -> float | None:
    """Urbano and Marrero's for two orders with ties: above means above the group of those tied."""
    each = [_against(*pair) for pair in ((first, second), (second, first))]
    return None if None in each else float(sum(each)) / 2  # type: ignore[arg-type]


def _against(first: Order, second: Order) -> Fraction | None:
    found = []
    for name, score in second.items():
        above = [other for other in second if second[other] > score]
        if above:
            found.append(Fraction(sum(first[other] > first[name] for other in above), len(above)))
    return 2 * sum(found) / len(found) - 1 if found else None


def tau_ap(first: Order, second: Order) -> float | None:
    """Tau-AP with ties kept, in the mean of both directions: what is tied in the first order counts for nothing."""
    if any(len(set(order.values())) == 1 for order in (first, second)):
        return None
    return float(_kept(first, second) + _kept(second, first)) / 2


def _kept(first: Order, second: Order) -> Fraction:
    found = []
    for name, score in second.items():
        above = [other for other in second if second[other] > score]
        if above:
            found.append(Fraction(sum(_sign(first[other], first[name]) for other in above), len(above)))
    return sum(found, Fraction(0)) / len(found)


def _prefix(first: list[str], second: list[str], depth: int) -> int:
    return len(set(first[:depth]) & set(second[:depth]))


def extrapolated(first: list[str], second: list[str], p: Fraction) -> Fraction:
    """RBO_ext of two lists of one length (Webber, Moffat and Zobel 2010, equation 23)."""
    k = len(first)
    seen = sum(Fraction(_prefix(first, second, d), d) * p**d for d in range(1, k + 1))
    return Fraction(_prefix(first, second, k), k) * p**k + (1 - p) / p * seen


def least(first: list[str], second: list[str], p: Fraction) -> float:
    """RBO_min of two lists of one length (equation 11 there)."""
    k = len(first)
    last = _prefix(first, second, k)
    seen = sum(Fraction(_prefix(first, second, d) - last, d) * p**d for d in range(1, k + 1))
    return float((1 - p) / p) * (float(seen) - last * math.log(1 - p))


def rbo(first: Order, second: Order, p: Fraction) -> float:
    each = [extrapolated(a, b, p) for a in broken(first) for b in broken(second)]
    return float(sum(each) / len(each))


def rbo_min(first: Order, second: Order, p: Fraction) -> float:
    each = [least(a, b, p) for a in broken(first) for b in broken(second)]
    return sum(each) / len(each)


def rbo_residual(first: Order, second: Order, p: Fraction) -> float:
    """What depths beyond the end can add at most: two of the same names agree wholly there, and else add nothing."""
    k, tail = len(first), 0.0
    for d in range(k + 1, 3_000):
        tail += float(p) ** (d - 1) * (1 - k / d)
    return tail * (1 - float(p))


COEFFICIENTS = {
    "tau-a": tau_a,
    "tau-b": tau_b,
    "tau-AP": tau_ap,
    "tau-AP-a": tau_ap_a,
    "tau-AP-b": tau_ap_b,
    "spearman": spearman,
    "concordance": concordance,
}
OVERLAPS = {"RBO": rbo, "RBO-min": rbo_min, "RBO-residual": rbo_residual}
