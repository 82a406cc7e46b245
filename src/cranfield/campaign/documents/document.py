"""Documents of a collection and their elements."""

from __future__ import annotations

from hashlib import sha256

from cranfield.frozen import frozen


@frozen
class Element:
    """An element of a document: its path, such as `/article[1]/bdy[1]/sec[2]`, and its position in the text."""

    path: str
    start: int
    end: int


@frozen
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
        """SHA-256 of title and text; identical contents are stored once."""
        return sha256(f"{len(self.title)}\n{self.title}\n{self.text}".encode("utf-8", "surrogateescape")).hexdigest()
