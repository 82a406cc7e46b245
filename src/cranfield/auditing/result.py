"""The result of an audit: its figures, the systems with corrected scores, and the verdict."""

from __future__ import annotations

from typing import Any, Literal

from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.text import counted

Verdict = Literal["yes", "no", "undecided"]

FIGURES = Schema(
    "figures",
    "Audit of machine labels",
    (
        *texts("part", "figure"),
        *figures("value", "low", "high", digits=3),
        *figures("n", digits=0),
        Field("note", kind="text", in_tables=False),
    ),
)
PAIRS = Schema(
    "pairs",
    "Differences between systems",
    (
        *texts("system", "other"),
        Field("people", "by people", digits=4),
        Field("machine", "by the machine", digits=4),
        *figures("change", "low", "high", digits=4),
    ),
)
SYSTEMS = Schema(
    "systems",
    "Corrected scores",
    (
        *texts("system"),
        Field("machine", "machine alone", digits=4),
        Field("people", "people alone", digits=4),
        *figures("corrected", "low", "high", digits=4),
        Field("needed", "to halve it", digits=0),
    ),
)


@frozen(eq=False)
class Audit(AnnotatedResult):
    """May the labels of a machine replace those of people?

    `figures` has one row per figure: `audit["leniency", "all"]` is one of them.
    """

    kind = "audit"

    figures: Columns
    systems: Columns
    pairs: Columns
    verdict: Verdict

    def __getitem__(self, name: tuple[str, str]) -> Any:
        """The figure of this part and name."""
        for row in self.figures:
            if (row.part, row.figure) == name:
                return row
        known = ", ".join(f"({row.part!r}, {row.figure!r})" for row in self.figures)
        raise BadInput(f"there is no figure {name!r}; available: {known}")

    @property
    def answer(self) -> str:
        """The audit in one sentence."""
        agreed, kappa = self["agreement", "same grade"], self["agreement", "kappa"]
        bounds = f", {kappa.low:.2f} to {kappa.high:.2f}" if kappa.low is not None else ""
        value = "undefined" if kappa.value is None else f"{kappa.value:.2f}{bounds}"
        alone = f"agrees with people on {100 * agreed.value:.0f} % of {counted(agreed.n, 'document')} (kappa {value})"
        if not len(self.pairs):
            return f"The machine {alone}."
        measure, margin = self.settings["measure"], self.settings["margin"]
        ranking = f"ranking these systems by {measure}"
        largest = max(self.pairs, key=lambda row: max(abs(row.low), abs(row.high)))
        reach = max(abs(largest.low), abs(largest.high))
        if self.verdict == "yes":
            return (
                f"The machine may replace people for {ranking}: differences change by at most {reach:.3f}; it {alone}."
            )
        if self.verdict == "no":
            worst = max(self.pairs, key=lambda row: max(row.low, -row.high))
            change = f"{worst.change:+.3f} ({worst.low:.3f} to {worst.high:.3f})"
            return (
                f"The machine may not replace people for {ranking}: it changes the difference between {worst.system} "
                f"and {worst.other} by {change}; it {alone}."
            )
        return (
            f"It is undecided whether the machine may replace people for {ranking}: differences change by up to "
            f"{reach:.3f}, and {margin:g} would not matter; it {alone}."
        )

    @property
    def explanations(self) -> tuple[str, ...]:
        """What the figures mean."""
        confidence = f"{100 * self.settings['confidence']:g} %"
        of_systems = (
            "change: by how much the machine's labels change the difference of two systems; its intervals hold for all "
            "pairs together",
            "corrected: the machine's score, corrected by people's labels; to halve it: how many "
            f"{self.settings['unit']} people must judge for an interval of half the width",
        )
        return (
            f"low, high: {confidence} intervals; their simulated coverage is in docs/explanation/audits.md",
            "leniency and bias: steps of the scale that the machine is above people; bias: at the same grade by people "
            "and with the other columns equal, per standard deviation, or for yes against no",
            *(of_systems if len(self.pairs) else ()),
            *(f"{row.part}, {row.figure}: {row.note}" for row in self.figures if row.note),
        )
