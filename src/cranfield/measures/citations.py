"""Full references of the papers and books that measures and tests cite."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple


class Reference(NamedTuple):
    """Authors, title and venue of a publication; the key ends with its year."""

    key: str
    authors: str
    title: str
    venue: str

    @property
    def year(self) -> str:
        """The year of publication."""
        return self.key[-4:]

    def __str__(self) -> str:
        return f"[{self.key}] {self.authors} ({self.year}). {self.title}. {self.venue}."

    @property
    def bibtex(self) -> str:
        """The reference as a BibTeX entry."""
        fields = {
            "author": self.authors.replace("; ", " and "),
            "year": self.year,
            "title": f"{{{self.title}}}",
            "howpublished": self.venue.replace("&", r"\&"),
        }
        return f"@misc{{{self.key},\n" + "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items()) + "}\n"


def references(keys: Iterable[str]) -> tuple[Reference, ...]:
    """The references with these keys, in alphabetical order."""
    return tuple(_known()[key] for key in sorted({*keys}) if key in _known())


def cited(key: str) -> str:
    """The key in brackets after a sentence, if there is a reference for it."""
    return f" [{key}]" if key in _known() else ""


@cache
def _known() -> dict[str, Reference]:
    from importlib import resources  # slow to import and not needed for an evaluation

    lines = resources.files("cranfield.measures").joinpath("citations.txt").read_text("utf-8").splitlines()
    return {(one := Reference(*line.split("|"))).key: one for line in lines}
