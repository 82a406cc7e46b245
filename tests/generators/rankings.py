"""Test collections shaped like real ones: what judges said, and what a system retrieved."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from generators.ids import encoded, ids, is_text, spaced_ids

Judged = tuple[str, str, int]  # query, document, grade
Retrieved = tuple[str, str, str]  # query, document, score as it is written


@dataclass(frozen=True)
class Collection:
    """Judgments and a run, row by row in the order of their files."""

    qrels: list[Judged]
    run: list[Retrieved]

    def qrels_file(self) -> bytes:
        """The judgments as a TREC file."""
        return b"".join(encoded(f"{query} 0 {document} {grade}\n") for query, document, grade in self.qrels)

    def run_file(self) -> bytes:
        """The run as a TREC file; the ranks in it are those of the lines, which nobody should look at."""
        lines = (f"{query} Q0 {document} {n} {score} tag\n" for n, (query, document, score) in enumerate(self.run))
        return b"".join(map(encoded, lines))

    @property
    def is_text(self) -> bool:
        """Whether all ids are UTF-8."""
        return all(is_text(query) and is_text(document) for query, document, _ in [*self.qrels, *self.run])

    @property
    def is_valid(self) -> bool:
        """Whether this can be evaluated: a query in common, no row twice, ids of something. Shrinking may undo that."""
        pairs = [[row[:2] for row in rows] for rows in (self.qrels, self.run)]
        names = {name for rows in pairs for row in rows for name in row}
        return (
            all(len(set(rows)) == len(rows) for rows in pairs)
            and bool({query for query, _ in pairs[0]} & {query for query, _ in pairs[1]})
            and "" not in names
            and all(_is_number(score) for _, _, score in self.run)
        )


def _is_number(text: str) -> bool:
    try:
        return text == text.strip() and not math.isnan(float(text))
    except ValueError:
        return False


def _rounded(source: random.Random) -> Callable[[], str]:
    digits = source.randrange(4)
    return lambda: f"{source.random():.{digits}f}"


def _huge(source: random.Random) -> Callable[[], str]:
    base = source.choice((2**53, 2**60, 2**63 - 5, 2**64, -(2**53)))
    return lambda: str(base + source.randrange(6))


def _one_of(*scores: str) -> Callable[[random.Random], Callable[[], str]]:
    return lambda source: lambda: source.choice(scores)


SCORES: dict[str, Callable[[random.Random], Callable[[], str]]] = {
    "rounded": _rounded,
    "full": lambda source: lambda: repr(source.uniform(0, 30)),
    "logarithms": lambda source: lambda: f"{-source.expovariate(0.2):.4f}",
    "whole": lambda source: lambda: str(source.randrange(-3, 9)),
    "huge": _huge,
    "tiny": _one_of("1e-320", "2e-320", "0", "-1e-320", "4.9e-324", "2.3e-308", "0.0", "-0.0"),
    "infinite": _one_of("inf", "-inf", "1e308", "0", "-1e308", "Infinity", "-Infinity"),
    "spelled": _one_of("1", "1.0", "1e0", "+1", "01.0", "1.", "10e-1", ".5", "0.5", "5E-1", "-.5"),
    "single": lambda source: lambda: f"{1 + source.randrange(5) * 1e-9:.10f}",  # one number in 32 bits
}

GRADES = ((0, 1), (0, 1), (1,), (0, 1, 2, 3), (-1, 0, 1, 2), (-2, -1, 0, 1), (0,), (0, 0, 0, 0, 0, 0, 3), (0, 1, 2, 7))


def collections(source: random.Random, *, text: bool = False) -> Collection:
    """A collection of few queries, with what real ones have; with `text` no id that is not UTF-8.

    Documents that nobody judged or nobody retrieved, queries in one file only, sparse or dense judgments, ties, and in
    half of the collections the longest id in just one of the two files.
    """
    queries, documents = (ids(source, source.randrange(*n), text=text) for n in ((1, 7), (2, 26)))
    grades, score = source.choice(GRADES), SCORES[source.choice(list(SCORES))](source)
    dense = source.choice((0.1, 0.5, 0.95))
    judged_queries = [query for query in queries[1:] if source.random() < 0.85] + queries[:1]
    run_queries = [query for query in queries[1:] if source.random() < 0.85] + queries[:1]
    qrels = [
        (query, name, source.choice(grades)) for query in judged_queries for name in _some(source, documents, dense)
    ]
    run = [
        (query, name, score()) for query in run_queries for name in _some(source, documents, source.choice((0.3, 0.9)))
    ]
    made = _ordered(source, Collection(qrels, run))
    return _with_a_long_id(source, made) if source.random() < 0.5 else made


def text_collections(source: random.Random) -> Collection:
    """A collection whose ids are all text."""
    return collections(source, text=True)


def tied_collections(source: random.Random) -> Collection:
    """A collection of a few documents, many of them tied, so that all orders can be gone through."""
    queries, documents = ids(source, 3), ids(source, 7)
    pairs = [(query, document) for query in queries for document in documents]
    qrels = [(*pair, source.choice((-1, 0, 1, 2))) for pair in pairs if source.random() < 0.6] or [(*pairs[0], 1)]
    run = [(*pair, source.choice(("0.5", "0.50", "1", "2"))) for pair in pairs if source.random() < 0.7]
    return Collection(qrels, [*run, (qrels[0][0], "alone", "3")])


def spaced_collections(source: random.Random) -> Collection:
    """A collection whose ids hold blanks, line ends and quotes."""
    made = text_collections(source)
    queries, documents = ({row[place]: None for row in [*made.qrels, *made.run]} for place in (0, 1))
    query = dict(zip(queries, spaced_ids(source, len(queries)), strict=True))
    document = dict(zip(documents, spaced_ids(source, len(documents)), strict=True))
    return Collection(
        [(query[q], document[d], grade) for q, d, grade in made.qrels],
        [(query[q], document[d], score) for q, d, score in made.run],
    )


def _some(source: random.Random, names: list[str], share: float) -> list[str]:
    return source.sample(names, max(1, round(share * source.uniform(0.5, 1) * len(names))))


def _ordered(source: random.Random, made: Collection) -> Collection:
    """The rows sorted by score, as they came, or scattered."""
    how = source.choice(("sorted", "given", "given", "scattered"))
    if how == "sorted":
        place = {query: number for number, (query, _, _) in enumerate(made.run)}
        return replace(made, run=sorted(made.run, key=lambda row: (place[row[0]], -float(row[2]))))
    if how == "given":
        return made
    return Collection(source.sample(made.qrels, len(made.qrels)), source.sample(made.run, len(made.run)))


def _with_a_long_id(source: random.Random, made: Collection) -> Collection:
    """An id longer than all others, of a query or document, in one of the files."""
    longest = max(len(encoded(name)) for row in [*made.qrels, *made.run] for name in row[:2])
    long = "Z" * (longest + source.choice((1, 2, 8, 9, 40)))
    query = long if source.random() < 0.3 else source.choice(made.qrels)[0]
    if source.random() < 0.5:
        return replace(made, qrels=[*made.qrels, (query, long, source.choice((0, 1)))])
    return replace(made, run=[*made.run, (query, long, source.choice(made.run)[2])])
