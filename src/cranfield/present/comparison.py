"""Comparisons as tables: what each system comes to, give or take, and every pair beside its p-value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cranfield.present.table import Cell, Column, Row, Table, row
from cranfield.results.comparison import Compared, Comparison
from cranfield.results.intervals import Intervals
from cranfield.results.writing import Value

Floats = NDArray[np.float64]

SIGNIFICANT = "*"


def means(values: Floats, intervals: Intervals, over: str, digits: int) -> Table:
    """A row for each measure and system: what its `values[system, measure]` come to, between what bounds."""
    numbers = [Column(name, numeric=True, digits=digits) for name in ("value", "low", "high")]
    rows = [
        row(
            measure,
            system,
            _known(values[s, m]),
            _known(intervals.low[s, m]),
            _known(intervals.high[s, m]),
            intervals.method[s][m],
        )
        for m, measure in enumerate(intervals.measures)
        for s, system in enumerate(intervals.systems)
    ]
    columns = (Column("measure"), Column("system"), *numbers, Column("interval"))
    note = f"intervals with {intervals.confidence:.0%} confidence, over {over}"
    return Table(columns, tuple(rows), title="What each system comes to", notes=(note,))


def differences(comparison: Comparison, digits: int) -> Table:
    """A row for each pair and measure, those marked that chance hardly explains."""
    rows = tuple(_row(compared) for compared in comparison.rows)
    return Table(tuple(_columns(digits)), rows, title=comparison.test.title, notes=tuple(_notes(comparison)))


def _columns(digits: int) -> Iterator[Column]:
    yield from map(Column, ("measure", "system", "baseline"))
    yield from (Column(name, numeric=True, digits=digits) for name in ("difference", "low", "high"))
    yield from (Column(name, numeric=True, digits=digits, probability=True) for name in ("p", "corrected"))
    yield Column("d_z", numeric=True, digits=2)
    yield from (Column(name, numeric=True, digits=0) for name in ("wins", "ties", "losses"))


def _row(compared: Compared) -> Row:
    mark = SIGNIFICANT if compared.significant else ""
    return (
        *map(Cell, (compared.measure, compared.system, compared.baseline)),
        *(Cell(_known(value)) for value in (compared.difference, compared.low, compared.high, compared.p)),
        Cell(_known(compared.corrected), marks=mark),
        Cell(_known(compared.d_z)),
        *map(Cell, (compared.wins, compared.ties, compared.losses)),
    )


def _notes(comparison: Comparison) -> Iterator[str]:
    n = sorted({compared.n for compared in comparison.rows})
    over = str(n[0]) if len(n) == 1 else f"{n[0]} to {n[-1]}"
    yield f"{SIGNIFICANT} the corrected p is below {comparison.level:g}; {over} {comparison.units} are compared"
    yield f"corrected: {comparison.allowance or 'not at all'}"
    if comparison.alternative != "two-sided":
        yield f"alternative: {comparison.alternative}; intervals are two-sided all the same"
    yield from (f"{measure}: {said}" for measure, said in comparison.omnibus.items())
    yield from dict.fromkeys(comparison.remarks.values())
    yield from comparison.notes
    yield from (f"{one.measure}, {one.system} and {one.baseline}: {one.note}" for one in comparison.rows if one.note)


def tested(comparison: Comparison) -> str:
    """The test, its level and what is allowed for, in a few words."""
    allowed = comparison.allowance.replace("holm", "Holm").replace("bonferroni", "Bonferroni")
    return ", ".join(filter(None, (comparison.test.title, f"level {comparison.level:g}", allowed)))


def _known(value: float) -> Value:
    return float(value) if np.isfinite(value) else None
