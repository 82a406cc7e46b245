"""The table of coverage: a row for each measure, size and prevalence, and a page that sums it up."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
from scipy.special import betainc

from cranfield.evidence.cells import Cells
from cranfield.measures.declaration import Declaration, Kind, NoInterval
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations
from cranfield.statistics.intervals import EXACT
from cranfield.statistics.rates import OF_JACCARD
from tools.coverage.tally import LEAST, Cell

DOCS = Path(__file__).parents[2] / "docs" / "reference"
TABLE, PAGE = DOCS / "coverage.csv", DOCS / "coverage.md"
MOST = 0.99  # of all intervals of a measure
FEW = 20  # intervals of a cell from which its coverage is shown
SURE = 1e-3  # a cell fails if intervals that cover 93 % would miss as often less frequently than this
KINDS: dict[str, tuple[Kind, ...]] = {
    "binary": ("binary",),
    "label sets": ("binary",),
    "classes": ("classes", "binary"),
    "class scores": ("classes", "binary"),
    "regression": ("values", "forecasts"),
    "agreement": ("ratings",),
}


def write(found: Iterable[Cell]) -> None:
    """Write the table and its page."""
    kept = sorted(cell for cell in found if cell.intervals + cell.none)
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Cell._fields)
        writer.writerows(kept)
    PAGE.write_text(page(kept), "utf-8")


def read() -> list[Cell]:
    """The cells of the table in the documentation."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        _, *lines = csv.reader(file)
    return [Cell(line[0], line[1], int(line[2]), float(line[3]), line[4], *map(int, line[5:9])) for line in lines]


# whether intervals hold


def failures(found: Iterable[Cell]) -> list[str]:
    """What is wrong with the intervals of a measure: nothing if they hold.

    Each cell is judged alone, then all shapes of a size and prevalence, and all sizes of a shape together, so that none
    hides behind others and no weakness behind the size of cells.
    """
    kept = [cell for cell in found if cell.intervals]
    total, missed = sum(cell.intervals for cell in kept), sum(cell.missed for cell in kept)
    wrong = [] if total and 1 - missed / total <= MOST else [f"{total - missed} of {total} intervals cover"]
    groups: dict[str, list[Cell]] = {}
    for cell in kept:
        place = f"n {cell.n}, prevalence {cell.prevalence:g}"
        for name in (f"{place}, {cell.shape}", place, cell.shape, "all"):
            groups.setdefault(name, []).append(cell)
    for name, cells in groups.items():
        n, misses = sum(cell.intervals for cell in cells), sum(cell.missed for cell in cells)
        if too_low(n, misses):
            wrong.append(f"{name}: {1 - misses / n:.1%} of {n} intervals cover")
    return wrong


def too_low(n_intervals: int, missed: int) -> bool:
    """Whether so many intervals miss that they do not cover 93 %: the upper tail of a binomial distribution."""
    return bool(missed) and float(betainc(missed, n_intervals - missed + 1, 1 - LEAST)) < SURE


def by_measure(found: Iterable[Cell]) -> Iterator[tuple[str, str, list[Cell]]]:
    """The rows of each measure of each subject."""
    for (subject, measure), same in groupby(found, key=lambda cell: cell[:2]):
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


def page(found: list[Cell]) -> str:
    """The page of the documentation."""
    return "\n".join([*_INTRODUCTION, *_summary(found), "", *_WITHOUT, *_without_interval(), "", *_END, ""])


