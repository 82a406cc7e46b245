"""The table of coverage: a row for each measure, size and prevalence, and a page that sums it up."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cranfield.evidence.cells import Cells
from cranfield.measures.declaration import Declaration, Kind, NoInterval
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations
from tools.coverage.tally import LEAST, Cell

DOCS = Path(__file__).parents[2] / "docs" / "reference"
TABLE, PAGE = DOCS / "coverage.csv", DOCS / "coverage.md"
COLUMNS = ("subject", "measure", "n", "prevalence", "intervals", "below", "above", "none", "lowest", "shape")
MOST = 0.99  # of all intervals of a measure
FEW = 20  # intervals of a shape from which its coverage is shown
MANY = 40  # intervals of a row from which it is judged
ERRORS, MANY_ERRORS = 3, 4  # standard errors allowed for a row, and for the lowest of its shapes
KINDS: dict[str, tuple[Kind, ...]] = {
    "binary": ("binary",),
    "label sets": ("binary",),
    "classes": ("classes", "binary"),
    "class scores": ("classes", "binary"),
    "regression": ("values", "forecasts"),
    "agreement": ("ratings",),
}


class Row(NamedTuple):
    """The intervals of a measure for one size and prevalence, over all shapes, and the shape that they cover least."""

    subject: str
    measure: str
    n: int
    prevalence: float
    intervals: int
    below: int
    above: int
    none: int
    lowest: float
    shape: str

    @property
    def covered(self) -> float:
        """The proportion of intervals that contain the true value."""
        return 1 - (self.below + self.above) / self.intervals if self.intervals else np.nan


def rows(cells: Iterable[Cell]) -> list[Row]:
    """The rows of the table."""
    ordered = sorted(cells, key=lambda cell: cell[:4])
    return [_row(*place, list(same)) for place, same in groupby(ordered, key=lambda cell: cell[:4])]


def _row(subject: str, measure: str, n: int, prevalence: float, cells: list[Cell]) -> Row:
    counts = [sum(cell[column] for cell in cells) for column in range(5, 9)]
    known = [cell for cell in cells if cell.intervals >= FEW]
    lowest = min(known, key=lambda cell: cell.covered) if known else None
    shown = (round(lowest.covered, 3), lowest.shape) if lowest else (np.nan, "")
    return Row(subject, measure, n, prevalence, *counts, *shown)


def write(found: Iterable[Row]) -> None:
    """Write the table and its page."""
    kept = list(found)
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(kept)
    PAGE.write_text(page(kept), "utf-8")


def read() -> list[Row]:
    """The rows of the table in the documentation."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        _, *lines = csv.reader(file)
    return [
        Row(line[0], line[1], int(line[2]), float(line[3]), *map(int, line[4:8]), float(line[8]), line[9])
        for line in lines
    ]


# whether intervals hold


def failures(found: Iterable[Row]) -> list[str]:
    """What is wrong with the intervals of a measure: nothing if they hold."""
    kept = [row for row in found if row.intervals]
    wrong = []
    total = sum(row.intervals for row in kept)
    covered = 1 - sum(row.below + row.above for row in kept) / total if total else np.nan
    if not (total and LEAST - 2 * _error(total) <= covered <= MOST):
        wrong.append(f"{covered:.1%} of {total} intervals cover")
    for row in kept:
        if row.intervals < MANY:
            continue
        if row.covered + ERRORS * _error(row.intervals) < LEAST:
            wrong.append(f"n {row.n}, prevalence {row.prevalence:g}: {row.covered:.1%} of {row.intervals}")
        if row.lowest + MANY_ERRORS * _error(row.intervals / 8) < LEAST:
            wrong.append(f"n {row.n}, prevalence {row.prevalence:g}, {row.shape}: {row.lowest:.1%}")
    return wrong


def _error(n_intervals: float) -> float:
    return float(np.sqrt(0.95 * 0.05 / n_intervals))


