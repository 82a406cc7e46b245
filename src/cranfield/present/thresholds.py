"""Scorers as tables: the thresholds around the one in use, the optimal one for each goal, and tests of areas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.held_out import FOLDS, HeldOut
from cranfield.inference.threshold_choice import HUNDREDTH, Choice, ChoiceIntervals
from cranfield.measures.settings import CONFIDENCE
from cranfield.present.table import DIGITS, Cell, Column, Row, Table, numbers, row, rows_of
from cranfield.results.classification import Classification
from cranfield.results.classification_records import ALONE, AROUND, area_tests, around, at_thresholds
from cranfield.text import listed, percent

TIES = 8  # tied thresholds to list
CELLS = ("TP", "FP", "FN", "TN")
CHOSEN = (
    "chosen on these items: the apparent values and TP to TN are too optimistic for others; cross-validated: each item "
    f"is decided at the best threshold of the other folds ({FOLDS} folds)"
)
_NEARLY = f"nearly as good: worse by at most {HUNDREDTH:g}, or by 1 % if the measure has no upper bound"


def thresholds(
    scores: Thresholds, threshold: float, *, n: int = AROUND, digits: int = DIGITS, strict: bool = False
) -> Table:
    """Counts and measures at the threshold in use and at those around it."""
    shown, place = around(scores, threshold, n)
    at, measures, values = at_thresholds(scores, shown)
    heads = (*numbers("threshold", *CELLS), *numbers(*map(str, measures), digits=digits))
    lines = []
    for line, score in enumerate(shown):
        marks = "<" if line == place else ""
        counts = whole_counts([cell[line] for cell in at.counts])
        above = "above " if strict and line == place else ""
        lines.append((Cell(f"{above}{score:.6g}", line == place, marks), *row(*counts, *values[:, line].tolist())))
    return Table(heads, tuple(lines), title="Thresholds around the one in use", notes=("< in use",))


def choices(
    chosen: Sequence[Choice], validated: Mapping[str, HeldOut], *, resamples: int = 0, digits: int = DIGITS
) -> Table:
    """The optimal threshold for each goal, ties, how flat the optimum is, and its cross-validated value.

    With `resamples`, also its bootstrap interval.
    """
    intervals = [
        choice.intervals(resamples=resamples) if resamples and choice.thresholds else None for choice in chosen
    ]
    heads = (
        Column("goal"),
        *numbers("threshold"),
        *[Column("resampled")] * bool(resamples),
        *numbers("cross-validated", "apparent", digits=digits),
        *numbers(*CELLS),
        Column("nearly as good"),
    )
    with_intervals = [*zip(chosen, intervals, strict=True)]
    lines = [
        _chosen(choice, validated[str(choice.goal)], interval, resampled=resamples > 0)
        for choice, interval in with_intervals
    ]
    on_resamples = [note for choice, interval in with_intervals for note in _resampled(choice, interval)]
    reasons: dict[str, list[str]] = {}
    for goal, held in validated.items():
        reasons.setdefault(held.reason, []).append(goal)
    notes = (
        CHOSEN,
        *(f"not cross-validated ({listed(goals)}): {reason}" for reason, goals in reasons.items() if reason),
        *(note for choice in chosen for note in _ties(choice)),
        *dict.fromkeys(on_resamples),
        _NEARLY,
    )
    return Table(heads, tuple(lines), title="Optimal threshold for each goal on these items", notes=notes)


def _chosen(choice: Choice, held: HeldOut, intervals: ChoiceIntervals | None, *, resampled: bool) -> Row:
    goal = str(choice.goal)
    if not choice.thresholds:
        return row(goal, "none", *[""] * resampled, *[None] * 6, "no threshold satisfies the goal")
    counts = whole_counts([cell[0] for cell in choice.cells.counts])
    return (
        *row(goal, f"{choice.threshold:.6g}", *[_stretch(*intervals.threshold) if intervals else ""] * resampled),
        *row(None if held.reason else held.value, choice.value, *counts, _stretch(choice.flat.low, choice.flat.high)),
    )


def _stretch(low: float, high: float) -> str:
    return f"{low:.6g} to {high:.6g}"


def _ties(choice: Choice) -> Iterator[str]:
    """The tied thresholds, if there are several."""
    if len(choice.thresholds) > 1:
        shown = ", ".join(f"{threshold:.6g}" for threshold in choice.thresholds[:TIES])
        more = f" and {len(choice.thresholds) - TIES} more" if len(choice.thresholds) > TIES else ""
        yield f"{choice.goal}: {shown}{more} tie; the highest is shown"


def _resampled(choice: Choice, intervals: ChoiceIntervals | None) -> Iterator[str]:
    """The number of resamples, and of those without a threshold that satisfies the goal."""
    if intervals is None:
        return
    yield (
        f"resampled: {percent(intervals.confidence)} bootstrap interval of the threshold; {intervals.resamples} "
        "resamples of the items"
    )
    if intervals.without:
        yield f"{choice.goal}: not satisfiable in {intervals.without} of {intervals.resamples} resamples"


def areas(classification: Classification, digits: int, *, every: bool = False) -> Iterator[Table]:
    """DeLong's test of every pair of scorers."""
    tests = area_tests(classification, every=every)
    if not tests:
        return
    figures = (
        *numbers("difference", "low", "high", "z", digits=digits),
        *numbers("p", digits=digits, probability=True),
    )
    lines = [(*row(*pair), *cells) for pair, cells in zip(tests, rows_of(tests.values(), figures), strict=True)]
    notes = [f"{one} and {other}: {test.reason}" for (one, other), test in tests.items() if test.reason]
    if len(tests) > 1:
        notes.append(f"{percent(CONFIDENCE)} intervals and p: {ALONE} for {len(tests)} pairs")
    heads = (Column("scorer"), Column("other"), *figures)
    yield Table(heads, tuple(lines), title="Differences of AUC (DeLong's test)", notes=tuple(notes))


def whole_counts(counts: Sequence[float]) -> list[float]:
    """Integers as such; sums of weights without rounding errors."""
    rounded = [float(f"{count:.6g}") for count in counts]
    return [int(count) if float(count).is_integer() else short for count, short in zip(counts, rounded, strict=True)]
