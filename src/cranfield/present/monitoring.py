"""Monitored comparisons as tables."""

from __future__ import annotations

from cranfield.evidence.samples import plural
from cranfield.findings.words import percent
from cranfield.present.rankings import DIGITS
from cranfield.present.table import Column, Table, numbers, row
from cranfield.results.monitoring import Monitoring

_NAMES = ("measure", "system", "baseline")


def tables(monitoring: Monitoring, *, digits: int = DIGITS) -> list[Table]:
    """One row per pair and measure, after all units."""
    half_width = monitoring.settings["half_width"]
    after = ["decided_after", *(["precise_after"] if half_width is not None else [])]
    columns = (
        *map(Column, _NAMES),
        *numbers("n", digits=0),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("e", digits=2),
        *numbers("p", digits=digits, probability=True),
        Column("verdict"),
        *numbers(*(name.replace("_", " ") for name in after), digits=0),
    )
    fields = (*_NAMES, "n", "difference", "low", "high", "e", "p", "verdict", *after)
    rows = tuple(row(*(getattr(one, name) for name in fields)) for one in monitoring.rows)
    units = plural(monitoring.settings["units"])
    confidence = f"{percent(1 - monitoring.settings['level'])}"
    notes = (
        f"low, high: {confidence} confidence sequence of each difference, valid at every look; e: e-value of no "
        "difference; p: always valid",
        f"{units} must be in random order; p-values are not adjusted for the number of pairs",
        f"decided after: number of {units} after which 0 was excluded",
        *(
            []
            if half_width is None
            else [f"precise after: number of {units} after which the interval was ± {half_width:g}"]
        ),
        "enough: every pair is decided" + (" or precise" if half_width is not None else "")
        if monitoring.enough
        else "not enough yet: some pairs are undecided",
        *monitoring.notes,
    )
    return [Table(columns, rows, title="Monitored differences", notes=notes)]
