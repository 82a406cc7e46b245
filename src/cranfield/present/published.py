"""Comparisons of published summaries as a table."""

from __future__ import annotations

from cranfield.findings.words import percent
from cranfield.inference.corrections import title
from cranfield.present.comparison import working
from cranfield.present.rankings import DIGITS
from cranfield.present.table import Cell, Column, Table, numbers
from cranfield.results.published import PublishedComparison

_SIGNIFICANT = "*"
_INTERVALS = {"welch": "Welch", "two proportions": "Newcombe", "unpaired delong": "DeLong"}


def tables(comparison: PublishedComparison, *, digits: int = DIGITS, steps: bool = False) -> list[Table]:
    """One row per pair and, with `steps`, the working of each test."""
    worked = [working(comparison.steps(pair)) for pair in comparison.rows] if steps else []
    return [_pairs(comparison, digits), *worked]


def _pairs(comparison: PublishedComparison, digits: int) -> Table:
    means = comparison.settings["test"] != "two proportions"
    names = ("value", "other", "difference", "low", "high", "t" if means else "z", *(("df",) if means else ()))
    tails = ("p", *(() if means else ("exact p",)), "adjusted p")
    columns = (
        Column("system"),
        Column("baseline"),
        *numbers(*names, digits=digits),
        *numbers(*tails, digits=digits, probability=True),
    )
    rows = []
    for pair in comparison.rows:
        figures = [pair.value, pair.baseline_value, pair.difference, pair.low, pair.high, pair.statistic]
        figures += [float(pair.freedom or 0)] if means else []
        p = [pair.p, *([] if means else [float(pair.exact_p or 0)])]
        last = Cell(pair.adjusted_p, marks=_SIGNIFICANT if pair.significant else "")
        rows.append((Cell(pair.system), Cell(pair.baseline), *map(Cell, [*figures, *p]), last))
    level = comparison.settings["level"]
    notes = (
        f"{_SIGNIFICANT} the adjusted p-value ({title(comparison.settings['correction'])}) is below {level:g}",
        f"low, high: {percent(1 - level)} {_INTERVALS[comparison.settings['test']]} intervals of the difference",
        *(() if means else ("exact p: Fisher's exact test",)),
        *comparison.notes,
    )
    return Table(columns, tuple(rows), title=comparison.title, notes=notes)
