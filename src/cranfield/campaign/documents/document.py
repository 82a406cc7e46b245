"""Documents of a collection, and the elements that they consist of."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Element:
    """A component of a document: its path, as in `/article[1]/bdy[1]/sec[2]`, and its place in the document's text."""

    path: str
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A document: plain text, the file and line it came from, and its elements if it is structured."""

    id: str
    title: str
    text: str
    source: str = ""
    line: int | None = None
    elements: tuple[Element, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of title and text, under which the content is stored once."""
        return sha256(f"{len(self.title)}\n{self.title}\n{self.text}".encode("utf-8", "surrogateescape")).hexdigest()

    def component(self, path: str) -> str:
        """The text of the element at this path."""
        for element in self.elements:
            if element.path == path:
                return self.text[element.start : element.end]
        raise KeyError(path)
