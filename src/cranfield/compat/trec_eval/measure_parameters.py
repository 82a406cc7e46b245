"""The parameters of a measure: the part after the dot in `-m P.5,10` or `-m ndcg.1=3,2=9`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cranfield.compat.trec_eval.c_numbers import decimal, whole
from cranfield.compat.trec_eval.quit import Quit

Gains = tuple[tuple[float, float], ...]

_PAIRS = re.compile(rb"[^,=]*=[^,=]*(,[^,=]*=[^,=]*)*")
_GRADE = re.compile(rb"[+-]?[0-9]+")


def cutoffs(name: str, text: bytes) -> list[int]:
    """Ranks in ascending order."""
    ranks = sorted(whole(part) for part in text.split(b","))
    if ranks[0] <= 0:
        raise _refused(name, "Negative cutoff detected")
    _require_once(name, ranks)
    return ranks


def levels(name: str, text: bytes) -> list[float]:
    """Recall levels or multiples of R, in ascending order."""
    ascending = sorted(numbers(text))
    _require_once(name, ascending)
    return ascending


def numbers(text: bytes) -> list[float]:
    """Numbers in the order written."""
    return [decimal(part) for part in text.split(b",")]


def pairs(name: str, text: bytes) -> list[tuple[bytes, float]]:
    """Names with their numbers, in the order written."""
    if not _PAIRS.fullmatch(text):
        raise _refused(name, f"malformed pair parameters in '{text.decode(errors='surrogateescape')}'")
    split = (pair.split(b"=") for pair in text.split(b","))
    return [(left, decimal(right)) for left, right in split]


def gains(pairs: list[tuple[bytes, float]]) -> Gains:
    """The gain of each grade from the pairs; if a grade is repeated, the first gain is used."""
    table: dict[float, float] = {}
    for grade, gain in pairs:
        if _GRADE.fullmatch(grade):
            table.setdefault(float(whole(grade)), gain)
    return tuple(sorted(table.items()))


def _require_once(name: str, cutoffs: Sequence[float]) -> None:
    if len(set(cutoffs)) < len(cutoffs):
        raise _refused(name, "duplicate cutoffs detected")


def _refused(name: str, why: str) -> Quit:
    return Quit(f"trec_eval: {why}\ntrec_eval: Cannot initialize measure '{name}'\n", 2)
