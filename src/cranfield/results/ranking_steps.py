"""The working of rankings: one table per system and query, rank by rank, with missed documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.curves.ranking_steps import Conventions, closing, rank_by_rank
from cranfield.errors import BadSetting
from cranfield.evidence.hits import Hits
from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.records import number
from cranfield.results.verb_result import Records, VerbResult
from cranfield.text import counted

COLUMNS = ("P", "R", "F", "AP_part", "gain", "CG", "nCG", "discount", "DCG_part", "DCG", "ideal_gain", "IDCG", "nDCG")
_OUTCOMES = {(True, True): "TP", (True, False): "FP", (False, True): "FN", (False, False): "TN"}  # retrieved, relevant

CLOSING = ("empty", "end")  # outcomes of rows without a document
_FEW, _LONGEST = 2, 40  # rankings, and rows of each, shown by `repr`; `str` and the command line show all


@frozen(eq=False)
class RankedList:
    """The ranking of one system for one query: grades by rank, NaN if unjudged, and the judged documents not retrieved.

    Names of documents are None where they are not known.
    """

    system: str
    query: str
    grade: Floats
    missed_grade: Floats
    document: tuple[str | None, ...]
    missed: tuple[str | None, ...]


@frozen(eq=False)
class RankingSteps(VerbResult):
    """The working of each ranking; `records()["steps"]` has one row per document, retrieved or judged.

    Examples
    --------
    >>> import cranfield
    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3, "c": 2}}
    >>> steps = cranfield.steps(qrels, run)
    >>> [(row["document"], row["outcome"]) for row in steps.records()["steps"]]
    [('a', 'TP'), ('c', 'FP'), ('b', 'FN')]
    """

    kind = "ranking-steps"

    rankings: tuple[RankedList, ...]
    conventions: Conventions
    k: int | None = None
    cutoffs: tuple[int | None, ...] = (None,)  # whose values the working ends with; None is the whole ranking
    provenance: Provenance = NOTHING_READ

    def __repr__(self) -> str:
        return self._first.shown(longest=_LONGEST) + self._more

    def _repr_html_(self) -> str:
        return self._first.shown("html", longest=_LONGEST) + self._more

    @property
    def _first(self) -> RankingSteps:
        return replace(self, rankings=self.rankings[:_FEW])

    @property
    def _more(self) -> str:
        """A note on the number of rankings left out of a short text."""
        return f"… and {counted(more, 'more ranking')}" if (more := len(self.rankings) - _FEW) > 0 else ""

    def records(self) -> Records:
        """One row per document: those retrieved by rank, the values below the last one, then the judged others."""
        return {"steps": [row for ranking in self.rankings for row in self.rows(ranking)]}

    def about(self) -> dict[str, Any]:
        """The conventions."""
        return {"settings": {**vars(self.conventions), "k": self.k}}

    def rows(self, ranking: RankedList) -> list[dict[str, Any]]:
        """The rows of one ranking."""
        grade = ranking.grade[: self.k]
        judged = np.append(ranking.grade, ranking.missed_grade)
        pool = judged[judged >= 0]
        columns = rank_by_rank(ranking.grade, pool, self.conventions)
        figures = [{name: number(columns[name][place]) for name in COLUMNS} for place in range(len(grade))]
        retrieved = zip(range(1, len(grade) + 1), ranking.document, grade, figures, strict=False)
        below = list(zip(ranking.document, ranking.grade, strict=True))[len(grade) :]
        rest = [*((name, grade) for name, grade in below if grade >= 0), *zip(ranking.missed, ranking.missed_grade)]
        missed = ((None, *one, dict.fromkeys(COLUMNS)) for one in rest)
        documents = [
            {
                "system": ranking.system,
                "query": ranking.query,
                "rank": rank,
                "document": name,
                "grade": number(grade),
                "relevant": bool(grade >= self.conventions.rel),
                "outcome": _OUTCOMES[rank is not None, bool(grade >= self.conventions.rel)],
                **of_rank,
            }
            for rank, name, grade, of_rank in (*retrieved, *missed)
        ]
        return [*documents[: len(grade)], *self._closing(ranking, pool, figures), *documents[len(grade) :]]

    def _closing(self, ranking: RankedList, pool: Floats, figures: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """One row per cutoff below the last document, and one for the whole ranking if its ideal is longer."""
        for cutoff in self.cutoffs:
            if cutoff is not None and cutoff <= len(ranking.grade):
                continue  # it has a row
            values = closing(ranking.grade, pool, self.conventions, cutoff)
            if cutoff is None and figures and values["IDCG"] == figures[-1]["IDCG"]:
                continue  # the row of the last document has the same values
            yield {
                "system": ranking.system,
                "query": ranking.query,
                "rank": cutoff,
                "document": None,
                "grade": None,
                "relevant": False,
                "outcome": "end" if cutoff is None else "empty",
                **dict.fromkeys(COLUMNS),
                **{name: number(value) for name, value in values.items()},
            }


def of_hits(system: str, query: str, hits: Hits, unit: int) -> RankedList:
    """The ranking of one query from its hits, without document names."""
    grade = np.full(int(hits.n_retrieved[unit]), np.nan)
    of_query = (hits.unit == unit) & hits.judged
    grade[hits.rank[of_query] - 1] = hits.grade[of_query]
    pool = hits.pool_grade[(hits.pool_unit == unit) & (hits.pool_grade >= 0)]
    values, n_judged = np.unique(pool, return_counts=True)
    n_missed = n_judged - np.array([(hits.grade[of_query] == value).sum() for value in values], np.int64)
    missed = np.repeat(values, n_missed)[::-1]
    return RankedList(system, query, grade, missed, (None,) * len(grade), (None,) * len(missed))


def chosen(queries: Sequence[str], query: str | None) -> list[int]:
    """The places of the queries whose working is shown: all, or one."""
    if query is None:
        return list(range(len(queries)))
    if query not in queries:
        raise BadSetting(f"query {query!r} has no judgments; available: {', '.join(list(queries)[:5])} …")
    return [list(queries).index(query)]
