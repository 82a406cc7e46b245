"""The verb: what every rule finds in results and evidence, the most serious first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cranfield.assessment.assessed import Assessed
from cranfield.assessment.choices import Choice
from cranfield.assessment.classification import Classification
from cranfield.assessment.regression import Regression
from cranfield.errors import BadInput
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.residuals import Residuals
from cranfield.evidence.thresholds import Thresholds
from cranfield.findings.finding import SEVERITIES, Finding
from cranfield.findings.rankings import averaged
from cranfield.findings.rules import Rule, known_rules, require_rule
from cranfield.findings.words import count
from cranfield.results.agreement import Agreement
from cranfield.results.comparison import Comparison
from cranfield.results.values import Result

MOST = 5  # findings of one rule; of more, the rest are counted

Limits = Mapping[str, Mapping[str, float]]


class _Reading(NamedTuple):
    """A piece of evidence, and the system it is of where there are several."""

    evidence: Any
    system: str = ""


def examine(*things: Any, limits: Limits | None = None) -> tuple[Finding, ...]:
    """What the figures hide, in plain sentences, the most serious first; nothing where there is nothing to say.

    Parameters
    ----------
    things
        Results of `evaluate`, `classify`, `regress`, `agree` or `compare`, or bare evidence: a confusion matrix, the
        cells of a yes-or-no decision, the scores of positives and negatives. The systems of a result are compared
        with each other unless a comparison is given.
    limits
        From which figures rules speak, if not from the usual ones: `{"extreme-prevalence": {"low": 0.05}}`.

    Examples
    --------
    >>> from cranfield.evidence.cells import cells
    >>> for finding in examine(cells(tp=20, fp=180, fn=10, tn=1820)):
    ...     print(finding.severity, finding.rule)
    serious accuracy-below-constant
    serious low-precision
    caution extreme-prevalence
    note rule-out
    """
    own = {require_rule(name).name: chosen for name, chosen in (limits or {}).items()}
    readings = [reading for thing in things for reading in _readings(thing)]
    if not any(isinstance(thing, Comparison) for thing in things):
        readings += [_Reading(compared) for thing in things for compared in _comparisons(thing)]
    found = [each for rule in known_rules().values() for each in _found(rule, readings, own.get(rule.name, {}))]
    order = list(SEVERITIES)
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))


def _readings(thing: Any) -> Iterator[_Reading]:
    """The pieces of evidence in a thing."""
    if isinstance(thing, Result | Comparison | Agreement | Thresholds | Choice | Residuals):
        yield _Reading(thing)
    elif isinstance(thing, Classification):
        yield _Reading(thing)
        for each in thing.assessed:
            system = each.predictions.system if len(thing.assessed) > 1 else ""
            yield from (_Reading(evidence, system) for evidence in _of_system(each))
    elif isinstance(thing, Regression):
        several = len(thing.systems) > 1
        yield from (_Reading(own, system if several else "") for system, own in thing.residuals.items())
    elif isinstance(thing, Assessed):
        yield from map(_Reading, _of_system(thing))
    elif isinstance(thing, Confusion):
        yield from map(_Reading, (thing, thing.cells.take(np.array([1]))) if len(thing.labels) == 2 else (thing,))
    elif isinstance(thing, Cells) and len(thing) == 1:
        yield from map(_Reading, (thing, _matrix(thing)))
    else:
        raise BadInput(
            f"{type(thing).__name__} cannot be examined; give what evaluate, classify, regress, agree or compare gave"
        )


def _of_system(assessed: Assessed) -> Iterator[Any]:
    yield assessed
    if assessed.confusion is not None:
        yield assessed.confusion
    if assessed.predictions.binary:
        yield assessed.cells
    if assessed.thresholds is not None:
        yield assessed.thresholds
    if _was_chosen(assessed):
        yield assessed.choice


def _was_chosen(assessed: Assessed) -> bool:
    """Whether the answers are those at the threshold that serves the goal best."""
    given = assessed.predictions
    scored = given.score is not None and given.predicted is None and assessed.choice is not None
    return scored and assessed.cut is None


def _matrix(cells: Cells) -> Confusion:
    tp, fp, fn, tn = (cell[0] for cell in cells.each)
    return Confusion(("no", "yes"), np.array([[tn, fp], [fn, tp]]))


def _comparisons(thing: Any) -> Iterator[Comparison]:
    """The systems of a result compared with each other, on the measures that have a better end."""
    if not isinstance(thing, Result) or len(thing.systems) < 2 or thing.counted.all(axis=0).sum() < 2:
        return
    places = [place for place, _ in averaged(thing)]
    if places:
        kept = replace(
            thing,
            measures=tuple(thing.measures[place] for place in places),
            values=thing.values[:, places],
            micro=thing.micro[:, places],
        )
        yield kept.compare()


def _found(rule: Rule, readings: Iterable[_Reading], limits: Mapping[str, float]) -> Iterator[Finding]:
    """What a rule finds in all evidence it can read; of very much, the first."""
    found = [
        _named(finding, reading)
        for reading in readings
        if isinstance(reading.evidence, rule.evidence)
        for finding in rule.findings(reading.evidence, limits)
    ]
    yield from found[:MOST]
    if len(found) > MOST:
        more = len(found) - MOST
        sentence = f"{count(more, 'more finding')} of this kind: {rule.title[0].lower()}{rule.title[1:]}."
        yield replace(found[MOST], sentence=sentence, subject={}, figures={"more": more})


def _named(finding: Finding, reading: _Reading) -> Finding:
    """The finding with the system it is of, where there are several."""
    system = reading.system
    if isinstance(reading.evidence, Classification) and len(reading.evidence.systems) > 1:
        system = finding.subject.get("system", "")
    if not system:
        return finding
    subject = {"system": system, **finding.subject}
    return replace(finding, sentence=f"{system}: {finding.sentence}", subject=subject)
