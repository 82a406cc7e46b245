"""One query in the plainest form."""

from __future__ import annotations

from dataclasses import dataclass, replace

Grade = float | None


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
