"""Evaluation of one run: each kind of evidence is counted once, and every measure is computed from it.

Decided here: which queries count, and with which value if they are missing from a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.engines.choice import engine
from cranfield.engines.protocol import EngineName, Precision, Progress
from cranfield.engines.protocol import Ties as Ties
from cranfield.engines.tie_breaking import order_of
from cranfield.evidence.coded_values import Column, GrowingValues, table_of
from cranfield.evidence.counterfactual import only, parts, reordered
from cranfield.evidence.hits import Hits, hits
from cranfield.evidence.judged_ranks import JudgedRanks, RunCounts
from cranfield.frozen import frozen
from cranfield.measures.registry import Measure
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import RunSource
from cranfield.tables.threads import in_threads

if TYPE_CHECKING:
    from cranfield.tables.items import Items

_WHOLE = 1 << 62  # longer than any ranking
_SMALL = 1 << 26  # runs above this size in bytes use all threads

Missing = Literal["zero", "skip"]
MISSING: Missing = "zero"  # the default treatment of missing queries


@frozen(eq=False)
class Evaluation:
    """The values of one run."""

    counts: RunCounts
    columns: tuple[Column, ...]  # the values by measure
    counted: Mask  # the queries that count in aggregates
    micro: Floats  # by measure, over all queries pooled; NaN where not meaningful
    notes: tuple[tuple[str, int], ...]  # a warning about a measure, and its number of queries (0: all)
    hits: Hits | None  # the evidence, if a measure needed it

    @property
    def values(self) -> Floats:
        """The values by measure and query."""
        return table_of([self.columns])[0]


@frozen(eq=False)
class Counting:
    """How a run is counted."""

    ties: Ties = "trec"
    depth: int | None = None
    precision: Precision = "double"
    missing: Missing = MISSING
    engine: EngineName = "auto"
    items: Items | None = None  # for measures of the items that are ranked, judged or not

    def counted(self, run: RunSource, judged: Judgments, kind: type) -> tuple[JudgedRanks, Any]:
        """The judged ranks of a run, and one kind of evidence built from them."""
        judged_ranks = self._judged_ranks(run, judged)
        return judged_ranks, self._built(kind, judged, judged_ranks, run)

    def evaluation(
        self,
        run: RunSource,
        judged: Judgments,
        measures: Sequence[Measure],
        progress: Progress | None = None,
    ) -> Evaluation:
        """The values of the measures for a run."""
        run = self._watched(run, judged, measures)
        judged_ranks = self._judged_ranks(run, judged, progress)
        kinds = dict.fromkeys(measure.declaration.evidence for measure in measures)  # ordered, unlike a set
        evidence = {kind: self._built(kind, judged, judged_ranks, run) for kind in kinds}
        micro = np.full(len(measures), np.nan)
        for place, measure in enumerate(measures):
            if measure.declaration.pools:
                micro[place] = self._micro(measure, evidence[measure.declaration.evidence], judged_ranks)
        values = [GrowingValues(len(judged.queries)) for _ in measures]
        notes = []
        for kind, whole in evidence.items():
            if kind is not Hits or self.ties != "expected":
                of_kind = [measure.declaration.evidence is kind for measure in measures]
                _score(list(compress(zip(measures, values, strict=True), of_kind)), whole)
        for place, measure in enumerate(measures):
            if self.ties == "expected" and measure.declaration.evidence is Hits:
                from cranfield.engines.expected_ties import LIMIT, expected

                expectation, estimated = expected(measure, evidence[Hits])
                values[place].add(expectation)
                if estimated:
                    notes.append((f"{measure} is estimated from {LIMIT} random orders of tied documents", estimated))
            elif self.ties in ("best", "worst", "expected") and measure.declaration.evidence is not Hits:
                notes.append(
                    (f"{measure} always breaks ties by name, descending; ties={self.ties!r} does not apply to it", 0)
                )
        notes += [(note, 0) for whole in evidence.values() for note in getattr(whole, "notes", ())]
        counted = evidence.get(Hits)
        fresh = None if counted is None else replace(counted)  # without its caches, to stay small
        columns = tuple(column.column() for column in values)
        return Evaluation(judged_ranks.counts, columns, self._counted_queries(judged_ranks), micro, tuple(notes), fresh)

    def evaluations(
        self,
        runs: Sequence[RunSource],
        judged: Judgments,
        measures: Sequence[Measure],
        progress: Callable[[str, int, int | None], None] | None = None,
    ) -> list[Evaluation]:
        """The values of the measures for each run; small files are evaluated in parallel."""
        if len(runs) > 1 and all(run.size is not None and run.size < _SMALL for run in runs):
            done = []
            for run, evaluation in in_threads(lambda run: self.evaluation(run, judged, measures), runs):
                done.append(evaluation)
                if progress is not None:
                    progress(run.name, run.size or 0, run.size)
            return done
        return [self.evaluation(run, judged, measures, _reported(progress, run)) for run in runs]

    def _micro(self, measure: Measure, evidence: Any, judged_ranks: JudgedRanks) -> float:
        """The measure over all counted queries pooled."""
        if not isinstance(evidence, Hits):  # but items, of which queries that do not count have none
            return measure.micro(evidence)
        counted = self._counted_queries(judged_ranks)
        if not counted.all():
            evidence = only(evidence, counted)
        if self.ties == "expected":
            from cranfield.engines.expected_ties import expected_micro

            return expected_micro(measure, evidence)
        return measure.micro(evidence)

    def _counted_queries(self, judged_ranks: JudgedRanks) -> Mask:
        """The judged queries that count: all of them, with 0 for those missing from the run, or only those answered."""
        return judged_ranks.answered if self.missing == "skip" else np.ones_like(judged_ranks.answered)

    def _judged_ranks(self, run: RunSource, judged: Judgments, progress: Progress | None = None) -> JudgedRanks:
        order = order_of(self.ties)
        chosen = engine(self.engine, [run])
        return chosen.judged_ranks(run, judged, order=order, precision=self.precision, progress=progress)

    def _watched(self, run: RunSource, judged: Judgments, measures: Sequence[Measure]) -> RunSource:
        """The run, which keeps its top documents if a measure needs them."""
        deep = [measure.options.get("k") or _WHOLE for measure in measures if sees_items(measure)]
        if not deep:
            return run
        from cranfield.engines.watched import Watched

        depth = min(int(max(deep)), self.depth or _WHOLE)  # type: ignore[arg-type]
        return Watched(run, judged, depth, self.ties)

    def _built(self, kind: type, judged: Judgments, judged_ranks: JudgedRanks, run: RunSource) -> Any:
        if kind is Hits and self.ties in ("best", "worst"):
            evidence = reordered(hits(judged, judged_ranks), best=self.ties == "best")
            return evidence if self.depth is None else evidence.truncated(self.depth)
        if self.depth is not None:
            judged_ranks = judged_ranks.truncated(self.depth)
        if kind is Hits:
            return hits(judged, judged_ranks)
        from cranfield.engines.watched import rarer_evidence

        return rarer_evidence(kind, judged, judged_ranks, run, self.items, self.ties)


def sees_items(measure: Measure) -> bool:
    """Whether a measure needs the table of items."""
    return getattr(measure.declaration.evidence, "NEEDS_ITEMS", False)


def _reported(progress: Callable[[str, int, int | None], None] | None, run: RunSource) -> Progress | None:
    """The progress callback of the engine."""
    return None if progress is None else lambda done: progress(run.name, done, run.size)


def _score(columns: Sequence[tuple[Measure, GrowingValues]], evidence: Any) -> None:
    """Fill the columns with the values of their measures, in several parts if there are millions of queries."""
    for part in parts(evidence) if isinstance(evidence, Hits) else (evidence,):
        for measure, column in columns:
            column.add(measure.values(part) if measure.declaration.per_unit else np.full(len(part), np.nan))
