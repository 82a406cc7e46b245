"""Data in memory that change while they are read.

Decided here: what happens if data in memory change while they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cranfield.errors import BadInput

_SIGNS = (" during ", "generator already executing")  # in what Python says of changed dicts, sets and iterators


@contextmanager
def not_changed(name: str) -> Iterator[None]:
    """Refuse data that another thread changes or reads at the same time, where Python notices it."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        if isinstance(error, BadInput) or not any(sign in str(error) for sign in _SIGNS):
            raise
        raise BadInput(f"{name}: the data changed while they were read ({error}); pass a copy of them") from None
