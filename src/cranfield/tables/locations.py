"""The locations of rows in error messages, and the refusal of rows.

Decided here: how errors name a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cranfield.arrays import Mask
from cranfield.errors import BadInput

Where = Callable[[int], str]  # from the index of a row to how errors name it


def row(place: int) -> str:
    """How errors name a row of an array."""
    return f"row {place}"


def row_of(name: str, place: int) -> str:
    """How errors name a row of a run or judgments without lines."""
    return f"{name}, row {place} (counting from 0)"


def numbered_rows(name: str, first: int = 0) -> Where:
    """How errors name the rows of a table without lines, or of a part of it that begins with this row."""
    return lambda place: f"{name}, row {first + place}"


def located(where: Sequence[Where], n_rows: Sequence[int]) -> Where:
    """How errors name the rows of several tables taken together."""
    before = np.cumsum([0, *n_rows])

    def place(row: int) -> str:
        table = int(np.searchsorted(before, row, side="right")) - 1
        return where[table](row - int(before[table]))

    return place


def refuse_rows(refused: Mask, where: Where, problem: Callable[[int], str]) -> None:
    """Refuse the first row of a mask, described by `problem`."""
    if refused.any():
        place = int(np.argmax(refused))
        raise BadInput(f"{where(place)}: {problem(place)}")
