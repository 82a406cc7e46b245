"""How things show themselves in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cranfield.present.comparison import differences
from cranfield.present.html import html
from cranfield.present.results import DIGITS, overview
from cranfield.present.table import Table
from cranfield.results.comparison import Comparison
from cranfield.results.values import Result


def shown(thing: Any) -> Callable[[], str]:
    """What a notebook calls to show a thing: it gives the table of it in HTML."""
    return lambda: html(_table(thing))


def _table(thing: Any) -> Table:
    if isinstance(thing, Comparison):
        return differences(thing, DIGITS)
    return overview(thing if isinstance(thing, Result) else thing.result)
