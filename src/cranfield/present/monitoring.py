"""Monitored comparisons as tables."""

from __future__ import annotations

from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.monitoring import Monitoring
from cranfield.text import percent, plural


def tables(monitoring: Monitoring, *, digits: int) -> list[Table]:
    """One row per pair and measure, after all units."""
    half_width = monitoring.settings["half_width"]
    with_width = half_width is not None
    columns = (
        *map(Column, ("measure", "system", "baseline")),
        *numbers("n", digits=0),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("e", digits=2),
        *numbers("p", digits=digits, probability=True),
        Column("verdict"),
        *numbers("decided after", *["precise after"] * with_width, digits=0),
    )
    units = plural(monitoring.settings["units"])
    confidence = percent(1 - monitoring.settings["level"])
    enough = "enough: every pair is decided" + " or precise" * with_width
    notes = (
        f"low, high: {confidence} confidence sequence of each difference, valid at every look; e: e-value of no "
        "difference; p: always valid",
        f"{units} must be in random order; p-values are not adjusted for the number of pairs",
        f"decided after: number of {units} after which 0 was excluded",
        *[f"precise after: number of {units} after which the interval was ± {half_width:g}" for _ in range(with_width)],
        enough if monitoring.enough else "not enough yet: some pairs are undecided",
        *monitoring.notes,
    )
    return [Table(columns, rows_of(monitoring.rows, columns), title="Monitored differences", notes=notes)]
