"""Files within a page: links that hold what they lead to."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from cranfield.present.report.references import Reference


@dataclass(frozen=True)
class Download:
    """A file that a reader can save."""

    name: str
    what: str
    link: str
    size: int


def csv_file(name: str, what: str, text: str) -> Download:
    """A table as CSV."""
    return _held(name, what, "text/csv", text)


def json_file(name: str, what: str, text: str) -> Download:
    """Data as JSON."""
    return _held(name, what, "application/json", text)


def text_file(name: str, what: str, text: str) -> Download:
    """Plain text."""
    return _held(name, what, "text/plain", text)


def _held(name: str, what: str, kind: str, text: str) -> Download:
    content = text.encode("utf-8", "backslashreplace")
    return Download(name, what, f"data:{kind};charset=utf-8;base64,{b64encode(content).decode()}", len(content))


def bibliography(known: Sequence[Reference]) -> tuple[Download, ...]:
    """The references for BibTeX, if there are any."""
    if not known:
        return ()
    return (text_file("references.bib", "the references for BibTeX", "\n".join(one.bibtex for one in known)),)
