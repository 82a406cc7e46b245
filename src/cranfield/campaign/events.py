"""Judgments as append-only events; current labels and qrels are derived from them."""

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
    if judged.grade is not None and judged.grade not in scale:
        raise BadInput(f"{judged.grade} is not on the scale {', '.join(str(one.value) for one in scale.grades)}")
    if len(judged.note) > LONGEST_NOTE:
        raise BadInput(f"a note has at most {LONGEST_NOTE:,} characters; this one has {len(judged.note):,}")
    if not 8 <= len(key) <= LONGEST_KEY or not key.isascii():
        raise BadInput(f"the key of a judgment must have 8 to {LONGEST_KEY} ASCII characters")
    return judged


class _Event(Protocol):
    @property
    def kind(self) -> Kind: ...


E = TypeVar("E", bound=_Event)


def current(events: Iterable[E]) -> E | None:
    """The event in effect after all events of one assessor on one document; an undo cancels the last one."""
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
