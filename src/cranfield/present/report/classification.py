"""The report on classification: predicted labels, scores or probabilities against actual labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.classification.evaluated import Evaluated
from cranfield.classification.result import Classification
from cranfield.comparison.result import Comparison
from cranfield.comparison.tables import leaderboard
from cranfield.errors import BadInput
from cranfield.findings.examine import findings_in
from cranfield.inference.corrections import title
from cranfield.inference.held_out import FOLDS
from cranfield.measures.settings import CONFIDENCE
from cranfield.present.report.classification_tables import tables
from cranfield.present.report.content import SYSTEMS, Content, Download, Passage, embedded, main_files
from cranfield.present.report.figures import classification_figures
from cranfield.present.report.items import items as explorer
from cranfield.present.report.lead import ahead_of, best_system
from cranfield.present.report.methods import measures_passage
from cranfield.present.report.page import Report
from cranfield.present.table import Table
from cranfield.results.interval_table import Intervals
from cranfield.text import count, counted, listed, percent, probability


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
        explorer=explorer(classification, items),
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
