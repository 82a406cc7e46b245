"""Judgments as events that are only ever added; current labels and qrels are views of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, get_args

from cranfield.campaign.scale import Scale
from cranfield.errors import BadInput

Kind = Literal["grade", "later", "cannot tell", "unreadable", "undo"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LONGEST_NOTE = 2_000
LONGEST_KEY = 64


@dataclass(frozen=True)
class Judged:
    """What an assessor says of a document: a grade, or why there is none yet."""

    kind: Kind
    grade: int | None = None
    note: str = ""


def checked(judged: Judged, key: str, scale: Scale) -> Judged:
    """The judgment, if it can be kept: its grade is on the scale, and it has a key of its own."""
    if judged.kind not in KINDS:
        raise BadInput(f"a judgment must be one of {', '.join(KINDS)}, not {judged.kind!r}")
    if (judged.kind == "grade") != (judged.grade is not None):
        raise BadInput("a judgment has a grade if, and only if, its kind is 'grade'")
    if judged.grade is not None and judged.grade not in scale:
        raise BadInput(f"{judged.grade} is not on the scale {', '.join(str(one.value) for one in scale.grades)}")
    if len(judged.note) > LONGEST_NOTE:
        raise BadInput(f"a note has at most {LONGEST_NOTE:,} characters; this one has {len(judged.note):,}")
    if not 8 <= len(key) <= LONGEST_KEY or not key.isascii():
        raise BadInput(f"the key of a judgment has 8 to {LONGEST_KEY} ASCII characters")
    return judged


class _Event(Protocol):
    @property
    def kind(self) -> Kind: ...


E = TypeVar("E", bound=_Event)


def current(events: Iterable[E]) -> E | None:
    """The event that stands after all events on one document by one assessor; undo takes back the last of them."""
    not_undone: list[E] = []
    for event in events:
        if event.kind != "undo":
            not_undone.append(event)
        elif not_undone:
            not_undone.pop()
    return not_undone[-1] if not_undone else None


def qrels_text(grades: Mapping[tuple[str, str], int]) -> str:
    """Lines `topic 0 document grade`, in a fixed order."""
    return "".join(f"{topic} 0 {document} {grades[topic, document]}\n" for topic, document in sorted(grades))


def content_hash(text: str) -> str:
    """SHA-256 of an export."""
    return hashlib.sha256(text.encode()).hexdigest()
