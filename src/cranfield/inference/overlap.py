"""Rank-biased overlap: how alike two orders are that need not hold the same documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ties = Literal["expected", "kept", "active"]

_CELLS = 1 << 18  # of depths and documents, looked at together


def rank_biased_overlap(
    first: Mapping[str, float], second: Mapping[str, float], *, p: float = 0.9, ties: Ties = "expected"
) -> float:
    """Overlap of the first so many of both orders, in the mean over depths that matter less by p each (Webber 2010).

    Beyond the end of an order its overlap is taken to go on as it was (RBO_ext). Tied documents stand at all ranks
    of their group: in the mean over the ways to break the tie (expected); as equals, so that an order agrees wholly
    with itself (kept); or all of them from the first of those ranks on (active). After Corsi and Urbano 2024.
    """
    if not 0 < p < 1:
        raise BadSetting(f"p must lie between 0 and 1, such as 0.9, not {p!r}")
    if ties not in ("expected", "kept", "active"):
        raise BadSetting(f"ties are expected, kept or active, not {ties!r}")
    shorter, longer = sorted((first, second), key=len)
    depth = np.arange(1, len(longer) + 1)
    agreement = _agreement(_standing(shorter, longer, ties), _standing(longer, shorter, ties), depth, len(shorter))
    weight = p**depth
    return float((1 - p) / p * (agreement * weight).sum() + agreement[-1] * weight[-1])


@dataclass(frozen=True, eq=False)
class Standing:
    """Where the documents of an order stand: its groups of tied ones, and those that the other order has too."""

    top: Floats  # the first rank of each group
    size: Floats
    shared: Ints  # the group of each document of both orders, in an order that both have
    ties: Ties

    def present(self, depth: Ints) -> Floats:
        """How far each shared document is among the first d: `present[d, document]`."""
        part = 1.0 if self.ties == "active" else self.size[self.shared]  # of a group that one depth takes in
        return np.clip((depth[:, None] - self.top[self.shared] + 1) / part, 0, 1)

    def norm(self, depth: Ints) -> Floats:
        """How much there is among the first d, by which an overlap is divided."""
        last = np.searchsorted(self.top, depth, side="right") - 1  # the group that the depth reaches
        size = self.size[last]
        reached = 1.0 if self.ties == "active" else np.minimum((depth - self.top[last] + 1) / size, 1) ** 2
        return self.top[last] - 1 + reached * size


def _standing(order: Mapping[str, float], other: Mapping[str, float], ties: Ties) -> Standing:
    values = np.array(list(order.values()), np.float64)
    _, group, count = np.unique(-values, return_inverse=True, return_counts=True)
    size = count.astype(np.float64)
    of = dict(zip(order, group.tolist(), strict=True))
    shared = np.array([of[name] for name in sorted(order.keys() & other.keys())], np.int64)
    return Standing(np.cumsum(size) - size + 1, size, shared, ties)


def _agreement(short: Standing, long: Standing, depth: Ints, n_short: int) -> Floats:
    """The agreement at each depth; past the end of the shorter order, its further documents agree as it did."""
    step = max(_CELLS // max(len(short.shared), 1), 1)
    parts = (depth[start : start + step] for start in range(0, len(depth), step))
    common = np.concatenate([(short.present(part) * long.present(part)).sum(axis=1) for part in parts])
    unseen = np.maximum(depth - n_short, 0)
    below = depth.astype(np.float64)
    if short.ties != "expected":
        a, b = short.norm(depth), long.norm(depth)
        below = (a + unseen + b) / 2 if short.ties == "active" else np.sqrt((a + unseen) * b)
    reached = common[n_short - 1] / below[n_short - 1]
    return (common + unseen * reached) / below
