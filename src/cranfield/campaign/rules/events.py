"""Judgments as append-only events; current labels and qrels are derived from them.

Decided here: what an assessor may answer besides a grade, and which judgment counts if a document was judged twice.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Literal, Protocol, TypeVar, get_args

from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.labelling.scale import Scale

Kind = Literal["grade", "later", "cannot tell", "unreadable", "undo"]
KINDS: tuple[Kind, ...] = get_args(Kind)
WITHOUT_GRADE: tuple[Kind, ...] = ("cannot tell", "unreadable")  # answers that finish a document without a grade
LONGEST_NOTE = 2_000
LONGEST_KEY = 64


class OutOfDate(BadInput):
    """A change to something that somebody else, or another tab, has changed since it was shown."""


@frozen
class Judged:
    """An assessor's judgment of a document: a grade, or the reason why there is none."""

    kind: Kind
    grade: int | None = None
    note: str = ""


def checked(judged: Judged, key: str, scale: Scale) -> Judged:
    """The judgment, after checking that its grade is on the scale and that its key is valid."""
    if judged.kind not in KINDS:
        raise BadInput(f"a judgment must be one of {', '.join(KINDS)}, not {judged.kind!r}")
    if (judged.kind == "grade") != (judged.grade is not None):
        raise BadInput("a judgment must have a grade if its kind is 'grade', and must not otherwise")
    if judged.grade is not None:
        scale.require(judged.grade)
    if len(judged.note) > LONGEST_NOTE:
        raise BadInput(f"a note has at most {LONGEST_NOTE:,} characters; this one has {len(judged.note):,}")
    if not 8 <= len(key) <= LONGEST_KEY or not key.isascii():
        raise BadInput(f"the key of a judgment must have 8 to {LONGEST_KEY} ASCII characters")
    return judged


class _Event(Protocol):
    @property
    def kind(self) -> Kind: ...


E = TypeVar("E", bound=_Event)
S = TypeVar("S", bound=Hashable)


def not_undone(events: Iterable[E], subject: Callable[[E], S]) -> list[E]:
    """The events without those that were undone, in order; an undo cancels the last one on the same subject."""
    remaining: list[E] = []
    n_undone: Counter[S] = Counter()
    for event in reversed(list(events)):
        if event.kind == "undo":
            n_undone[subject(event)] += 1
        elif n_undone[subject(event)]:
            n_undone[subject(event)] -= 1
        else:
            remaining.append(event)
    return remaining[::-1]


def current(events: Iterable[E], subject: Callable[[E], S]) -> dict[S, E]:
    """The event in effect on each subject: the last one that was not undone."""
    return {subject(event): event for event in not_undone(events, subject)}


def content_hash(text: str) -> str:
    """SHA-256 of an export."""
    return hashlib.sha256(text.encode()).hexdigest()
