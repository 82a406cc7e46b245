"""Points of curves as tables."""

from __future__ import annotations

from cranfield.present.table import Column, Table, row
from cranfield.results.precision_recall import PrecisionRecallCurves


def points(curves: PrecisionRecallCurves, *, digits: int) -> list[Table]:
    """One row per point; without the columns query and rank where points are averages."""
    table = curves.table()
    names = [
        name for name in table.column_names if table[name].null_count < len(table) or name not in ("query", "rank")
    ]
    columns = tuple(Column(name, name not in ("system", "query"), digits) for name in names)
    rows = zip(*(table[name].to_pylist() for name in names), strict=True)
    return [Table(columns, tuple(row(*values) for values in rows))]
