"""Sketches: descriptions of a plot's table for terminals."""

from __future__ import annotations

from collections.abc import Callable

from cranfield.frozen import frozen


@frozen
class Bars:
    """One bar per row, of length `value` and named by the columns `label`; negative bars go to the left.

    `means` are names with the lengths of their bars, which replace the rows.
    """

    label: tuple[str, ...]
    value: str
    means: tuple[tuple[str, float], ...] = ()
    digits: int = 4


@frozen
class Lines:
    """One line through x and y per name in `by`; `only` selects rows with a value in a column.

    `across` and `up` are axis titles (default: the columns), `figure` formats tick labels, and `mark` is a labelled
    position on the x axis. With `stretch`, only rows with the same value in this column are joined; rows without one
    are single points. With `points`, the rows stand out from the line that joins them, and `diagonal` names the line
    on which x equals y.
    """

    x: str
    y: str
    by: str
    only: tuple[str, str] | None = None
    across: str = ""
    up: str = ""
    figure: Callable[[float], str] = "{:.3g}".format
    mark: tuple[float, str] | None = None
    stretch: str = ""
    points: bool = False
    diagonal: str = ""


@frozen
class Dots:
    """A scatter plot of x and y, darker where `n` is larger."""

    x: str
    y: str
    n: str
    across: str = ""
    up: str = ""
    figure: Callable[[float], str] = "{:.3g}".format


@frozen
class Cells:
    """A heat map: one cell per row of the table, shaded by `value` and showing `text` after `name`, if it has one."""

    row: tuple[str, ...]
    column: str
    value: str
    text: str
    only: tuple[str, str] | None = None
    name: str = ""


Sketch = Bars | Lines | Dots | Cells
