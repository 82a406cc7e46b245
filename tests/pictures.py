"""Tiny rankings as pictures, and strategies that draw them.

A picture has a character for each rank: `+` relevant (grade 1), `-` judged not relevant (grade 0), a digit for any
other grade, `~` pooled but not judged (grade -1), `?` never pooled. Documents in parentheses are tied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from cranfield.evidence.hits import Hits, sum_of

Grade = float | None

_MEANING: dict[str, Grade] = {"+": 1.0, "-": 0.0, "~": -1.0, "?": None} | {
    str(digit): float(digit) for digit in range(10)
}


@dataclass(frozen=True)
class Ranking:
    """One query in the plainest form: the grade at each rank, None where nobody pooled the document.

    `missed` holds the grades of the judged documents that were not retrieved, `ties` the sizes of the groups of tied
    documents from the top down.
    """

    grades: tuple[Grade, ...]
    missed: tuple[float, ...] = ()
    ties: tuple[int, ...] = ()

    @property
    def pool(self) -> list[float]:
        """The grades of all documents of the pool, retrieved or not."""
        return [grade for grade in self.grades if grade is not None] + list(self.missed)

    @property
    def judged(self) -> list[float]:
        """The grades of all judged documents, retrieved or not."""
        return [grade for grade in self.pool if grade >= 0]

    def condensed(self) -> Ranking:
        """The ranking without its unjudged documents."""
        kept = tuple(grade for grade in self.grades if grade is not None and grade >= 0)
        return Ranking(kept, self.missed + tuple(grade for grade in self.grades if grade is not None and grade < 0))

    def filled(self, given: float, k: int | None) -> Ranking:
        """The ranking with this grade for each unjudged document among the first k."""
        depth = len(self.grades) if k is None else k
        top = (given if grade is None or grade < 0 else grade for grade in self.grades[:depth])
        return replace(self, grades=(*top, *self.grades[depth:]))

    def hits(self, query: bytes = b"q") -> Hits:
        """The evidence that this ranking gives."""
        rank = np.array([i for i, grade in enumerate(self.grades, 1) if grade is not None], np.int64)
        pool = np.array(sorted(self.pool, reverse=True), np.float64)
        size = self.ties or (1,) * len(self.grades)
        tied = np.repeat(np.array(size, np.int64), size)
        tie = np.repeat(np.cumsum(size, dtype=np.int64) - np.array(size, np.int64) + 1, size)
        return Hits(
            queries=(query,),
            n_retrieved=np.array([len(self.grades)]),
            unit=np.zeros(len(rank), np.int64),
            rank=rank,
            grade=np.array([grade for grade in self.grades if grade is not None], np.float64),
            pool_unit=np.zeros(len(pool), np.int64),
            pool_grade=pool,
            tie=tie[rank - 1],
            tied=tied[rank - 1],
            size=np.ones(1, np.int64),
        )


def ranking(picture: str, missed: str = "") -> Ranking:
    """The ranking that a picture shows."""
    grades: list[Grade] = []
    ties: list[int] = []
    opened: int | None = None
    for character in picture:
        if character == "(":
            opened = len(grades)
        elif character == ")" and opened is not None:
            ties.append(len(grades) - opened)
            opened = None
        else:
            grades.append(_MEANING[character])
            ties += [1] * (opened is None)
    return Ranking(tuple(grades), tuple(_MEANING[character] or 0.0 for character in missed), tuple(ties))


def ranked(picture: str, missed: str = "") -> Hits:
    """The evidence that a picture shows."""
    return ranking(picture, missed).hits()


def several(*pictures: str) -> Hits:
    """The evidence of several queries; what was missed comes after a bar: `+-|+`."""
    return evidence([ranking(*picture.split("|")) for picture in pictures])


def evidence(rankings: list[Ranking]) -> Hits:
    """The evidence of several rankings."""
    return sum_of(each(rankings))


def each(rankings: list[Ranking]) -> list[Hits]:
    """The evidence of each ranking, under a query of its own."""
    return [one.hits(b"q%d" % number) for number, one in enumerate(rankings)]


grades = st.sampled_from((0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 0.5, 1.5, -1.0))
whole_grades = st.sampled_from((0.0, 1.0, 2.0, 3.0, 0.0, 1.0, -1.0))


@st.composite
def rankings(draw: st.DrawFn, grade: st.SearchStrategy[float] = grades, longest: int = 9) -> Ranking:
    """Rankings with gaps and ties, some of them empty, some with nothing relevant to find."""
    found = draw(st.lists(st.one_of(st.none(), grade), max_size=longest))
    missed = draw(st.lists(grade, max_size=4))
    together = draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)))
    ties: list[int] = []
    for place in range(len(found)):
        if place and together[place]:
            ties[-1] += 1
        else:
            ties.append(1)
    return Ranking(tuple(found), tuple(missed), tuple(ties))


def lists_of_rankings(least: int = 1, most: int = 4) -> st.SearchStrategy[list[Ranking]]:
    """Several queries."""
    return st.lists(rankings(), min_size=least, max_size=most)


def lists_of_hits(least: int = 1, most: int = 4) -> st.SearchStrategy[list[Hits]]:
    """The evidence of several queries, one by one."""
    return lists_of_rankings(least, most).map(each)
