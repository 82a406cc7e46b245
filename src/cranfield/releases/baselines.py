"""Releases of a store as baselines of gates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cranfield.errors import BadInput, did_you_mean
from cranfield.frozen import frozen
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.releases.store import Record, Store, digest_of_names
from cranfield.results.values import Result

_WORDS = re.compile(r"last|best|(?P<n>[1-9]\d*) releases? ago")


@frozen
class Release:
    """A release that a gate names as its baseline: its record and, if a file has its content, its run."""

    record: Record
    store: str
    run: str | None

    @property
    def name(self) -> str:
        """The name of the baseline in verdicts."""
        return f"release {self.record.release}"

    def compared(self, measure: Measure | str) -> str | float:
        """What a run is compared with: the release, or its mean if no more is known."""
        return self.name if self.run or self.record.values else self.record.means[str(parse(measure, "ranking"))]


def is_release(store: Store, text: str) -> bool:
    """Whether the text names a release of the store: last, best, `3 releases ago`, or its name."""
    return bool(_WORDS.fullmatch(text)) or any(record.release == text for record in store.records())


def baseline(store: Store, text: str, measure: str, *, system: str = "", without: str = "") -> Release:
    """The release that a gate names; the system matters if releases have several, and `without` is no baseline."""
    every = [one for one in store.records() if measure in one.means and one.release != without]
    of_system = [one for one in every if one.system == system]
    chosen = of_system if len({one.system for one in every}) > 1 and of_system else every
    records = list({one.release: one for one in chosen}.values())  # the last record of each release
    if not records:
        raise BadInput(f"{store.folder}: there is no release with {measure} to compare with yet; record one first")
    record = _named(store, text, records, measure)
    return Release(record, store.folder, store.located(record, "run"))


def _named(store: Store, text: str, records: Sequence[Record], measure: str) -> Record:
    words = _WORDS.fullmatch(text)
    if text == "best":
        lower = measure in records[-1].lower_is_better
        return (min if lower else max)(records, key=lambda one: one.means[measure])
    if words:
        return records[-min(int(words["n"] or 1), len(records))]
    match = next((one for one in records if one.release == text), None)
    if match is None:
        names = [one.release for one in records]
        hint = did_you_mean(text, names) or f"; the last are {', '.join(names[-5:])}"
        raise BadInput(f"{store.folder}: there is no release {text!r} with {measure}{hint}")
    return match


def not_comparable(release: Release, result: Result) -> str:
    """What differs between a release of which only values are known and a result; empty if they are comparable."""
    record = release.record
    judgments = next((one.digest or "" for one in result.provenance.inputs if one.role == "qrels"), "")
    settings = {name: value for name, value in result.provenance.settings.items() if value is not None}
    changed = ["judgments"] * (record.judgments != judgments)
    changed += ["queries"] * (record.queries != digest_of_names([*map(str, result.units)]))
    changed += ["settings"] * (dict(record.settings) != settings)
    if not record.values:
        return f"of {release.name}, only the mean is known"
    if not changed:
        return ""
    return f"the {' and '.join(changed)} changed since {release.name}, whose run is not there to be evaluated again"


def with_release(result: Result, release: Release) -> Result:
    """The result with one more system: the values of a release."""
    record = release.record
    names = [str(measure) for measure in result.measures]
    shape = (1, len(names), len(result.units))
    values, counted = np.full(shape, np.nan), np.zeros((1, len(result.units)), bool)
    if record.values:
        known = [name for name in names if name in record.measures]
        stored = Store(release.store).values(record, known)
        place = {unit: n for n, unit in enumerate(stored.units)}
        at = np.array([place.get(str(unit), -1) for unit in result.units])
        counted[0] = at >= 0
        for name in known:
            values[0, names.index(name), at >= 0] = stored.of[name][at[at >= 0]]
    answered = None if result.answered is None else np.vstack([result.answered, counted])
    return replace(
        result,
        systems=(*result.systems, release.name),
        values=np.concatenate([result.values, values]),
        counted=np.concatenate([result.counted, counted]),
        micro=np.concatenate([result.micro, np.full((1, len(names)), np.nan)]),
        answered=answered,
    )
