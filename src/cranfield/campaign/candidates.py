"""The documents that the runs retrieved for each topic: the candidates for pooling."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.engines.tie_breaking import top_documents
from cranfield.frozen import cached_property, frozen
from cranfield.tables.rankings import Batch, RunSource


@frozen(eq=False)
class Candidates:
    """The documents that the runs retrieved for a topic; run `run[i]` has `document[i]` at rank `rank[i]`.

    Retrievals are ordered by rank, then by run. Documents are numbered by their first retrieval, which is the
    judging order of a depth-k pool.
    """

    topic: bytes
    names: Sequence[bytes]
    document: Ints
    run: Ints
    rank: Ints
    n_runs: int
    grade: Floats | None = None  # of each document, NaN where it is unjudged

    @cached_property
    def best_rank(self) -> Ints:
        """The best rank of each document."""
        best = np.full(len(self.names), np.iinfo(np.int64).max)
        np.minimum.at(best, self.document, self.rank)
        return best

    @cached_property
    def n_contributors(self) -> Ints:
        """The number of runs that retrieved each document."""
        return np.bincount(self.document, minlength=len(self.names))

    def weight(self, of_rank: Floats) -> Floats:
        """For each document, the sum of a weight over its retrievals."""
        return np.bincount(self.document, of_rank, minlength=len(self.names)).astype(np.float64)

    def without(self, names: Container[bytes]) -> Candidates:
        """The candidates without the given documents; the others keep their ranks."""
        remaining = np.array([name not in names for name in self.names], np.bool_)
        number = np.cumsum(remaining) - 1
        row = remaining[self.document]
        return replace(
            self,
            names=[name for name in self.names if name not in names],
            document=number[self.document[row]],
            run=self.run[row],
            rank=self.rank[row],
            grade=None if self.grade is None else self.grade[remaining],
        )

    def contributions(self) -> tuple[Ints, Ints, Ints]:
        """For each document, the offset of its retrievals, and for these, ordered by run, the run and the rank."""
        order = np.lexsort((self.run, self.document))
        starts = np.concatenate([[0], np.cumsum(self.n_contributors)])
        return starts, self.run[order], self.rank[order]


def top_of_runs(sources: Iterable[RunSource], depth: int) -> list[dict[bytes, list[bytes]]]:
    """The first documents of every ranking, by run and topic; ties are broken as in trec_eval."""
    return [_top_of_run(source, depth) for source in sources]


def _top_of_run(source: RunSource, depth: int) -> dict[bytes, list[bytes]]:
    rankings: dict[bytes, list[bytes]] = {}
    for part in source.parts():
        batch = part()
        batch_rankings = dict(_top_of_batch(batch, depth))
        if batch_rankings.keys() & rankings.keys():  # rows of a query are scattered over the file
            return dict(_top_of_batch(source.whole(), depth))
        rankings |= batch_rankings
    return rankings


def _top_of_batch(batch: Batch, depth: int) -> Iterator[tuple[bytes, list[bytes]]]:
    for place, query in enumerate(batch.queries):
        yield query, top_documents(batch, place, depth)


def candidates(runs: Sequence[Mapping[bytes, Sequence[bytes]]]) -> Iterator[Candidates]:
    """The candidates of each topic, in the byte order of the topics, from the rankings of all runs."""
    for topic in sorted({topic for rankings in runs for topic in rankings}):
        yield candidates_of_topic(topic, [rankings.get(topic, ()) for rankings in runs])


def candidates_of_topic(topic: bytes, rankings: Sequence[Sequence[bytes]]) -> Candidates:
    """The candidates of one topic, from the ranking of each run."""
    length = [len(ranking) for ranking in rankings]
    run = np.repeat(np.arange(len(rankings)), length)
    rank = np.concatenate([np.arange(1, n + 1) for n in length]) if rankings else np.zeros(0, np.int64)
    retrieved = [name for ranking in rankings for name in ranking]
    order = np.lexsort((run, rank))
    number: dict[bytes, int] = {}
    document = [number.setdefault(retrieved[place], len(number)) for place in order.tolist()]
    return Candidates(topic, list(number), np.array(document, np.int64), run[order], rank[order], len(rankings))


def seeded(seed: int, topic: bytes) -> np.random.Generator:
    """A random generator for a topic, independent of the other topics."""
    return np.random.default_rng([seed, *topic])
