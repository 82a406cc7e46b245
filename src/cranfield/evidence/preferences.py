"""Preferences: which of two judged documents should rank higher, and whether a run satisfies that."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.addition import ByQuery
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.pairs import Judged, Members, judged_groups, pairs
from cranfield.evidence.sums import by_unit
from cranfield.frozen import frozen
from cranfield.tables.judgments import Judgments


@frozen(eq=False)
class Preferences(ByQuery):
    """The number of preferences of each judgment group, and how many of them a run satisfies.

    A preference is met if the preferred document ranks higher, or if it alone was retrieved. Its kind is 0 if both
    documents were retrieved, 1 if one was, 2 if neither; counts have one column per kind.

    The even counts include only the first non-relevant documents of a group, as many as it has relevant ones. Their
    columns: all preferences; those between retrieved documents, with as many non-relevant ones as relevant ones were
    retrieved; those between retrieved documents, with as many as there are relevant ones. The last two are the first
    two in trec_eval's form, which drops only non-relevant documents of the lowest grade.
    """

    queries: tuple[bytes, ...]
    unit: Ints  # the query of each group
    partial: Mask  # whether a group is ordered only within its subgroups
    n_relevant: Ints  # documents of each group, and how many of them were retrieved
    n_other: Ints
    n_lowest: Ints
    stated: Ints
    met: Ints
    even_stated: Ints
    even_met: Ints
    n_pairs: Ints  # pairs of documents with a preference by any group of the query
    pairs_met: Floats  # sum over these of the proportion of groups whose preference is met

    def sum(self, value: NDArray[np.generic]) -> Floats:
        """Sum of the values over the groups of each query."""
        return by_unit(self.unit, value, len(self))

    @property
    def n_groups(self) -> Ints:
        """Number of judgment groups per query."""
        return np.bincount(self.unit, minlength=len(self))


def preferences(
    judgments: Judgments, judged_ranks: JudgedRanks, *, ties: Literal["name", "ranked"] = "name"
) -> Preferences:
    """The preferences in judgments, and which of them a run satisfies.

    Within a judgment group a document with a higher grade is preferred. If the group has subgroups, grades are compared
    only within these, and preferences are completed by transitivity. Ties are broken by name, ascending, as trec_eval
    does for preferences and nothing else; `ties="ranked"` keeps the order of the judged ranks.
    """
    judged = judged_groups(judgments, judged_ranks, ties == "name")
    n_queries, n_groups = len(judgments.queries), len(judged.unit)
    counts: list[NDArray[Any]] = [np.zeros((n_groups, columns), np.int64) for columns in (3, 3, 5, 5)]
    counts += [np.zeros((n_queries, 3), np.int64), np.zeros((n_queries, 3))]
    members = judged.members
    masks = members.relevant, members.other, members.lowest
    relevant, other, lowest = (_sizes(members, mask, n_groups) for mask in masks)
    before = members.before(members.other), members.before(members.lowest)
    for better, worse in pairs(judgments, judged):
        block = _block(judged.members, better, worse)
        stated, met = _counted(block, n_groups)
        # with one group per query, no pair occurs twice
        by_pair = _by_pair(block, judged, n_queries) if n_groups > n_queries else (stated, met)
        added = (stated, met, *_evened(block, before, relevant), *by_pair)
        counts = [total + new for total, new in zip(counts, added, strict=True)]
    return Preferences(tuple(judgments.queries), judged.unit, judged.partial, relevant, other, lowest, *counts)


def _sizes(members: Members, mask: Mask, n_groups: int) -> Ints:
    """Number of documents of each group in the mask, and how many of them were retrieved."""
    both = (np.bincount(members.group[rows], minlength=n_groups) for rows in (mask, mask & members.retrieved))
    return np.stack(list(both), axis=1)


class _Block(NamedTuple):
    """Some preferences: the better and the worse member, the group and the kind of each, and whether it is met."""

    better: Ints
    worse: Ints
    group: Ints
    kind: Ints
    met: Mask


def _block(members: Members, better: Ints, worse: Ints) -> _Block:
    missed = (~members.retrieved).astype(np.int64)
    met = (better < worse) & members.retrieved[better]  # members are in the order of the run
    return _Block(better, worse, members.group[better], missed[better] + missed[worse], met)


def _counted(block: _Block, n_groups: int) -> tuple[Ints, Ints]:
    """Number of preferences by group and kind, and how many of them are met."""
    return _table(block.group, block.kind, n_groups), _table(block.group[block.met], block.kind[block.met], n_groups)


def _table(unit: Ints, kind: Ints, n_units: int, weight: Floats | None = None) -> NDArray[Any]:
    """The counts, or sums of weights, by unit and kind."""
    return np.bincount(unit * 3 + kind, weights=weight, minlength=n_units * 3).reshape(-1, 3)


def _evened(block: _Block, before: tuple[Ints, Ints], n_relevant: Ints) -> tuple[Ints, Ints]:
    """The even counts of each group; `before` counts earlier non-relevant documents, and those of the lowest grade."""
    # which documents to cut, how many to keep, and whether only pairs of retrieved documents count
    columns = ((0, 0, False), (0, 1, True), (0, 0, True), (1, 0, False), (1, 1, True))
    others = [np.maximum(n_before[block.better], n_before[block.worse]) for n_before in before]
    first = [others[cut] < n_relevant[block.group, limit] for cut, limit, _ in columns]
    counted = [rows & (block.kind == 0) if both else rows for rows, (_, _, both) in zip(first, columns, strict=True)]
    stated = [np.bincount(block.group[rows], minlength=len(n_relevant)) for rows in counted]
    met = [np.bincount(block.group[rows & block.met], minlength=len(n_relevant)) for rows in counted]
    return np.stack(stated, axis=1), np.stack(met, axis=1)


def _by_pair(block: _Block, judged: Judged, n_queries: int) -> tuple[Ints, Floats]:
    """Number of document pairs with a preference per query, and the sum of the proportions that are met."""
    above, below = judged.members.place[np.sort([block.better, block.worse], axis=0)]
    _, first, pair = np.unique(above * (1 << 32) + below, return_index=True, return_inverse=True)
    proportion = np.bincount(pair, weights=block.met) / np.maximum(np.bincount(pair), 1)
    query, kind = judged.unit[block.group[first]], block.kind[first]
    return _table(query, kind, n_queries), _table(query, kind, n_queries, proportion)
