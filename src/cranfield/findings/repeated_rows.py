"""Rules about repeated rows: copies of the data that make intervals too short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Ints
from cranfield.findings.finding import Observations, observation
from cranfield.findings.rules import reaches, rule
from cranfield.results.classification import Classification
from cranfield.results.comparison import Comparison
from cranfield.results.regression import Regression, of_points
from cranfield.text import count

_TRIED = 9  # rows, spread over all, whose copies are counted first: if most of them occur once, rows are not repeated
_MOST = 1000  # copies that are looked for if not all rows are repeated as often


class Rows(NamedTuple):
    """The rows of the data as columns, and how many items or other units each stands for, if counted."""

    columns: Sequence[NDArray[np.generic]]
    unit: str = "item"
    n: Ints | None = None

    @property
    def copies(self) -> Ints:
        """How often each distinct row occurs; only that of a few if most of these occur once."""
        if self.n is not None:
            return self.n
        first = self.columns[-1]
        few = np.array([np.count_nonzero(first == one) for one in first[:: len(first) // _TRIED + 1]])
        if not len(few) or np.median(few) == 1:  # values of one column occur at least as often as rows
            return few
        code = np.zeros(len(first), np.int64)
        for column in self.columns:
            _, place = np.unique(column, return_inverse=True)
            _, code = np.unique(code * (place.max(initial=0) + 1) + place, return_inverse=True)
        return np.bincount(code)


def rows_of_predictions(classification: Classification) -> Rows:
    """The actual class of each item with the predictions of all systems."""
    first = classification.evaluated[0].predictions
    tables = [first.actual, first.weight]
    for evaluated in classification.evaluated:
        tables += [evaluated.predictions.predicted, evaluated.predictions.score]
    return Rows(_columns(tables), n=first.count)


def rows_of_values(regression: Regression) -> Rows:
    """The actual values of each item with the predictions of all systems."""
    tables = []
    for predicted in regression.predictions.values():
        residuals = of_points(predicted)
        if residuals is not None:
            tables += [residuals.actual, residuals.weight, residuals.predicted]
        else:
            tables += [predicted.actual, predicted.weight]
    return Rows(_columns(tables))


def rows_of_samples(comparison: Comparison) -> Rows:
    """The values of all systems on each unit."""
    return Rows(_columns([one.values.T for one in comparison.samples.values()]), comparison.unit)


def _columns(tables: Sequence[NDArray[np.generic] | None]) -> list[NDArray[np.generic]]:
    known = [table for table in tables if table is not None]
    return [column for table in known for column in (table.T if table.ndim == 2 else [table])]


@rule(
    "repeated-rows",
    about="repeated rows",
    title="Rows are repeated",
    severity="serious",
    why="Copies are no new evidence, but count as such: with k copies of each row, intervals shrink by a factor of the "
    "square root of k, and p-values become far too small.",
    action="Remove the copies: they often come from a join, or from a file that was appended to itself.",
    covers=("miscalibration",),
    explains=("tiny-difference",),
)
def repeated_rows(rows: Rows, *, proportion: float = 0.95, distinct: int = 20) -> Observations:
    """Of at least `distinct` distinct rows, at least `proportion` occur a multiple of the same number of times, two or
    more."""
    copies = rows.copies
    if len(copies) < distinct:
        return
    every = int(np.gcd.reduce(copies))
    times = every if every > 1 else int(np.bincount(np.minimum(copies, _MOST)).argmax())
    if times > 1 and reaches(float(np.mean(copies % times == 0)), proportion):
        n_rows = int(copies.sum())
        which = "Every row" if every > 1 else "Nearly every row"
        yield observation(
            f"{which} occurs {times:,} times (or a multiple): {count(n_rows, rows.unit)}, but no more than "
            f"{-(-n_rows // times):,} without copies.",
            {"times": times, "n_rows": n_rows},
        )
