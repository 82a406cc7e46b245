"""Judged answers: the nuggets that the answer to each query contains, and the support of its citations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.evidence.items import ByQuery
from cranfield.frozen import frozen


@frozen(eq=False)
class Nuggets(ByQuery):
    """One row per nugget: its query, whether it is vital, and its support in the answer (1, 0.5 if partial, or 0).

    `length` is the length of the answer to each query in characters, NaN where unknown.
    """

    kind: ClassVar[str] = "answers"
    INDEX_OF: ClassVar[Mapping[str, str]] = {"query": "queries"}

    queries: tuple[str, ...]
    query: Ints
    vital: Mask
    support: Floats
    length: Floats

    def sum(self, value: Floats | Mask) -> Floats:
        """The sum of a value of each nugget, by query."""
        return np.bincount(self.query, np.asarray(value, np.float64), minlength=len(self)).astype(np.float64)


@frozen(eq=False)
class Citations(ByQuery):
    """One row per citation: the sentence that has it, and its support (1, 0.5 if partial, or 0).

    Sentences without citations have no row, but are in `sentence_query`, the query of each sentence.
    """

    kind: ClassVar[str] = "answers"
    INDEX_OF: ClassVar[Mapping[str, str]] = {"sentence_query": "queries", "sentence": "sentence_query"}

    queries: tuple[str, ...]
    sentence_query: Ints
    sentence: Ints
    support: Floats

    @property
    def n_sentences(self) -> Floats:
        """The number of sentences of each answer."""
        return np.bincount(self.sentence_query, minlength=len(self)).astype(np.float64)

    @property
    def n_citations(self) -> Floats:
        """The number of citations of each answer."""
        return self.by_query(np.ones(len(self.support)))

    def by_query(self, value: Floats) -> Floats:
        """The sum of a value of each citation, by query."""
        return np.bincount(self.sentence_query[self.sentence], value, minlength=len(self)).astype(np.float64)

    def best(self, value: Floats) -> Floats:
        """The sum over sentences of their best citation, by query."""
        best = np.zeros(len(self.sentence_query))
        np.maximum.at(best, self.sentence, value)
        return np.bincount(self.sentence_query, best, minlength=len(self)).astype(np.float64)
