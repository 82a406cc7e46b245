"""Examination: every rule applied to results and evidence, most serious findings first.

Decided here: which findings replace others, and in which order they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from cranfield.agreement.result import Agreement
from cranfield.classification.evaluated import Evaluated
from cranfield.classification.findings.classes import EachClass
from cranfield.classification.findings.decisions import Decision
from cranfield.classification.findings.groups import Grouped, GroupedResiduals
from cranfield.classification.findings.scores import Area
from cranfield.classification.result import Classification
from cranfield.comparison.findings import rows_of_predictions, rows_of_samples, rows_of_values
from cranfield.comparison.result import Comparison
from cranfield.errors import BadInput
from cranfield.estimation.result import Estimation
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Residuals
from cranfield.evidence.thresholds import Thresholds
from cranfield.present.findings.rules import SEVERITIES, Finding, Rule, known_rules, require_rule
from cranfield.regression.result import Regression
from cranfield.releases.history import History
from cranfield.results.leaderboard import averaged, places
from cranfield.results.values import Result, of_measures
from cranfield.results.verb_result import VerbResult
from cranfield.statistics.thresholds import Choice
from cranfield.text import brief, count, listed

MOST = 5  # findings shown per rule; the others are counted
_TOP = 3  # systems at the very top of a leaderboard, at most half of them; the upper third comes next
_NAMED = 20  # systems named among the others
_ORDER = list(SEVERITIES)

Limits = Mapping[str, Mapping[str, float]]


class _Reading(NamedTuple):
    """A piece of evidence, its system if there are several, and the index of the examined object."""

    evidence: Any
    system: str = ""
    thing: int = 0


class _Reported(NamedTuple):
    """A finding with its rule and evidence."""

    rule: Rule
    reading: _Reading
    finding: Finding


def findings_in(*things: Any, limits: Limits | None = None) -> tuple[Finding, ...]:
    """The findings of every rule, ordered by system (best first), then by severity, causes before consequences."""
    reported = _uncovered(_reported(_all_readings(things), limits or {}))
    place = _places(things)
    by_rule = [
        sorted((report for report in reported if report.rule is rule), key=lambda one: _place(one.finding, place))
        for rule in known_rules().values()
    ]
    important = sorted(filter(None, by_rule), key=lambda same: _importance(same[0].finding, place))
    return tuple(chain.from_iterable(map(_first, _causes_first(important))))


def _causes_first(groups: Sequence[list[_Reported]]) -> list[list[_Reported]]:
    """The findings of each rule, directly preceded by those that may be their cause in the same system."""
    ordered: list[list[_Reported]] = []

    def append(group: list[_Reported]) -> None:
        if group in ordered:
            return
        systems = {one.reading.system for one in group}
        for cause in groups:
            if group[0].rule.name in cause[0].rule.explains and systems & {one.reading.system for one in cause}:
                append(cause)
        ordered.append(group)

    for group in groups:
        append(group)
    return ordered


def _places(things: Sequence[Any]) -> dict[str, int]:
    """The place of each system on the leaderboard, 0 for the best; empty without a leaderboard."""
    for thing in things:
        result = thing.result if isinstance(thing, Comparison | Classification) else thing
        if isinstance(result, Result) and len(result.systems) > 1:
            return places(result)
    return {}


def _place(finding: Finding, place: Mapping[str, int]) -> int:
    """The place of the lowest-ranked system that a finding is about; 0 if it is about none."""
    named = [finding.subject.get(key, "") for key in ("system", "other")]
    return max((place.get(system, 0) for system in named), default=0)


def _importance(finding: Finding, place: Mapping[str, int]) -> tuple[bool, bool, int, int]:
    """Findings about the very top of the leaderboard come first, then its upper third, each by severity; others also by
    place."""
    lowest, first = _place(finding, place), max(1, min(_TOP, len(place) // 2))
    below = lowest >= first
    return below, lowest >= max(first, len(place) // _TOP), _ORDER.index(finding.severity), lowest if below else 0


def _all_readings(things: Sequence[Any]) -> Iterator[_Reading]:
    """All evidence, including comparisons of systems unless one was passed."""
    for place, thing in enumerate(things):
        yield from (reading._replace(thing=place) for reading in _readings(thing))
        if not any(isinstance(other, Comparison) for other in things):
            compared = (reading for comparison in _comparisons(thing) for reading in _readings(comparison))
            yield from (reading._replace(thing=place) for reading in compared)


def _readings(thing: Any) -> Iterator[_Reading]:
    """The pieces of evidence in one object."""
    if isinstance(thing, Result | Comparison | Agreement | Choice | Residuals | Forecasts | Estimation | History):
        yield _Reading(thing)
        if isinstance(thing, Comparison) and thing.unit != "fold":
            yield _Reading(rows_of_samples(thing))
    elif isinstance(thing, Thresholds):
        yield _Reading(Area(thing))
    elif isinstance(thing, Classification):
        yield _Reading(thing)
        yield _Reading(rows_of_predictions(thing))
        for evaluated in thing.evaluated:
            system = evaluated.predictions.system if len(thing.evaluated) > 1 else ""
            yield from (_Reading(evidence, system) for evidence in _of_system(evaluated))
    elif isinstance(thing, Regression):
        several = len(thing.systems) > 1
        for system, forecasts in thing.forecasts.items():
            yield _Reading(forecasts, system if several else "")
        yield _Reading(rows_of_values(thing))
        for system, residuals in thing.residuals.items():
            for output, alone in zip(thing.outputs or ("",), residuals.by_output, strict=True):
                name = ", ".join(filter(None, (system if several else "", output)))
                yield _Reading(alone, name)
                if thing.group is not None:
                    yield _Reading(GroupedResiduals(alone, thing.group, thing.groups), name)
    elif isinstance(thing, Evaluated):
        yield from map(_Reading, _of_system(thing))
    elif isinstance(thing, Confusion):
        yield from map(_Reading, _of_matrix(thing))
    elif isinstance(thing, Cells) and len(thing) == 1:
        yield from map(_Reading, _of_matrix(_matrix(thing)))
    elif not isinstance(thing, VerbResult):  # some kinds of result have no rules
        raise BadInput(
            f"{type(thing).__name__} cannot be examined; pass a result of evaluate, classify, regress, agree or compare"
        )


def _of_matrix(confusion: Confusion) -> Iterator[Any]:
    yield confusion
    yield EachClass(confusion.labels, confusion.cells)
    if len(confusion.labels) == 2:
        yield Decision(*[confusion.cells.take(np.array([1]))] * 2)


def _of_system(evaluated: Evaluated) -> Iterator[Any]:
    yield evaluated
    predictions, squared = evaluated.predictions, evaluated.squared
    derived = evaluated.goal is not None or (predictions.is_probability and predictions.predicted is None)
    if evaluated.confusion is not None:
        squares = None if squared is None or squared.confusion is None else squared.confusion.cells
        yield evaluated.confusion
        yield EachClass(evaluated.confusion.labels, evaluated.confusion.cells, derived=derived, squared=squares)
    if predictions.multilabel and evaluated.decides:
        squares = None if squared is None else squared.cells
        yield EachClass(predictions.labels, evaluated.cells, multilabel=True, derived=derived, squared=squares)
    if predictions.binary and evaluated.decides:
        alike = evaluated.unweighted
        yield Decision(evaluated.cells, None if alike is None else alike.cells)
    if evaluated.thresholds is not None:
        yield Area(evaluated.thresholds, evaluated.auc_interval)
    if evaluated.choice is not None:
        yield evaluated.choice
    if predictions.groups and not predictions.multilabel:
        yield Grouped(evaluated)


def _matrix(cells: Cells) -> Confusion:
    tp, fp, fn, tn = (cell[0] for cell in cells.counts)
    return Confusion.of(("no", "yes"), np.array([[tn, fp], [fn, tp]]))


def _comparisons(thing: Any) -> Iterator[Comparison]:
    """All pairs of systems compared, on the measures with a better direction."""
    if not isinstance(thing, Result) or len(thing.systems) < 2 or thing.counted.all(axis=0).sum() < 2:
        return
    places = [place for place, _ in averaged(thing)]
    if places:
        yield of_measures(thing, places).compare()


def _reported(readings: Iterable[_Reading], limits: Limits) -> list[_Reported]:
    """The findings of every rule in all evidence of its type."""
    by_rule = {require_rule(name).name: rule_limits for name, rule_limits in limits.items()}
    rules = known_rules().values()
    return [
        _Reported(rule, reading, _named(finding, reading))
        for reading in readings
        for rule in rules
        if isinstance(reading.evidence, rule.evidence)
        for finding in rule.findings(reading.evidence, by_rule.get(rule.name, {}))
    ]


def _uncovered(reported: Sequence[_Reported]) -> list[_Reported]:
    """The findings not implied by another one about the same system, or about all systems."""
    covered = {(*one.reading[1:], name) for one in reported for name in one.rule.covers}
    return [
        one
        for one in reported
        if not {(system, one.reading.thing, one.rule.name) for system in (one.reading.system, "")} & covered
    ]


def _first(reported: Sequence[_Reported]) -> Iterator[Finding]:
    """The first findings of a rule, then one that counts the others and names their systems."""
    yield from (one.finding for one in reported[:MOST])
    rest = [one.finding for one in reported[MOST:]]
    if rest:
        title = reported[0].rule.title
        systems = list(dict.fromkeys(finding.subject["system"] for finding in rest if "system" in finding.subject))
        whose = f" ({listed(systems, _NAMED)})" if systems else ""
        sentence = f"{count(len(rest), 'more finding')} of this kind: {title[0].lower()}{title[1:]}{whose}."
        figures = {"more": len(rest), "systems": systems}
        yield replace(rest[0], headline=sentence, sentence=sentence, subject={}, figures=figures)


def _named(finding: Finding, reading: _Reading) -> Finding:
    """The finding with the name of its system, if there are several."""
    system = reading.system
    if isinstance(reading.evidence, Classification) and len(reading.evidence.systems) > 1:
        system = finding.subject.get("system", "")
    if not system:
        return finding
    subject = {"system": system, **finding.subject}
    headline, sentence = (
        f"{name}: {text}" for name, text in ((brief(system), finding.headline), (system, finding.sentence))
    )
    return replace(finding, headline=headline, sentence=sentence, subject=subject)
