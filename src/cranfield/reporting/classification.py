"""The report on classification: predicted labels, scores or probabilities against actual labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.classification.evaluated import Evaluated
from cranfield.classification.result import Classification, columns_of_classes
from cranfield.classification.tables import CELLS, CHOSEN, areas, classes
from cranfield.comparison.result import Comparison
from cranfield.comparison.tables import SIGNIFICANT, leaderboard
from cranfield.errors import BadInput
from cranfield.examination.evidence import findings_in
from cranfield.present.table import DIGITS, Cell, Column, Row, Table, numbers, visible
from cranfield.present.values import by_query
from cranfield.reporting.board import ahead_of, best_system
from cranfield.reporting.content import SYSTEMS, Content, Download, Passage, embedded, main_files
from cranfield.reporting.figures import SEVERAL, classification_figures
from cranfield.reporting.methods import measures_passage
from cranfield.reporting.page import Report
from cranfield.results.intervals import Intervals
from cranfield.results.verb_result import plain
from cranfield.settings import CONFIDENCE
from cranfield.statistics.effects import title
from cranfield.statistics.item_resampling import ONE_BY_ONE
from cranfield.statistics.thresholds import FOLDS
from cranfield.tables.numbers import short_number
from cranfield.text import count, counted, listed, percent, probability

# The tables of a report on classification: correct predictions, AUC, classes, groups and thresholds


def tables(classification: Classification, compared: Comparison | None) -> Iterator[Table]:
    """The tables that are not empty."""
    if compared is not None:
        yield _correct(compared)
    yield from areas(replace(classification, evaluated=classification.evaluated[:SEVERAL]), DIGITS)
    for evaluated in classification.evaluated[:SEVERAL] if len(classification.evaluated[0].units) > 1 else ():
        prefix = f"{evaluated.predictions.system}: " if len(classification.systems) > 1 else ""
        if columns := columns_of_classes(classification, evaluated):
            table = classes(evaluated, columns)
            yield replace(table, title=f"{prefix}{table.title}")
    if classification.evaluated[0].predictions.groups:
        groups = by_query(classification.result)
        yield Table((Column("group"), *groups.columns[1:]), groups.rows, title="By group")
    if rows := [row for system in classification.systems for row in _choices(classification, system)]:
        yield _table_thresholds(rows)


def _table_thresholds(rows: list[Row]) -> Table:
    figures = numbers("threshold", "cross-validated", "apparent", digits=4)
    columns = (Column("system"), Column("goal"), *figures, *numbers(*CELLS))
    return Table(columns, tuple(rows), title="Best threshold by goal on these items", notes=(CHOSEN,))


def _correct(compared: Comparison) -> Table:
    """One row per pair: the items that only one of the two predicts correctly, with McNemar's test."""
    columns = (
        *map(Column, ("system", "other")),
        *numbers("only system", "only other", digits=0),
        *numbers("difference", "low", "high", digits=DIGITS),
        *numbers("p", "adjusted p", digits=DIGITS, probability=True),
    )
    rows = [
        (
            *(Cell(name) for name in (row.system, row.baseline)),
            *map(Cell, (row.wins, row.losses)),
            *map(Cell, (row.difference, row.low, row.high, row.p)),
            Cell(row.adjusted_p, marks=SIGNIFICANT if row.significant else ""),
        )
        for row in compared.rows
    ]
    note = (
        "items that only one of the two predicts correctly, the difference in accuracy with its confidence interval, "
        f"and McNemar's exact test; {SIGNIFICANT} significant: p-value, adjusted by "
        f"{title(compared.correction)} over {count(len(compared), 'comparison')}, below {compared.level:g}"
    )
    notes = (note, f"low, high: {compared.bounds}")
    return Table(columns, tuple(rows), title="Correct predictions compared (McNemar)", notes=notes)


def _choices(classification: Classification, system: str) -> Iterator[Row]:
    if not classification.of(system).separates:
        return
    validated = classification.cross_validations(system=system)
    for goal, choice in classification.choices(system=system).items():
        if choice.thresholds:
            whole = [short_number(float(cell[0])) for cell in choice.cells.counts]
            at = choice.threshold if np.isfinite(choice.threshold) else "above every score"
            value = None if validated[goal].reason else validated[goal].value
            yield tuple(map(Cell, (system, goal, at, value, choice.value, *whole)))


# The data of the interactive table of items: actual and predicted labels, and scores


MOST = 5_000  # maximum number of items in a page
SCORE_DIGITS = 6  # significant digits of a score


