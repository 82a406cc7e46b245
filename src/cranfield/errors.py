"""What can go wrong, as one tree.

CranfieldError
├── BadInput          the data cannot be used: says what, where, and what would do
├── UnknownMeasure    no measure has that name
├── BadSetting        a measure or a verb was given a setting it cannot take
└── MissingExtra      an optional dependency is not installed

CranfieldWarning      the figures stand, but may mislead
"""

from __future__ import annotations


class CranfieldError(Exception):
    """Anything cranfield refuses to do, with the reason."""


class BadInput(CranfieldError, ValueError):
    """Data that cannot be used."""


class UnknownMeasure(CranfieldError, LookupError):
    """A name that no measure has."""


class BadSetting(CranfieldError, ValueError):
    """A setting out of its range, or one the measure does not have."""


class MissingExtra(CranfieldError, ImportError):
    """An optional dependency that is not installed."""


class CranfieldWarning(UserWarning):
    """Something that may mislead a reader of the figures."""
