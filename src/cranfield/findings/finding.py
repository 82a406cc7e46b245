"""A finding: what a number hides, why it matters and what to do about it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from cranfield.errors import with_short_words
from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.verb_result import Records, VerbResult

Severity = Literal["serious", "caution", "note"]

SEVERITIES: dict[Severity, str] = {
    "serious": "the value is misleading",
    "caution": "the value must be interpreted with care",
    "note": "something useful that is easily missed",
}


HEADLINE = 110  # longest sentence that serves as its own headline
_ASIDE = re.compile(r" \((?:[^()]|\([^()]*\)){25,}\)")  # such as the name of a test


class Observation(NamedTuple):
    """A rule's observation: a sentence, its subject (such as system, measure or query), its figures and a headline."""

    sentence: str
    subject: Mapping[str, str]
    figures: Mapping[str, Any]
    headline: str


Observations = Iterator[Observation]  # what a rule yields


@frozen
class Finding:
    """What a rule reports about one subject, in one sentence and as a short headline; `settings` are its limits."""

    rule: str
    severity: Severity
    sentence: str
    why: str
    action: str
    link: str
    subject: Mapping[str, str]
    figures: Mapping[str, Any]
    settings: Mapping[str, float]
    headline: str = ""

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """All fields, for JSON; figures that are not finite become None."""
        return {name: _plain(value) for name, value in vars(self).items()}


@frozen
class Findings(VerbResult, Sequence[Finding]):
    """The findings of an examination, most serious first."""

    kind = "findings"

    items: tuple[Finding, ...] = ()
    provenance: Provenance = NOTHING_READ

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, place: int | slice) -> Finding | tuple[Finding, ...]:
        return self.items[place]

    def records(self) -> Records:
        """One row per finding."""
        return {"findings": [finding.to_dict() for finding in self.items]}

    def findings(self, **_: Any) -> Findings:
        """The findings themselves."""
        return self


def first_clause(sentence: str) -> str:
    """The sentence up to its first semicolon or parenthesis, or the whole sentence if it is short."""
    if len(sentence) <= HEADLINE:
        return sentence
    first = _ASIDE.sub("", sentence.partition("; ")[0])
    return f"{first.rstrip('.')}."


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    number = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(number, float) and not math.isfinite(number) else number


def observation(sentence: str, figures: Mapping[str, Any], *, headline: str = "", **subject: str) -> Observation:
    """An observation, with its subject as keywords; the headline defaults to the first clause of the sentence."""
    sentence, headline = with_short_words(sentence), with_short_words(headline)  # names may have thousands of letters
    return Observation(sentence, subject, figures, headline or first_clause(sentence))
