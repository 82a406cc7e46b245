"""Classifiers and scorers as tables: the matrix with its margins, rates with intervals, thresholds, classes, folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from cranfield.assessment.areas import BANDS, in_words
from cranfield.assessment.assessed import Assessed
from cranfield.assessment.choices import Choice
from cranfield.assessment.classification import Classification
from cranfield.assessment.goals import STANDARD
from cranfield.assessment.intervals import Bounded
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import Floats, Thresholds
from cranfield.present.results import DIGITS, overview
from cranfield.present.table import Cell, Column, Row, Table, row
from cranfield.registry import Measure, parse
from cranfield.tables.labels import Label

Rows = Literal["actual", "predicted"]

AROUND = 4  # thresholds shown above and below the one in use
RATES = (
    "Recall", "MissRate", "Specificity", "Fallout", "Precision", "FDR", "NPV", "FOR", "Accuracy", "ErrorRate",
    "Prevalence", "NoInformationRate", "BalancedAccuracy", "F", "GMeasure", "Jaccard", "MCC", "Kappa", "Informedness",
    "Markedness", "LRplus", "LRminus", "DOR",
)  # fmt: skip
AT_THRESHOLD = ("Recall", "Specificity", "Precision", "Accuracy", "F", "Informedness")
OF_CLASSES = ("Precision", "Recall", "Specificity", "F", "Accuracy")
BOUNDED = ("Precision", "Recall")  # whose intervals are shown for each class


def tables(
    given: Classification,
    *,
    rows: Rows = "actual",
    seriated: bool = False,
    goals: Sequence[str] = (),
    digits: int = DIGITS,
) -> Iterator[Table]:
    """All there is to see: of one classifier in full, of several side by side."""
    if len(given.assessed) > 1:
        groups_ = given.assessed[0].predictions.groups
        over = (f"mean over {len(groups_)} groups",) if groups_ else ()
        yield replace(overview(given.result, digits=digits), title="Systems", notes=over)
        yield from areas(given, digits)
    for assessed in given.assessed:
        yield from _of_one(given, assessed, rows=rows, seriated=seriated, goals=goals, digits=digits)


def _of_one(
    given: Classification, assessed: Assessed, *, rows: Rows, seriated: bool, goals: Sequence[str], digits: int
) -> Iterator[Table]:
    name = assessed.predictions.system
    prefix = f"{name}: " if len(given.assessed) > 1 else ""
    if assessed.confusion is not None:
        shown = assessed.confusion.seriated if seriated else assessed.confusion
        yield _titled(matrix(shown, rows=rows), prefix)
    yield _titled(rates(given, assessed, digits=digits), prefix)
    if len(assessed.units) > 1:
        yield _titled(classes(given, assessed, digits=digits), prefix)
    if assessed.predictions.groups:
        yield _titled(groups(given, name, digits=digits), prefix)
    if assessed.thresholds is not None:
        threshold = assessed.threshold
        if threshold is not None:
            yield _titled(thresholds(assessed.thresholds, threshold, digits=digits), prefix)
        chosen = given.choices((*goals, *STANDARD), name)
        yield _titled(choices(list(chosen.values()), digits=digits), prefix)


def _titled(table: Table, prefix: str) -> Table:
    return replace(table, title=prefix + (table.title if not prefix else table.title[:1].lower() + table.title[1:]))


def matrix(confusion: Confusion, *, rows: Rows = "actual") -> Table:
    """The confusion matrix with its margins, the actual classes in rows or in columns."""
    counts = confusion.counts if rows == "actual" else confusion.counts.T
    columns = "predicted" if rows == "actual" else "actual"
    labels = [str(label) for label in confusion.labels]
    heads = (
        Column(f"{rows} \\ {columns}"),
        *(Column(label, numeric=True) for label in labels),
        Column("all", numeric=True),
    )
    lines = [row(label, *_numbers([*line, line.sum()])) for label, line in zip(labels, counts, strict=True)]
    total = counts.sum(axis=0)
    title = f"Confusion matrix, {rows} classes in rows and {columns} ones in columns"
    return Table(heads, tuple(lines), (row("all", *_numbers([*total, total.sum()])),), title=title)


def rates(given: Classification, assessed: Assessed, *, digits: int = DIGITS) -> Table:
    """Every measure with its interval; undefined ones say why."""
    wanted = [*(parse(name, "binary") for name in RATES if len(assessed.units) == 1), *given.measures]
    found = [given.interval(measure, assessed.predictions.system) for measure in dict.fromkeys(wanted)]
    lines = [_bounded(measure, each) for measure, each in zip(dict.fromkeys(wanted), found, strict=True)]
    number = [Column(name, numeric=True, digits=digits) for name in ("value", "low", "high")]
    return Table(
        (Column("measure"), Column("title"), *number, Column("interval")),
        tuple(lines),
        title="Measures",
        notes=(f"{found[0].confidence:.0%} intervals", *_about(assessed)),
    )


def _bounded(measure: Measure, each: Bounded) -> Row:
    return row(str(measure), measure.family.title, *map(_number, (each.value, each.low, each.high)), each.method)


def _about(assessed: Assessed) -> Iterator[str]:
    given = assessed.predictions
    if given.positive is not None and given.binary:
        yield f"positive: {given.labels[given.positive]}"
    if assessed.probabilities is None and assessed.threshold is not None:
        yield f"answers are yes from the score {assessed.threshold:.6g} on"
    if len(assessed.units) > 1:
        yield f"averaged over classes: {assessed.average}"
    if assessed.thresholds is not None and not assessed.thresholds.one_class:
        area = float(parse("AUC", "binary").values(assessed.thresholds))
        yield f"an AUC of {area:.2f} is {in_words(area)}: {', '.join(f'{least} {word}' for least, word in BANDS)}"


def classes(given: Classification, assessed: Assessed, *, digits: int = DIGITS) -> Table:
    """Each class against the rest, precision and recall with their intervals, and the averages over classes."""
    wanted = [parse(name, "binary") for name in (*OF_CLASSES, *("AUC",) * bool(assessed.of_each_class))]
    values = np.array([assessed.per_class(measure) for measure in wanted])
    heads = [Column("class")]
    for measure in wanted:
        heads += [Column(str(measure), numeric=True, digits=digits), *[Column("95%")] * (measure.name in BOUNDED)]
    lines = [
        row(str(label), *_with_bounds(given, assessed, wanted, values[:, place], label), *_numbers([size]))
        for place, (label, size) in enumerate(zip(assessed.units, assessed.size, strict=True))
    ]
    total = _numbers([assessed.size.sum()])
    summary = [
        row(average, *_beside(wanted, [replace(assessed, average=average).value(m) for m in wanted]), *total)
        for average in ("macro", "micro", "weighted")
    ]
    undefined = [
        f"{measure} of {assessed.units[place]} is undefined: {measure.family.undefined}"
        for m, measure in enumerate(wanted)
        for place in np.flatnonzero(np.isnan(values[m]))
    ]
    return Table(
        (*heads, Column("items", numeric=True)),
        tuple(lines),
        tuple(summary),
        title="Each class against the rest",
        notes=tuple(undefined),
    )


def _with_bounds(
    given: Classification, assessed: Assessed, wanted: Sequence[Measure], values: Floats, label: Label
) -> Iterator[str | float | None]:
    """The values of a class, some of them followed by their bounds."""
    for measure, value in zip(wanted, values, strict=True):
        yield _number(value)
        if measure.name in BOUNDED:
            found = given.interval(measure, assessed.predictions.system, label=label)
            yield "" if np.isnan(found.low) else f"{found.low:.2f}–{found.high:.2f}"


def _beside(wanted: Sequence[Measure], values: Sequence[float]) -> Iterator[str | float | None]:
    """Values without bounds, aligned with those that have some."""
    for measure, value in zip(wanted, values, strict=True):
        yield _number(value)
        if measure.name in BOUNDED:
            yield ""


def groups(given: Classification, system: str, *, digits: int = DIGITS) -> Table:
    """The values of each group, their mean, and those of all items together."""
    result = given.result
    place = result.systems.index(system)
    heads = (Column("group"), *(Column(str(m), numeric=True, digits=digits) for m in result.measures))
    lines = [row(name, *map(_number, result.values[place, :, q])) for q, name in enumerate(result.queries)]
    mean = row("mean", *map(_number, result.aggregated("mean")[place]))
    return Table(heads, tuple(lines), (mean, row("all items", *map(_number, result.micro[place]))), title="Groups")


def thresholds(scores: Thresholds, threshold: float, *, around: int = AROUND, digits: int = DIGITS) -> Table:
    """What the scores give at the threshold in use and at those around it."""
    shown, place = _around(scores, threshold, around)
    at = scores.at(np.array(shown))
    measures = [parse(name, "binary") for name in AT_THRESHOLD]
    values = np.array([measure.values(at) for measure in measures])
    heads = (
        Column("threshold", numeric=True),
        *(Column(name, numeric=True) for name in ("TP", "FP", "FN", "TN")),
        *(Column(str(measure), numeric=True, digits=digits) for measure in measures),
    )
    lines = []
    for line, score in enumerate(shown):
        marks = "<" if line == place else ""
        counts = _numbers([cell[line] for cell in at.each])
        lines.append((Cell(f"{score:.6g}", line == place, marks), *row(*counts, *map(_number, values[:, line]))))
    return Table(heads, tuple(lines), title="Thresholds around the one in use", notes=("< in use",))


def _around(scores: Thresholds, threshold: float, around: int) -> tuple[list[float], int]:
    """The threshold in use among the distinct scores next to it, highest first, and its place."""
    score = scores.every.score
    place = int(np.searchsorted(-score, -threshold))
    above, rest = score[max(place - around, 0) : place].tolist(), score[place:].tolist()
    below = rest[1:] if rest and rest[0] == threshold else rest
    return [*above, threshold, *below[:around]], len(above)


def choices(chosen: Sequence[Choice], *, digits: int = DIGITS) -> Table:
    """The best threshold for each goal, those that tie with it, and how flat the best is."""
    heads = (
        Column("goal"),
        Column("threshold", numeric=True),
        Column("value", numeric=True, digits=digits),
        *(Column(name, numeric=True) for name in ("TP", "FP", "FN", "TN")),
        Column("within 0.01"),
    )
    notes = [
        f"{choice.goal}: {', '.join(f'{threshold:.6g}' for threshold in choice.thresholds)} tie; the highest is shown"
        for choice in chosen
        if len(choice.thresholds) > 1
    ]
    lines = tuple(_chosen(choice) for choice in chosen)
    return Table(heads, lines, title="The best threshold for each goal", notes=tuple(notes))


def _chosen(choice: Choice) -> Row:
    if not choice.thresholds:
        return row(str(choice.goal), "none", None, None, None, None, None, "no threshold satisfies it")
    flat = f"{choice.flat.low:.6g} to {choice.flat.high:.6g}"
    counts = _numbers([cell[0] for cell in choice.cells.each])
    return row(str(choice.goal), f"{choice.threshold:.6g}", choice.value, *counts, flat)


def areas(given: Classification, digits: int) -> Iterator[Table]:
    """DeLong's test between every two scorers."""
    scored = [each.predictions.system for each in given.assessed if each.thresholds is not None]
    if len(scored) < 2:
        return
    names = ("difference", "low", "high", "z", "p")
    lines = []
    for place, first in enumerate(scored):
        for second in scored[place + 1 :]:
            test = given.compare_areas(first, second)
            lines.append(row(first, second, *map(_number, (test.difference, test.low, test.high, test.z, test.p))))
    heads = (Column("scorer"), Column("other"), *(Column(name, numeric=True, digits=digits) for name in names))
    yield Table(heads, tuple(lines), title="Areas under the ROC curve compared (DeLong)")


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _numbers(counts: Sequence[float]) -> list[float]:
    """Whole numbers as such; sums of weights without the digits that adding them up leaves."""
    rounded = [float(f"{count:.6g}") for count in counts]
    return [int(count) if float(count).is_integer() else short for count, short in zip(counts, rounded, strict=True)]
