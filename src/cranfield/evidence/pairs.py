"""Pairs of documents of which judgments say that one is better."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput
from cranfield.evidence.found import Found
from cranfield.evidence.groups import numbered, subgroups
from cranfield.evidence.hits import Ints, Mask
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode

_BLOCK = 1 << 18  # pairs in memory at a time, if no query has more


class Members(NamedTuple):
    """The documents of each judgment group, by group and then in the order of the run.

    `place` numbers the documents of all queries in the order of the run, those that were not retrieved last.
    """

    group: Ints
    place: Ints
    retrieved: Mask
    relevant: Mask  # graded above 0
    others_before: Ints  # how many irrelevant ones come before an irrelevant one; -1 for a relevant one
    row: Ints  # a judgment of it


class Judged(NamedTuple):
    """Judgment groups: their query, whether they know an order only within subgroups, and their members.

    The judgments are ordered by subgroup, the best grade first: `member[i]` is better than those from `below[i]` to
    `end[i]`.
    """

    unit: Ints
    partial: Mask
    members: Members
    member: Ints
    below: Ints
    end: Ints


def judged_groups(judgments: Judgments, found: Found, by_name: bool) -> Judged:
    """The judgment groups of each query, in the order that a run has their documents."""
    group, unit, _ = numbered(judgments)
    subgroup, of_group = subgroups(judgments, group)
    members, member = _members(judgments, group, _places(judgments, found, by_name), found.rank > 0)
    order = np.lexsort((member, -judgments.grade, subgroup))
    level = np.stack([subgroup[order], -judgments.grade[order]])
    last = np.append(np.any(np.diff(level) != 0, axis=0), True)[: len(order)]
    below = (np.flatnonzero(last) + 1)[np.cumsum(last) - last]
    return Judged(
        unit=unit,
        partial=np.bincount(of_group, minlength=len(unit)) > 1,
        members=members,
        member=member[order],
        below=below,
        end=np.searchsorted(subgroup[order], subgroup[order], side="right"),
    )


def _places(judgments: Judgments, found: Found, by_name: bool) -> Ints:
    """The place of each document in the order of the run; by name where that says nothing, the first first."""
    alphabetical = np.zeros(len(found.rank), np.int64)
    unsure = np.flatnonzero((found.rank == 0) | (found.tied > 1))
    names = judgments.documents.take(unsure).tolist()
    alphabetical[unsure[sorted(range(len(names)), key=names.__getitem__)]] = np.arange(len(names))
    ranked = found.tie if by_name else found.rank
    place = np.empty_like(alphabetical)
    place[np.lexsort((alphabetical, ranked, found.rank == 0, judgments.document_unit))] = np.arange(len(place))
    return place


def _members(judgments: Judgments, group: Ints, place: Ints, retrieved: Mask) -> tuple[Members, Ints]:
    """The members of the groups, and which of them each judgment is about."""
    key, row, member = np.unique(group * len(place) + place[judgments.document], return_index=True, return_inverse=True)
    relevant = np.bincount(member, weights=judgments.grade > 0, minlength=len(key))
    in_two_minds = (relevant > 0) & (relevant < np.bincount(member, minlength=len(key)))
    if in_two_minds.any():
        where, what = _named(judgments, int(row[np.argmax(in_two_minds)]))
        raise BadInput(
            f"{where}: {what!r} is graded 0 in one subgroup and above 0 in another; it must be one or the other"
        )
    document = judgments.document[row]
    others = np.cumsum(relevant == 0)
    start = np.searchsorted(group[row], group[row])
    before = np.where(relevant > 0, -1, others - others[start] + (relevant[start] == 0) - 1)
    return Members(group[row], place[document], retrieved[document], relevant > 0, before, row), member


def pairs(judgments: Judgments, judged: Judged) -> Iterator[tuple[Ints, Ints]]:
    """The better and the worse member of every pair, in blocks of whole queries."""
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
    """The pairs, with those that follow from several subgroups."""
    group = judged.members.group[better]
    partial = judged.partial[group]
    if not partial.any():
        return better, worse
    found = [(better[~partial], worse[~partial])]
    for number in np.unique(group[partial]):
        first, end = np.searchsorted(judged.members.group, [number, number + 1])
        own = group == number
        over = np.zeros((end - first, end - first), np.float32)
        over[better[own] - first, worse[own] - first] = 1
        over = _closure(over)
        if over.diagonal().any():
            _refuse_circle(judgments, judged.members.row[first:end], over)
        high, low = np.nonzero(over)
        found.append((high + first, low + first))
    return np.concatenate([high for high, _ in found]), np.concatenate([low for _, low in found])


def _closure(over: NDArray[np.float32]) -> NDArray[np.float32]:
    """Who is over whom, directly or through others."""
    while True:
        further = np.minimum(over + over @ over, 1)
        if np.array_equal(further, over):
            return over
        over = further


def _refuse_circle(judgments: Judgments, row: Ints, over: NDArray[np.float32]) -> NoReturn:
    one = int(np.argmax(over.diagonal()))
    other = int(np.argmax((over[one] > 0) & (over[:, one] > 0) & (np.arange(len(row)) != one)))
    where, first = _named(judgments, int(row[one]))
    _, second = _named(judgments, int(row[other]))
    raise BadInput(
        f"{where}: {first!r} is better than {second!r}, and {second!r} better than {first!r}; "
        "preferences that contradict each other belong in judgment groups of their own"
    )


def _named(judgments: Judgments, row: int) -> tuple[str, str]:
    """Where a judgment stands, and what it is about."""
    query = decode(judgments.queries[judgments.unit[row]])
    group = "" if judgments.group is None else f", judgment group {decode(judgments.group[row])!r}"
    return f"query {query!r}{group}", decode(judgments.documents[judgments.document[row]])
