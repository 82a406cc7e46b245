"""The texts of queries and documents shown with a ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, NamedTuple

from cranfield.frozen import frozen
from cranfield.present.table import visible

BUDGET = 4_000_000  # characters of all documents in a page
LONGEST = 1_200  # characters of one document


class Excerpt(NamedTuple):
    """The title and the beginning of the text of a document."""

    title: str
    text: str


@frozen
class Texts:
    """Query texts by query, and documents by name; both may be empty."""

    queries: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, Excerpt] = field(default_factory=dict)

    def of_queries(self, names: Iterable[str]) -> list[str] | None:
        """The text of each query, empty if unknown; None if no text is known."""
        return [visible(_one_line(self.queries.get(name, ""))) for name in names] if self.queries else None

    def of_documents(self, names: Iterable[str]) -> dict[str, Any]:
        """Title and beginning of the text of each known document, shortened to fit into the page."""
        known = [name for name in dict.fromkeys(names) if name in self.documents]
        longest = min(LONGEST, BUDGET // max(1, len(known)))
        return {visible(name): _shortened(self.documents[name], longest) for name in known}


def _shortened(document: Excerpt, longest: int) -> list[str]:
    text = document.text.strip()
    return [visible(_one_line(document.title)), text if len(text) <= longest else text[:longest].rstrip() + " …"]


def _one_line(text: str) -> str:
    return " ".join(text.split())
