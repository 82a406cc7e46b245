"""Classifiers and scorers as tables: confusion matrix, measures with intervals, classes and groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.classification.evaluated import Evaluated
from cranfield.classification.intervals import class_intervals, interval, intervals
from cranfield.classification.result import (
    ALONE,
    AROUND,
    WORKED,
    Classification,
    apparent,
    area_tests,
    around,
    at_thresholds,
    columns_of_classes,
    measures_shown,
    of_group,
    parts,
    usual_tests,
)
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures import interpretation
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.present.missing_intervals import Bounded, method_or_dash, missing
from cranfield.present.table import CLASSES, DIGITS, UNDEFINED, Cell, Column, Row, Table, numbers, row, rows_of
from cranfield.present.values import overview, ranked
from cranfield.results.values import of_measures
from cranfield.settings import CONFIDENCE
from cranfield.statistics.areas import AREA
from cranfield.statistics.rates import IntervalEstimate
from cranfield.statistics.thresholds import FOLDS, HUNDREDTH, STANDARD, Choice, ChoiceIntervals, HeldOut
from cranfield.tables.counts import Rows
from cranfield.tables.labels import Label
from cranfield.text import amount, count, counted, listed, number, percent, probability, verb
from cranfield.text import numbers as numbers_written

# Scorers as tables: the thresholds around the one in use, the optimal one for each goal, and tests of areas


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


_SHOWN_AS = {"Recall": "TPR", "Fallout": "FPR", "Specificity": "TNR"}
_ESSENTIAL = {  # the measures that are shown first, by the kind of data
    "scores": ("AUC", "AP", "Recall", "Precision", "F", "MCC", "LogLoss", "Brier"),
    "labels": ("F", "Recall", "Precision", "MCC", "Accuracy"),
    "classes": ("Accuracy", "F", "MCC", "AUC", "LogLoss", "Brier"),
    "sets": ("F", "Recall", "Precision", "Jaccard", "SubsetAccuracy", "AUC", "AP"),
}
_BRIEF_OF_CLASSES = ("Precision", "Recall", "F", "AUC")
_BESIDE = 5  # measures in a table of 80 columns
_FEW_SYSTEMS = 3  # up to this many, their AUCs are compared in pairs
_MORE = "--all, or shown(every=True) in Python"


def answer(classification: Classification) -> str:
    """What one classifier finds and how much of it is right, or which of several is the best."""
    if len(classification.evaluated) > 1:
        return _best(classification)
    evaluated = classification.evaluated[0]
    n_items, weighted = len(evaluated.predictions), evaluated.predictions.weight is not None
    if evaluated.predictions.groups or classification.requested or not evaluated.decides or weighted:
        return _first(classification, evaluated)
    if len(evaluated.units) == 1:
        return _decided(classification, evaluated)
    if evaluated.confusion is None:
        return _first(classification, evaluated)
    right, accuracy = int(evaluated.confusion.right.sum()), interval(evaluated, parse("Accuracy", "classes"))
    recall = evaluated.per_class(parse("Recall", "binary"))
    start = f"{right:,} of {counted(n_items, 'item')} are classified correctly (accuracy {_with_bounds(accuracy)})"
    if not np.isfinite(recall).any():
        return f"{start}."
    worst = int(np.nanargmin(recall))
    return f"{start}; recall is lowest for {evaluated.units[worst]} ({number(float(recall[worst]))})."


def _decided(classification: Classification, evaluated: Evaluated) -> str:
    """Recall and precision of a binary decision, in numbers of items."""
    (label,), cells = evaluated.units, evaluated.cells
    tp, fp, fn = (float(cell[0]) for cell in cells.counts[:3])
    threshold = classification.threshold_set(evaluated)
    at = ""
    if evaluated.goal is not None:
        at = f"At thresholds chosen for {evaluated.goal} on other folds, "
    elif threshold is not None:
        at = f"At a threshold of {threshold:.6g}, "
    if not tp + fn:
        n_items = counted(len(evaluated.predictions), "item")
        return f"No item is of class {label}, and {amount(fp)} of {n_items} {verb(fp, 'is', 'are')} predicted to be."
    of_all = f"{amount(tp)} of {_items(tp + fn, label)} {verb(tp, 'is', 'are')} found"
    recall = f"{at}{of_all} (recall {number(tp / (tp + fn))})"
    if not tp + fp:
        return f"{recall}: no item is predicted {label}."
    right = f"{amount(tp)} of {amount(tp + fp)} alarms {verb(tp, 'is', 'are')} right"
    return f"{recall}, and {right} (precision {number(tp / (tp + fp))})."


def _items(n: float, label: Label) -> str:
    """A number of items of a class: `22 spam`, `3 items of class 1`."""
    return f"{amount(n)} {label}" if str(label).isalpha() else f"{count(n, 'item')} of class {label}"


def _with_bounds(bounded: IntervalEstimate) -> str:
    """A value with its interval, if it has one."""
    if np.isnan(bounded.low):
        return number(bounded.value)
    return f"{number(bounded.value)}, {_interval(bounded)}"


def _interval(bounded: IntervalEstimate) -> str:
    return f"{percent(bounded.confidence)} CI {bounded.low:.2f}–{bounded.high:.2f}"


def _first(classification: Classification, evaluated: Evaluated) -> str:
    """The value of the first essential measure."""
    measure = essential(classification)[0]
    value = classification.result[classification.systems[0], measure]
    n_items, groups_ = len(evaluated.predictions), evaluated.predictions.groups
    if np.isnan(value):
        return f"{measure} is undefined: {evaluated.why_undefined(measure)}."
    over = f"over {counted(n_items, 'item')}"
    if groups_:
        return f"{measure} is {number(value)} on average over {counted(len(groups_), 'group')} of {n_items:,} items."
    undecided = "" if evaluated.decides else "; without a threshold, nothing is decided"
    bounded = interval(evaluated, measure)
    between = "" if np.isnan(bounded.low) else f" ({_interval(bounded)})"
    return f"{measure} is {number(value)}{between} {over}{undecided}."


def _best(classification: Classification) -> str:
    """The system with the best value of the first essential measure, and whether its AUC is significantly higher."""
    result = classification.result
    measure = essential(classification)[0]
    order = ranked(result, measure).systems
    first, second = (float(result[system, measure]) for system in order[:2])
    if np.isnan(first):
        return f"{measure} is undefined for all systems."
    if np.isnan(second):
        return f"Only {order[0]} has a value of {measure}: {number(first)}."
    if first == second:
        return f"{order[0]} and {order[1]} have the same {measure}, {number(first)}."
    one, other = numbers_written(first, second)
    word = "lower" if measure.declaration.higher_is_better is False else "higher"
    if len(order) > 2:
        superlative = {"lower": "lowest", "higher": "highest"}[word]
        return f"{order[0]} has the {superlative} {measure}, {one}; {order[1]} is next with {other}."
    tests = area_tests(classification) if measure == AREA and not classification.evaluated[0].predictions.groups else {}
    test = next(iter(tests.values()), None)
    if test is None or np.isnan(test.p):
        return f"{order[0]} has a {word} {measure} than {order[1]}: {one} and {other}."
    significantly = "significantly higher" if test.p < 1 - CONFIDENCE else "higher, but not significantly higher,"
    return f"{order[0]} has a {significantly} {measure} than {order[1]}: {one} and {other} ({probability(test.p)})."


def tables(
    classification: Classification,
    *,
    rows: Rows = "actual",
    reorder: bool = False,
    goals: Sequence[str] = (),
    resamples: int = 0,
    steps: bool = False,
    thresholds: bool = False,
    every: bool = False,
    digits: int = DIGITS,
) -> Iterator[Table]:
    """The confusion matrix and the essential measures of one classifier, or several classifiers side by side.

    With `every`, each classifier in full; with `thresholds`, those around the one in use and the best for each goal.
    With `resamples`, thresholds are also chosen on that many bootstrap resamples, to show how stable they are; with
    `steps`, there is one row for every threshold.
    """
    if steps:
        yield working(classification, digits)
    several = len(classification.evaluated) > 1
    if several:
        order = ranked(classification.result, essential(classification)[0]).systems  # best first
        classification = replace(classification, evaluated=tuple(map(classification.of, order)))
        yield _systems(classification, every=every, digits=digits)
        if every or len(classification.evaluated) <= _FEW_SYSTEMS:
            yield from areas(classification, digits, every=every)
    for evaluated in classification.evaluated:
        prefix = f"{evaluated.predictions.system}: " if several else ""
        if every:
            shown = _of_answers(classification, evaluated, rows=rows, seriated=reorder, digits=digits)
            yield from (_titled(table, prefix) for table in shown)
        elif not several:
            yield from _in_brief(classification, evaluated, rows=rows, seriated=reorder, digits=digits)
        if every or thresholds or goals or resamples or evaluated.goal is not None:
            for table in _of_scores(classification, evaluated, goals=goals, resamples=resamples, digits=digits):
                yield _titled(table, prefix)


def essential(classification: Classification) -> list[Measure]:
    """The measures that were requested, or the few that say most about data of this kind."""
    if classification.requested:
        return list(classification.measures)
    first = classification.evaluated[0]
    binary, scored = first.predictions.binary, bool(first.of_each_class)
    if first.predictions.multilabel:
        names = _ESSENTIAL["sets"]
    elif binary:
        names = _ESSENTIAL["scores" if scored else "labels"]
    else:
        names = _ESSENTIAL["classes"]
    by_name = {measure.name: measure for measure in classification.measures}
    return [by_name[name] for name in names if name in by_name] or list(classification.measures)


def _systems(classification: Classification, *, every: bool, digits: int) -> Table:
    """The systems side by side, best first."""
    result, places = classification.result, [*map(classification.result.place, essential(classification))]
    shown = result if every else of_measures(result, places if classification.requested else places[:_BESIDE])
    groups_ = classification.evaluated[0].predictions.groups
    bounds = f"below the values: {percent(CONFIDENCE)} intervals"
    over = f"mean over {counted(len(groups_), 'group')}" if groups_ else bounds
    notes = (over, *(() if every else (f"matrices and all measures of each: {_MORE}",)))
    return replace(overview(shown, digits=digits), title="Systems", notes=notes)


def _in_brief(
    classification: Classification, evaluated: Evaluated, *, rows: Rows, seriated: bool, digits: int
) -> Iterator[Table]:
    """The confusion matrix, the essential measures, and the classes and groups of the only classifier."""
    measures = essential(classification)
    if evaluated.confusion is not None:
        yield matrix(evaluated.confusion, rows=rows, seriated=seriated)
    notes = tuple(_brief_notes(classification, evaluated, measures, digits))
    yield replace(_bounds_beside(evaluated, measures, digits), notes=notes)
    columns = columns_of_classes(classification, evaluated) if len(evaluated.units) > 1 else []
    columns = [measure for measure in columns if classification.requested or measure.name in _BRIEF_OF_CLASSES]
    if columns:
        yield classes(evaluated, columns, digits=digits, averages=False)
    if evaluated.predictions.groups:
        yield groups(classification, evaluated, measures[:_BESIDE], digits=digits)


def _bounds_beside(evaluated: Evaluated, measures: Sequence[Measure], digits: int) -> Table:
    """The measures with their intervals."""
    (value,) = numbers("value", digits=digits)
    bounded = [_cell(one) for one in intervals(evaluated, measures)]
    lines = [
        row(str(measure), cell.value, value.between(cell.bounds) or UNDEFINED)
        for measure, cell in zip(measures, bounded, strict=True)
    ]
    heads: tuple[Column, ...] = (Column("measure"), value, Column(f"{percent(CONFIDENCE)} CI"))
    if evaluated.goal is not None:
        heads = (*heads, *numbers("apparent", digits=digits))
        lines = [(*line, Cell(apparent(evaluated, measure))) for line, measure in zip(lines, measures, strict=True)]
    return Table(heads, tuple(lines), title="Measures")


def _brief_notes(
    classification: Classification, evaluated: Evaluated, measures: Sequence[Measure], digits: int
) -> Iterator[str]:
    """How to read the essential measures, and what else there is."""
    bounded = zip(measures, intervals(evaluated, measures), strict=True)
    yield from missing(Bounded(str(measure), "", one.low, one.method) for measure, one in bounded)
    yield from _if_calibrated(evaluated, measures, digits)
    if classification.requested and AREA in measures:
        yield from _called(evaluated)
    if classification.settings["normalise"]:
        yield from _summed(classification, evaluated)
    yield from _about(classification, evaluated)
    known = len(measures_shown(classification, evaluated, every=True)) - len(measures)
    more = [f"{counted(known, 'measure')} (--all)"] * (known > 0) + ["thresholds (--thresholds)"] * evaluated.separates
    if more:
        yield f"more: {listed(more)}; in Python, shown(every=True)"


def _of_answers(
    classification: Classification, evaluated: Evaluated, *, rows: Rows, seriated: bool, digits: int
) -> Iterator[Table]:
    if evaluated.confusion is not None:
        shown = matrix(evaluated.confusion, rows=rows, seriated=seriated)
        validated = ("decisions of cross-validation",) * (evaluated.goal is not None)
        yield replace(shown, notes=(*shown.notes, *_outcomes(evaluated), *validated))
    yield rates(classification, evaluated, digits=digits)
    columns = columns_of_classes(classification, evaluated, every=True) if len(evaluated.units) > 1 else []
    if columns:
        yield classes(evaluated, columns, digits=digits)
    if evaluated.predictions.groups:
        yield groups(classification, evaluated, classification.measures, digits=digits)


def _of_scores(
    classification: Classification, evaluated: Evaluated, *, goals: Sequence[str], resamples: int, digits: int
) -> Iterator[Table]:
    if evaluated.thresholds is None or not evaluated.separates:
        return
    if evaluated.threshold is not None:
        strict = bool(classification.settings.get("strict"))
        shown = thresholds(evaluated.thresholds, evaluated.threshold, digits=digits, strict=strict)
        chosen_here = f"< the best for {evaluated.goal} on these items, so its values are too optimistic for others"
        yield shown if evaluated.goal is None else replace(shown, notes=(chosen_here,))
    chosen = classification.choices((*goals, *STANDARD), evaluated.predictions.system)
    validated = classification.cross_validations([*chosen], evaluated.predictions.system)
    yield choices(list(chosen.values()), validated, resamples=resamples, digits=digits)


def working(classification: Classification, digits: int) -> Table:
    """TP, FP, FN, TN and the rates at every threshold, or of each class."""
    rows = classification.steps()
    names = [name for name in rows[0] if any(record[name] is not None for record in rows)]
    names = [name for name in names if name != "system" or len(classification.systems) > 1]
    heads = tuple(
        Column(_SHOWN_AS.get(name, name), name not in ("system", "class"), digits if name in WORKED else None)
        for name in names
    )
    lines = tuple(
        row(*(_whole(record[name]) if name not in WORKED else record[name] for name in names)) for record in rows
    )
    at = "above" if classification.settings.get("strict") else "at or above"
    notes = (
        "TP, FP, FN, TN: true and false positives and negatives; FP are errors of type I (false alarms), FN of type II",
        "TPR (recall) = TP / (TP + FN); FPR = FP / (FP + TN); TNR = TN / (TN + FP); precision = TP / (TP + FP)",
        *((f"scores {at} the threshold are predicted positive",) if "threshold" in names else ()),
    )
    return Table(heads, lines, title="Every threshold" if "threshold" in names else "Outcomes", notes=notes)


def _whole(value: Any) -> Any:
    return whole_counts([value])[0] if isinstance(value, float) and value.is_integer() else value


def _titled(table: Table, prefix: str) -> Table:
    return replace(table, title=prefix + (table.title if not prefix else table.title[:1].lower() + table.title[1:]))


def matrix(confusion: Confusion, *, rows: Rows = "actual", seriated: bool = False) -> Table:
    """The confusion matrix with its margins, actual classes in rows or columns; if many, the largest classes."""
    places = confusion.largest(CLASSES)
    places = places[confusion.within(places).seriated_order] if seriated else places
    shown, margins = confusion.within(places), (confusion.actual[places], confusion.predicted[places])
    counts, (beside, below) = (shown.counts, margins) if rows == "actual" else (shown.counts.T, margins[::-1])
    columns = "predicted" if rows == "actual" else "actual"
    labels = [str(label) for label in shown.labels]
    heads = (Column(f"{rows} \\ {columns}"), *numbers(*labels, "all"))
    lines = [row(label, *whole_counts([*line, all_])) for label, line, all_ in zip(labels, counts, beside, strict=True)]
    title = f"Confusion matrix ({rows} classes in rows, {columns} in columns)"
    notes = cut(len(confusion.labels), "margins include all classes")
    return Table(heads, tuple(lines), (row("all", *whole_counts([*below, confusion.total])),), title=title, notes=notes)


def _outcomes(evaluated: Evaluated) -> Iterator[str]:
    """The four cells of two classes by name."""
    if len(evaluated.units) == 1:
        cells = evaluated.cells
        tp, fp, fn, tn = whole_counts([cells.tp[0], cells.fp[0], cells.fn[0], cells.tn[0]])
        yield f"TP = {tp}, FP = {fp} (type I errors), FN = {fn} (type II errors), TN = {tn}"


def rates(classification: Classification, evaluated: Evaluated, *, digits: int = DIGITS) -> Table:
    """All measures with intervals, or why they have none."""
    measures = measures_shown(classification, evaluated, every=True)
    bounded = intervals(evaluated, measures)
    lines = [_bounded(measure, bounds) for measure, bounds in zip(measures, bounded, strict=True)]
    figures = numbers("value", "low", "high", digits=digits)
    heads = (Column("measure"), Column("title"), *figures, Column("interval"))
    if evaluated.goal is not None:
        heads = (*heads[:3], *numbers("apparent", digits=digits), *heads[3:])
        values = [Cell(apparent(evaluated, measure)) for measure in measures]
        lines = [(*line[:3], value, *line[3:]) for line, value in zip(lines, values, strict=True)]
    return Table(
        heads,
        tuple(lines),
        title="Measures",
        notes=(
            f"{percent(bounded[0].confidence)} intervals",
            *missing(Bounded(str(one), "", of_one.low, of_one.method) for one, of_one in zip(measures, bounded)),
            *_if_calibrated(evaluated, measures, digits),
            *_about(classification, evaluated),
            *_summed(classification, evaluated),
            *_called(evaluated),
            *([evaluated.accuracy_test.words] if evaluated.accuracy_test else []),
        ),
    )


def _if_calibrated(evaluated: Evaluated, measures: Sequence[Measure], digits: int) -> Iterator[str]:
    """What measures of calibration would be on these items if the probabilities were calibrated."""
    for measure, test in usual_tests(evaluated, measures).items():
        yield (
            f"{measure} of {test.value:.{digits}f}: calibrated probabilities would have {test.expected:.{digits}f} on "
            f"average ({probability(test.p)}; {test.resamples:,} samples of outcomes)"
        )


def _summed(classification: Classification, evaluated: Evaluated) -> Iterator[str]:
    """How probabilities that do not sum to 1 were handled."""
    if evaluated.class_scores is None or not evaluated.predictions.is_probability:
        return
    if classification.settings["normalise"]:
        yield "the probabilities of each item were divided by their sum"
    else:
        allowed = classification.settings["tolerance_per_class"]
        yield f"the probabilities of each item sum to 1 within {allowed:g} per class"


def _bounded(measure: Measure, bounds: IntervalEstimate) -> Row:
    method = method_or_dash(bounds.low, bounds.method)
    return row(str(measure), measure.declaration.title, bounds.value, bounds.low, bounds.high, method)


def _about(classification: Classification, evaluated: Evaluated) -> Iterator[str]:
    predictions = evaluated.predictions
    if predictions.positive is not None and predictions.binary:
        yield f"positive class: {predictions.labels[predictions.positive]}"
    if not evaluated.decides:
        yield f"scores without a threshold decide nothing: {evaluated.undecided}"
    if which := classification.positive_scores(evaluated):
        yield which
    if evaluated.goal is not None:
        yield (
            f"apparent: at {evaluated.threshold:.6g}, the best threshold for {evaluated.goal} on these same items, "
            "hence too optimistic for others"
        )
    if len(evaluated.units) > 1:
        yield "mean over items" if evaluated.average == "samples" else f"{evaluated.average} average over classes"


def _called(evaluated: Evaluated) -> Iterator[str]:
    """The usual name for an AUC of this size."""
    if evaluated.thresholds is not None and not evaluated.thresholds.one_class:
        area = float(AREA.values(evaluated.thresholds))
        labels = ", ".join(f"{label}: {least} or more" for least, label in interpretation.AREA)
        yield f"an AUC of {area:.2f} is called “{interpretation.area_label(area)}” ({labels})"


def classes(evaluated: Evaluated, measures: Sequence[Measure], *, averages: bool = True, digits: int = DIGITS) -> Table:
    """Each class against the rest with intervals (if many, the largest), and the averages over all classes."""
    places = np.sort(np.argsort(-evaluated.size, kind="stable")[:CLASSES]).tolist()
    units = [evaluated.units[place] for place in places]
    by_class = [*zip(*(class_intervals(evaluated, measure, units) for measure in measures), strict=True)]
    lines = [
        (Cell(str(label)), *map(_cell, bounded), *row(*whole_counts([size])))
        for label, bounded, size in zip(units, by_class, evaluated.size[places], strict=True)
    ]
    predictions = evaluated.predictions
    total = whole_counts([len(predictions) if predictions.weight is None else predictions.weight.sum()])
    summary = [
        row(average, *map(replace(evaluated, average=average).value, measures), *total)
        for average in evaluated.averages * averages
    ]
    undefined = _undefined(measures, units, by_class)
    heads = (Column("class"), *numbers(*map(str, measures), digits=digits), *numbers("items"))
    averaged = "averages include all; CSV and JSON list every class"
    notes = (*cut(len(evaluated.units), averaged), *undefined, *_left_out(evaluated, bool(undefined)))
    return Table(heads, tuple(lines), tuple(summary), title="Each class against the rest", notes=notes)


def cut(n_classes: int, rest: str) -> tuple[str, ...]:
    """A note if not all classes are shown."""
    return (f"the {CLASSES} largest of {n_classes:,} classes; {rest}",) if n_classes > CLASSES else ()


def _undefined(
    measures: Sequence[Measure], names: Sequence[Any], values: Sequence[Sequence[IntervalEstimate]]
) -> list[str]:
    """The measures that are undefined for some classes or groups: one line per measure and reason."""
    whose: dict[tuple[str, str], list[str]] = {}
    for name, row_values in zip(names, values, strict=True):
        for measure, bounded in zip(measures, row_values, strict=True):
            if np.isnan(bounded.value):
                whose.setdefault((str(measure), bounded.method), []).append(str(name))
    return [f"{measure} of {listed(named)} is {reason}" for (measure, reason), named in whose.items()]


def _cell(bounded: IntervalEstimate) -> Cell:
    return Cell(bounded.value, bounds=None if np.isnan(bounded.low) else (bounded.low, bounded.high))


def _left_out(evaluated: Evaluated, some: bool) -> Iterator[str]:
    """How undefined values are averaged, if there are any."""
    if some:
        yield "undefined values " + (
            "count as 0 in means" if evaluated.undefined == "zero" else "are left out of means"
        )


def groups(
    classification: Classification, evaluated: Evaluated, measures: Sequence[Measure], *, digits: int = DIGITS
) -> Table:
    """The values of each group with intervals, their mean, and the values over all items."""
    result = of_measures(classification.result, [*map(classification.result.place, measures)])
    place = classification.systems.index(evaluated.predictions.system)
    by_group = [[of_group(part, measure) for measure in result.measures] for part in parts(evaluated)]
    lines = [(Cell(name), *map(_cell, bounded)) for name, bounded in zip(result.units, by_group, strict=True)]
    undefined = _undefined(result.measures, result.units, by_group)
    mean = row("mean", *result.aggregated("mean")[place].tolist())
    whole = row("all items", *result.micro[place].tolist())
    counted = row("groups in the mean", *(len(result.counted_values(place, m)[0]) for m in range(len(result.measures))))
    summary = (mean, *[counted] * bool(undefined), whole)
    notes = (*undefined, *_left_out(evaluated, bool(undefined)))
    heads = (Column("group"), *numbers(*map(str, result.measures), digits=digits))
    return Table(heads, tuple(lines), summary, "Groups", notes=notes)
