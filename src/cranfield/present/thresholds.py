"""Scorers as tables: the thresholds around the one in use, the best for each goal, and areas compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from cranfield.assessment.choices import HUNDREDTH, Choice, Sure
from cranfield.assessment.classification import Classification
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.results import DIGITS
from cranfield.present.table import Cell, Column, Row, Table, row
from cranfield.registry import parse

AROUND = 4  # thresholds shown above and below the one in use
TIES = 8  # thresholds that are listed where they tie
AT_THRESHOLD = ("Recall", "Specificity", "Precision", "Accuracy", "F", "Informedness")
CELLS = ("TP", "FP", "FN", "TN")
_NEARLY = (
    f"nearly as good: worse by {HUNDREDTH:g} at most; by a hundredth of its value, where a measure has no upper bound"
)


def thresholds(scores: Thresholds, threshold: float, *, around: int = AROUND, digits: int = DIGITS) -> Table:
    """What the scores give at the threshold in use and at those around it."""
    shown, place = _around(scores, threshold, around)
    at = scores.at(np.array(shown))
    measures = [parse(name, "binary") for name in AT_THRESHOLD]
    values = np.array([measure.values(at) for measure in measures])
    heads = (
        Column("threshold", numeric=True),
        *(Column(name, numeric=True) for name in CELLS),
        *(Column(str(measure), numeric=True, digits=digits) for measure in measures),
    )
    lines = []
    for line, score in enumerate(shown):
        marks = "<" if line == place else ""
        counts = numbers([cell[line] for cell in at.each])
        lines.append((Cell(f"{score:.6g}", line == place, marks), *row(*counts, *map(number, values[:, line]))))
    return Table(heads, tuple(lines), title="Thresholds around the one in use", notes=("< in use",))


def _around(scores: Thresholds, threshold: float, around: int) -> tuple[list[float], int]:
    """The threshold in use among the distinct scores next to it, highest first, and its place."""
    score = scores.every.score
    place = int(np.searchsorted(-score, -threshold))
    above, rest = score[max(place - around, 0) : place].tolist(), score[place:].tolist()
    below = rest[1:] if rest and rest[0] == threshold else rest
    return [*above, threshold, *below[:around]], len(above)


def choices(chosen: Sequence[Choice], *, samples: int = 0, digits: int = DIGITS) -> Table:
    """The best threshold for each goal, those that tie with it, and how flat the best is.

    With `samples`, also where it lies when it is chosen on so many resampled sets of items.
    """
    sure = [choice.sure(samples=samples) if samples and choice.thresholds else None for choice in chosen]
    heads = (
        Column("goal"),
        Column("threshold", numeric=True),
        *[Column("resampled")] * bool(samples),
        Column("value", numeric=True, digits=digits),
        *(Column(name, numeric=True) for name in CELLS),
        Column("nearly as good"),
    )
    lines = [_chosen(choice, own, resampled=samples > 0) for choice, own in zip(chosen, sure, strict=True)]
    again = [said for choice, own in zip(chosen, sure, strict=True) for said in _resampled(choice, own)]
    notes = (*(said for choice in chosen for said in _ties(choice)), *dict.fromkeys(again), _NEARLY)
    return Table(heads, tuple(lines), title="The best threshold for each goal", notes=notes)


def _chosen(choice: Choice, sure: Sure | None, *, resampled: bool) -> Row:
    goal = str(choice.goal)
    if not choice.thresholds:
        return row(goal, "none", *[""] * resampled, *[None] * 5, "no threshold satisfies it")
    counts = numbers([cell[0] for cell in choice.cells.each])
    return (
        *row(goal, f"{choice.threshold:.6g}", *[_stretch(*sure.threshold) if sure else ""] * resampled),
        Cell(choice.value, bounds=sure.value if sure else None),
        *row(*counts, _stretch(choice.flat.low, choice.flat.high)),
    )


def _stretch(low: float, high: float) -> str:
    return f"{low:.6g} to {high:.6g}"


def _ties(choice: Choice) -> Iterator[str]:
    """Which thresholds tie, if several do."""
    if len(choice.thresholds) > 1:
        shown = ", ".join(f"{threshold:.6g}" for threshold in choice.thresholds[:TIES])
        more = f" and {len(choice.thresholds) - TIES} more" if len(choice.thresholds) > TIES else ""
        yield f"{choice.goal}: {shown}{more} tie; the highest is shown"


def _resampled(choice: Choice, sure: Sure | None) -> Iterator[str]:
    """How often items were drawn again, and how often that left no threshold."""
    if sure is None:
        return
    most, sets = f"{sure.confidence:.0%}", f"{sure.samples} resampled sets of items"
    yield f"resampled: where {most} of the thresholds lie in {sets}; below each value, where {most} of the values lie"
    if sure.without:
        yield f"{choice.goal}: in {sure.without} of {sure.samples} resamples no threshold satisfies it"


def areas(given: Classification, digits: int) -> Iterator[Table]:
    """DeLong's test between every two scorers."""
    scored = [each.predictions.system for each in given.assessed if each.thresholds is not None]
    if len(scored) < 2:
        return
    pairs = list(combinations(scored, 2))
    tests = [given.compare_areas(*pair) for pair in pairs]
    names = ("difference", "low", "high", "z", "p")
    figures = (Column(name, numeric=True, digits=digits, probability=name == "p") for name in names)
    lines = [
        row(*pair, *(number(getattr(test, name)) for name in names)) for pair, test in zip(pairs, tests, strict=True)
    ]
    notes = [
        f"{one} and {other}: {test.reason}" for (one, other), test in zip(pairs, tests, strict=True) if test.reason
    ]
    heads = (Column("scorer"), Column("other"), *figures)
    yield Table(heads, tuple(lines), title="Areas under the ROC curve compared (DeLong)", notes=tuple(notes))


def number(value: float) -> float | None:
    """The value, none if it is undefined."""
    return None if np.isnan(value) else float(value)


def numbers(counts: Sequence[float]) -> list[float]:
    """Whole numbers as such; sums of weights without the digits that adding them up leaves."""
    rounded = [float(f"{count:.6g}") for count in counts]
    return [int(count) if float(count).is_integer() else short for count, short in zip(counts, rounded, strict=True)]
