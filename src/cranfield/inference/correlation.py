"""Rank correlation of two rankings of systems or documents, with ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import require_one_of

_CELLS = 1 << 20  # pairs compared at once
_SMALL = 500  # up to this many, all pairs are compared in memory; beyond, SciPy sorts


def tau_a(first: Floats, second: Floats) -> float:
    """Concordant minus discordant pairs, divided by all pairs; ties are neither."""
    agreeing, n_pairs, _, _ = _counts(first, second)
    return agreeing / n_pairs


def tau_b(first: Floats, second: Floats) -> float:
    """Concordant minus discordant pairs, over the geometric mean of the pairs untied in each ranking.

    NaN if all items of a ranking are tied.
    """
    agreeing, n_pairs, tied_first, tied_second = _counts(first, second)
    below = np.sqrt((n_pairs - tied_first) * (n_pairs - tied_second))
    return float(agreeing / below) if below else float("nan")


def _counts(first: Floats, second: Floats) -> tuple[float, float, float, float]:
    """Concordant minus discordant pairs, all pairs, and the pairs tied in each ranking."""
    n = len(first)
    n_pairs, tied = n * (n - 1) / 2, (_tied(first), _tied(second))
    if n <= _SMALL:
        a, b = (np.sign(scores[:, None] - scores) for scores in (first, second))
        return float((a * b).sum()) / 2, n_pairs, *tied
    from scipy.stats import kendalltau

    below = np.sqrt((n_pairs - tied[0]) * (n_pairs - tied[1]))
    return (round(kendalltau(first, second).statistic * below) if below else 0.0), n_pairs, *tied


def _tied(values: Floats) -> float:
    count = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((count * (count - 1)).sum() / 2)


def concordance(first: Floats, second: Floats) -> float:
    """Proportion of concordant pairs; a tie counts half."""
    return (tau_a(first, second) + 1) / 2


def spearman(first: Floats, second: Floats) -> float:
    """Pearson correlation of the ranks; tied values have their mean rank. NaN if all are tied."""
    a, b = (ranks(scores) - (len(scores) + 1) / 2 for scores in (first, second))
    below = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / below) if below else float("nan")


def ranks(values: Floats) -> Floats:
    """The rank of each value: the highest has rank 1, equal values have their mean rank."""
    _, place, count = np.unique(-values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (last - (count - 1) / 2)[place]


def weighted_tau(first: Floats, second: Floats) -> float:
    """Kendall's tau with each pair weighted by the sum of 1/rank of both (Vigna 2015).

    The mean over both rankings as the source of the ranks. NaN if all are tied.
    """
    from scipy.stats import weightedtau

    if len(np.unique(first)) == 1 or len(np.unique(second)) == 1:
        return float("nan")
    return float(weightedtau(first, second).statistic)


def tau_ap(
    first: Floats, second: Floats, *, ties: Literal["kept", "broken"] = "kept", symmetric: bool = False
) -> float:
    """Mean agreement with the true ranking of the items above each item of the second ranking (Yilmaz 2008).

    For each item from rank 2: the proportion of the items above it that the true ranking also has above it, minus the
    proportion that it has below. Errors near the top have the most weight. Ties can be kept: only items strictly above
    count, a ranking agrees perfectly with itself, and the value is NaN if all are tied. Or they can be broken: the mean
    over all ways to break them. Neither is tau-AP-b, Urbano and Marrero's treatment of ties. The first ranking is the
    true one; exchanging the two changes the value unless `symmetric`, which takes the mean of both directions.
    """
    require_one_of("ties", ties, ("kept", "broken"))
    if symmetric:
        return (tau_ap(first, second, ties=ties) + tau_ap(second, first, ties=ties)) / 2
    n_above, higher, lower = _above(first, second)
    if ties == "broken":
        return _broken(second, n_above, higher - lower)
    below = n_above > 0
    defined = below.any() and np.ptp(first) > 0
    return float(((higher - lower)[below] / n_above[below]).mean()) if defined else float("nan")


def _above(first: Floats, second: Floats) -> tuple[Ints, Ints, Ints]:
    """The number of items above each item in the second ranking, and of those that the first has higher or lower.

    Computed in blocks of rows, so that memory stays linear.
    """
    step = max(_CELLS // len(first), 1)
    blocks = []
    for start in range(0, len(first), step):
        rows = slice(start, start + step)
        above = second[None, :] > second[rows, None]
        masks = (above, above & (first[None, :] > first[rows, None]), above & (first[None, :] < first[rows, None]))
        blocks.append([mask.sum(axis=1) for mask in masks])
    n, higher, lower = (np.concatenate(counts) for counts in zip(*blocks, strict=True))
    return n, higher, lower


def _broken(second: Floats, n_above: Ints, agreeing: Ints) -> float:
    """The expected value over random orders of tied items in the second ranking: k of an item's equals are above it.

    Among themselves, tied items agree and disagree equally often.
    """
    _, group, counts = np.unique(second, return_inverse=True, return_counts=True)
    size = counts[group]
    total = 0.0
    for k in range(int(size.max())):
        here = (size > k) & (n_above + k > 0)
        total += float((agreeing / np.maximum(n_above + k, 1) / size)[here].sum())
    return total / (len(second) - 1)


def tau_ap_a(first: Floats, second: Floats) -> float:
    """The accuracy of the second ranking, which may have ties, given a true ranking without ties.

    The mean of tau-AP over all ways to break the ties (Urbano and Marrero 2017). NaN if the first ranking has ties.
    """
    return tau_ap(first, second, ties="broken") if len(np.unique(first)) == len(first) else float("nan")


def tau_ap_b(first: Floats, second: Floats) -> float:
    """The agreement of two rankings that may have ties, neither of them the true one (Urbano and Marrero 2017).

    For each item below the top group of one ranking: the proportion of the items strictly above it that the other
    ranking also has strictly above it, so that a tie in only the other ranking counts as discordant. Scaled to
    [-1, 1]; the mean of both directions. NaN if all items are tied in a ranking.
    """
    directions = [_above(*rankings)[:2] for rankings in ((first, second), (second, first))]
    if not all(n_above.any() for n_above, _ in directions):
        return float("nan")
    return float(np.mean([2 * (higher[n > 0] / n[n > 0]).mean() - 1 for n, higher in directions]))


CORRELATIONS: dict[str, Callable[..., float]] = {
    "tau-a": tau_a,
    "tau-b": tau_b,
    "tau-AP": tau_ap,
    "tau-AP-a": tau_ap_a,
    "tau-AP-b": tau_ap_b,
    "spearman": spearman,
    "weighted tau": weighted_tau,
    "concordance": concordance,
}
