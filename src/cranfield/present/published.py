"""Comparisons of published summaries as a table."""

from __future__ import annotations

from dataclasses import replace

from cranfield.inference.corrections import title
from cranfield.present.comparison import SIGNIFICANT, working
from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.published import PublishedComparison
from cranfield.text import percent

_INTERVALS = {"welch": "Welch", "two proportions": "Newcombe", "unpaired delong": "DeLong"}
_FIELDS = {"other": "baseline_value", "t": "statistic", "z": "statistic", "df": "freedom"}


def tables(comparison: PublishedComparison, *, digits: int, steps: bool = False) -> list[Table]:
    """One row per pair and, with `steps`, the working of each test."""
    worked = [working(comparison.steps(pair)) for pair in comparison.rows] if steps else []
    return [_pairs(comparison, digits), *worked]


def _pairs(comparison: PublishedComparison, digits: int) -> Table:
    means = comparison.settings["test"] != "two proportions"
    columns = (
        *map(Column, ("system", "baseline")),
        *numbers("value", "other", "difference", "low", "high", *(("t", "df") if means else ("z",)), digits=digits),
        *numbers("p", *(() if means else ("exact p",)), "adjusted p", digits=digits, probability=True),
    )
    rows = [
        (*cells, replace(adjusted, marks=SIGNIFICANT if pair.significant else ""))
        for (*cells, adjusted), pair in zip(rows_of(comparison.rows, columns, _FIELDS), comparison.rows, strict=True)
    ]
    level = comparison.settings["level"]
    notes = (
        f"{SIGNIFICANT} the adjusted p-value ({title(comparison.settings['correction'])}) is below {level:g}",
        f"low, high: {percent(1 - level)} {_INTERVALS[comparison.settings['test']]} intervals of the difference",
        *(() if means else ("exact p: Fisher's exact test",)),
        *comparison.notes,
    )
    return Table(columns, tuple(rows), title=comparison.title, notes=notes)