def by_measure(found: Iterable[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """The rows of each measure of each subject."""
    for (subject, measure), same in groupby(found, key=lambda row: row[:2]):
        yield subject, measure, list(same)


def declared(subject: str, measure: str) -> Declaration:
    """The declaration of a measure in the table."""
    return parse(measure.removeprefix("macro "), KINDS[subject]).declaration


def measures_with_intervals() -> Iterator[Declaration]:
    """Every measure over items that declares an interval."""
    for kind in ("binary", "classes", "values", "forecasts", "ratings"):
        for one in declarations(kind).values():
            if not isinstance(one.interval, NoInterval):
                yield one


# as a page


def page(found: list[Row]) -> str:
    """The page of the documentation."""
    return "\n".join([*_INTRODUCTION, *_summary(found), "", *_WITHOUT, *_without_interval(), "", *_END, ""])


_INTRODUCTION = """# Coverage of intervals over items

No interval over items is printed unless the coverage of its method was simulated. The tables show how often 95 %
intervals contain the true value. The samples have 20, 50, 200 and 1,000 items; 5, 20 and 50 % of the items are positive
or outside the most frequent class. The shapes are like users' data: calibrated and overconfident probabilities, good,
weak and random scorers, ties from rounded scores; several classes, one of them rare; raters who agree by chance or
beyond it; normal, skewed and rounded values, and values with outliers. Each combination was simulated 160 times for
raters (80 times for crowds, of whom a few rate each item), 80 times for binary decisions, 40 times for numeric
predictions and 24 times for several classes and label sets.

An interval is *below* if its upper bound is lower than the true value, and *above* if its lower bound is higher.
*Lowest* is the lowest coverage for any number of items and prevalence, over all shapes. *None* is the percentage of
samples in which the value is defined but has no interval, mostly because a class has too few items. *From* is the
number of items of each class, or of a numeric prediction, that an interval needs; with fewer it says so. Functions of
the matrix of several classes and the calibration slope need 10 of each. The calibration intercept needs recalibrated
probabilities p with a sum of p(1 - p) of at least 5.

The methods are: Wilson's interval for proportions (`wilson`); quantiles of the measure over draws from the posterior
distribution of the counts with Jeffreys' prior (`jeffreys`); DeLong's interval of the AUC on the logit scale, or
Newcombe's (`area`); the delta method with influence functions, on the logit or log scale and with Student's t
(`delta`); Student's t for means, adjusted for skewness if bounded, on the log scale otherwise (`mean`); the jackknife
over at most fifty groups of items, on the logit or log scale and with Student's t (`jackknife`); Wilson's interval of
the prevalence (`prevalence`); inverted score tests with a robust variance (`calibration slope` and `calibration
intercept`); and order statistics. Counts are discrete, so no interval of a proportion covers exactly
95 % everywhere: with few items some cover 98 % or more.
""".splitlines()

_WITHOUT = """## Measures without an interval over items

| measure | reason |
|---|---|""".splitlines()

_END = """## Where these intervals do not hold

The figures are for samples like those above. Intervals cover less, some far less, for scores that separate the classes
almost perfectly or have a few gross errors (log-losses, Brier skill, AUPRG, AP), for numeric errors with heavy tails or
mostly zeros (MSE, R2, MAE, Correlation), for weights that depend on the class or the score, for extreme costs or betas,
and for averages over classes of which one is hardly ever predicted. Fewer than 20 items and more than five classes were
not simulated.

Every size and prevalence is in [coverage.csv](coverage.csv). To simulate it again: `make coverage`, which resumes where
it was interrupted. Intervals over queries were simulated separately: see [Intervals for skewed
measures](../explanation/skewed-intervals.md).""".splitlines()

_TITLES = {
    "binary": "Binary decisions and scores",
    "classes": "Labels of several classes, and clusters",
    "class scores": "Scores of several classes",
    "label sets": "Label sets",
    "regression": "Numeric predictions and forecasts",
    "agreement": "Agreement of raters",
}


def _summary(found: list[Row]) -> Iterator[str]:
    title = ""
    for subject, measure, same in by_measure(found):
        if title != subject:
            title = subject
            yield from ("", f"## {_TITLES[subject]}", "", "| measure | method | from | intervals | covered | below |"
                        " above | lowest | none |", "|---|---|---:|---:|---:|---:|---:|---:|---:|")  # fmt: skip
        yield _line(subject, measure, same)


def _line(subject: str, measure: str, same: list[Row]) -> str:
    declaration = declared(subject, measure)
    n_intervals, below, above, none = (sum(row[column] for row in same) for column in range(4, 8))
    kept = [row for row in same if row.intervals >= FEW]
    least = min((row.covered for row in kept), default=np.nan)
    shares = [1 - (below + above) / n_intervals, below / n_intervals, above / n_intervals, least]
    figures = " | ".join(f"{100 * share:.1f}" for share in shares)
    method = _method(subject, declaration)
    return (
        f"| {measure} | {method} | {declaration.fewest_of_class or ''} | {n_intervals:,} | {figures} | "
        f"{100 * none / (none + n_intervals):.0f} |"
    )


def _method(subject: str, declaration: Declaration) -> str:
    """The method that a subject uses, which for averages over classes and labels is not that of one class."""
    if subject in ("class scores", "label sets") and declaration.kind == "binary":
        return declaration.interval_method if declaration.name == "SubsetAccuracy" else "jackknife"
    averaged = subject == "classes" and declaration.evidence is Cells
    return "jeffreys" if averaged else declaration.interval_method


def _without_interval() -> Iterator[str]:
    reasons: dict[str, str] = {}
    for kind in ("binary", "classes", "values", "forecasts", "ratings"):
        for one in declarations(kind).values():
            if isinstance(one.interval, NoInterval):
                reasons.setdefault(one.name, one.interval.reason)
    return (f"| {name} | {reason} |" for name, reason in reasons.items())
