"""Estimates from human and machine judgments as tables."""

from __future__ import annotations

from cranfield.findings.words import percent
from cranfield.present.rankings import DIGITS
from cranfield.present.table import Column, Table, numbers, row
from cranfield.results.estimation import Estimation

_NUMBERS = ("estimate", "low", "high", "human", "human_low", "human_high", "machine", "bias", "weight")


def tables(estimation: Estimation, *, digits: int = DIGITS) -> list[Table]:
    """One row per measure and system, and per difference from the baseline."""
    rows, half_width = estimation.rows, estimation.settings["half_width"]
    names = ["measure", "system", *(["baseline"] if any(one.baseline for one in rows) else [])]
    counts = ["worth", *(["needed"] if half_width is not None else [])]
    columns = (
        *map(Column, names),
        *numbers(*(name.replace("_", " ") for name in _NUMBERS), digits=digits),
        *numbers(*counts, digits=0),
    )
    judged = f"{estimation.settings['over']} judged by people"
    confidence = f"{percent(estimation.settings['confidence'])}"
    notes = (
        f"estimate: from both kinds of judgments; low, high: {confidence} intervals, also from human judgments alone",
        "machine: mean from the machine alone; bias: machine minus human, where both judged; weight: of the machine",
        f"worth: number of {judged} that would give an interval of this length from human judgments alone",
        *([] if half_width is None else [f"needed: number of {judged} for an interval of ± {half_width:g}"]),
        *saved(estimation),
        *estimation.notes,
    )
    shown = tuple(row(*(getattr(one, name) for name in (*names, *_NUMBERS, *counts))) for one in rows)
    return [Table(columns, shown, title="Estimates from human and machine judgments", notes=notes)]


def saved(estimation: Estimation) -> list[str]:
    """How many human judgments the machine saved, over all estimates."""
    worth = [one.worth for one in estimation.rows if one.worth is not None]
    if estimation.settings["over"] != "documents" or not worth:
        return []
    least, most = (max(round(bound(worth)) - estimation.n_judged, 0) for bound in (min, max))
    number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return [f"the machine saved {number} human judgments of documents"]
