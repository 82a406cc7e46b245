"""The parameters of a measure: what follows the dot in `-m P.5,10` or `-m ndcg.1=3,2=9`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cranfield.cli.trec.numbers import decimal, whole
from cranfield.cli.trec.quit import Quit

Gains = tuple[tuple[float, float], ...]

_PAIRS = re.compile(rb"[^,=]*=[^,=]*(,[^,=]*=[^,=]*)*")
_GRADE = re.compile(rb"[+-]?[0-9]+")


def cutoffs(name: str, text: bytes) -> list[int]:
    """Ranks, the first first."""
    ranks = sorted(whole(part) for part in text.split(b","))
    if ranks[0] <= 0:
        raise _refused(name, "Negative cutoff detected")
    _require_once(name, ranks)
    return ranks


def levels(name: str, text: bytes) -> list[float]:
    """Levels of recall or multiples of R, the lowest first."""
    given = sorted(numbers(text))
    _require_once(name, given)
    return given


def numbers(text: bytes) -> list[float]:
    """Numbers as given."""
    return [decimal(part) for part in text.split(b",")]


def pairs(name: str, text: bytes) -> list[tuple[bytes, float]]:
    """Names with their numbers, as given."""
    if not _PAIRS.fullmatch(text):
        raise _refused(name, f"malformed pair parameters in '{text.decode(errors='surrogateescape')}'")
    split = (pair.split(b"=") for pair in text.split(b","))
    return [(left, decimal(right)) for left, right in split]


def gains(given: list[tuple[bytes, float]]) -> Gains:
    """What grades are worth, of the pairs that name a grade; where two name the same one, the first counts."""
    table: dict[float, float] = {}
    for grade, gain in given:
        if _GRADE.fullmatch(grade):
            table.setdefault(float(whole(grade)), gain)
    return tuple(sorted(table.items()))


def _require_once(name: str, given: Sequence[float]) -> None:
    if len(set(given)) < len(given):
        raise _refused(name, "duplicate cutoffs detected")


def _refused(name: str, why: str) -> Quit:
    return Quit(f"trec_eval: {why}\ntrec_eval: Cannot initialize measure '{name}'\n", 2)
