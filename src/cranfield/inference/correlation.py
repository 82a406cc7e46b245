"""Rank correlation: how alike two orders of systems or documents are, ties counted for what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SMALL = 500  # so many may be compared two by two in memory; more go to SciPy, which sorts


def tau_a(first: Floats, second: Floats) -> float:
    """Pairs in the same order less those in opposite order, over all pairs; ties are neither."""
    agreeing, n_pairs, _, _ = _counts(first, second)
    return agreeing / n_pairs


def tau_b(first: Floats, second: Floats) -> float:
    """Pairs in the same order less those in opposite order, over those that are not tied; NaN if all are tied."""
    agreeing, n_pairs, tied_first, tied_second = _counts(first, second)
    below = np.sqrt((n_pairs - tied_first) * (n_pairs - tied_second))
    return float(agreeing / below) if below else float("nan")


def _counts(first: Floats, second: Floats) -> tuple[float, float, float, float]:
    """Concordant less discordant pairs, all pairs, and those tied in either order."""
    n = len(first)
    n_pairs, tied = n * (n - 1) / 2, (_tied(first), _tied(second))
    if n <= _SMALL:
        a, b = (np.sign(each[:, None] - each) for each in (first, second))
        return float((a * b).sum()) / 2, n_pairs, *tied
    from scipy.stats import kendalltau

    below = np.sqrt((n_pairs - tied[0]) * (n_pairs - tied[1]))
    return (round(kendalltau(first, second).statistic * below) if below else 0.0), n_pairs, *tied


def _tied(values: Floats) -> float:
    count = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((count * (count - 1)).sum() / 2)


def concordance(first: Floats, second: Floats) -> float:
    """Share of the pairs that both put in the same order, a tie counting half."""
    return (tau_a(first, second) + 1) / 2


def spearman(first: Floats, second: Floats) -> float:
    """Correlation of the ranks, tied values having the mean of theirs; NaN if all are tied."""
    a, b = (ranks(each) - (len(each) + 1) / 2 for each in (first, second))
    below = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / below) if below else float("nan")


def ranks(values: Floats) -> Floats:
    """The rank of each value, the highest having rank 1 and equal values the mean of theirs."""
    _, place, count = np.unique(-values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (last - (count - 1) / 2)[place]


def weighted_tau(first: Floats, second: Floats) -> float:
    """Kendall's tau with exchanges weighted by how high up they are: 1/rank of both, summed (Vigna 2015).

    The mean over both orders giving the ranks. NaN if all are tied.
    """
    from scipy.stats import weightedtau

    if len(np.unique(first)) == 1 or len(np.unique(second)) == 1:
        return float("nan")
    return float(weightedtau(first, second).statistic)


def tau_ap(
    first: Floats, second: Floats, *, ties: Literal["kept", "broken"] = "kept", symmetric: bool = False
) -> float:
    """Mean, over the second order from its second place down, of how far those above agree with the first order.

    For each one: the share of those above it that the first order puts above it too, less the share that it puts
    below. Errors near the top weigh most (Yilmaz 2008). Ties are kept, so that only those truly above count and an
    order agrees wholly with itself, and one that ties all has none (NaN); or broken, in the mean over all ways to
    break them. The first order is the true one; not the same with the orders exchanged, unless symmetric, when it is
    the mean of both.
    """
    if ties not in ("kept", "broken"):
        raise BadSetting(f"ties are kept or broken, not {ties!r}")
    if symmetric:
        return (tau_ap(first, second, ties=ties) + tau_ap(second, first, ties=ties)) / 2
    above = second[None, :] > second[:, None]
    agrees = np.sign(first[None, :] - first[:, None])  # 1 where the other is above in the first order
    n_above = above.sum(axis=1)
    agreeing = (above * agrees).sum(axis=1)
    if ties == "kept":
        some = n_above > 0
        told = some.any() and agrees.any()
        return float((agreeing[some] / n_above[some]).mean()) if told else float("nan")
    return _broken(second, agrees, n_above, agreeing)


def _broken(second: Floats, agrees: Floats, n_above: Ints, agreeing: Floats) -> float:
    """The expected value where the tied of the second order come in any order: k of an item's equals lie above it."""
    equal = second[None, :] == second[:, None]
    size = equal.sum(axis=1)
    mates = np.where(size > 1, (equal * agrees).sum(axis=1) / np.maximum(size - 1, 1), 0.0)
    total = 0.0
    for k in range(int(size.max())):
        here = (size > k) & (n_above + k > 0)
        total += float(((agreeing + k * mates) / np.maximum(n_above + k, 1) / size)[here].sum())
    return total / (len(second) - 1)


CORRELATIONS: dict[str, Callable[..., float]] = {
    "tau-a": tau_a,
    "tau-b": tau_b,
    "tau-AP": tau_ap,
    "spearman": spearman,
    "weighted tau": weighted_tau,
    "concordance": concordance,
}
