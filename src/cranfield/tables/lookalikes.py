"""Names that differ only in spelling: surrounding blanks, leading zeros, a decimal point, or case.

Decided here: when two names look alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import NamedTuple
from unicodedata import category, normalize

_ZEROS = "leading zeros"
_BLANKS = "surrounding blanks"
_SLIPS = (_BLANKS, _ZEROS)  # hardly ever intended
_WRITINGS = {  # patterns that begin with what they look for: searching names without it is fast
    _BLANKS: re.compile(rb"(?m)[ \t\r](?:(?<=^.)[ \t\r]*|[ \t\r]*$)"),
    _ZEROS: re.compile(rb"0(?<![0-9.]0)0*(?=[0-9])"),
    "a decimal point": re.compile(rb"(?m)\.0+$"),
    "upper and lower case": re.compile(rb"[A-Z]+"),
}


class Lookalikes(NamedTuple):
    """How two otherwise equal names differ, and the first such pair."""

    by: str
    first: tuple[bytes, bytes]


def lookalikes(names: Collection[bytes], others: Collection[bytes], *, any_way: bool) -> Lookalikes | None:
    """A name that differs from one of the others only in spelling, if any.

    Unless `any_way`, only blanks and leading zeros are considered: where most names match, other differences may be
    intended.
    """
    together = b"\n".join((*names, *others))
    for by, pattern in _WRITINGS.items():
        if (any_way or by in _SLIPS) and pattern.search(together):  # a quick check that avoids most comparisons
            known = {_plain(pattern, other): other for other in sorted(others)}
            for name in sorted(names):
                if (plain := _plain(pattern, name)) in known:
                    return Lookalikes(by, (name, known[plain]))
    return None


def apart_but_alike(places: Mapping[bytes, Collection[Hashable]]) -> Lookalikes | None:
    """Two names that never occur in the same place and differ only in spelling, if any: `places[name]`."""
    for by, pattern in _WRITINGS.items():
        known: dict[bytes, bytes] = {}
        for name in sorted(places):
            first = known.setdefault(_plain(pattern, name), name)
            if first != name and set(places[first]).isdisjoint(places[name]):
                return Lookalikes(by, (first, name))
    return None


def plain(names: Collection[bytes]) -> bool:
    """Whether no name has blanks or leading zeros that another spelling might omit."""
    together = b"\n".join(names)
    return not any(_WRITINGS[by].search(together) for by in _SLIPS)


def spelled_alike(names: Sequence[str]) -> list[str]:
    """The names without what may differ between spellings of the same name: equal if they look alike."""
    together = "\n".join(names)
    if together.isascii() and not any(pattern.search(together.encode()) for pattern in _WRITINGS.values()):
        return list(names)  # as most are
    return [_without_spelling(name) for name in names]


def _without_spelling(name: str) -> str:
    visible = "".join(character for character in normalize("NFKC", name) if category(character) != "Cf")
    plain = visible.casefold().encode()
    for pattern in _WRITINGS.values():
        plain = pattern.sub(b"", plain)
    return plain.decode()


def _plain(pattern: re.Pattern[bytes], name: bytes) -> bytes:
    """The name without what the pattern matches, or in lower case where it matches letters."""
    return pattern.sub(lambda character: character[0].lower() if character[0].isalpha() else b"", name)
