"""Groups: hits counted apart for each judgment group of a query, where several people judged it for themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cranfield.errors import BadInput
from cranfield.evidence.found import Found
from cranfield.evidence.hits import Floats, Hits, Ints, ratio
from cranfield.tables.judgments import Judgments, grouped
from cranfield.tables.names import Names, decode


@dataclass(frozen=True, eq=False)
class Groups:
    """The hits of each judgment group as a unit of its own; `unit` is the query of each group."""

    queries: tuple[bytes, ...]
    unit: Ints
    hits: Hits

    def __len__(self) -> int:
        return len(self.queries)

    def __add__(self, other: Groups) -> Groups:
        """The groups of both, whose queries must differ: theirs come after ours."""
        return Groups(
            queries=self.queries + other.queries,
            unit=np.concatenate([self.unit, other.unit + len(self)]),
            hits=self.hits + other.hits,
        )

    @cached_property
    def condensed(self) -> Groups:
        """The groups of rankings without the documents that a group did not judge."""
        return replace(self, hits=self.hits.condensed)

    def mean(self, value: Floats) -> Floats:
        """The mean over each query's groups; a group without a value counts 0, as in trec_eval, if any has one."""
        known = np.bincount(self.unit, weights=~np.isnan(value), minlength=len(self))
        total = np.bincount(self.unit, weights=np.nan_to_num(value), minlength=len(self))
        return np.where(known > 0, ratio(total, np.bincount(self.unit, minlength=len(self))), np.nan)


def groups(judgments: Judgments, found: Found) -> Groups:
    """The hits of a run for each judgment group of each query."""
    group, unit, names = numbered(judgments)
    require_once(judgments, group, "judgment group")
    rank = found.rank[judgments.document]
    pool = np.lexsort((-judgments.grade, group))
    rows = np.lexsort((rank, group))
    rows = rows[rank[rows] > 0]
    return Groups(
        queries=tuple(judgments.queries),
        unit=unit,
        hits=Hits(
            queries=tuple(judgments.queries[query] + b" " + name for query, name in zip(unit, names, strict=True)),
            n_retrieved=found.n_retrieved[unit],
            unit=group[rows],
            rank=rank[rows],
            grade=judgments.grade[rows],
            pool_unit=group[pool],
            pool_grade=judgments.grade[pool],
            tie=found.tie[judgments.document[rows]],
            tied=found.tied[judgments.document[rows]],
            size=np.ones(len(unit), np.int64),
        ),
    )


def numbered(judgments: Judgments) -> tuple[Ints, Ints, list[bytes]]:
    """The group of each judgment, the groups numbered by query and name; the query and the name of each group."""
    names, place = _names(judgments.group, len(judgments.document))
    key, group = np.unique(judgments.unit * len(names) + place, return_inverse=True)
    return group, key // len(names), [names[index] for index in key % len(names)]


def subgroups(judgments: Judgments, group: Ints) -> tuple[Ints, Ints]:
    """The subgroup of each judgment, numbered within the groups and by name; and the group of each subgroup."""
    names, place = _names(judgments.subgroup, len(judgments.document))
    key, subgroup = np.unique(group * len(names) + place, return_inverse=True)
    return subgroup, key // len(names)


def _names(column: Names | None, length: int) -> tuple[list[bytes], Ints]:
    """The distinct names of a column, and the place of each row's; without a column, one name for all."""
    if column is None or not length:
        return [b"0"], np.zeros(length, np.int64)
    return grouped(column)


def require_once(judgments: Judgments, group: Ints, what: str) -> None:
    """Refuse judgments that say two things of one document in one group."""
    order = np.lexsort((judgments.document, group))
    same = (np.diff(group[order]) == 0) & (np.diff(judgments.document[order]) == 0)
    if same.any():
        row = order[np.argmax(same)]
        document, query = judgments.documents[judgments.document[row]], judgments.queries[judgments.unit[row]]
        name = "" if judgments.group is None else f" {decode(judgments.group[row])!r}"
        raise BadInput(
            f"query {decode(query)!r}, {what}{name}: document {decode(document)!r} is judged more than once; "
            "one judgment a document is needed there"
        )
