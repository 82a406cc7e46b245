"""Preferences: of two judged documents, which ought to come first, and whether a run has it so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.found import Found
from cranfield.evidence.hits import Floats, Ints, Mask
from cranfield.evidence.pairs import Judged, Members, judged_groups, pairs
from cranfield.tables.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Preferences:
    """How many preferences each judgment group states, and how many of them a run meets.

    A preference is met if the better document stands above the other, or if only the better one was retrieved. Its
    kind is 0 if both documents were retrieved, 1 if one was, 2 if neither; counts have a column for each kind.

    The even counts are those of a group in which only the first irrelevant documents count, as many as it has relevant
    ones. Their columns: all preferences; those between retrieved documents, with as many irrelevant ones as relevant
    ones were retrieved; those between retrieved documents, with as many as there are relevant ones.
    """

    queries: tuple[bytes, ...]
    unit: Ints  # the query of each group
    partial: Mask  # whether a group knows an order only within its subgroups
    n_relevant: Ints  # how many documents of each group are, and how many of those were retrieved
    n_other: Ints
    stated: Ints
    met: Ints
    even_stated: Ints
    even_met: Ints
    n_pairs: Ints  # pairs of documents on which the groups of each query state something
    pairs_met: Floats  # the sum over them of the share of those groups whose preference is met

    def __len__(self) -> int:
        return len(self.queries)

    def __add__(self, other: Preferences) -> Preferences:
        """The preferences of both, whose queries must differ: theirs come after ours."""
        return Preferences(
            queries=self.queries + other.queries,
            unit=np.concatenate([self.unit, other.unit + len(self)]),
            partial=np.concatenate([self.partial, other.partial]),
            n_relevant=np.concatenate([self.n_relevant, other.n_relevant]),
            n_other=np.concatenate([self.n_other, other.n_other]),
            stated=np.concatenate([self.stated, other.stated]),
            met=np.concatenate([self.met, other.met]),
            even_stated=np.concatenate([self.even_stated, other.even_stated]),
            even_met=np.concatenate([self.even_met, other.even_met]),
            n_pairs=np.concatenate([self.n_pairs, other.n_pairs]),
            pairs_met=np.concatenate([self.pairs_met, other.pairs_met]),
        )

    def sum(self, value: NDArray[np.generic]) -> Floats:
        """The sum of the values of each query's groups."""
        weight = np.asarray(value, np.float64)
        return np.bincount(self.unit, weights=weight, minlength=len(self)).astype(np.float64, copy=False)

    @property
    def n_groups(self) -> Ints:
        """How many judgment groups each query has."""
        return np.bincount(self.unit, minlength=len(self))


def preferences(judgments: Judgments, found: Found, *, ties: Literal["name", "ranked"] = "name") -> Preferences:
    """The preferences that judgments state, and which of them a run meets.

    In a judgment group a document with a higher grade is better. If the group has subgroups, grades are compared only
    within these, and what follows from several of them is added. Documents with one score are taken by name, the first
    first, as trec_eval does for preferences and for nothing else; `ties="ranked"` takes them as they were found.
    """
    judged = judged_groups(judgments, found, ties == "name")
    n_queries, n_groups = len(judgments.queries), len(judged.unit)
    counts: list[NDArray[Any]] = [np.zeros((n_groups, 3), np.int64) for _ in range(4)]
    counts += [np.zeros((n_queries, 3), np.int64), np.zeros((n_queries, 3))]
    relevant = judged.members.relevant
    sizes = _sizes(judged.members, relevant, n_groups), _sizes(judged.members, ~relevant, n_groups)
    for better, worse in pairs(judgments, judged):
        block = _block(judged.members, better, worse)
        stated, met = _counted(block, n_groups)
        # with one group a query, no pair comes twice
        by_pair = _by_pair(block, judged, n_queries) if n_groups > n_queries else (stated, met)
        own = (stated, met, *_evened(block, judged.members, sizes[0]), *by_pair)
        counts = [total + new for total, new in zip(counts, own, strict=True)]
    return Preferences(tuple(judgments.queries), judged.unit, judged.partial, *sizes, *counts)


def _sizes(members: Members, mask: Mask, n_groups: int) -> Ints:
    """How many documents of each group are in the mask, and how many of those were retrieved."""
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
    """How many preferences of each kind each group states, and how many of them are met."""
    return _table(block.group, block.kind, n_groups), _table(block.group[block.met], block.kind[block.met], n_groups)


def _table(unit: Ints, kind: Ints, n_units: int, weight: Floats | None = None) -> NDArray[Any]:
    """How many there are of each kind in each unit, or what their weights come to."""
    return np.bincount(unit * 3 + kind, weights=weight, minlength=n_units * 3).reshape(-1, 3)


def _evened(block: _Block, members: Members, n_relevant: Ints) -> tuple[Ints, Ints]:
    """The even counts of each group."""
    others = np.maximum(members.others_before[block.better], members.others_before[block.worse])
    stated, met = np.zeros((len(n_relevant), 3), np.int64), np.zeros((len(n_relevant), 3), np.int64)
    for column, (limit, kinds) in enumerate(((0, 3), (1, 1), (0, 1))):
        kept = (others < n_relevant[:, limit][block.group]) & (block.kind < kinds)
        stated[:, column] = np.bincount(block.group[kept], minlength=len(n_relevant))
        met[:, column] = np.bincount(block.group[kept & block.met], minlength=len(n_relevant))
    return stated, met


def _by_pair(block: _Block, judged: Judged, n_queries: int) -> tuple[Ints, Floats]:
    """On how many pairs of documents each query states something, and the sum of the shares that are met."""
    above, below = judged.members.place[np.sort([block.better, block.worse], axis=0)]
    _, first, pair = np.unique(above * (1 << 32) + below, return_index=True, return_inverse=True)
    share = np.bincount(pair, weights=block.met) / np.maximum(np.bincount(pair), 1)
    query, kind = judged.unit[block.group[first]], block.kind[first]
    return _table(query, kind, n_queries), _table(query, kind, n_queries, share)
