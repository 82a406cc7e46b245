"""The quality of a pool: leave-one-out tests, unique relevant documents, overlap, and estimated missing documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.exact import ratio
from cranfield.evidence.hits import hits
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.rounding import merged
from cranfield.evidence.samples import Samples
from cranfield.frozen import cached_property, frozen
from cranfield.inference.corrections import DEFAULT_CORRECTION, adjusted
from cranfield.inference.correlation import tau_b
from cranfield.inference.test_catalogue import find
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.results.pool_quality import JudgedDepth, LeftOut, MissingRelevant, Omission, Overlap
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Texts

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
