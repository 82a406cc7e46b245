"""One run against the judgments: each kind of evidence counted once, every measure computed on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.engines import local
from cranfield.engines.ties import LIMIT, expected, expected_micro
from cranfield.evidence.altered import only, reordered
from cranfield.evidence.aspects import Aspects, aspects
from cranfield.evidence.found import Found
from cranfield.evidence.groups import Groups, groups
from cranfield.evidence.hits import Hits, hits
from cranfield.evidence.preferences import Preferences, preferences
from cranfield.registry import Measure
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import RunSource

Floats = NDArray[np.float64]
Missing = Literal["zero", "skip"]
Ties = Literal["trec", "name", "given", "best", "worst", "expected"]

_ORDER: dict[Ties, local.TieOrder] = {"name": "name ascending", "given": "as given"}
_BUILDERS: dict[type, Callable[[Judgments, Found], Any]] = {
    Hits: hits,
    Aspects: aspects,
    Groups: groups,
}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What one run comes to."""

    found: Found
    values: Floats  # by measure and query
    micro: Floats  # by measure, all queries pooled; NaN where that makes no sense
    notes: tuple[str, ...]
    hits: Hits | None  # what was counted, if a measure needed it


@dataclass(frozen=True)
class Counting:
    """How a run is counted."""

    ties: Ties = "trec"
    depth: int | None = None
    precision: local.Precision = "double"
    missing: Missing = "zero"

    def evidence(self, run: RunSource, judged: Judgments, kind: type) -> Any:
        """One kind of evidence of a run."""
        return self.counted(run, judged, kind)[1]

    def counted(self, run: RunSource, judged: Judgments, kind: type) -> tuple[Found, Any]:
        """What a run found, and one kind of evidence made of it."""
        found = self._found(run, judged)
        return found, self._built(kind, judged, found)

    def evaluation(
        self,
        run: RunSource,
        judged: Judgments,
        measures: Sequence[Measure],
        progress: local.Progress | None = None,
    ) -> Evaluation:
        """The values of the measures for a run."""
        found = self._found(run, judged, progress)
        kinds = {measure.family.evidence for measure in measures}
        evidence = {kind: self._built(kind, judged, found) for kind in kinds}
        values = np.empty((len(measures), len(judged.queries)))
        micro = np.full(len(measures), np.nan)
        notes = []
        for place, measure in enumerate(measures):
            own = evidence[measure.family.evidence]
            if self.ties == "expected" and measure.family.evidence is Hits:
                values[place], estimated = expected(measure, own)
                if estimated:
                    notes.append(f"{measure} is estimated from {LIMIT} orders of the ties for {estimated} queries")
            else:
                values[place] = measure.values(own)
                if self.ties in ("best", "worst", "expected") and measure.family.evidence is not Hits:
                    notes.append(f"{measure} takes ties by name, descending; the setting {self.ties!r} is not for it")
            if measure.family.pools:
                micro[place] = self._micro(measure, own, found)
        counted = evidence.get(Hits)
        fresh = None if counted is None else replace(counted)  # without what it cached, so that it stays small
        return Evaluation(found, values, micro, tuple(notes), fresh)

    def _micro(self, measure: Measure, evidence: Hits, found: Found) -> float:
        """The measure of all queries that count taken as one."""
        if self.missing == "skip" and not found.answered.all():
            evidence = only(evidence, found.answered)
        return expected_micro(measure, evidence) if self.ties == "expected" else measure.micro(evidence)

    def _found(self, run: RunSource, judged: Judgments, progress: local.Progress | None = None) -> Found:
        order = _ORDER.get(self.ties, "name descending")
        return local.found(run, judged, order=order, precision=self.precision, progress=progress)

    def _built(self, kind: type, judged: Judgments, found: Found) -> Any:
        if self.ties in ("best", "worst") and kind is Hits:
            evidence = reordered(hits(judged, found), best=self.ties == "best")
            return evidence if self.depth is None else evidence.truncated(self.depth)
        if self.depth is not None:
            found = found.truncated(self.depth)
        if kind is Preferences:  # trec_eval takes ties by name ascending here, and here only
            return preferences(judged, found, ties="name" if self.ties == "trec" else "ranked")
        return _BUILDERS[kind](judged, found)
