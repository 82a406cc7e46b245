"""Numbers as C reads them: what a text begins with, and 0 if that is no number."""

from __future__ import annotations

import re

_WHOLE = re.compile(rb"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_DECIMAL = re.compile(
    rb"[ \t\n\v\f\r]*(?:([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|([+-]?(?:inf|nan)))", re.IGNORECASE
)
_HEXADECIMAL = re.compile(
    rb"[ \t\n\v\f\r]*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)", re.IGNORECASE
)
_LONGEST = 2**63 - 1
_DIGITS = 4000  # Python reads no more


def whole(text: bytes) -> int:
    """The whole number that a text begins with, as `atol` has it."""
    found = _WHOLE.match(text)
    return max(-_LONGEST - 1, min(int(found[1][:_DIGITS]), _LONGEST)) if found else 0


def decimal(text: bytes) -> float:
    """The number that a text begins with, as `atof` has it: decimal, hexadecimal, infinite or not a number."""
    if found := _HEXADECIMAL.match(text):
        try:
            return float.fromhex(found[1].decode())
        except OverflowError:
            return float("-inf" if found[1].startswith(b"-") else "inf")
    found = _DECIMAL.match(text)
    return float(found[1] or found[2]) if found else 0.0
