"""Groups: the hits of each judgment group, for queries judged independently by several people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput
from cranfield.evidence.addition import ByQuery
from cranfield.evidence.exact import ratio
from cranfield.evidence.hits import Hits
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.frozen import cached_property, frozen
from cranfield.tables.judgments import Judgments, grouped
from cranfield.tables.names import Names, decode


@frozen(eq=False)
class Groups(ByQuery):
    """Hits in which every judgment group is a unit; `unit` is the query of each group."""

    queries: tuple[bytes, ...]
    unit: Ints
    hits: Hits

    @cached_property
    def condensed(self) -> Groups:
        """The groups with rankings that omit the documents each group did not judge."""
        return replace(self, hits=self.hits.condensed)

    def mean(self, value: Floats) -> Floats:
        """Mean over the groups of each query; undefined values count as 0 unless all are undefined, as in trec_eval."""
        known = np.bincount(self.unit, weights=~np.isnan(value), minlength=len(self))
        total = np.bincount(self.unit, weights=np.nan_to_num(value), minlength=len(self))
        return np.where(known > 0, ratio(total, np.bincount(self.unit, minlength=len(self))), np.nan)


def groups(judgments: Judgments, judged_ranks: JudgedRanks) -> Groups:
    """The hits of a run for each judgment group of each query."""
    group, unit, names = numbered(judgments)
    require_once(judgments, group, "judgment group")
    rank = judged_ranks.rank[judgments.document]
    pool = np.lexsort((-judgments.grade, group))
    rows = np.lexsort((rank, group))
    rows = rows[rank[rows] > 0]
    return Groups(
        queries=tuple(judgments.queries),
        unit=unit,
        hits=Hits(
            queries=tuple(judgments.queries[query] + b" " + name for query, name in zip(unit, names, strict=True)),
            n_retrieved=judged_ranks.n_retrieved[unit],
            unit=group[rows],
            rank=rank[rows],
            grade=judgments.grade[rows],
            pool_unit=group[pool],
            pool_grade=judgments.grade[pool],
            tie_start=judged_ranks.tie_start[judgments.document[rows]],
            tie_size=judged_ranks.tie_size[judgments.document[rows]],
            size=np.ones(len(unit), np.int64),
        ),
    )


def numbered(judgments: Judgments) -> tuple[Ints, Ints, list[bytes]]:
    """The number of each judgment's group, and the query and name of each group, ordered by query and name."""
    names, place = _names(judgments.group, len(judgments.document))
    key, group = np.unique(judgments.unit.astype(np.int64) * len(names) + place, return_inverse=True)
    return group, key // len(names), [names[index] for index in key % len(names)]


def subgroups(judgments: Judgments, group: Ints) -> tuple[Ints, Ints]:
    """The number of each judgment's subgroup, and the group of each subgroup, ordered by group and name."""
    names, place = _names(judgments.subgroup, len(judgments.document))
    key, subgroup = np.unique(group * len(names) + place, return_inverse=True)
    return subgroup, key // len(names)


def _names(column: Names | None, length: int) -> tuple[Names, Ints]:
    """The distinct names of a column and the index of each row's name; without a column, one name for all rows."""
    if column is None or not length:
        return Names.of([b"0"]), np.zeros(length, np.int64)
    return grouped(column)


def require_once(judgments: Judgments, group: Ints, what: str) -> None:
    """Refuse more than one judgment of a document in a group."""
    order = np.lexsort((judgments.document, group))
    same = (np.diff(group[order]) == 0) & (np.diff(judgments.document[order]) == 0)
    if same.any():
        row = order[np.argmax(same)]
        document, query = judgments.documents[judgments.document[row]], judgments.queries[judgments.unit[row]]
        name = "" if judgments.group is None else f" {decode(judgments.group[row])!r}"
        raise BadInput(
            f"query {decode(query)!r}, {what}{name}: document {decode(document)!r} is judged more than once; "
            "only one judgment per document is allowed there"
        )
