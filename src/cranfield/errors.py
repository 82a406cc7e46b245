"""Errors and warnings.

CranfieldError
├── BadInput          the data cannot be used: what was found, where, and what is needed
├── UnknownMeasure    no measure has that name
├── BadSetting        a setting that a measure or a verb does not have or accept
├── MissingExtra      an optional dependency is not installed
├── NotSaved          the database could not keep a change
└── TooBusy           the server has too much to do at the moment

CranfieldWarning      the results are correct, but may mislead
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, get_args

LONGEST = 800  # characters of a message that people are shown
_LONG_WORD = re.compile(r"(\S{100})\S{101,}(\S{50})")  # such as a number of thousands of digits; paths are shorter


def with_short_words(message: str) -> str:
    """A message in which words of more than 250 characters are shortened in the middle."""
    return _LONG_WORD.sub(r"\1[…]\2", message)


def readable(message: str) -> str:
    """A message on one line, shortened in the middle if it is long."""
    line = (
        " ".join(with_short_words(message).split()).encode("utf-8", "backslashreplace").decode()
    )  # ids may be any bytes
    return line if len(line) <= LONGEST else f"{line[: LONGEST * 3 // 4]} […] {line[-LONGEST // 4 :]}"


class CranfieldError(Exception):
    """The base of all errors that cranfield raises."""

    def __init__(self, message: str = "", *args: object) -> None:
        super().__init__(with_short_words(message), *args)


class BadInput(CranfieldError, ValueError):
    """Data that cannot be used."""


class UnknownMeasure(CranfieldError, LookupError):
    """A name that no measure of the expected kind has."""


class BadSetting(CranfieldError, ValueError):
    """A setting that is out of range or does not exist."""


def require_one_of(name: str, value: object, choices: Any) -> None:
    """Refuse the value of a setting that is none of the choices, which are a Literal or a collection."""
    known = get_args(choices) or tuple(choices)
    if value not in known:
        raise BadSetting(f"{name} must be one of {', '.join(map(repr, known))}, not {value!r}")


def require_whole(name: str, value: object, least: int) -> None:
    """Refuse a setting that is not an integer of at least this."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        kind = {0: "a non-negative integer", 1: "a positive integer"}.get(least, f"an integer of at least {least}")
        raise BadSetting(f"{name} must be {kind}, not {value!r}")


def require_between(name: str, value: object, low: float, high: float) -> None:
    """Refuse a setting that is not a number strictly between the bounds."""
    if not isinstance(value, Real) or isinstance(value, bool) or not low < float(value) < high:
        raise BadSetting(f"{name} must be a number between {low:g} and {high:g}, not {value!r}")


def did_you_mean(
    name: object, known: Iterable[str], shown: Callable[[str], str] = str, plain: Callable[[str], str] = str.lower
) -> str:
    """A hint for an error about an unknown name: up to three known ones that resemble it, compared as `plain` text."""
    import difflib  # not needed where names are right

    names = {plain(text): shown(text) for text in known}
    close = difflib.get_close_matches(plain(str(name)), names, n=5, cutoff=0.5)
    suggested = list(dict.fromkeys(names[text] for text in close))[:3]
    return f"; did you mean {', '.join(suggested)}?" if suggested else ""


class MissingExtra(CranfieldError, ImportError):
    """An optional dependency that is not installed."""


def pip_line(extra: str) -> str:
    """How to add an extra, wherever cranfield came from: pip keeps the version that is installed."""
    return f"pip install 'cranfield[{extra}]'"


class NotSaved(CranfieldError, OSError):
    """A change that the database could not keep; nothing of it was saved."""


class TooBusy(CranfieldError):
    """A server that has too much to do at the moment; trying again later helps."""


class CranfieldWarning(UserWarning):
    """Something that may mislead readers of the results."""

    def __init__(self, message: str = "", *args: object) -> None:
        super().__init__(with_short_words(message), *args)