def items_data(classification: Classification, names: Sequence[Any] | None = None) -> dict[str, Any] | None:
    """Compact data for JSON, limited to the most informative items if there are too many; None without predictions.

    Items without names are named by row number.
    """
    if not all(evaluated.decides for evaluated in classification.evaluated):
        return None
    if classification.evaluated[0].predictions.count is not None:
        if len(classification.evaluated[0].predictions) > ONE_BY_ONE:
            return None
        classification = replace(classification, evaluated=tuple(map(_each_item, classification.evaluated)))
    n_items = len(classification.evaluated[0].predictions)
    predicted = [_predicted(evaluated) for evaluated in classification.evaluated]
    correct = [
        _items_correct(evaluated, labels) for evaluated, labels in zip(classification.evaluated, predicted, strict=True)
    ]
    listed = _chosen_items(classification.evaluated, correct)
    answers: dict[tuple[int, ...], int] = {}
    return {
        "systems": [*map(visible, classification.systems)],
        "classes": [visible(str(label)) for label in classification.evaluated[0].labels],
        "positive": classification.evaluated[0].predictions.positive,
        "items": [str(place + 1) if names is None else visible(str(names[place])) for place in listed.tolist()],
        "actual": [*_places(classification.evaluated[0].predictions.actual[listed], answers)],
        "predicted": [[*_places(labels[listed], answers)] for labels in predicted],
        "score": [_scores(evaluated, listed) for evaluated in classification.evaluated],
        "threshold": [None if one.thresholds is None else plain(one.threshold) for one in classification.evaluated],
        "wrong": [int((~mask).sum()) for mask in correct],
        "total": n_items,
        "answers": [list(answer) for answer in answers],
    }


def _each_item(evaluated: Evaluated) -> Evaluated:
    return replace(evaluated, predictions=evaluated.predictions.each_item, cut=evaluated.threshold)


def _predicted(evaluated: Evaluated) -> NDArray[Any]:
    """The predicted class, -1 for an unspecified negative class; for multilabel data, an indicator matrix."""
    predictions = evaluated.predictions
    if predictions.predicted is not None:
        return predictions.predicted
    if evaluated.class_scores is not None:
        return evaluated.class_scores.predicted
    positive = np.asarray(predictions.score) >= evaluated.threshold
    if predictions.multilabel:
        return positive
    other = 1 - int(predictions.positive or 0) if len(predictions.labels) == 2 else -1
    return np.where(positive, int(predictions.positive or 0), other)


def _items_correct(evaluated: Evaluated, predicted: NDArray[Any]) -> Mask:
    predictions = evaluated.predictions
    if predictions.multilabel:
        return np.asarray((predictions.actual.astype(np.bool_) == predicted.astype(np.bool_)).all(axis=1))
    if (predicted == -1).any():
        return np.asarray((predictions.actual == predictions.positive) == (predicted == predictions.positive))
    return np.asarray(predictions.actual == predicted)


