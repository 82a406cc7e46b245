"""Judged answers as tables hold them: nuggets and citations, some of them missing, with ids of all kinds."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import dataclass

from generators.ids import ids

SUPPORT = ("support", "partial_support", "not_support")
CITED = ("full", "partial", "no")
NUGGET_COLUMNS = ("query", "system", "nugget", "importance", "support", "length")
CITATION_COLUMNS = ("query", "system", "sentence", "citation", "support")

Row = tuple[str, ...]


@dataclass(frozen=True)
class JudgedAnswers:
    """The rows of a table of nuggets and of a table of citations, in the order of their columns."""

    nuggets: list[Row]
    citations: list[Row]

    @property
    def is_valid(self) -> bool:
        """Whether every nugget has one importance and one judgment, and every answer one length."""
        importance = {(row[0], row[2]): row[3] for row in self.nuggets}
        length = {row[:2]: row[5] for row in self.nuggets}
        return (
            bool(self.nuggets and self.citations)
            and len({row[:3] for row in self.nuggets}) == len(self.nuggets)
            and all(importance[row[0], row[2]] == row[3] and length[row[:2]] == row[5] for row in self.nuggets)
            and all(all(row[:3]) and row[4] in SUPPORT and row[5].isdigit() for row in self.nuggets)
            and len({row[:4] for row in self.citations}) == len(self.citations)
            and all(all(row[:3]) and bool(row[3]) == bool(row[4]) for row in self.citations)
            and all(row[3] or self._alone(row) for row in self.citations)
        )

    def _alone(self, row: Row) -> bool:
        """Whether a sentence without citations has no other row."""
        return [other[:3] for other in self.citations].count(row[:3]) == 1

    def nuggets_file(self) -> bytes:
        """The nuggets as CSV."""
        return _csv(NUGGET_COLUMNS, self.nuggets)

    def citations_file(self) -> bytes:
        """The citations as CSV."""
        return _csv(CITATION_COLUMNS, self.citations)


def _csv(columns: Row, rows: list[Row]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([columns, *rows])
    return out.getvalue().encode()


def judged_answers(source: random.Random) -> JudgedAnswers:
    """Two or three systems, some of which leave out queries or nuggets; rows in any order."""
    queries, systems = ids(source, source.randrange(1, 6), text=True), ids(source, source.randrange(1, 4), text=True)
    nuggets: list[Row] = []
    citations: list[Row] = []
    for query in queries:
        importance = {name: source.choice(("vital", "okay")) for name in ids(source, source.randrange(1, 7), text=True)}
        for system in systems:
            if source.random() < 0.9:
                length = str(source.choice((0, 1, 99, 100, source.randrange(2000))))
                judged = [name for name in importance if source.random() < 0.9]
                nuggets += [(query, system, name, importance[name], source.choice(SUPPORT), length) for name in judged]
                citations += _cited(source, query, system)
    return JudgedAnswers(source.sample(nuggets, len(nuggets)), source.sample(citations, len(citations)))


def _cited(source: random.Random, query: str, system: str) -> list[Row]:
    rows: list[Row] = []
    for sentence in range(source.randrange(1, 6)):
        cited = ids(source, source.randrange(4), text=True)
        rows += [(query, system, str(sentence), name, source.choice(CITED)) for name in cited]
        rows += [(query, system, str(sentence), "", "")] * (not cited)
    return rows
