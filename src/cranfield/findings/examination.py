"""The verb: what every rule finds in results and evidence, the most serious first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
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
from cranfield.findings.classes import EachClass
from cranfield.findings.finding import SEVERITIES, Finding
from cranfield.findings.rankings import averaged
from cranfield.findings.rules import Rule, known_rules, require_rule
from cranfield.findings.words import count, listed
from cranfield.results.agreement import Agreement
from cranfield.results.comparison import Comparison
from cranfield.results.values import Result

MOST = 5  # findings of one rule; of more, the rest are counted
_NAMED = 20  # systems that those are of
_ORDER = list(SEVERITIES)

Limits = Mapping[str, Mapping[str, float]]


class _Reading(NamedTuple):
    """A piece of evidence, the system it is of where there are several, and which of the things it is from."""

    evidence: Any
    system: str = ""
    thing: int = 0


class _Told(NamedTuple):
    """What a rule found, and in what."""

    rule: Rule
    reading: _Reading
    finding: Finding


def examine(*things: Any, limits: Limits | None = None) -> tuple[Finding, ...]:
    """What the figures hide, in plain sentences, the most serious first; nothing where there is nothing to say.

    Parameters
    ----------
    things
        Results of `evaluate`, `classify`, `regress`, `agree` or `compare`, or bare evidence: a confusion matrix, the
        cells of a yes-or-no decision, the scores of positives and negatives. The systems of a result are compared
        with each other unless a comparison is given: by `compare`'s own test and correction.
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
    found = _uncovered(_told(_all_readings(things), limits or {}))
    by_rule = [[told for told in found if told.rule is rule] for rule in known_rules().values()]
    return tuple(sorted(chain.from_iterable(map(_first, by_rule)), key=lambda finding: _ORDER.index(finding.severity)))


def _all_readings(things: Sequence[Any]) -> Iterator[_Reading]:
    """The evidence in all things, and the comparisons they allow if none is given."""
    for place, thing in enumerate(things):
        yield from (reading._replace(thing=place) for reading in _readings(thing))
        if not any(isinstance(given, Comparison) for given in things):
            yield from (_Reading(compared, thing=place) for compared in _comparisons(thing))


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
        yield from map(_Reading, _of_matrix(thing))
    elif isinstance(thing, Cells) and len(thing) == 1:
        yield from map(_Reading, _of_matrix(_matrix(thing)))
    else:
        raise BadInput(
            f"{type(thing).__name__} cannot be examined; give what evaluate, classify, regress, agree or compare gave"
        )


def _of_matrix(confusion: Confusion) -> Iterator[Any]:
    yield confusion
    yield EachClass(confusion.labels, confusion.cells)
    if len(confusion.labels) == 2:
        yield confusion.cells.take(np.array([1]))


def _of_system(assessed: Assessed) -> Iterator[Any]:
    yield assessed
    given = assessed.predictions
    if assessed.confusion is not None:
        yield assessed.confusion
        yield EachClass(assessed.confusion.labels, assessed.confusion.cells)
    if given.many:
        yield EachClass(given.labels, assessed.cells, many=True)
    if given.binary:
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


def _told(readings: Iterable[_Reading], limits: Limits) -> list[_Told]:
    """What every rule finds in all evidence it can read."""
    own = {require_rule(name).name: chosen for name, chosen in limits.items()}
    rules = known_rules().values()
    return [
        _Told(rule, reading, _named(finding, reading))
        for reading in readings
        for rule in rules
        if isinstance(reading.evidence, rule.evidence)
        for finding in rule.findings(reading.evidence, own.get(rule.name, {}))
    ]


def _uncovered(found: Sequence[_Told]) -> list[_Told]:
    """What does not merely follow from what another rule said of the same system."""
    covered = {(told.reading.thing, told.reading.system, name) for told in found for name in told.rule.covers}
    return [told for told in found if (told.reading.thing, told.reading.system, told.rule.name) not in covered]


def _first(found: Sequence[_Told]) -> Iterator[Finding]:
    """The findings of a rule; of very many, the first, and of whom the others are."""
    yield from (told.finding for told in found[:MOST])
    rest = [told.finding for told in found[MOST:]]
    if rest:
        title = found[0].rule.title
        systems = list(dict.fromkeys(finding.subject["system"] for finding in rest if "system" in finding.subject))
        whose = f" ({listed(systems, _NAMED)})" if systems else ""
        sentence = f"{count(len(rest), 'more finding')} of this kind: {title[0].lower()}{title[1:]}{whose}."
        yield replace(rest[0], sentence=sentence, subject={}, figures={"more": len(rest), "systems": systems})


def _named(finding: Finding, reading: _Reading) -> Finding:
    """The finding with the system it is of, where there are several."""
    system = reading.system
    if isinstance(reading.evidence, Classification) and len(reading.evidence.systems) > 1:
        system = finding.subject.get("system", "")
    if not system:
        return finding
    subject = {"system": system, **finding.subject}
    return replace(finding, sentence=f"{system}: {finding.sentence}", subject=subject)
