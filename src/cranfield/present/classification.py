"""Classifiers and scorers as tables: the matrix with its margins, rates with intervals, classes and folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from cranfield.assessment.areas import AREA, BANDS, in_words
from cranfield.assessment.assessed import Assessed
from cranfield.assessment.classification import Classification, parts
from cranfield.assessment.goals import STANDARD
from cranfield.assessment.intervals import Bounded, interval
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.present.results import DIGITS, overview
from cranfield.present.table import Cell, Column, Row, Table, row
from cranfield.present.thresholds import areas, choices, number, numbers, thresholds
from cranfield.registry import Measure, parse
from cranfield.tables.labels import Label

Rows = Literal["actual", "predicted"]

RATES = (
    "Recall", "MissRate", "Specificity", "Fallout", "Precision", "FDR", "NPV", "FOR", "Accuracy", "ErrorRate",
    "Prevalence", "NoInformationRate", "BalancedAccuracy", "F", "GMeasure", "Jaccard", "MCC", "Kappa", "Informedness",
    "Markedness", "LRplus", "LRminus", "DOR",
)  # fmt: skip
OF_CLASSES = ("Precision", "Recall", "Specificity", "F", "Accuracy")


def tables(
    given: Classification,
    *,
    rows: Rows = "actual",
    seriated: bool = False,
    goals: Sequence[str] = (),
    samples: int = 0,
    digits: int = DIGITS,
) -> Iterator[Table]:
    """All there is to see: of one classifier in full, of several side by side.

    With `samples`, thresholds are chosen anew on so many resampled sets of items, to say how sure they are.
    """
    if len(given.assessed) > 1:
        groups_ = given.assessed[0].predictions.groups
        over = (f"mean over {len(groups_)} groups",) if groups_ else ()
        yield replace(overview(given.result, digits=digits), title="Systems", notes=over)
        yield from areas(given, digits)
    for assessed in given.assessed:
        prefix = f"{assessed.predictions.system}: " if len(given.assessed) > 1 else ""
        for table in _of_answers(given, assessed, rows=rows, seriated=seriated, digits=digits):
            yield _titled(table, prefix)
        for table in _of_scores(given, assessed, goals=goals, samples=samples, digits=digits):
            yield _titled(table, prefix)


def _of_answers(
    given: Classification, assessed: Assessed, *, rows: Rows, seriated: bool, digits: int
) -> Iterator[Table]:
    if assessed.confusion is not None:
        yield matrix(assessed.confusion.seriated if seriated else assessed.confusion, rows=rows)
    yield rates(given, assessed, digits=digits)
    if len(assessed.units) > 1:
        yield classes(given, assessed, digits=digits)
    if assessed.predictions.groups:
        yield groups(given, assessed, digits=digits)


def _of_scores(
    given: Classification, assessed: Assessed, *, goals: Sequence[str], samples: int, digits: int
) -> Iterator[Table]:
    if assessed.thresholds is None:
        return
    if assessed.threshold is not None:
        yield thresholds(assessed.thresholds, assessed.threshold, digits=digits)
    chosen = given.choices((*goals, *STANDARD), assessed.predictions.system)
    yield choices(list(chosen.values()), samples=samples, digits=digits)


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
    lines = [row(label, *numbers([*line, line.sum()])) for label, line in zip(labels, counts, strict=True)]
    total = counts.sum(axis=0)
    title = f"Confusion matrix, {rows} classes in rows and {columns} ones in columns"
    return Table(heads, tuple(lines), (row("all", *numbers([*total, total.sum()])),), title=title)


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
    return row(str(measure), measure.family.title, *map(number, (each.value, each.low, each.high)), each.method)


def _about(assessed: Assessed) -> Iterator[str]:
    given = assessed.predictions
    if given.positive is not None and given.binary:
        yield f"positive: {given.labels[given.positive]}"
    if assessed.probabilities is None and assessed.threshold is not None:
        yield f"answers are yes from the score {assessed.threshold:.6g} on"
    if len(assessed.units) > 1:
        yield f"averaged over classes: {assessed.average}"
    if assessed.thresholds is not None and not assessed.thresholds.one_class:
        area = float(AREA.values(assessed.thresholds))
        bands = ", ".join(f"from {least} on {word}" for least, word in BANDS)
        yield f"an AUC of {area:.2f} is called “{in_words(area)}” ({bands})"


def classes(given: Classification, assessed: Assessed, *, digits: int = DIGITS) -> Table:
    """Each class against the rest, shares with their intervals, and the averages over classes."""
    wanted = [parse(name, "binary") for name in (*OF_CLASSES, *("AUC",) * bool(assessed.of_each_class))]
    found = [[_of_class(given, assessed, measure, label) for measure in wanted] for label in assessed.units]
    lines = [
        (Cell(str(label)), *map(_cell, own), *row(*numbers([size])))
        for label, own, size in zip(assessed.units, found, assessed.size, strict=True)
    ]
    total = numbers([assessed.cells.total[0]])
    summary = [
        row(average, *(number(replace(assessed, average=average).value(m)) for m in wanted), *total)
        for average in ("macro", "micro", "weighted")
    ]
    undefined = [
        f"{measure} of {label} is {each.method}"
        for label, own in zip(assessed.units, found, strict=True)
        for measure, each in zip(wanted, own, strict=True)
        if np.isnan(each.value)
    ]
    heads = (Column("class"), *_measured(wanted, digits), Column("items", numeric=True))
    notes = (*undefined, *_left_out(assessed, bool(undefined)))
    return Table(heads, tuple(lines), tuple(summary), title="Each class against the rest", notes=notes)


def _of_class(given: Classification, assessed: Assessed, measure: Measure, label: Label) -> Bounded:
    """The value for a class; of a share, with its interval."""
    if measure.family.parts is not None:
        return given.interval(measure, assessed.predictions.system, label=label)
    alone = assessed.alone(label)
    return _unbounded(alone, measure, alone.value(measure))


def _unbounded(assessed: Assessed, measure: Measure, value: float) -> Bounded:
    method = f"undefined: {assessed.why_undefined(measure)}" if np.isnan(value) else ""
    return Bounded(value, np.nan, np.nan, np.nan, method)


def _measured(measures: Sequence[Measure], digits: int) -> tuple[Column, ...]:
    return tuple(Column(str(measure), numeric=True, digits=digits) for measure in measures)


def _cell(each: Bounded) -> Cell:
    return Cell(number(each.value), bounds=None if np.isnan(each.low) else (each.low, each.high))


def _left_out(assessed: Assessed, some: bool) -> Iterator[str]:
    """What becomes of values that are undefined, if some are."""
    if some:
        yield "undefined values " + ("count as 0 in means" if assessed.undefined == "zero" else "are left out of means")


def groups(given: Classification, assessed: Assessed, *, digits: int = DIGITS) -> Table:
    """The values of each group, shares with their intervals, their mean, and those of all items together."""
    result, place = given.result, given.systems.index(assessed.predictions.system)
    found = [[_of_group(part, measure) for measure in result.measures] for part in parts(assessed)]
    lines = [(Cell(name), *map(_cell, own)) for name, own in zip(result.queries, found, strict=True)]
    undefined = [
        f"{measure} of {name} is {each.method}"
        for name, own in zip(result.queries, found, strict=True)
        for measure, each in zip(result.measures, own, strict=True)
        if np.isnan(each.value)
    ]
    mean = row("mean", *map(number, result.aggregated("mean")[place]))
    whole = row("all items", *map(number, result.micro[place]))
    counted = row("groups in the mean", *(len(result.counted_values(place, m)[0]) for m in range(len(result.measures))))
    summary = (mean, *[counted] * bool(undefined), whole)
    notes = (*undefined, *_left_out(assessed, bool(undefined)))
    return Table((Column("group"), *_measured(result.measures, digits)), tuple(lines), summary, "Groups", notes=notes)


def _of_group(part: Assessed, measure: Measure) -> Bounded:
    """The value for a group; of a share that is not averaged over classes, with its interval."""
    if measure.family.parts is not None and (len(part.units) == 1 or measure.family.evidence is not Cells):
        return interval(part, measure)
    return _unbounded(part, measure, part.value(measure))
