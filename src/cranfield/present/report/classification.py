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
from cranfield.evidence.thresholds import Thresholds
from cranfield.findings.examination import examine
from cranfield.findings.words import count, probability
from cranfield.present.classification import classes
from cranfield.present.comparison import SIGNIFICANT
from cranfield.present.latex import latex
from cranfield.present.leaderboard import leaderboard
from cranfield.present.plots.calibration import calibration
from cranfield.present.plots.confusion import confusion
from cranfield.present.plots.costs import cost, decision
from cranfield.present.plots.distributions import distributions
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.precision_recall import precision_recall_of_scores
from cranfield.present.plots.prg import prg
from cranfield.present.plots.roc import roc
from cranfield.present.report.content import Content, Passage
from cranfield.present.report.downloads import Download, csv_file, json_file, text_file
from cranfield.present.report.figures import Figure, figure
from cranfield.present.report.items import answered
from cranfield.present.report.items import items as explorer
from cranfield.present.report.methods import inputs_table, measures_passage, software_passage
from cranfield.present.report.page import Report
from cranfield.present.results import DIGITS, by_query
from cranfield.present.table import Cell, Column, Row, Table
from cranfield.present.thresholds import areas
from cranfield.results.comparison import Comparison
from cranfield.results.intervals import Intervals
from cranfield.results.writing import json_text

SEVERAL = 7  # scorers that can be told apart in one picture


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
    board = leaderboard(replace(given.result, bounded=lambda *_: intervals))
    findings = examine(given)
    compared = _compared(given)
    n_items, n_systems = len(given.assessed[0].predictions), len(given.systems)
    subtitle = f"{n_systems} {'system' if n_systems == 1 else 'systems'}, {n_items:,} items"
    return Report(
        Content(
            title=title or f"{', '.join(given.systems[:3])}{' and more' if n_systems > 3 else ''}: classification",
            subtitle=f"{subtitle}, {len(given.assessed[0].labels)} classes",
            lead=(*_lead(given, intervals), *_chance(compared)),
            findings=findings,
            board=replace(board, notes=(f"over {n_items:,} items; below each figure its 95% interval",)),
            tables=tuple(_tables(given, compared)),
            figures=tuple(_figures(given)),
            explorer=explorer(given, items),
            explored="items",
            methods=(
                _counting(given),
                measures_passage(given.measures),
                _uncertainty(intervals, compared),
                software_passage(),
            ),
            inputs=inputs_table(given.result.provenance),
            downloads=_downloads(given, findings, board),
        )
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
        told = given.settings["threshold"] is not None
        chosen = "" if told or own.cut is not None else f", the best for {own.goal}"
        at = "above every score" if own.threshold == np.inf else f"{own.threshold:.6g}"
        yield f"Its answers are those at the threshold {at}{chosen}."


def _tables(given: Classification, compared: Comparison | None) -> Iterator[Table]:
    if compared is not None:
        yield _right_answers(compared)
    yield from areas(replace(given, assessed=given.assessed[:SEVERAL]), DIGITS)
    for own in given.assessed[:SEVERAL] if len(given.assessed[0].units) > 1 else ():
        prefix = f"{own.predictions.system}: " if len(given.systems) > 1 else ""
        table = classes(given, own)
        yield replace(table, title=f"{prefix}{table.title}")
    if given.assessed[0].predictions.groups:
        groups = by_query(given.result)
        yield Table((Column("group"), *groups.columns[1:]), groups.rows, title="Each group")
    rows = [row for system in given.systems for row in _choices(given, system)]
    if rows:
        columns = (Column("system"), Column("goal"), *(Column(name, True, 4) for name in ("threshold", "value")))
        counts = tuple(Column(name, True) for name in ("TP", "FP", "FN", "TN"))
        yield Table((*columns, *counts), tuple(rows), title="The best threshold for each goal")


def _right_answers(compared: Comparison) -> Table:
    """A row for each pair: the items that only one of them answers rightly, and whether that could be chance."""
    heads = (*map(Column, ("system", "other")), *(Column(name, True, 0) for name in ("only system", "only other")))
    numbers = tuple(Column(name, True, DIGITS) for name in ("difference", "low", "high", "p", "corrected p"))
    rows = [
        (
            *(Cell(name) for name in (row.system, row.baseline)),
            *(Cell(figure) for figure in (row.wins, row.losses, row.difference, row.low, row.high, row.p)),
            Cell(row.corrected, marks=SIGNIFICANT if row.significant else ""),
        )
        for row in compared.rows
    ]
    note = (
        "items that only one of the two answers rightly, the difference of the shares of right answers with its "
        f"{1 - compared.level:.0%} interval, and McNemar's exact test; {SIGNIFICANT} the p-value, corrected by "
        f"{compared.correction.capitalize()} over {count(len(compared), 'comparison')}, is below {compared.level:g}"
    )
    return Table((*heads, *numbers), tuple(rows), title="Right answers compared (McNemar)", notes=(note,))


def _choices(given: Classification, system: str) -> Iterator[Row]:
    if given.of(system).thresholds is None:
        return
    for goal, choice in given.choices(system=system).items():
        if choice.thresholds:
            counts = [float(cell[0]) for cell in choice.cells.each]
            whole = [int(count) if count.is_integer() else count for count in counts]
            yield tuple(map(Cell, (system, goal, choice.threshold, choice.value, *whole)))


def _figures(given: Classification) -> Iterator[Figure]:
    for place, (name, plot) in enumerate(_plots(given)):
        yield figure(f"{name}-{place}", plot)


def _plots(given: Classification) -> Iterator[tuple[str, Plot]]:
    for system in given.systems[:SEVERAL]:
        matrix = given.of(system).confusion
        if matrix is not None:
            plot = confusion(matrix)
            yield "confusion", plot.titled(f"{system}: {plot.title}") if len(given.systems) > 1 else plot
    scored = {name: given.of(name).thresholds for name in given.systems[:SEVERAL]}
    known: Mapping[str, Thresholds] = {name: scores for name, scores in scored.items() if scores is not None}
    if not known:
        return
    yield "roc", roc(known)
    yield "precision-recall", precision_recall_of_scores(known)
    yield "precision-recall-gain", prg(known)
    for name, scores in known.items():
        threshold = given.of(name).threshold
        if threshold is not None:
            plot = distributions(scores, threshold=threshold)
            yield "distributions", plot.titled(f"{name}: {plot.title}") if len(known) > 1 else plot
    yield "cost", cost(known)
    probable = {name: scores for name, scores in known.items() if given.of(name).predictions.probable}
    if probable:
        yield "calibration", calibration(probable)
        yield "decision", decision(probable)


def _counting(given: Classification) -> Passage:
    first = given.assessed[0]
    classes = ", ".join(map(str, first.labels[:12])) + (" …" if len(first.labels) > 12 else "")
    averaged = f" Values of classes are averaged ({given.settings['average']})." if len(first.units) > 1 else ""
    positive = first.predictions.positive
    asked = "" if positive is None else f" The positive class is {first.labels[positive]}."
    goal = f" Where a threshold is chosen, it is the best for {given.settings['goal']}." if first.thresholds else ""
    return Passage(
        "Evaluation", (f"{len(first.predictions):,} items of the classes {classes}.{asked}{averaged}{goal}",)
    )


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
