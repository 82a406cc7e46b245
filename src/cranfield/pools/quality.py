"""The quality of a pool: leave-one-out tests, unique relevant documents, overlap, and estimated missing documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import hits
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.samples import Samples
from cranfield.frozen import cached_property, frozen
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.present.table import Column, Table, numbers, row, rows_of
from cranfield.results.verb_result import AnnotatedResult
from cranfield.rounding import merged
from cranfield.statistics.effects import DEFAULT_CORRECTION, adjusted
from cranfield.statistics.rank_correlation import tau_b
from cranfield.statistics.tests import find
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Texts

# The quality of a pool: the effect of leaving out a run or a team


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


CUTOFFS = (10, 20, 100)


@frozen(eq=False)
class JudgedPool:
    """The ranks of the judged documents in every run; a run contributed those in its top `depth`."""

    judged: Judgments
    runs: tuple[str, ...]
    ranks: tuple[JudgedRanks, ...]
    teams: tuple[str, ...]  # of each run
    measure: Measure
    depth: int
    rel: float = 1
    level: float = 0.05

    @cached_property
    def contributed(self) -> Mask:
        """Which run contributed which judged document: `contributed[run, document]`."""
        within_depth = np.array([(run_ranks.rank > 0) & (run_ranks.rank <= self.depth) for run_ranks in self.ranks])
        return within_depth & (self.judged.document_grade >= 0)

    @cached_property
    def relevant(self) -> Mask:
        """Which documents are relevant."""
        return self.judged.document_grade >= self.rel

    @cached_property
    def _everything(self) -> Floats:
        return self.values(np.ones(len(self.judged.documents), np.bool_))

    def values(self, pooled: Mask) -> Floats:
        """The value of each run on each query with only these judgments; undefined values count as 0."""
        judged = self.judged.only(pooled)
        return np.array(
            [np.nan_to_num(self.measure.values(hits(judged, _ranks_of(run_ranks, pooled)))) for run_ranks in self.ranks]
        )

    def omissions(self) -> Iterator[Omission]:
        """Every run left out, then every team of several runs."""
        for run in range(len(self.runs)):
            yield from self._without([run], "run")
        for team in dict.fromkeys(self.teams):
            members = [run for run, run_team in enumerate(self.teams) if run_team == team]
            if len(members) > 1:
                yield from self._without(members, "team")

    def _without(self, members: Sequence[int], left_out: LeftOut) -> Iterator[Omission]:
        """How these runs would score if the documents that only they contributed were unjudged."""
        others = np.delete(self.contributed, members, axis=0).any(axis=0)
        unique: Mask = np.asarray(self.contributed[members].any(axis=0) & ~others)
        without = self.values(~unique)
        before, after = (_means(values) for values in (self._everything, without))
        tau = tau_b(before, after) if len(self.runs) > 1 else float("nan")
        flipped = self._flipped(without)
        for run in members:
            yield Omission(
                run=self.runs[run],
                team=self.teams[run],
                left_out=left_out,
                unique=int(unique.sum()),
                unique_relevant=int((unique & self.relevant).sum()),
                score=float(before[run]),
                score_without=float(after[run]),
                change=float(after[run] - before[run]),
                rank=self._rank(before, run),
                rank_without=self._rank(after, run),
                tau=float(tau),
                flipped=flipped,
            )

    def _rank(self, means: Floats, run: int) -> int:
        better = means < means[run] if self.measure.declaration.higher_is_better is False else means > means[run]
        return 1 + int(better.sum())

    def _flipped(self, without: Floats) -> int | None:
        if self._everything.shape[1] < 2 or len(self.runs) < 2:
            return None
        return int((self._decisions(self._everything) != self._decisions(without)).sum())

    def _decisions(self, values: Floats) -> Ints:
        """For each pair of runs, 1 or -1 if one is significantly better, else 0, by corrected paired t-tests."""
        pairs = Samples(self.runs, tuple(Texts(self.judged.queries)), values).pairs()
        p = adjusted(find("t")(pairs).p, DEFAULT_CORRECTION)
        return np.where(p < self.level, np.sign(pairs.mean), 0).astype(np.int64)

    def overlaps(self) -> Iterator[Overlap]:
        """Every pair of runs."""
        size = self.contributed.sum(axis=1)
        for first, second in combinations(range(len(self.runs)), 2):
            shared = int((self.contributed[first] & self.contributed[second]).sum())
            either = np.array([size[first] + size[second] - shared])
            yield Overlap(self.runs[first], self.runs[second], shared, float(ratio(np.array([shared]), either)[0]))

    def judged_depths(self) -> Iterator[JudgedDepth]:
        """Every run at every cutoff."""
        measures = {k: parse(f"Judged@{k}", "ranking") for k in CUTOFFS}
        for run, run_ranks in zip(self.runs, self.ranks, strict=True):
            run_hits = hits(self.judged, run_ranks)
            for k, measure in measures.items():
                mean = np.nanmean(measure.values(run_hits)) if run_ranks.answered.any() else np.nan
                yield JudgedDepth(run, k, float(mean))

    def missing(self) -> Iterator[MissingRelevant]:
        """For each query, Chao's bias-corrected lower bound on the number of relevant documents that no team found.

        With m teams, f1 relevant documents contributed by exactly one team and f2 by exactly two, it is
        (m - 1) / m * f1 (f1 - 1) / (2 (f2 + 1)), undefined for a single team.
        """
        names = list(dict.fromkeys(self.teams))
        by_team = np.array([self.contributed[np.array(self.teams) == name].any(axis=0) for name in names])
        often = np.where(self.relevant, by_team.sum(axis=0), 0)
        unit, n_queries = self.judged.document_unit, len(self.judged.queries)
        relevant, once, twice = (
            np.bincount(unit[mask], minlength=n_queries) for mask in (self.relevant, often == 1, often == 2)
        )
        factor = (len(names) - 1) / len(names) if len(names) > 1 else np.nan  # one team cannot show what it missed
        estimate = factor * once * (once - 1) / (2 * (twice + 1))
        rows = zip(Texts(self.judged.queries), relevant.tolist(), once.tolist(), twice.tolist(), estimate, strict=True)
        for query, n_relevant, one, two, missed in rows:
            yield MissingRelevant(query, n_relevant, one, two, float(missed))


def _means(values: Floats) -> Floats:
    return merged(values.mean(axis=1), np.abs(values).max(axis=1, initial=0))


def _ranks_of(ranks: JudgedRanks, pooled: Mask) -> JudgedRanks:
    return replace(ranks, rank=ranks.rank[pooled], tie_start=ranks.tie_start[pooled], tie_size=ranks.tie_size[pooled])


def teams_of(runs: Sequence[str], teams: Mapping[str, str] | None) -> tuple[str, ...]:
    """The team of each run; a run without a team forms its own."""
    return tuple((teams or {}).get(run, run) for run in runs)


# The quality of a pool as tables


def tables(quality: PoolQuality, *, digits: int) -> list[Table]:
    """The effect of each omission, judged@k and overlap of the runs, and the missed relevant documents."""
    kinds = dict.fromkeys(omission.left_out for omission in quality.omissions)
    return [
        *(_omissions(quality, kind, digits) for kind in kinds),
        _judged(quality, digits),
        *_overlap(quality, digits),
        _missing(quality),
    ]


def _omissions(quality: PoolQuality, kind: str, digits: int) -> Table:
    rows = [omission for omission in quality.omissions if omission.left_out == kind]
    measure = str(quality.settings["measure"])
    columns = (
        Column("run"),
        *((Column("team"),) if kind == "team" else ()),
        *numbers("unique", "unique relevant", digits=0),
        *numbers(measure, f"{measure} without", "change", digits=digits),
        *numbers("rank", "rank without", digits=0),
        *numbers("tau", digits=digits),
        *numbers("flipped", digits=0),
    )
    fields = {measure: "score", f"{measure} without": "score_without"}
    mean = sum(abs(omission.change) for omission in rows) / len(rows)
    notes = (
        f"unique: judged documents that no other {kind} has among its first {quality.settings['depth']}",
        "without: if these were unjudged; tau: between the rankings of all runs with and without them",
        f"flipped: pairs of runs that become or cease to be significantly different ({quality.settings['test']}, "
        f"level {quality.settings['level']:g})",
        f"mean absolute change {mean:.{digits}f}",
    )
    return Table(columns, rows_of(rows, columns, fields), title=f"Leave one {kind} out", notes=notes)


def _judged(quality: PoolQuality, digits: int) -> Table:
    runs, cutoffs = (dict.fromkeys(getattr(judged, name) for judged in quality.judged) for name in ("run", "k"))
    value = {(judged.run, judged.k): judged.judged for judged in quality.judged}
    columns = (Column("run"), *numbers(*(f"judged@{k}" for k in cutoffs), digits=digits))
    rows = tuple(row(run, *(value[run, k] for k in cutoffs)) for run in runs)
    return Table(columns, rows, title="Proportion of top-ranked documents that are judged")


def _overlap(quality: PoolQuality, digits: int) -> Iterator[Table]:
    if quality.overlaps:
        columns = (Column("run"), Column("other"), *numbers("shared", digits=0), *numbers("overlap", digits=digits))
        notes = ("overlap: proportion of the judged documents contributed by either run that both contributed",)
        yield Table(columns, rows_of(quality.overlaps, columns), title="Overlap of the contributions", notes=notes)


def _missing(quality: PoolQuality) -> Table:
    columns = (Column("query"), *numbers("relevant", "once", "twice", digits=0), *numbers("missing", digits=1))
    sums = [sum(getattr(estimate, column.name) for estimate in quality.missing) for column in columns[1:]]
    notes = (
        "once, twice: relevant documents contributed by one team and by two (a run without a team forms its own)",
        "missing: Chao's lower bound on the number of relevant documents that no team found",
    )
    rows = rows_of(quality.missing, columns)
    return Table(columns, rows, summary=(row("all", *sums),), title="Missing relevant documents", notes=notes)
