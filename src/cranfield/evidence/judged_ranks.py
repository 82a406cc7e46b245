"""The rank of every judged document in a run."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Ints, Mask
from cranfield.frozen import frozen

SAMPLED, DOCUMENTS = 4, 100  # number of queries, and of documents per query, kept for inspection
LONGEST = 2**31 - 1  # documents of a ranking; ranks are 32-bit numbers
STRANGERS = 1000  # unjudged queries whose names are kept


class RunCounts(NamedTuple):
    """What judged ranks say about a run as a whole; unlike the ranks, it takes little memory."""

    n_retrieved: Ints
    answered: Mask
    n_unjudged_queries: int
    n_disordered_queries: int
    n_tied_queries: int
    n_merged_queries: int
    strangers: tuple[bytes, ...]
    sample: tuple[tuple[int, list[bytes]], ...]
    graded: bool
    any_judged: bool


@frozen(eq=False)
class JudgedRanks:
    """For each judged document its rank, 0 if it was not retrieved, and its group of tied documents.

    A group of `tie_size` documents with the same score has the ranks from `tie_start`. `strangers` are some unjudged
    queries of the run; `sample` holds some judged ones, each with some of the documents retrieved for it.
    """

    n_retrieved: Ints
    rank: Ints
    tie_start: Ints
    tie_size: Ints
    answered: Mask
    n_unjudged_queries: int = 0
    n_disordered_queries: int = 0
    n_tied_queries: int = 0
    n_merged_queries: int = 0  # queries whose integer scores beyond 2**53 are equal in floating point
    strangers: tuple[bytes, ...] = ()
    sample: tuple[tuple[int, list[bytes]], ...] = ()
    graded: bool = False  # whether scores look like grades; checked only if grades look like scores

    @property
    def untied(self) -> bool:
        """Whether no document is known to be tied, so one column serves for ranks and tie starts."""
        return self.tie_start is self.rank

    @property
    def counts(self) -> RunCounts:
        """The same without ranks."""
        return RunCounts(*(getattr(self, name) for name in RunCounts._fields))

    @property
    def any_judged(self) -> bool:
        """Whether any judged document was retrieved."""
        return bool(self.rank.any())

    def __add__(self, other: JudgedRanks) -> JudgedRanks:
        """The ranks in two sets of rankings that share no query."""
        if len(self.rank) != len(other.rank) or (self.answered & other.answered).any():
            raise ValueError(
                "judged ranks can be added only if they are for the same judgments and have no query in common"
            )
        columns = ("n_retrieved", "rank", "tie_start", "tie_size", "answered")  # zero for queries of the other
        counts = ("n_unjudged_queries", "n_disordered_queries", "n_tied_queries", "n_merged_queries")
        return JudgedRanks(
            **{name: getattr(self, name) + getattr(other, name) for name in columns + counts},
            strangers=tuple(sorted(self.strangers + other.strangers)[:STRANGERS]),
            sample=(self.sample + other.sample)[:SAMPLED],
            graded=self.graded and other.graded,
        )

    def truncated(self, k: int) -> JudgedRanks:
        """The ranks if every ranking were truncated after k documents."""
        k = min(k, LONGEST - 1)
        in_top = self.rank <= k
        return replace(
            self,
            n_retrieved=np.minimum(self.n_retrieved, k),
            rank=np.where(in_top, self.rank, 0),
            tie_start=np.where(in_top, self.tie_start, 0),
            tie_size=np.where(in_top, np.minimum(self.tie_size, k + 1 - self.tie_start), 0),
        )
