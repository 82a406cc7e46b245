"""Pools as tables: the number of documents to judge, and each run's contribution."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Ints
from cranfield.pools.result import Pool
from cranfield.present.table import Column, Table, numbers, row
from cranfield.text import counted


def tables(pool: Pool, *, digits: int) -> list[Table]:  # noqa: ARG001
    """The contribution of each run, and the size of the pool of each query."""
    return [_runs(pool), _topics(pool)]


def _runs(pool: Pool) -> Table:
    """One row per run: the documents that it contributed, and those that only it contributed."""
    n_runs = len(pool.runs)
    size = np.diff(pool.contributor_starts)
    alone = np.repeat(size == 1, size)
    contributed = np.bincount(pool.contributor_run, minlength=n_runs)
    unique = np.bincount(pool.contributor_run[alone], minlength=n_runs)
    columns = (Column("run"), *numbers("wave", "contributed", "unique", digits=0))
    rows = zip(pool.runs, pool.run_wave, contributed.tolist(), unique.tolist(), strict=True)
    return Table(columns, tuple(row(*cells) for cells in rows), title=_title(pool), notes=_notes(pool))


def _title(pool: Pool) -> str:
    n_selected = int(pool.selected.sum())
    to_judge = f"{counted(n_selected, 'document')} to judge for {counted(len(pool.topics), 'query')}"
    return to_judge if n_selected == len(pool) else f"{to_judge}, of {len(pool):,} pooled"


def _notes(pool: Pool) -> tuple[str, ...]:
    settings = ", ".join(f"{name} {value}" for name, value in pool.settings.items() if value is not None)
    waves = [f"wave {number}: " + ", ".join(f"{k} {v}" for k, v in wave.items() if v is not None)
             for number, wave in enumerate(pool.later_waves, 2)]  # fmt: skip
    return (f"method {pool.method}: {settings}", *waves, "unique: contributed by no other run", *pool.notes)


def _topics(pool: Pool) -> Table:
    """One row per query: the documents of its pool, by wave."""
    n_topics = len(pool.topics)
    judged = _per_topic(pool, pool.selected)
    waves = [_per_topic(pool, pool.wave == wave) for wave in range(1, pool.n_waves + 1)] if pool.n_waves > 1 else []
    heads = ("pooled", "to judge", *(f"wave {number}" for number in range(1, len(waves) + 1)))
    columns = (Column("query"), *numbers(*heads, digits=0))
    size = np.diff(pool.starts)
    rows = [
        row(topic, int(size[place]), int(judged[place]), *(int(wave[place]) for wave in waves))
        for place, topic in enumerate(pool.topics)
    ]
    total = row("all", int(size.sum()), int(judged.sum()), *(int(wave.sum()) for wave in waves))
    return Table(columns, tuple(rows), summary=(total,) if n_topics > 1 else (), title="Pool of each query")


def _per_topic(pool: Pool, mask: np.ndarray) -> Ints:
    return np.bincount(pool.topic[mask], minlength=len(pool.topics))
