"""Pools: the documents to judge for each topic, their order, and the runs that contributed them."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.engines.tie_breaking import top_documents
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.results.verb_result import AnnotatedResult, Records, number
from cranfield.results.writing import decoded
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import Batch, RunSource
from cranfield.text import counted

Contributor = tuple[str, int]  # a run, and the rank at which it retrieved the document


@frozen
class PooledDocument:
    """A document of the pool of a topic.

    `order` is its place in the judging order, from 1. A document outside the sample is not `selected`; the
    `probability` of being selected, which depends on the `stratum`, is stored for estimators.
    """

    topic: str
    document: str
    order: int
    contributors: tuple[Contributor, ...]
    wave: int = 1
    selected: bool = True
    stratum: int = 1
    probability: float = 1.0
    weight: float | None = None


@frozen(eq=False)
class Pool(AnnotatedResult):
    """The pooled documents of all topics: one row per topic and document, in judging order.

    The rows of topic t are `starts[t]:starts[t + 1]`; row i was contributed by the runs
    `contributor_run[contributor_starts[i]:contributor_starts[i + 1]]`, at the ranks in `contributor_rank`.
    """

    kind = "pool"

    topics: Sequence[str]
    starts: Ints
    documents: Sequence[str]
    wave: Ints
    selected: Mask
    stratum: Ints
    probability: Floats
    weight: Floats  # NaN if the method has none
    contributor_starts: Ints
    contributor_run: Ints
    contributor_rank: Ints
    runs: tuple[str, ...]
    run_wave: tuple[int, ...]
    method: str
    later_waves: tuple[Mapping[str, Any], ...] = ()  # the method and settings of each wave after the first

    def __len__(self) -> int:
        """The number of pooled documents, over all topics."""
        return len(self.wave)

    def __iter__(self) -> Iterator[PooledDocument]:
        for topic in self.topics:
            yield from self[topic]

    def __getitem__(self, topic: str) -> tuple[PooledDocument, ...]:
        """The pooled documents of a topic, in judging order."""
        place = self._place.get(topic)
        if place is None:
            raise BadInput(f"topic {topic!r} has no pool; there are {len(self.topics)} topics")
        first, end = int(self.starts[place]), int(self.starts[place + 1])
        return tuple(self._pooled(topic, first, row) for row in range(first, end))

    @cached_property
    def _place(self) -> dict[str, int]:
        return {topic: place for place, topic in enumerate(self.topics)}

    def _pooled(self, topic: str, first: int, row: int) -> PooledDocument:
        place = (topic, self.documents[row], row - first + 1, self._contributors(row))
        wave, selected, stratum = int(self.wave[row]), bool(self.selected[row]), int(self.stratum[row])
        return PooledDocument(*place, wave, selected, stratum, float(self.probability[row]), number(self.weight[row]))

    def _contributors(self, row: int) -> tuple[Contributor, ...]:
        span = slice(self.contributor_starts[row], self.contributor_starts[row + 1])
        ranks = zip(self.contributor_run[span].tolist(), self.contributor_rank[span].tolist(), strict=True)
        return tuple((self.runs[run], rank) for run, rank in ranks)

    @property
    def n_waves(self) -> int:
        """The number of waves in which documents were added."""
        return 1 + len(self.later_waves)

    @cached_property
    def topic(self) -> Ints:
        """The index of each row's topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    def records(self) -> Records:
        """One row per query and document, in judging order; contributors as JSON text, `{run: rank}`."""
        names = [json.dumps(decoded(run), ensure_ascii=False) for run in self.runs]
        written = [f"{names[run]}:{rank}" for run, rank in self._run_and_rank()]
        return {"pool": self._rows(lambda start, end: "{" + ",".join(written[start:end]) + "}")}

    def _rows(self, contributors: Callable[[int, int], object]) -> list[dict[str, Any]]:
        """One row per query and document, with its contributors in the form made from where they start and end."""
        topics, documents = [*map(decoded, self.topics)], [*map(decoded, self.documents)]
        ends = self.contributor_starts.tolist()
        order = (np.arange(len(self)) - self.starts[self.topic] + 1).tolist()
        columns = zip(
            self.topic.tolist(), documents, order, self.wave.tolist(), self.selected.tolist(), self.stratum.tolist(),
            self.probability.tolist(), self.weight.tolist(), ends[:-1], ends[1:], strict=True,
        )  # fmt: skip
        return [
            {
                "query": topics[topic],
                "document": document,
                "order": place,
                "wave": wave,
                "selected": int(selected),
                "stratum": stratum,
                "probability": probability,
                "weight": None if weight != weight else weight,
                "contributors": contributors(start, end),
            }
            for topic, document, place, wave, selected, stratum, probability, weight, start, end in columns
        ]

    def _run_and_rank(self) -> Iterator[tuple[int, int]]:
        return zip(self.contributor_run.tolist(), self.contributor_rank.tolist(), strict=True)

    def main(self) -> str:
        """The pool, without creating its many records first."""
        return "pool"

    def content(self) -> dict[str, Any]:
        """The records, with contributors as objects."""
        names = [decoded(run) for run in self.runs]
        ranks = [(names[run], rank) for run, rank in self._run_and_rank()]
        return {"pool": self._rows(lambda start, end: dict(ranks[start:end]))}

    def about(self) -> dict[str, Any]:
        """The method, its settings, the runs with their waves, and the notes."""
        return {
            "method": self.method,
            "settings": dict(self.settings),
            "later_waves": [dict(settings) for settings in self.later_waves],
            "runs": [{"run": decoded(run), "wave": wave} for run, wave in zip(self.runs, self.run_wave, strict=True)],
            "notes": list(self.notes),
        }


# The documents that the runs retrieved for each topic: the candidates for pooling


def without_judged(pool: Pool, judged: Judgments) -> Pool:
    """The pool without the documents that are judged, in the same order."""
    known = {query: place for place, query in enumerate(judged.queries)}
    names = [[document.encode("utf-8", "surrogateescape") for document in pool.documents[first:end]]
             for first, end in zip(pool.starts.tolist(), pool.starts[1:].tolist(), strict=False)]  # fmt: skip
    keep = []
    for topic, documents in zip(pool.topics, names, strict=True):
        place = known.get(topic.encode("utf-8", "surrogateescape"))
        grades = {} if place is None else judged.grades_of(place)
        keep += [document not in grades for document in documents]
    unjudged = np.array(keep, bool)
    size = np.diff(pool.contributor_starts)
    by = np.repeat(unjudged, size)
    n_kept = np.bincount(pool.topic[unjudged], minlength=len(pool.topics))
    notes = (*pool.notes, f"{counted(int((~unjudged).sum()), 'judged document')} left out")
    return replace(
        pool,
        starts=np.concatenate([[0], np.cumsum(n_kept)]),
        documents=[document for document, is_unjudged in zip(pool.documents, keep, strict=True) if is_unjudged],
        **{name: getattr(pool, name)[unjudged] for name in ("wave", "selected", "stratum", "probability", "weight")},
        contributor_starts=np.concatenate([[0], np.cumsum(size[unjudged])]),
        contributor_run=pool.contributor_run[by],
        contributor_rank=pool.contributor_rank[by],
        notes=notes,
    )


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
