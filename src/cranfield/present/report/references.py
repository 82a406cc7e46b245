"""References: the papers and books that measures and tests are cited from."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import NamedTuple


class Reference(NamedTuple):
    """Who wrote it, what it is called and where it came out; the key says when."""

    key: str
    authors: str
    title: str
    venue: str

    @property
    def year(self) -> str:
        """When it came out."""
        return self.key[-4:]

    def __str__(self) -> str:
        return f"[{self.key}] {self.authors} ({self.year}). {self.title}. {self.venue}."

    @property
    def bibtex(self) -> str:
        """The reference for BibTeX."""
        fields = {
            "author": self.authors.replace("; ", " and "),
            "year": self.year,
            "title": f"{{{self.title}}}",
            "howpublished": self.venue.replace("&", r"\&"),
        }
        return f"@misc{{{self.key},\n" + "".join(f"  {name} = {{{said}}},\n" for name, said in fields.items()) + "}\n"


def references(keys: Iterable[str]) -> tuple[Reference, ...]:
    """What is known by these keys, in the order of the alphabet."""
    return tuple(_known()[key] for key in sorted({*keys}) if key in _known())


def cited(key: str) -> str:
    """The key in brackets after a sentence, if there is a reference for it."""
    return f" [{key}]" if key in _known() else ""


@cache
def _known() -> dict[str, Reference]:
    lines = resources.files("cranfield.present.report").joinpath("references.txt").read_text("utf-8").splitlines()
    return {(one := Reference(*line.split("|"))).key: one for line in lines}
