"""Rankings: the hits of each system, with document names if known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from cranfield.engines.evaluation import Counting
from cranfield.engines.protocol import Ties
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.hits import Hits
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.frozen import frozen
from cranfield.results import cautions
from cranfield.results.provenance import run_names, warn
from cranfield.results.rankings import Result
from cranfield.results.writing import decoded
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.sources import as_judgments, as_runs


@frozen(eq=False)
class Rankings:
    """The hits of each system on the same queries; `documents[system][i]` is the name of hit i."""

    evidence: Mapping[str, Hits]
    documents: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.evidence)

    @property
    def queries(self) -> list[str]:
        """The names of the queries."""
        return [decoded(decode(query)) for query in next(iter(self.evidence.values())).queries]

    def place(self, query: str | None) -> int:
        """The index of a query; its name is optional if there is only one."""
        return place_of(query, self.queries)


def place_of(query: str | None, names: Sequence[str]) -> int:
    """The index of a query among the names; optional if there is only one."""
    if query is None and len(names) == 1:
        return 0
    if query is None or decoded(query) not in names:
        shown = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
        problem = "choose the query to plot" if query is None else f"query {query!r} has no judgments"
        raise BadSetting(f"{problem}; there are {len(names)} queries ({shown})")
    return names.index(decoded(query))


def rankings(source: Any, runs: Any = None, ties: Ties = "trec") -> Rankings:
    """The rankings of judgments and runs, or of a result that keeps its evidence."""
    if runs is None and isinstance(source, Rankings):
        return source
    if runs is None and isinstance(source, Result):
        if not source.evidence:
            raise BadInput("the result has no rankings, because it has no ranking measure")
        return Rankings({decoded(name): hits for name, hits in source.evidence.items()})
    if runs is None:
        raise BadInput("there are no runs to plot: pass judgments and runs, or a result of evaluate")
    if ties == "expected":
        raise BadSetting("a plot needs a single order of the documents; ties='expected' averages over all orders")
    judged = as_judgments(source)
    judged.require_once("the judgments")
    sources, counting = as_runs(runs), Counting(ties)
    counted = {name: counting.counted(run, judged, Hits) for name, run in zip(run_names(sources), sources, strict=True)}
    judged_ranks = {name: ranks for name, (ranks, _) in counted.items()}
    warn(cautions.of_rankings(judged_ranks, judged, sources, ties))
    documents = {name: _documents(judged, ranks) for name, ranks in judged_ranks.items()} if ties == "trec" else {}
    return Rankings({name: hits for name, (_, hits) in counted.items()}, documents)


def _documents(judged: Judgments, ranks: JudgedRanks) -> list[str]:
    """The names of the judged documents that were retrieved, in the order of the hits."""
    rank = ranks.rank[judged.document]
    rows = np.flatnonzero(rank > 0)
    rows = rows[np.lexsort((rank[rows], judged.unit[rows]))]
    return [decoded(judged.texts[judged.document[row]]) for row in rows]
