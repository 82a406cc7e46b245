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

from collections.abc import Callable, Iterable
from typing import Any, get_args


class CranfieldError(Exception):
    """The base of all errors that cranfield raises."""


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


def did_you_mean(name: object, known: Iterable[str], shown: Callable[[str], str] = str) -> str:
    """A hint for an error about an unknown name: up to three known ones that resemble it, if there are any."""
    import difflib  # not needed where names are right

    names = {one.lower(): shown(one) for one in known}
    close = difflib.get_close_matches(str(name).lower(), names, n=3, cutoff=0.5)
    return f"; did you mean {', '.join(names[one] for one in close)}?" if close else ""


class MissingExtra(CranfieldError, ImportError):
    """An optional dependency that is not installed."""


class NotSaved(CranfieldError, OSError):
    """A change that the database could not keep; nothing of it was saved."""


class TooBusy(CranfieldError):
    """A server that has too much to do at the moment; trying again later helps."""


class CranfieldWarning(UserWarning):
    """Something that may mislead readers of the results."""
