"""Rankings: what runs found, as evidence by system, with the names of the documents where they are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cranfield.engines.evaluation import Counting, Ties
from cranfield.engines.local import found
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.hits import Hits, hits
from cranfield.results.values import Result
from cranfield.results.writing import decoded
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.rankings import RunSource
from cranfield.tables.sources import as_judgments, as_runs


@dataclass(frozen=True, eq=False)
class Rankings:
    """The hits of each system, all for the same queries; `documents[system][i]` is the name of hit i."""

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
        """The place of a query, which need not be named if it is the only one."""
        names = self.queries
        if query is None and len(names) == 1:
            return 0
        if query is None or decoded(query) not in names:
            shown = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
            what = "say which query to draw" if query is None else f"query {query!r} has no judgments"
            raise BadSetting(f"{what}: there are {len(names)} ({shown})")
        return names.index(decoded(query))


def rankings(given: Any, runs: Any = None, ties: Ties = "trec") -> Rankings:
    """The rankings in judgments and runs, or in a result, which keeps what it counted."""
    if runs is None and isinstance(given, Rankings):
        return given
    if runs is None and isinstance(given, Result):
        if not given.evidence:
            raise BadInput("the result keeps no rankings, for none of its measures is one of ranked documents")
        return Rankings({decoded(name): hits for name, hits in given.evidence.items()})
    if runs is None:
        raise BadInput("there are no runs to draw: give the judgments and the runs, or a result of rankings")
    if ties == "expected":
        raise BadSetting("a picture needs one order of the documents; ties='expected' has none")
    judged = as_judgments(given)
    judged.require_once("the judgments")
    if ties != "trec":
        counting = Counting(ties)
        return Rankings({decoded(run.name): counting.evidence(run, judged, Hits) for run in as_runs(runs)})
    known = {decoded(source.name): _with_names(source, judged) for source in as_runs(runs)}
    return Rankings(
        {name: own for name, (own, _) in known.items()}, {name: names for name, (_, names) in known.items()}
    )


def _with_names(source: RunSource, judged: Judgments) -> tuple[Hits, list[str]]:
    ranks = found(source, judged)
    own = hits(judged, ranks)
    rank = ranks.rank[judged.document]
    rows = np.flatnonzero(rank > 0)
    rows = rows[np.lexsort((rank[rows], judged.unit[rows]))]  # as the hits are ordered
    return own, [decoded(judged.texts[judged.document[row]]) for row in rows]
