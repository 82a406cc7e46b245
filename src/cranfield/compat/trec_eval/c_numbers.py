"""Numbers parsed as in C: the longest numeric prefix of a text, else 0."""

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