def _chosen_items(evaluated: Sequence[Evaluated], correct: Sequence[Mask]) -> Ints:
    """All items or, if too many, the most confident errors, items on which systems differ, and a systematic sample."""
    n_items = len(correct[0])
    if n_items <= MOST:
        return np.arange(n_items)
    n_errors = MOST // (2 * len(evaluated))
    errors = [_confident_errors(one, mask)[:n_errors] for one, mask in zip(evaluated, correct, strict=True)]
    different = np.flatnonzero(np.ptp(np.array(correct, np.int8), axis=0))[: MOST // 4]
    chosen = np.unique(np.concatenate([*errors, different]))
    rest = np.setdiff1d(np.arange(n_items), chosen)
    sample = rest[np.linspace(0, len(rest) - 1, min(len(rest), MOST - len(chosen)), dtype=np.int64)]
    return np.sort(np.concatenate([chosen, sample]))


def _confident_errors(evaluated: Evaluated, correct: Mask) -> Ints:
    """The incorrect predictions, the most confident first."""
    wrong = np.flatnonzero(~correct)
    score = _score(evaluated)
    if score is None:
        return wrong
    confidence = score if evaluated.thresholds is None else np.abs(score - float(evaluated.threshold or 0))
    return np.asarray(wrong[np.argsort(-confidence[wrong], kind="stable")])


def _score(evaluated: Evaluated) -> Floats | None:
    """The score of each item, or the highest score of a class."""
    if evaluated.class_scores is not None:
        return np.asarray(evaluated.class_scores.score.max(axis=1))
    return evaluated.predictions.score if evaluated.thresholds is not None else None


def _scores(evaluated: Evaluated, listed: Ints) -> list[float | None] | None:
    score = _score(evaluated)
    return None if score is None else [plain(float(f"{value:.{SCORE_DIGITS}g}")) for value in score[listed].tolist()]


def _places(codes: NDArray[Any], answers: dict[tuple[int, ...], int]) -> Iterator[int]:
    """The index of each item's classes in the list of answers; new ones are added."""
    for code in codes:
        classes = tuple(map(int, np.flatnonzero(code))) if codes.ndim == 2 else (int(code),)
        yield answers.setdefault(classes, len(answers))


def classification_page(
    classification: Classification, compared: Comparison | None, *, title: str = "", items: Sequence[Any] | None = None
) -> Report:
    """The page on classifiers or scorers, with their comparison if there is one."""
    intervals = classification.result.intervals()
    n_items, n_systems = len(classification.evaluated[0].predictions), len(classification.systems)
    counted = f"{count(n_systems, 'system')}, {count(n_items, 'item')}"
    board = leaderboard(classification.result)
    content = Content(
        title=title or f"{', '.join(classification.systems[:3])}{' and more' if n_systems > 3 else ''}: classification",
        subtitle=f"{counted}, {len(classification.evaluated[0].labels)} classes",
        lead=(*_lead(classification, intervals), *_significance(compared)),
        findings=findings_in(classification),
        board=replace(
            board,
            notes=(f"over {count(n_items, 'item')}; below each value its {percent(CONFIDENCE)} confidence interval",),
        ),
        tables=tuple(tables(classification, compared)),
        figures=tuple(classification_figures(classification)),
        explorer=items_data(classification, items),
        explored="items",
        passages=(
            _counting(classification),
            measures_passage(classification.measures),
            _uncertainty(intervals, compared, classification.settings["goal"]),
        ),
        cited=tuple(measure.declaration.cite for measure in classification.measures),
        provenance=classification.result.provenance,
        files=tuple(_files(classification, board)),
    )
    return Report(content)


def _significance(compared: Comparison | None) -> Iterator[str]:
    """Whether two classifiers differ significantly in correct predictions, or which the best of several exceeds."""
    if compared is None:
        return
    if len(compared.rows) > 1:
        lead: dict[str, float] = {}
        for row in compared.rows:
            for system, difference in ((row.system, row.difference), (row.baseline, -row.difference)):
                lead[system] = lead.get(system, 0) + difference
        best = max(lead, key=lead.__getitem__)
        yield (
            f"In correct predictions, {ahead_of(best, compared.rows)} "
            f"(McNemar's test, adjusted by {title(compared.correction)}, level {compared.level:g})."
        )
        return
    (row,) = compared.rows
    verdict = "a significant difference" if row.significant else "not a significant difference"
    yield (
        f"{counted(row.wins, 'item')} {'is' if row.wins == 1 else 'are'} predicted correctly by {row.system} only and "
        f"{row.losses:,} by {row.baseline} only, {verdict} (McNemar's test, {probability(row.p)})."
    )


def _uncertainty(intervals: Intervals, compared: Comparison | None, goal: str | None) -> Passage:
    """The methods for confidence intervals and comparisons."""
    methods: dict[str, list[str]] = {}
    for measure, method in zip(intervals.measures, intervals.method[0], strict=True):
        methods.setdefault(method, []).append(measure)
    by_method = "; ".join(f"{method} for {', '.join(names)}" for method, names in methods.items())
    paragraphs = [f"Intervals are {percent(CONFIDENCE)} confidence intervals over similar items: {by_method}."]
    if len(intervals.systems) > 1 and goal:
        paragraphs.append(
            f"Thresholds were chosen for {goal} on these items, so decisions are not compared; AUCs are, by DeLong."
        )
    if compared is not None:
        paragraphs.append(
            f"Correct predictions were compared by {compared.test.title} (exact), with p-values adjusted by "
            f"{title(compared.correction)} over {count(len(compared), 'comparison')}, at level "
            f"{compared.level:g}; AUCs by DeLong's test, without correction."
        )
    return Passage("Uncertainty", tuple(paragraphs))


def _lead(classification: Classification, intervals: Intervals) -> Iterator[str]:
    """The best system by the first measure, and its threshold."""
    measure = classification.measures[0]
    values = [evaluated.value(measure) for evaluated in classification.evaluated]
    sign = -1 if measure.declaration.higher_is_better is False else 1
    best = int(np.nanargmax(sign * np.array(values))) if not np.isnan(values).all() else 0
    low, high = intervals.low[best, 0], intervals.high[best, 0]
    interval = "" if np.isnan(low) else f"{percent(CONFIDENCE)} CI {low:.4f} to {high:.4f}"
    yield best_system(classification.systems[best], measure, f"{values[best]:.4f}", interval, len(values))
    evaluated = classification.evaluated[best]
    if evaluated.thresholds is not None and evaluated.threshold is not None:
        at = "above every score" if evaluated.threshold == np.inf else f"{evaluated.threshold:.6g}"
        if evaluated.goal is None:
            yield f"Its predictions use the threshold {at}."
        else:
            yield (
                f"On these items the threshold {at} is the best for {evaluated.goal}; the values are those of "
                "cross-validation."
            )


def _counting(classification: Classification) -> Passage:
    first = classification.evaluated[0]
    classes = ", ".join(map(str, first.labels[:12])) + (" …" if len(first.labels) > 12 else "")
    averaged = (
        f" Values are averaged over classes ({classification.settings['average']})." if len(first.units) > 1 else ""
    )
    positive = first.predictions.positive
    which = "" if positive is None else f" The positive class is {first.labels[positive]}."
    sentence = f"{count(len(first.predictions), 'item')} of the classes {classes}.{which}{averaged}"
    return Passage("Evaluation", (sentence, *_thresholds(classification)))


def _thresholds(classification: Classification) -> Iterator[str]:
    """How thresholds were chosen, and the consequences."""
    scored = [evaluated for evaluated in classification.evaluated if evaluated.thresholds is not None]
    if not scored:
        return
    chosen = [evaluated.predictions.system for evaluated in scored if evaluated.goal is not None]
    if chosen:
        yield (
            f"The threshold of {listed(chosen)} was chosen on the evaluation items, as the best for "
            f"{classification.settings['goal']}. Values at that threshold would be too optimistic, so the decisions "
            f"are those of {FOLDS}-fold cross-validation: each item is decided at the best threshold of the other "
            "folds."
        )
    elif not all(evaluated.decides for evaluated in scored):
        yield "Without a threshold, scores decide nothing: only measures that need no threshold are shown."
    elif classification.settings["threshold"] is not None:
        which = classification.positive_scores(scored[0])
        yield f"{which[:1].upper()}{which[1:]}; this threshold was set in advance."


def _files(classification: Classification, board: Table) -> Iterator[Download]:
    result = classification.result
    yield from main_files(*SYSTEMS, result.to_csv(), result.to_json(per_query=True), board)
    if len(classification.evaluated[0].units) > 1 and classification.classes.measures:
        yield embedded("classes.csv", "values of all measures by class", classification.classes.to_csv(per_query=True))


def together(named: Mapping[str, Classification]) -> Classification:
    """Separate classifications of the same items combined into one."""
    (first_name, first), *rest = named.items()
    for name, other in rest:
        _require_same_items(first_name, first.evaluated[0], name, other.evaluated[0])
    evaluated = tuple(
        replace(one, predictions=replace(one.predictions, system=_system(name, one, classification, alone=not rest)))
        for name, classification in named.items()
        for one in classification.evaluated
    )
    origins = tuple(origin for classification in named.values() for origin in classification.origins)
    return replace(first, evaluated=evaluated, origins=origins)


def _system(name: str, evaluated: Evaluated, classification: Classification, *, alone: bool) -> str:
    """The name of a system: its file, with its column if the file has several."""
    if len(classification.evaluated) == 1:
        return name
    return evaluated.predictions.system if alone else f"{name}: {evaluated.predictions.system}"


def _require_same_items(first_name: str, first: Evaluated, name: str, other: Evaluated) -> None:
    if any(one.predictions.count is not None for one in (first, other)):
        raise BadInput(
            f"the items of {first_name} or {name} are counted, without their order, so they cannot be matched; put all "
            "predictions into one table, with one column per system"
        )
    if len(other.predictions) != len(first.predictions):
        raise BadInput(f"{first_name} has {len(first.predictions)} items and {name} has {len(other.predictions)}")
    if other.labels != first.labels or not np.array_equal(other.predictions.actual, first.predictions.actual):
        raise BadInput(
            f"{first_name} and {name} have different actual labels; they must contain the same items in the same order"
        )
