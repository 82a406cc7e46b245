"""Rank-biased overlap: how alike two orders are that need not hold the same documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting

Floats = NDArray[np.float64]
Ties = Literal["expected", "kept", "active"]


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
    names = list(dict.fromkeys([*longer, *shorter]))
    a, b = (_present(order, names, len(longer), ties) for order in (shorter, longer))
    depth = np.arange(1, len(longer) + 1)
    agreement = _agreement(a, b, depth, len(shorter), ties)
    weight = p**depth
    return float((1 - p) / p * (agreement * weight).sum() + agreement[-1] * weight[-1])


def _present(order: Mapping[str, float], names: list[str], n_depths: int, ties: Ties) -> Floats:
    """How far each document is among the first d: `present[d, document]`."""
    values = np.array(list(order.values()))
    top = 1 + (values[None, :] > values[:, None]).sum(axis=1)
    size = (values[None, :] == values[:, None]).sum(axis=1)
    depth = np.arange(1, n_depths + 1)[:, None]
    part = 1 if ties == "active" else size  # of a group that one depth takes in
    present = np.clip((depth - top + 1) / part, 0, 1)
    place = {name: column for column, name in enumerate(names)}
    table = np.zeros((n_depths, len(names)))
    table[:, [place[name] for name in order]] = present
    return table


def _agreement(a: Floats, b: Floats, depth: NDArray[np.int64], n_short: int, ties: Ties) -> Floats:
    """The agreement at each depth; past the end of the shorter order, its further documents agree as it did."""
    common = (a * b).sum(axis=1)
    unseen = np.maximum(depth - n_short, 0)
    if ties == "expected":
        below = depth.astype(np.float64)
    elif ties == "active":
        below = ((a.sum(axis=1) + unseen) + b.sum(axis=1)) / 2
    else:
        below = np.sqrt((a**2).sum(axis=1) + unseen) * np.sqrt((b**2).sum(axis=1))
    reached = common[n_short - 1] / below[n_short - 1]
    return (common + unseen * reached) / below
