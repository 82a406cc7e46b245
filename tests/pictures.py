"""Tiny rankings as pictures, and strategies that draw them.

A picture has a character for each rank: `+` relevant (grade 1), `-` judged not relevant (grade 0), a digit for any
other grade, `~` pooled but not judged (grade -1), `?` never pooled. Documents in parentheses are tied.
"""

from __future__ import annotations

from itertools import product
from string import ascii_letters

import numpy as np
from hypothesis import strategies as st

from cranfield.evidence.hits import Hits, sum_of
from reference.ranking import Grade, Ranking

_MEANING: dict[str, Grade] = {"+": 1.0, "-": 0.0, "~": -1.0, "?": None} | {
    str(digit): float(digit) for digit in range(10)
}


def hits_of(ranking: Ranking, query: bytes = b"q") -> Hits:
    """The evidence that a ranking gives."""
    rank = np.array([i for i, grade in enumerate(ranking.grades, 1) if grade is not None], np.int64)
    pool = np.array(sorted(ranking.pool, reverse=True), np.float64)
    size = ranking.ties or (1,) * len(ranking.grades)
    tied = np.repeat(np.array(size, np.int64), size)
    tie = np.repeat(np.cumsum(size, dtype=np.int64) - np.array(size, np.int64) + 1, size)
    return Hits(
        queries=(query,),
        n_retrieved=np.array([len(ranking.grades)]),
        unit=np.zeros(len(rank), np.int64),
        rank=rank,
        grade=np.array([grade for grade in ranking.grades if grade is not None], np.float64),
        pool_unit=np.zeros(len(pool), np.int64),
        pool_grade=pool,
        tie_start=tie[rank - 1],
        tie_size=tied[rank - 1],
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
    return hits_of(ranking(picture, missed))


def several(*pictures: str) -> Hits:
    """The evidence of several queries; what was missed comes after a bar: `+-|+`."""
    return evidence([ranking(*picture.split("|")) for picture in pictures])


def evidence(rankings: list[Ranking]) -> Hits:
    """The evidence of several rankings."""
    return sum_of(each(rankings))


def each(rankings: list[Ranking]) -> list[Hits]:
    """The evidence of each ranking, under a query of its own."""
    return [hits_of(one, b"q%d" % number) for number, one in enumerate(rankings)]


GRADES = (0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 0.5, 1.5, -1.0)


def rankings(grades: tuple[float, ...] = GRADES, longest: int = 9) -> st.SearchStrategy[Ranking]:
    """Rankings with gaps and ties, some of them empty, some with nothing relevant to find.

    Each is drawn as two texts, with a letter for each document: Hypothesis takes far longer to draw lists.
    """
    grade_of = dict(zip(ascii_letters, grades, strict=False))
    unjudged = (None,) * len(grades)  # half of what is retrieved
    retrieved = dict(zip(ascii_letters, product((*unjudged, *grades), (False, True)), strict=False))

    def drawn(documents: str, missed: str) -> Ranking:
        ties: list[int] = []
        for place, (_, tied) in enumerate(map(retrieved.__getitem__, documents)):
            if place and tied:
                ties[-1] += 1
            else:
                ties.append(1)
        found = (retrieved[letter][0] for letter in documents)
        return Ranking(tuple(found), tuple(grade_of[letter] for letter in missed), tuple(ties))

    return st.builds(drawn, st.text(sorted(retrieved), max_size=longest), st.text(sorted(grade_of), max_size=4))


def lists_of_rankings(least: int = 1, most: int = 4) -> st.SearchStrategy[list[Ranking]]:
    """Several queries."""
    return st.lists(rankings(), min_size=least, max_size=most)


def lists_of_hits(least: int = 1, most: int = 4) -> st.SearchStrategy[list[Hits]]:
    """The evidence of several queries, one by one."""
    return lists_of_rankings(least, most).map(each)
