"""The report on classification: labels, scores and probabilities against what is true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.assessment.assessed import Assessed
from cranfield.assessment.classification import Classification
from cranfield.certainty.systems import compare
from cranfield.errors import BadInput
from cranfield.findings.examination import examine
from cranfield.findings.words import count, listed, probability
from cranfield.present.latex import latex
from cranfield.present.leaderboard import leaderboard
from cranfield.present.report.classification_pictures import figures
from cranfield.present.report.classification_tables import tables
from cranfield.present.report.content import Content, Passage
from cranfield.present.report.downloads import Download, bibliography, csv_file, json_file, text_file
from cranfield.present.report.items import answered
from cranfield.present.report.items import items as explorer
from cranfield.present.report.methods import inputs_table, measures_passage, references_passage, software_passage
from cranfield.present.report.page import Report
from cranfield.present.report.references import references
from cranfield.present.table import Table
from cranfield.results.comparison import Comparison
from cranfield.results.intervals import Intervals
from cranfield.results.writing import json_text


def classification_report(given: Classification, *, title: str = "", items: Sequence[Any] | None = None) -> Report:
    """A page on how good classifiers or scorers are, how sure that is, and what the figures hide.

    Parameters
    ----------
    given
        What `classify` gave.
    title
        The title of the page.
    items
        What the items are called; by their rows, if it is not said.
    """
    intervals = given.result.intervals()
    compared = _compared(given)
    n_items, n_systems = len(given.assessed[0].predictions), len(given.systems)
    counted = f"{count(n_systems, 'system')}, {count(n_items, 'item')}"
    board = leaderboard(replace(given.result, bounded=lambda *_: intervals))
    findings = examine(given)
    sources = references(measure.family.cite for measure in given.measures)
    content = Content(
        title=title or f"{', '.join(given.systems[:3])}{' and more' if n_systems > 3 else ''}: classification",
        subtitle=f"{counted}, {len(given.assessed[0].labels)} classes",
        lead=(*_lead(given, intervals), *_chance(compared)),
        findings=findings,
        board=replace(board, notes=(f"over {count(n_items, 'item')}; below each figure its 95% interval",)),
        tables=tuple(tables(given, compared)),
        figures=tuple(figures(given)),
        explorer=explorer(given, items),
        explored="items",
        methods=(*_methods(given, intervals, compared), *references_passage(sources)),
        inputs=inputs_table(given.result.provenance),
        downloads=(*_downloads(given, findings, board), *bibliography(sources)),
    )
    return Report(content)


def _methods(given: Classification, intervals: Intervals, compared: Comparison | None) -> tuple[Passage, ...]:
    """How the figures came."""
    return (
        _counting(given),
        measures_passage(given.measures),
        _uncertainty(intervals, compared),
        software_passage(),
    )


def _compared(given: Classification) -> Comparison | None:
    """Every two classifiers on whether they answer rightly, where that is a question of yes or no."""
    first = given.assessed[0].predictions
    if len(given.systems) < 2 or first.many or first.weight is not None or not all(map(answered, given.assessed)):
        return None
    return compare(replace(given, assessed=tuple(map(_ungrouped, given.assessed))))


def _ungrouped(assessed: Assessed) -> Assessed:
    return replace(assessed, predictions=replace(assessed.predictions, group=None, groups=()), cut=assessed.threshold)


def _chance(compared: Comparison | None) -> Iterator[str]:
    """Whether chance could explain that a classifier has more right answers than another, or for how many pairs."""
    if compared is None:
        return
    if len(compared.rows) > 1:
        apart = sum(row.significant for row in compared.rows)
        yield (
            f"In right answers {apart} of {len(compared.rows)} pairs of systems differ by more than chance explains "
            f"(McNemar's test, corrected by {compared.correction.capitalize()}, level {compared.level:g})."
        )
        return
    (row,) = compared.rows
    could = "more than chance explains" if row.significant else "which could be chance"
    yield (
        f"{row.wins:,} items are answered rightly by {row.system} alone and {row.losses:,} by {row.baseline} alone, "
        f"{could} (McNemar's test, {probability(row.p)})."
    )


def _uncertainty(intervals: Intervals, compared: Comparison | None) -> Passage:
    """How the intervals of each measure came, and by what systems were compared."""
    methods: dict[str, list[str]] = {}
    for measure, method in zip(intervals.measures, intervals.method[0], strict=True):
        methods.setdefault(method, []).append(measure)
    came = "; ".join(f"{method} for {', '.join(names)}" for method, names in methods.items())
    said = [f"Intervals are 95% confidence intervals over items like these: {came}."]
    if compared is not None:
        said.append(
            f"Right answers were compared with {compared.test.title} (exact), p-values corrected by "
            f"{compared.correction.capitalize()} over {count(len(compared), 'comparison')}, at the level "
            f"{compared.level:g}; areas under ROC curves with DeLong's test, not corrected."
        )
    return Passage("Uncertainty", tuple(said))


def _lead(given: Classification, intervals: Intervals) -> Iterator[str]:
    """How good the best is by the first measure, and how good the answers are that were given."""
    measure = given.measures[0]
    values = [each.value(measure) for each in given.assessed]
    sign = -1 if measure.family.higher_is_better is False else 1
    best = int(np.nanargmax(sign * np.array(values))) if not np.isnan(values).all() else 0
    low, high = intervals.low[best, 0], intervals.high[best, 0]
    sure = "" if np.isnan(low) else f", 95% interval {low:.4f} to {high:.4f}"
    ahead = f" and is the best of {len(values)} systems" if len(values) > 1 else ""
    yield f"{given.systems[best]} has {measure} {values[best]:.4f}{sure}{ahead}."
    own = given.assessed[best]
    if own.thresholds is not None and own.threshold is not None:
        chosen = f", the best for {own.goal} on these items" if _chosen(given, own) else ""
        at = "above every score" if own.threshold == np.inf else f"{own.threshold:.6g}"
        yield f"Its answers are those at the threshold {at}{chosen}."


def _counting(given: Classification) -> Passage:
    first = given.assessed[0]
    classes = ", ".join(map(str, first.labels[:12])) + (" …" if len(first.labels) > 12 else "")
    averaged = f" Values of classes are averaged ({given.settings['average']})." if len(first.units) > 1 else ""
    positive = first.predictions.positive
    asked = "" if positive is None else f" The positive class is {first.labels[positive]}."
    sentence = f"{count(len(first.predictions), 'item')} of the classes {classes}.{asked}{averaged}"
    return Passage("Evaluation", (sentence, *_thresholds(given)))


def _chosen(given: Classification, own: Assessed) -> bool:
    """Whether the threshold of a system was chosen on the items that it is assessed on."""
    return own.thresholds is not None and own.cut is None and given.settings["threshold"] is None


def _thresholds(given: Classification) -> Iterator[str]:
    """Where thresholds come from, and what follows for figures that depend on them."""
    scored = [own for own in given.assessed if own.thresholds is not None]
    if not scored:
        return
    chosen = [own.predictions.system for own in scored if _chosen(given, own)]
    if chosen:
        yield (
            f"The threshold of {listed(chosen)} was chosen on the items it is evaluated on, as the best for "
            f"{given.settings['goal']}. Measures of the answers, their intervals and the comparison of right answers "
            "take it as given and are therefore optimistic: a threshold chosen on other items would do a little worse."
        )
    elif given.settings["threshold"] is not None:
        yield f"Scores from {given.settings['threshold']:g} on are a yes; this threshold was given."


def _downloads(given: Classification, findings: Any, board: Table) -> tuple[Download, ...]:
    files = [
        csv_file("systems.csv", "the value of every measure for every system", given.result.to_csv()),
        json_file("report.json", "the same with settings and sources", given.result.to_json(per_query=True)),
        text_file("leaderboard.tex", "the leaderboard for LaTeX", latex(board)),
        json_file("findings.json", "the findings", json_text([finding.to_dict() for finding in findings])),
    ]
    if len(given.assessed[0].units) > 1 and given.classes.measures:
        files.append(csv_file("classes.csv", "every measure for each class", given.classes.to_csv(per_query=True)))
    return tuple(files)


def together(named: Mapping[str, Classification]) -> Classification:
    """Classifiers that were assessed one by one, all on the same items, as one."""
    (first, known), *rest = named.items()
    for name, other in rest:
        _require_same_items(first, known.assessed[0], name, other.assessed[0])
    assessed = tuple(
        replace(each, predictions=replace(each.predictions, system=name))
        for name, own in named.items()
        for each in own.assessed
    )
    return replace(known, assessed=assessed, origins=tuple(origin for own in named.values() for origin in own.origins))


def _require_same_items(first: str, known: Assessed, name: str, other: Assessed) -> None:
    if len(other.predictions) != len(known.predictions):
        raise BadInput(f"{first} has {len(known.predictions)} items and {name} has {len(other.predictions)}")
    if other.labels != known.labels or not np.array_equal(other.predictions.actual, known.predictions.actual):
        raise BadInput(f"{first} and {name} differ in what is true of their items; they must be the same, in order")
