"""Pools from the rankings of runs; later waves extend earlier pools without changing them.

Decided here: which documents a later wave leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.pools.methods import Chosen, PoolMethod
from cranfield.pools.result import Candidates, Pool, candidates
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Names, Texts, decode, encode
from cranfield.text import counted

Rankings = Mapping[bytes, Sequence[bytes]]

_COLUMNS = {"wave": np.int64, "selected": np.bool_, "stratum": np.int64, "probability": np.float64,
            "weight": np.float64}  # fmt: skip


@frozen(eq=False)
class _TopicPool:
    """The rows of one topic."""

    topic: bytes
    names: list[bytes]
    wave: Ints
    selected: Mask
    stratum: Ints
    probability: Floats
    weight: Floats
    n_contributors: Ints
    run: Ints
    rank: Ints


@frozen(eq=False)
class Pooling:
    """How a pool is built: the method, its settings and, for an adaptive method, the judgments that it uses."""

    method: PoolMethod
    settings: Mapping[str, Any]
    judged: Judgments | None = None
    rel: float = 1

    def chosen(self, candidates: Candidates) -> tuple[Chosen, int]:
        """The documents chosen for a topic, and how many of them an adaptive method found unjudged."""
        if not self.method.adaptive:
            return self.method.function(candidates, **self.settings), 0
        grades = self._relevance.get(candidates.topic, {})
        grade = np.array([grades.get(name, np.nan) for name in candidates.names], np.float64)
        chosen = self.method.function(replace(candidates, grade=grade), **self.settings)
        return chosen, int(np.isnan(grade[chosen.document]).sum())

    @cached_property
    def _relevance(self) -> dict[bytes, dict[bytes, float]]:
        return {} if self.judged is None else _relevance(self.judged, self.rel)

    def notes(self, n_unjudged: int) -> tuple[str, ...]:
        """A note if the method encountered unjudged documents."""
        if not n_unjudged:
            return ()
        return (f"{counted(n_unjudged, 'unjudged document')} treated as not relevant by the adaptive judging order",)


def _relevance(judged: Judgments, rel: float) -> dict[bytes, dict[bytes, float]]:
    """1 for relevant and 0 for other judged documents, by topic; negative grades mean unjudged."""
    judged.require_once("the judgments")
    return {
        topic: {name: float(grade >= rel) for name, grade in judged.grades_of(place).items() if grade >= 0}
        for place, topic in enumerate(judged.queries)
    }


def pooled(runs: Mapping[str, Rankings], pooling: Pooling) -> Pool:
    """The pool of all topics."""
    parts, n_unjudged = [], 0
    for topic_candidates in candidates(list(runs.values())):
        chosen, unjudged = pooling.chosen(topic_candidates)
        parts.append(_new_rows(topic_candidates, chosen))
        n_unjudged += unjudged
    pool = _joined(parts, tuple(runs), (1,) * len(runs))
    return replace(pool, method=pooling.method.name, settings=dict(pooling.settings), notes=pooling.notes(n_unjudged))


def topped_up(earlier: Pool, runs: Mapping[str, Rankings], pooling: Pooling) -> Pool:
    """The earlier pool extended by a wave of documents of these runs that it does not contain.

    Documents of earlier waves keep their place, sample and probability; new runs that retrieved them are added to their
    contributors. Adding the same runs again has no effect.
    """
    names = (*earlier.runs, *(name for name in runs if name not in earlier.runs))
    place = [names.index(name) for name in runs]
    wave, n_unjudged, parts = earlier.n_waves + 1, 0, []
    new = {topic_candidates.topic: topic_candidates for topic_candidates in candidates(list(runs.values()))}
    places = {encode(topic): place for place, topic in enumerate(earlier.topics)}
    for topic in sorted({*places, *new}):
        old = _old_rows(earlier, topic, places.get(topic))
        topic_candidates = new.get(topic)
        if topic_candidates is None:
            parts.append(old)
            continue
        run = np.array(place, np.int64)[topic_candidates.run]
        topic_candidates = replace(topic_candidates, run=run, n_runs=len(names))
        unpooled = topic_candidates.without(frozenset(old.names))
        chosen, unjudged = pooling.chosen(unpooled)
        added = _new_rows(unpooled, chosen, wave, int(earlier.stratum.max(initial=0)))
        parts.append(_extended(_with_contributors(old, topic_candidates, names), added))
        n_unjudged += unjudged
    pool = _joined(parts, names, (*earlier.run_wave, *(wave for _ in names[len(earlier.runs) :])))
    if len(pool) == len(earlier) and names == earlier.runs:
        return earlier
    own_settings = {"method": pooling.method.name} | dict(pooling.settings)
    return replace(
        pool,
        method=earlier.method,
        settings=earlier.settings,
        later_waves=(*earlier.later_waves, own_settings),
        notes=(*earlier.notes, *pooling.notes(n_unjudged)),
    )


def sampled_pool(rows: Iterable[Mapping[str, Any]]) -> Pool:
    """A stored sample, for estimates: query, document, selected, stratum and probability of each row."""
    topics: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        topics.setdefault(row["query"], []).append(row)
    parts = [_sampled_rows(encode(topic), listed) for topic, listed in topics.items()]
    return replace(_joined(parts, (), ()), method="sample")


def _sampled_rows(topic: bytes, rows: Sequence[Mapping[str, Any]]) -> _TopicPool:
    sampled = [{**row, "wave": 1, "weight": np.nan} for row in rows]
    columns: Any = {name: np.array([row[name] for row in sampled], kind) for name, kind in _COLUMNS.items()}
    columns |= {"n_contributors": np.zeros(len(rows), np.int64)}
    columns |= dict.fromkeys(("run", "rank"), np.zeros(0, np.int64))
    return _TopicPool(topic, [encode(row["document"]) for row in rows], **columns)


def _new_rows(topic_candidates: Candidates, chosen: Chosen, wave: int = 1, strata_before: int = 0) -> _TopicPool:
    document = chosen.document
    n_rows = len(document)
    starts, run, rank = topic_candidates.contributions()
    size = np.diff(starts)[document]
    row = np.repeat(starts[:-1][document] - (np.cumsum(size) - size), size) + np.arange(size.sum())
    return _TopicPool(
        topic_candidates.topic,
        [topic_candidates.names[place] for place in document.tolist()],
        np.full(n_rows, wave),
        np.ones(n_rows, np.bool_) if chosen.selected is None else chosen.selected,
        (np.ones(n_rows, np.int64) if chosen.stratum is None else chosen.stratum) + strata_before,
        np.ones(n_rows) if chosen.probability is None else chosen.probability,
        np.full(n_rows, np.nan) if chosen.weight is None else chosen.weight,
        size,
        run[row],
        rank[row],
    )


def _old_rows(pool: Pool, topic: bytes, place: int | None) -> _TopicPool:
    """The rows of a topic in a pool; empty if the topic is not in it."""
    rows = slice(0, 0) if place is None else slice(int(pool.starts[place]), int(pool.starts[place + 1]))
    contributors = slice(pool.contributor_starts[rows.start], pool.contributor_starts[rows.stop])
    return _TopicPool(
        topic,
        [encode(name) for name in pool.documents[rows]],
        **{name: getattr(pool, name)[rows] for name in _COLUMNS},
        n_contributors=np.diff(pool.contributor_starts[rows.start : rows.stop + 1]),
        run=pool.contributor_run[contributors],
        rank=pool.contributor_rank[contributors],
    )


def _with_contributors(old: _TopicPool, new: Candidates, runs: Sequence[str]) -> _TopicPool:
    """The rows of a topic, with the new runs that retrieved each."""
    starts = np.concatenate([[0], np.cumsum(old.n_contributors)])
    ranks = [dict(zip(old.run[a:b].tolist(), old.rank[a:b].tolist(), strict=True)) for a, b in pairwise(starts)]
    place = {name: row for row, name in enumerate(old.names)}
    for document, run, rank in zip(new.document.tolist(), new.run.tolist(), new.rank.tolist(), strict=True):
        row = place.get(new.names[document])
        if row is not None and ranks[row].setdefault(run, rank) != rank:
            raise BadInput(
                f"run {runs[run]!r} has document {decode(new.names[document])!r} of topic {decode(new.topic)!r} at "
                f"rank {rank}, but in the earlier pool at rank {ranks[row][run]}; a changed run needs another name"
            )
    pairs = [pair for rank_of in ranks for pair in sorted(rank_of.items())]
    run, rank = (np.array([pair[column] for pair in pairs], np.int64) for column in (0, 1))
    return replace(old, n_contributors=np.array([*map(len, ranks)], np.int64), run=run, rank=rank)


def _extended(old: _TopicPool, added: _TopicPool) -> _TopicPool:
    columns = (*_COLUMNS, "n_contributors", "run", "rank")
    joined: dict[str, Any] = {name: np.concatenate([getattr(old, name), getattr(added, name)]) for name in columns}
    return replace(old, names=[*old.names, *added.names], **joined)


def _joined(parts: Sequence[_TopicPool], runs: tuple[str, ...], run_wave: tuple[int, ...]) -> Pool:
    def column(name: str, kind: type) -> Any:
        return np.concatenate([np.zeros(0, kind), *(getattr(part, name) for part in parts)])

    n_rows = [len(part.names) for part in parts]
    return Pool(
        topics=Texts(Names.of(part.topic for part in parts)),
        starts=np.cumsum([0, *n_rows]),
        documents=Texts(Names.of(name for part in parts for name in part.names)),
        **{name: column(name, kind) for name, kind in _COLUMNS.items()},
        contributor_starts=np.concatenate([[0], np.cumsum(column("n_contributors", np.int64))]),
        contributor_run=column("run", np.int64),
        contributor_rank=column("rank", np.int64),
        runs=runs,
        run_wave=run_wave,
        method="",
        settings={},
    )
