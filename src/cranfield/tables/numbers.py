"""The spelling of numbers in text: one grammar for all readers.

A sign, ASCII digits with a decimal point, an exponent; or inf, infinity or nan in any case. Surrounding blanks are
ignored. Digit separators, other scripts, hexadecimal digits and units are refused, as are numbers too large for
floating point, such as 1e400: only inf is infinite. A fraction in 32 or 16 bits is read as its shortest decimal: 0.7 in
single precision is 0.7, not 0.699999988, so a table has the same values in CSV and in Parquet.

Decided here: which text is a number, and which numbers are too large.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from numbers import Complex, Number, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Mask, objects
from cranfield.arrow import pa

EXACT = 2**53  # up to this size, every integer is a distinct floating-point number

_DOUBLE = 8  # bytes
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
    """The number given by a value or a text; anything else raises a ValueError with the reason."""
    exact: Any = _plain(value) if isinstance(value, str | bytes) else value
    if isinstance(exact, np.floating) and is_narrow(exact.dtype) and not exact.is_integer():
        exact = str(exact)
    if not (is_number(exact) if isinstance(exact, str) else _is_real(exact)):
        raise ValueError("is not a number")
    nearest = math.inf
    with suppress(OverflowError):
        nearest = float(exact)
    if math.isinf(nearest) and not _is_infinite(exact):
        raise ValueError("is too large for floating point, whose largest number is 1.8e308")
    return nearest


def is_narrow(kind: np.dtype[Any]) -> bool:
    """Whether numbers of this type are floating-point numbers of 32 or 16 bits."""
    return kind.kind == "f" and kind.itemsize < _DOUBLE


def exact_up_to(kind: np.dtype[Any]) -> int:
    """The size up to which this floating-point type holds every integer: 2**53 in 64 bits, 2**24 in 32."""
    return int(2 ** (np.finfo(kind).nmant + 1))


def widened(values: NDArray[Any]) -> Floats:
    """The numbers in double precision: narrow fractions as their shortest decimals, others unchanged."""
    wide = values.astype(np.float64, copy=False)
    if not is_narrow(values.dtype) or not (fraction := np.floor(values) != values).any():
        return wide
    if values.dtype == np.float16:  # few distinct values, which Arrow does not write as short decimals
        distinct, code = np.unique(values[fraction], return_inverse=True)
        wide[fraction] = distinct.astype(np.str_).astype(np.float64)[code]
    else:
        texts = pa.array(values[fraction].astype(np.float32, copy=False)).cast(pa.large_string())
        wide[fraction] = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return wide


def elements(values: Iterable[Any]) -> Iterable[Any]:
    """The values one by one; a series of narrow floating-point numbers keeps their width, unlike its own iterator."""
    array = values.to_numpy() if hasattr(values, "to_numpy") else None
    return array if isinstance(array, np.ndarray) and is_narrow(array.dtype) else values


def widened_column(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """A column of narrow floating-point numbers in double precision; any other column as it is."""
    if not (pa.types.is_float16(column.type) or pa.types.is_float32(column.type)):
        return column
    missing = column.is_null().to_numpy(zero_copy_only=False)
    wide = pa.array(widened(column.to_numpy(zero_copy_only=False)), mask=missing)
    return pa.chunked_array([wide]) if isinstance(column, pa.ChunkedArray) else wide


def _is_infinite(value: Any) -> bool:
    """Whether a number is written as infinite, and not only infinite after rounding."""
    return "inf" in value.lower() if isinstance(value, str) else bool(value in (math.inf, -math.inf))


def as_written_if_too_large(text: str) -> float | str:
    """The number in a text; the text itself if the number is too large for floating point."""
    nearest = float(text)
    return text if math.isinf(nearest) else nearest


def short_number(value: float) -> float:
    """The number as an integer if it is one."""
    return int(value) if float(value).is_integer() else value


def plain_floats(values: Iterable[Any]) -> Floats | None:
    """The values as floats, converted at once; None if some are texts, not numbers, NaN or infinite."""
    try:
        floats = np.array(array("d", values))
    except (TypeError, OverflowError):
        return None
    return floats if np.isfinite(floats).all() else None


def beyond_exact(floats: Floats) -> Mask:
    """Which numbers are so large that floating point does not hold every integer of their size."""
    return (np.abs(floats) >= EXACT) & np.isfinite(floats)


def as_written(values: Iterable[Any], floats: Floats) -> NDArray[Any] | None:
    """The values before rounding to these floats, if some are so large that rounding may have merged them."""
    return objects(values) if beyond_exact(floats).any() else None


def merged(values: Sequence[Any] | NDArray[Any], floats: Floats) -> tuple[int, int] | None:
    """The indices of two different values that are equal as floating-point numbers; None if there are none.

    Only integers beyond 2**53 are checked, whether numbers or texts.
    """
    large = np.flatnonzero(beyond_exact(floats))
    if not len(large):
        return None
    exact: NDArray[Any] = (
        values[large]
        if isinstance(values, np.ndarray) and values.dtype.kind in "iu"
        else objects(_exact(values[place]) for place in large.tolist())
    )
    order = np.argsort(exact, kind="stable")
    exact, rounded = exact[order], floats[large[order]]
    lost = np.flatnonzero((rounded[1:] == rounded[:-1]) & np.asarray(exact[1:] != exact[:-1], np.bool_))
    return None if not len(lost) else (int(large[order[lost[0]]]), int(large[order[lost[0] + 1]]))


def rounded_integer(values: Sequence[Any] | NDArray[Any], floats: Floats) -> int | None:
    """The index of an integer (number or text) that floating point cannot represent; None if there is none."""
    for place in np.flatnonzero(beyond_exact(floats)).tolist():
        value = values[place]
        digits = isinstance(value, str | bytes) and _plain(value).lstrip("+-").isdigit()
        if (digits or isinstance(value, int | np.integer)) and int(value) != int(floats[place]):
            return int(place)
    return None


def _is_real(value: object) -> bool:
    """Whether a value is a real number; to Python a `Decimal` is just a number."""
    return isinstance(value, Real) or (isinstance(value, Number) and not isinstance(value, Complex))


def _exact(value: Any) -> Any:
    """The value as a number without rounding."""
    if isinstance(value, str | bytes):
        from decimal import Decimal  # here, because few inputs need it

        return Decimal(_plain(value))
    return value.item() if isinstance(value, np.generic) else value


def _plain(text: str | bytes) -> str:
    return (text.decode("latin-1") if isinstance(text, bytes) else text).strip(BLANKS)
