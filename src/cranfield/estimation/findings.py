"""Rules about machine judges: whether their labels can be used without correction."""

from __future__ import annotations

import math
from typing import Any

from cranfield.estimation.result import Estimation
from cranfield.present.findings.rules import Observations, observation, rule
from cranfield.text import counted, number, percent


@rule(
    "machine-labels",
    about="machine judges",
    title="The machine's labels alone would mislead",
    severity="serious",
    why="A machine judge makes systematic errors: it is lenient, or favours some systems. Its values look precise "
    "because it judges everything, but more labels from the same judge do not remove the bias.",
    action="Report the estimate from human and machine judgments together, with its interval, and say how many "
    "documents or {units} people judged.",
)
def machine_labels(estimation: Estimation) -> Observations:
    """The value from the machine alone lies outside the interval of the estimate; the farthest one is reported."""
    outside = [row for row in estimation.rows if row.low is not None and not row.low <= row.machine <= row.high]
    if not outside:
        return
    worst = max(outside, key=lambda row: abs(row.machine - row.estimate) / max(row.high - row.low, 1e-300))
    confidence = percent(estimation.settings["confidence"])
    bounds = f"{confidence} CI [{number(worst.low)}, {number(worst.high)}]"
    yield observation(
        f"This leaderboard is based on machine labels{_leniency(estimation)}: with these alone, {_named(worst)} is "
        f"{number(worst.machine)}, with human judgments {number(worst.estimate)} ({bounds}).",
        {"machine": worst.machine, "estimate": worst.estimate, "low": worst.low, "high": worst.high},
        measure=worst.measure,
        system=worst.system,
    )


def _named(row: Any) -> str:
    over = f" minus that of {row.baseline}" if row.baseline else ""
    return f"{row.measure} of {row.system}{over}"


def _leniency(estimation: Estimation) -> str:
    """How lenient the labels are, if the documents that both judged are known."""
    if math.isnan(estimation.leniency):
        return ""
    word = "lenient" if estimation.leniency >= 0 else "strict"
    judged = counted(estimation.n_judged, "doubly judged document")
    return f"; on {judged} they are {word} by {number(abs(estimation.leniency))} grades"
