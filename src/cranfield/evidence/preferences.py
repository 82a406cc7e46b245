"""Preferences: which of two judged documents should rank higher, and whether a run satisfies that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput
from cranfield.evidence.arithmetic import by_unit
from cranfield.evidence.items import ByQuery
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.subtopics import numbered, subgroups
from cranfield.frozen import frozen
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode

# Pairs of documents in which the judgments prefer one to the other


_BLOCK = 1 << 18  # pairs in memory at a time, if no query has more


class Members(NamedTuple):
    """The documents of each judgment group, ordered by group and then as in the run.

    `place` numbers the documents of all queries in the order of the run, missing ones last. A document has the grade of
    the last subgroup it occurs in. It is non-relevant if graded 0, and without subgroups also if graded lower.
    """

    group: Ints
    place: Ints
    retrieved: Mask
    relevant: Mask  # graded above 0
    other: Mask  # non-relevant
    lowest: Mask  # non-relevant, with the lowest grade of the group
    row: Ints  # a judgment of it

    def before(self, mask: Mask) -> Ints:
        """Number of earlier members of the group in the mask; -1 for members that are not in it."""
        total = np.cumsum(mask)
        start = np.searchsorted(self.group, self.group)
        return np.where(mask, total - 1 - (total - mask)[start], -1)


class Judged(NamedTuple):
    """Judgment groups: their query, whether they are ordered only within subgroups, and their members.

    The judgments are ordered by subgroup and grade, best first: `member[i]` is preferred to those from `below[i]` to
    `end[i]`.
    """

    unit: Ints
    partial: Mask
    members: Members
    member: Ints
    below: Ints
    end: Ints


def judged_groups(judgments: Judgments, ranks: JudgedRanks, by_name: bool) -> Judged:
    """The judgment groups of each query, with their documents in the order of a run."""
    group, unit, _ = numbered(judgments)
    subgroup, of_group = subgroups(judgments, group)
    partial = np.bincount(of_group, minlength=len(unit)) > 1
    places = _places(judgments, ranks, by_name)
    members, member = _members(judgments, group, subgroup, partial, places, ranks.rank > 0)
    order = np.lexsort((member, -judgments.grade, subgroup))
    level = np.stack([subgroup[order], -judgments.grade[order]])
    last = np.append(np.any(np.diff(level) != 0, axis=0), True)[: len(order)]
    below = (np.flatnonzero(last) + 1)[np.cumsum(last) - last]
    return Judged(
        unit=unit,
        partial=partial,
        members=members,
        member=member[order],
        below=below,
        end=np.searchsorted(subgroup[order], subgroup[order], side="right"),
    )


def _places(judgments: Judgments, ranks: JudgedRanks, by_name: bool) -> Ints:
    """The index of each document in the order of the run; missing or tied documents are ordered by name."""
    alphabetical = np.zeros(len(ranks.rank), np.int64)
    unsure = np.flatnonzero((ranks.rank == 0) | (ranks.tie_size > 1))
    names = judgments.documents.take(unsure).tolist()
    alphabetical[unsure[sorted(range(len(names)), key=names.__getitem__)]] = np.arange(len(names))
    ranked = ranks.tie_start if by_name else ranks.rank
    place = np.empty_like(alphabetical)
    place[np.lexsort((alphabetical, ranked, ranks.rank == 0, judgments.document_unit))] = np.arange(len(place))
    return place


def _members(
    judgments: Judgments, group: Ints, subgroup: Ints, partial: Mask, place: Ints, retrieved: Mask
) -> tuple[Members, Ints]:
    """The members of the groups, and the member of each judgment."""
    key, row, member = np.unique(group * len(place) + place[judgments.document], return_index=True, return_inverse=True)
    _require_consistent(judgments, row, member)
    grade = np.empty(len(key))
    order = np.argsort(subgroup, kind="stable")
    grade[member[order]] = judgments.grade[order]  # the last subgroup wins
    of, document = group[row], judgments.document[row]
    other = np.where(partial[of], grade == 0, grade <= 0)
    least = np.full(len(partial), np.inf)
    np.minimum.at(least, of[other], grade[other])
    lowest = other & (grade == least[of])
    return Members(of, place[document], retrieved[document], grade > 0, other, lowest, row), member


def _require_consistent(judgments: Judgments, row: Ints, member: Ints) -> None:
    """Refuse documents that are non-relevant in one subgroup and relevant in another."""
    zero, relevant = (np.bincount(member, mask, len(row)) > 0 for mask in (judgments.grade == 0, judgments.grade > 0))
    if (zero & relevant).any():
        where, what = _named(judgments, int(row[np.argmax(zero & relevant)]))
        raise BadInput(
            f"{where}: {what!r} is graded 0 in one subgroup and above 0 in another; only one of the two is possible"
        )


def pairs(judgments: Judgments, judged: Judged) -> Iterator[tuple[Ints, Ints]]:
    """The preferred and the other member of every pair, in blocks of whole queries."""
    group = judged.members.group[judged.member]
    count = judged.end - judged.below
    of_query = np.bincount(judged.unit[group], weights=count)
    block = (np.cumsum(of_query) // _BLOCK).astype(np.int64)[judged.unit[group]]
    for rows in np.split(np.arange(len(group)), np.flatnonzero(np.diff(block)) + 1):
        better = np.repeat(rows, count[rows])
        step = np.arange(len(better)) - np.repeat(np.cumsum(count[rows]) - count[rows], count[rows])
        worse = judged.below[better] + step
        yield _completed(judgments, judged, judged.member[better], judged.member[worse])


def _completed(judgments: Judgments, judged: Judged, better: Ints, worse: Ints) -> tuple[Ints, Ints]:
    """The pairs and those that follow by transitivity from several subgroups."""
    group = judged.members.group[better]
    partial = judged.partial[group]
    if not partial.any():
        return better, worse
    pairs = [(better[~partial], worse[~partial])]
    for number in np.unique(group[partial]):
        first, end = np.searchsorted(judged.members.group, [number, number + 1])
        inside = group == number
        over = np.zeros((end - first, end - first), np.float32)
        over[better[inside] - first, worse[inside] - first] = 1
        over = _closure(over)
        if over.diagonal().any():
            _refuse_circle(judgments, judged.members.row[first:end], over)
        high, low = np.nonzero(over)
        pairs.append((high + first, low + first))
    return np.concatenate([high for high, _ in pairs]), np.concatenate([low for _, low in pairs])


def _closure(over: NDArray[np.float32]) -> NDArray[np.float32]:
    """The transitive closure of a relation."""
    while True:
        further = np.minimum(over + over @ over, 1)
        if np.array_equal(further, over):
            return over
        over = further


def _refuse_circle(judgments: Judgments, row: Ints, over: NDArray[np.float32]) -> NoReturn:
    above = int(np.argmax(over.diagonal()))
    below = int(np.flatnonzero((over[above] > 0) & (over[:, above] > 0))[1])  # `above` is the first of its cycle
    where, first = _named(judgments, int(row[above]))
    _, second = _named(judgments, int(row[below]))
    raise BadInput(
        f"{where}: {first!r} is preferred to {second!r}, and {second!r} to {first!r}; "
        "put contradictory preferences into separate judgment groups"
    )


def _named(judgments: Judgments, row: int) -> tuple[str, str]:
    """The query and group of a judgment, and its document."""
    query = decode(judgments.queries[judgments.unit[row]])
    group = "" if judgments.group is None else f", judgment group {decode(judgments.group[row])!r}"
    return f"query {query!r}{group}", decode(judgments.documents[judgments.document[row]])


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
