"""Stores of releases for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cranfield.releases.store import Record, Store, Values, digest_of_names

ONE, OTHER = "a" * 64, "b" * 64  # digests of judgments


def stored(folder: Path, releases: Mapping[str, Any], measure: str = "AP", **fields: Any) -> Store:
    """A store with the values of a measure by release, in order; a number instead is a mean without values."""
    store = Store(folder / "store")
    for place, (release, values) in enumerate(releases.items()):
        add(store, release, values, measure, place, **fields)
    return store


def add(store: Store, release: str, values: Any, measure: str = "AP", place: int = 0, **fields: Any) -> Record:
    """Add a release, a day after the one before."""
    moment = (
        f"2026-01-{place + 1:02d}T12:00:00Z" if place < 28 else f"2026-02-01T{place // 60:02d}:{place % 60:02d}:00Z"
    )
    if isinstance(values, float):
        return store.add(Record(release, moment, "engine", (measure,), {measure: values}, **fields))
    row = np.asarray(values, float)
    units = names(len(row))
    known = {"queries": digest_of_names(units), "judgments": ONE, "n": len(row)} | fields
    mean = float(np.nanmean(row))
    record = Record(release, moment, "engine", (measure,), {measure: mean}, **known)
    return store.add(record, Values(units, {measure: row}))


def names(n: int) -> tuple[str, ...]:
    """The names of queries, sorted."""
    return tuple(f"q{place:05d}" for place in range(n))


def noisy(means: Sequence[float], n: int = 400, seed: int = 0, spread: float = 0.05) -> list[Any]:
    """Values of queries around these means, from release to release."""
    chance = np.random.default_rng(seed)
    base = chance.beta(4, 4, n)
    return [np.clip(base - base.mean() + mean + chance.normal(0, spread, n), 0, 1) for mean in means]