_INTRODUCTION = """# Coverage of intervals over items

No interval over items is printed unless the coverage of its method was simulated. The tables show how often 95 %
intervals contain the true value. The samples have 20, 50, 200 and 1,000 items; 5, 20 and 50 % of the items are positive
or outside the most frequent class. The shapes are like users' data: calibrated and overconfident probabilities, good,
weak and random scorers, ties from rounded scores, scores that separate the classes almost perfectly, with and without a
few wrong labels; three, five and ten classes, one of them rare or hardly ever predicted; raters who agree by chance or
beyond it; normal, skewed, rounded and heavy-tailed values, values with outliers, and values that are mostly zero. Each
combination was simulated 160 times for raters (80 times for crowds, of whom a few rate each item) and for binary
decisions, 96 times for numeric predictions, 48 times for classes by labels, 40 times for label sets and 24 times for
scores of several classes.

No combination of measure, size, prevalence and shape covers so rarely that coverage of 93 % would explain it with a
probability of less than one in a thousand; nor do all shapes of a size and prevalence together, all samples of a shape,
or all together.

An interval is *below* if its upper bound is lower than the true value, and *above* if its lower bound is higher.
*Lowest* is the lowest coverage of any combination with at least 20 intervals, which varies by chance: of 160 intervals
that cover 95 %, 146 to 157 do in most samples. *None* is the percentage of samples in which the value is defined but
has no interval, mostly because a class has too few items. *From* is the number of items of each class, or of a numeric
prediction, that an interval needs; with fewer it says so. All but proportions need 20 items, functions of the matrix of
several classes and the calibration slope 10 of each class, and the calibration intercept recalibrated probabilities p
with a sum of p(1 - p) of at least 10.

The methods are: Clopper and Pearson's interval for proportions (`clopper-pearson`), which covers at least 95 % for any
proportion and number of items; quantiles of the measure over draws from the posterior distribution of the counts, from
the lower of two priors to the higher, which have a quarter and three quarters of an item right in each class
(`jeffreys`; agreement of raters has one prior); DeLong's interval of the AUC on the logit scale, or Newcombe's
(`area`); the delta method with influence functions, on the logit or log scale and with Student's t (`delta`); Student's
t for means, adjusted for skewness if bounded, on the log scale otherwise (`mean`); the jackknife over at most fifty
groups of items, on the logit or log scale and with Student's t (`jackknife`); that of the prevalence (`prevalence`);
inverted score tests with a robust variance (`calibration slope` and `calibration intercept`); and order statistics.
Intervals of scores (`delta` and `mean`) reach at least as far as three errors more would change the value, since errors
with a frequency of 3/n are missing from 5 % of samples.

Counts are discrete: no interval of a proportion covers exactly 95 % everywhere, and these cover 97 to 99 % of samples
with few items or rates near 0 and 1. Wilson's interval covers as little as 83 % there, and Jeffreys' 87 %.
""".splitlines()

_WITHOUT = """## Measures without an interval over items

| measure | reason |
|---|---|""".splitlines()

_END = """## Where there is no interval, and what is assumed

- Items with different weights. If weights depend on the class or the score, effective sample sizes are wrong in either
  direction: intervals of AP covered 55 %, those of the AUC from squared weights 54 to 97 %.
- Decisions at a threshold chosen on the same items.
- Averages over more than ten classes, over a class for which the measure is undefined, and of measures other than those
  listed.
- Squared errors and log-losses. A limit on the effective number of items, (Σs)²/Σs² of the squared influences s, does
  not help: samples without the rare large errors pass it, and cover less than all samples do.
- Losses of numeric predictions assume that the variance of errors is finite. No sample shows whether it is: with errors
  from Student's t distribution with 2.1 degrees of freedom, whose variance is finite but hardly estimable, intervals of
  mean absolute errors cover 93 to 95 % with 1,000 items, and less with fewer, which therefore have none (`pytest
  tests/regression/test_regression.py -m simulation`).
- Errors of a kind that no sample contains, such as scores beyond all others, cannot be excluded by any method.

Every combination is in [coverage.csv](coverage.csv). To simulate it again: `make coverage`, which resumes where
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


def _summary(found: list[Cell]) -> Iterator[str]:
    title = ""
    for subject, measure, same in by_measure(found):
        if title != subject:
            title = subject
            yield from ("", f"## {_TITLES[subject]}", "", "| measure | method | from | intervals | covered | below |"
                        " above | lowest | none |", "|---|---|---:|---:|---:|---:|---:|---:|---:|")  # fmt: skip
        yield _line(subject, measure, same)


def _line(subject: str, measure: str, same: list[Cell]) -> str:
    declaration = declared(subject, measure)
    n_intervals, below, above, none = (sum(cell[column] for cell in same) for column in range(5, 9))
    least = min((cell.covered for cell in same if cell.intervals >= FEW), default=np.nan)
    shares = [1 - (below + above) / n_intervals, below / n_intervals, above / n_intervals, least]
    figures = " | ".join(f"{100 * share:.1f}" for share in shares)
    return (
        f"| {measure} | {_method(subject, measure)} | {declaration.fewest_of_class or ''} | {n_intervals:,} | {figures}"
        f" | {100 * none / (none + n_intervals):.0f} |"
    )


def _method(subject: str, measure: str) -> str:
    """The method that a subject uses, which for averages over classes and labels is not that of one class."""
    declaration = declared(subject, measure)
    if subject in ("class scores", "label sets") and declaration.kind == "binary":
        return declaration.interval_method if declaration.name == "SubsetAccuracy" else "jackknife"
    if subject == "binary" and parse(measure, "binary") in OF_JACCARD:
        return EXACT
    averaged = subject == "classes" and declaration.evidence is Cells
    return "jeffreys" if averaged else declaration.interval_method


def _without_interval() -> Iterator[str]:
    reasons: dict[str, str] = {}
    for kind in ("binary", "classes", "values", "forecasts", "ratings"):
        for one in declarations(kind).values():
            if isinstance(one.interval, NoInterval):
                several = kind == "classes" and one.name in declarations("binary")
                reasons.setdefault(f"{one.name}, several classes" if several else one.name, one.interval.reason)
    return (f"| {name} | {reason} |" for name, reason in reasons.items())
