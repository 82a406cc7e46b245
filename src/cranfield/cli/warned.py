"""Warnings as lines on standard error."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from cranfield.errors import CranfieldWarning

_SHOWN = 12


@contextmanager
def warnings_told(quiet: bool) -> Iterator[None]:
    """Tell each warning once when the work is done, and of very many only the first."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CranfieldWarning)
        try:
            yield
        finally:
            told = dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, CranfieldWarning))
            if not quiet:
                _tell(list(told))


def _tell(messages: list[str]) -> None:
    shown = messages if len(messages) <= _SHOWN else messages[: _SHOWN - 1]
    for message in shown:
        print(f"cranfield: warning: {message}", file=sys.stderr)
    if len(shown) < len(messages):
        more = len(messages) - len(shown)
        print(f"cranfield: warning: {more} more such warnings (--format json lists them all)", file=sys.stderr)
