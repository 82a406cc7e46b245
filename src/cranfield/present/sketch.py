"""Sketches: which columns of a plot's table a terminal shows, and as what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Bars:
    """A bar for each row: `label` names it, `value` is how long it is; a bar below zero goes to the left.

    With `mean`, rows of one label make one bar.
    """

    label: tuple[str, ...]
    value: str
    mean: bool = False
    digits: int = 4


@dataclass(frozen=True)
class Lines:
    """A line for each name in `by`, through x and y; `only` keeps the rows that have a value in a column.

    `across` and `up` name the axes where columns have other names, `figure` writes a place on them, and `mark` is a
    place across where something stands, with what it is.
    """

    x: str
    y: str
    by: str
    only: tuple[str, str] | None = None
    across: str = ""
    up: str = ""
    figure: Callable[[float], str] = "{:.3g}".format
    mark: tuple[float, str] | None = None


@dataclass(frozen=True)
class Dots:
    """A cloud of rows at x and y, the darker where `n` counts more."""

    x: str
    y: str
    n: str
    across: str = ""
    up: str = ""
    figure: Callable[[float], str] = "{:.3g}".format


@dataclass(frozen=True)
class Cells:
    """A cell for each row of the table, shaded by `value` and showing `text`."""

    row: tuple[str, ...]
    column: str
    value: str
    text: str
    only: tuple[str, str] | None = None


Sketch = Bars | Lines | Dots | Cells
