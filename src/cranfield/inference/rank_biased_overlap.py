"""Rank-biased overlap: the similarity of two rankings that may contain different documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import require_between, require_one_of
from cranfield.frozen import frozen

Ties = Literal["expected", "kept", "active"]

_CELLS = 1 << 18  # depths times documents processed at once


def rank_biased_overlap(
    first: Mapping[str, float], second: Mapping[str, float], *, p: float = 0.9, ties: Ties = "expected"
) -> float:
    """Mean overlap of the top documents over all depths, each depth weighted p times the one above (Webber 2010).

    Beyond the end of a ranking the overlap is extrapolated (RBO_ext). Tied documents share the ranks of their group:
    averaged over all ways to break the tie (expected); as equals, so that a ranking agrees perfectly with itself
    (kept); or all of them active from the first of those ranks (active). See Corsi and Urbano (2024).
    """
    require_between("p", p, 0, 1)
    require_one_of("ties", ties, Ties)
    shorter, longer = sorted((first, second), key=len)
    depth = np.arange(1, len(longer) + 1)
    agreement = _agreement(_tie_groups(shorter, longer, ties), _tie_groups(longer, shorter, ties), depth, len(shorter))
    weight = p**depth
    return float((1 - p) / p * (agreement * weight).sum() + agreement[-1] * weight[-1])


def least_overlap(first: Mapping[str, float], second: Mapping[str, float], *, p: float = 0.9) -> float:
    """The lower bound of RBO over all continuations of the two rankings (RBO_min; Webber, Moffat and Zobel 2010).

    It is reached if no further document is in both. Ties are averaged over all ways to break them.
    """
    require_between("p", p, 0, 1)
    shorter, longer = sorted((first, second), key=len)
    depth = np.arange(1, len(longer) + 1)
    common = _common(_tie_groups(shorter, longer, "expected"), _tie_groups(longer, shorter, "expected"), depth)
    return float((1 - p) / p * ((common * p**depth / depth).sum() + common[-1] * _beyond(len(longer), p)))


def overlap_residual(first: Mapping[str, float], second: Mapping[str, float], *, p: float = 0.9) -> float:
    """The residual over all continuations of the two rankings: RBO_max minus RBO_min.

    At the upper bound, every further document matches one of the other ranking as early as possible: one per depth up
    to the end of the longer ranking, then two, until all are matched. How ties are broken makes no difference.
    """
    require_between("p", p, 0, 1)
    (short, long), shared = sorted((len(first), len(second))), len(first.keys() & second.keys())
    full = long + short - shared  # the first depth at which all documents can be matched
    one, two = np.arange(short + 1.0, long + 1), np.arange(long + 1.0, full + 1)
    gained = ((one - short) / one * p**one).sum() + ((2 * two - long - short) / two * p**two).sum()
    return float((1 - p) / p * (gained - shared * _beyond(full, p)) + p**full)


def _beyond(depth: int, p: float) -> float:
    """The sum of p^d / d over all greater depths d."""
    above = np.arange(1.0, depth + 1)
    return max(float(-np.log1p(-p) - (p**above / above).sum()), 0.0)


@frozen(eq=False)
class TieGroups:
    """The groups of tied documents of a ranking, and the documents that the other ranking has too."""

    top: Floats  # the first rank of each group
    size: Floats
    shared: Ints  # the group of each shared document, in the same order for both rankings
    ties: Ties

    def present(self, depth: Ints) -> Floats:
        """The degree to which each shared document is among the first d: `present[d, document]`."""
        part = 1.0 if self.ties == "active" else self.size[self.shared]  # documents of a group per depth
        return np.clip((depth[:, None] - self.top[self.shared] + 1) / part, 0, 1)

    def norm(self, depth: Ints) -> Floats:
        """The size of the first d, by which the overlap is divided."""
        last = np.searchsorted(self.top, depth, side="right") - 1  # the group at this depth
        size = self.size[last]
        reached = 1.0 if self.ties == "active" else np.minimum((depth - self.top[last] + 1) / size, 1) ** 2
        return self.top[last] - 1 + reached * size


def _tie_groups(order: Mapping[str, float], other: Mapping[str, float], ties: Ties) -> TieGroups:
    values = np.array(list(order.values()), np.float64)
    _, group, count = np.unique(-values, return_inverse=True, return_counts=True)
    size = count.astype(np.float64)
    group_of = dict(zip(order, group.tolist(), strict=True))
    shared = np.array([group_of[name] for name in sorted(order.keys() & other.keys())], np.int64)
    return TieGroups(np.cumsum(size) - size + 1, size, shared, ties)


def _common(short: TieGroups, long: TieGroups, depth: Ints) -> Floats:
    """The number of documents among the first d of both."""
    step = max(_CELLS // max(len(short.shared), 1), 1)
    parts = (depth[start : start + step] for start in range(0, len(depth), step))
    return np.concatenate([(short.present(part) * long.present(part)).sum(axis=1) for part in parts])


def _agreement(short: TieGroups, long: TieGroups, depth: Ints, n_short: int) -> Floats:
    """The agreement at each depth; beyond the end of the shorter ranking it is extrapolated."""
    common = _common(short, long, depth)
    unseen = np.maximum(depth - n_short, 0)
    below = depth.astype(np.float64)
    if short.ties != "expected":
        a, b = short.norm(depth), long.norm(depth)
        below = (a + unseen + b) / 2 if short.ties == "active" else np.sqrt((a + unseen) * b)
    reached = common[n_short - 1] / below[n_short - 1]
    return (common + unseen * reached) / below


OVERLAPS: dict[str, Callable[..., float]] = {
    "RBO": rank_biased_overlap,
    "RBO-min": least_overlap,
    "RBO-residual": overlap_residual,
}
