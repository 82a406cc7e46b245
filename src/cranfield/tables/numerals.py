"""How numbers are written in text: one grammar for every reader.

A sign, ASCII digits with a decimal point, an exponent; or inf, infinity or nan in any case. Blanks around a number are
no part of it. Digit separators, other scripts, hexadecimal digits and units are refused.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Mask

EXACT = 2**53  # up to here, every integer is a floating-point number of its own

_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE
)
_GROUPED = re.compile(rb"[+-]?[0-9]{1,3}( [0-9]{3})+(\.[0-9]*)?")
BLANKS = " \t\r\n"


def is_number(text: str | bytes) -> bool:
    """Whether a text is a number."""
    return _NUMBER.fullmatch(_plain(text)) is not None


def is_grouped(text: bytes) -> bool:
    """Whether a text is a number with blanks between groups of digits, such as 1 000."""
    return _GROUPED.fullmatch(text) is not None


def number(value: object) -> float:
    """The number that a value is or that a text spells; anything else is a ValueError."""
    if isinstance(value, str | bytes) and is_number(value):
        return float(_plain(value))
    if isinstance(value, Real | Decimal):
        with suppress(OverflowError):
            return float(value)
    raise ValueError(f"{value!r} is not a number")


def short_number(value: float) -> float:
    """The number as an integer if it is one."""
    return int(value) if float(value).is_integer() else value


def plain_floats(values: Iterable[Any]) -> Floats | None:
    """The values as floats, converted at once; None if some are texts, not numbers or NaN."""
    try:
        floats = np.array(array("d", values))
    except (TypeError, OverflowError):
        return None
    return None if np.isnan(floats).any() else floats


def beyond_exact(floats: Floats) -> Mask:
    """Which numbers are so large that floating point does not hold every integer of their size."""
    return (np.abs(floats) >= EXACT) & np.isfinite(floats)


def as_written(values: Iterable[Any], floats: Floats) -> NDArray[Any] | None:
    """The values before they were rounded to these floats, if some are so large that this may have merged them."""
    if not beyond_exact(floats).any():
        return None
    written = np.empty(len(floats), object)
    written[:] = list(values)
    return written


def merged(values: Sequence[Any] | NDArray[Any], floats: Floats) -> tuple[int, int] | None:
    """The places of two values that differ, but not as floating-point numbers; None if order is kept.

    Only integers beyond 2**53 are checked, whether numbers or texts.
    """
    large = np.flatnonzero(beyond_exact(floats))
    if not len(large):
        return None
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        exact: NDArray[Any] = values[large]
    else:
        exact = np.empty(len(large), object)
        exact[:] = [_exact(values[place]) for place in large.tolist()]
    order = np.argsort(exact, kind="stable")
    exact, rounded = exact[order], floats[large[order]]
    lost = np.flatnonzero((rounded[1:] == rounded[:-1]) & np.asarray(exact[1:] != exact[:-1], np.bool_))
    return None if not len(lost) else (int(large[order[lost[0]]]), int(large[order[lost[0] + 1]]))


def rounded_integer(values: Sequence[Any] | NDArray[Any], floats: Floats) -> int | None:
    """The place of an integer, number or text, that floating point does not hold; None if there is none."""
    for place in np.flatnonzero(beyond_exact(floats)).tolist():
        value = values[place]
        digits = isinstance(value, str | bytes) and _plain(value).lstrip("+-").isdigit()
        if (digits or isinstance(value, int | np.integer)) and int(value) != int(floats[place]):
            return int(place)
    return None


def _exact(value: Any) -> Any:
    """The value as a number without rounding."""
    if isinstance(value, str | bytes):
        return Decimal(_plain(value))
    return value.item() if isinstance(value, np.generic) else value


def _plain(text: str | bytes) -> str:
    return (text.decode("latin-1") if isinstance(text, bytes) else text).strip(BLANKS)
