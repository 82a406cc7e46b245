"""The quality of a pool: the effect of leaving out a run or a team."""

from __future__ import annotations

from typing import Literal

from cranfield.frozen import frozen
from cranfield.results.verb_result import AnnotatedResult

LeftOut = Literal["run", "team"]


@frozen
class Omission:
    """A run, evaluated without the judgments of documents that only it, or only the runs of its team, contributed."""

    run: str
    team: str
    left_out: LeftOut
    unique: int  # judged documents contributed only by the left-out runs
    unique_relevant: int
    score: float
    score_without: float
    change: float
    rank: int  # among all runs, 1 for the best
    rank_without: int
    tau: float  # between the order of all runs with all judgments and without these
    flipped: int | None  # pairs of runs whose difference changes its sign or significance; None for one query


@frozen
class Overlap:
    """Judged documents contributed by both of two runs, and their proportion of those contributed by either."""

    run: str
    other: str
    shared: int
    overlap: float


@frozen
class JudgedDepth:
    """The mean proportion of the first k documents of a run that are judged."""

    run: str
    k: int
    judged: float


@frozen
class MissingRelevant:
    """The relevant documents of a query, and an estimate of the number not found."""

    query: str
    relevant: int
    once: int  # contributed by one team only, or by one run where there are no teams
    twice: int
    missing: float


@frozen(eq=False)
class PoolQuality(AnnotatedResult):
    """Leave-one-out, overlap, judged@k and missing relevant documents."""

    kind = "pool-quality"
    record_fields = (("left_out", "omissions"), ("overlap", "overlaps"), ("judged", "judged"), ("missing", "missing"))

    omissions: tuple[Omission, ...]
    overlaps: tuple[Overlap, ...]
    judged: tuple[JudgedDepth, ...]
    missing: tuple[MissingRelevant, ...]
