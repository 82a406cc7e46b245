"""The versions of trec_eval that can be emulated, and how they differ."""

from __future__ import annotations

import os
import re
from functools import cache

from cranfield.engines.protocol import Precision
from cranfield.frozen import frozen
from cranfield.measures.ranking import Rounding
from cranfield.measures.trec_names import TABLE


@frozen
class Version:
    """How a version of trec_eval differs from others."""

    shown: str  # what -v prints
    precision: Precision  # precision in which scores are compared
    rounding: Rounding  # rounding of a recall level to a number of documents
    newer: bool  # 10: five more measures, comments, standard input, and no judged topic may be missing


VERSIONS = {
    "10.0": Version("10.0-rc3", "double", "trec10", True),
    "9.0.8": Version("9.0.8", "double", "trec9", False),
    "pytrec_eval": Version("9.0.7", "single", "trec9", False),
}


@cache
def names(version: Version) -> frozenset[str]:
    """The measures of a version."""
    return frozenset(listed.name for listed in TABLE if version.newer or not listed.new)


# Numbers parsed as in C: the longest numeric prefix of a text, else 0


_WHOLE = re.compile(rb"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_DECIMAL = re.compile(
    rb"[ \t\n\v\f\r]*(?:([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|([+-]?(?:inf|nan)))", re.IGNORECASE
)
_HEXADECIMAL = re.compile(
    rb"[ \t\n\v\f\r]*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)", re.IGNORECASE
)
_LONGEST = 2**63 - 1
_DIGITS = 4000  # Python refuses more


def whole(text: bytes) -> int:
    """The integer at the start of a text, as parsed by C's `atol`."""
    match = _WHOLE.match(text)
    return max(-_LONGEST - 1, min(int(match[1][:_DIGITS]), _LONGEST)) if match else 0


def decimal(text: bytes) -> float:
    """The number at the start of a text, as parsed by C's `atof`: decimal, hexadecimal, inf or nan."""
    if match := _HEXADECIMAL.match(text):
        try:
            return float.fromhex(match[1].decode())
        except OverflowError:
            return float("-inf" if match[1].startswith(b"-") else "inf")
    match = _DECIMAL.match(text)
    return float(match[1] or match[2]) if match else 0.0


# The early exit of trec_eval


class Quit(Exception):
    """An early exit, with the message on standard error and the exit status."""

    def __init__(self, message: str | bytes, status: int) -> None:
        super().__init__(message, status)
        self.message = os.fsencode(message)
        self.status = status

    def followed_by(self, more: str) -> Quit:
        """The same exit with a longer message."""
        return Quit(self.message + os.fsencode(more), self.status)
