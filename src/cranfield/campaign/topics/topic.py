"""Topics: statements of an information need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from cranfield.frozen import frozen

Kind = Literal["", "CO", "CAS"]  # INEX topics: content-only, content-and-structure; others have none


@frozen
class Condition:
    """A condition: element `path` (any if empty) must be about `words`, or must not be, if negated."""

    words: str
    path: str = ""
    negated: bool = False


@frozen
class StructuredTitle:
    """The title of a content-and-structure topic: the element to retrieve, and conditions on its content."""

    target: str
    conditions: tuple[Condition, ...]


@frozen
class Topic:
    """An information need. The id is text: "09" and "9" are different topics."""

    id: str
    title: str
    description: str = ""
    narrative: str = ""
    keywords: str = ""
    kind: Kind = ""
    structure: StructuredTitle | None = None
    candidate: str = ""  # its number among the proposed topics (INEX's ct-no)
    line: int | None = None


def structured_title(fields: Mapping[str, Any] | None) -> StructuredTitle | None:
    """A structured title from the dict produced by `asdict`."""
    if not fields:
        return None
    return StructuredTitle(fields["target"], tuple(Condition(**one) for one in fields["conditions"]))
