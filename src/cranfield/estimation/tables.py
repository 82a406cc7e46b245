"""Estimates from human and machine judgments as tables."""

from __future__ import annotations

from cranfield.estimation.result import Estimation
from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.text import percent


def tables(estimation: Estimation, *, digits: int) -> list[Table]:
    """One row per measure and system, and per difference from the baseline."""
    rows, half_width = estimation.rows, estimation.settings["half_width"]
    columns = (
        *map(Column, ("measure", "system", *(["baseline"] if any(one.baseline for one in rows) else []))),
        *numbers("estimate", "low", "high", "human", "human low", "human high", digits=digits),
        *numbers("machine", "bias", "weight", digits=digits),
        *numbers("worth", *(["needed"] if half_width is not None else []), digits=0),
    )
    judged = f"{estimation.settings['over']} judged by people"
    confidence = percent(estimation.settings["confidence"])
    notes = (
        f"estimate: from both kinds of judgments; low, high: {confidence} intervals, also from human judgments alone",
        "machine: mean from the machine alone; bias: machine minus human, where both judged; weight: of the machine",
        f"worth: number of {judged} that would give an interval of this length from human judgments alone",
        *(
            []
            if half_width is None
            else [f"needed: number of {judged} for an interval of ± {half_width:g}{_beyond(estimation)}"]
        ),
        *saved(estimation),
        *estimation.notes,
    )
    title = "Estimates from human and machine judgments"
    return [Table(columns, rows_of(rows, columns), title=title, notes=notes)]


def _beyond(estimation: Estimation) -> str:
    """What a missing number of queries means, if there is one."""
    missing = estimation.settings["over"] != "documents" and any(one.needed is None for one in estimation.rows)
    return "; –: more than the machine judged" if missing else ""


def saved(estimation: Estimation) -> list[str]:
    """How many human judgments the machine saved, over all estimates."""
    worth = [one.worth for one in estimation.rows if one.worth is not None]
    if estimation.settings["over"] != "documents" or not worth:
        return []
    least, most = (max(round(bound(worth)) - estimation.n_judged, 0) for bound in (min, max))
    number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return [f"the machine saved {number} human judgments of documents"]
