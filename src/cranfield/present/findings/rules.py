"""The catalogue of rules: each is declared by a decorated function whose keyword arguments are its limits."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType, UnionType
from typing import Any, Literal, NamedTuple, get_type_hints, overload

import numpy as np

from cranfield.catalogue import modules_named
from cranfield.errors import BadSetting, did_you_mean, with_short_words
from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.verb_result import Records, VerbResult
from cranfield.rounding import LONG_SUMS
from cranfield.text import plural

# A finding: what a number hides, why it matters and what to do about it


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


PAGE = "docs/reference/findings.md"

_ORDER = (  # subjects as in the documentation; others follow
    "the best system",
    "queries",
    "runs",
    "judgments",
    "ties",
    "averages",
    "differences between systems",
    "risk",
    "repeated rows",
    "groups",
    "classes",
    "binary decisions",
    "scores",
    "curves",
    "the chosen threshold",
    "regression errors",
    "predicted distributions",
    "raters",
    "machine judges",
)
_RULES: dict[str, Rule] = {}


@frozen
class Rule:
    """A declared rule; the rules it covers are implied by it and not reported for the same system.

    The rules it explains may be its consequences: for the same system, they are reported after it, whatever their
    severity. In `why` and `action`, `{unit}` and `{units}` stand for the sampling unit: queries, folds or items.
    `on_folds` replaces the action if that asks for more units: the folds of one data set are not independent samples.
    """

    name: str
    about: str
    function: Callable[..., Observations]
    title: str
    severity: Severity
    why: str
    action: str
    evidence: type | UnionType
    covers: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    on_folds: str = ""

    @property
    def definition(self) -> str:
        """When the rule applies: the first paragraph of the docstring."""
        return " ".join(inspect.getdoc(self.function).partition("\n\n")[0].split())  # type: ignore[union-attr]

    @property
    def remarks(self) -> str:
        """The rest of the docstring, which rules it covers, and which it explains."""
        rest = inspect.getdoc(self.function).partition("\n\n")[2].split()  # type: ignore[union-attr]
        covers = f"It implies {_together(self.covers)}; only this rule is then reported."
        explains = f"It may be the cause of {_together(self.explains)}; it is then reported first."
        return " ".join([*rest, *([covers] if self.covers else []), *([explains] if self.explains else [])])

    @property
    def subject(self) -> str:
        """What the rule is about, as a heading."""
        return self.about.capitalize()

    @property
    def settings(self) -> Mapping[str, float]:
        """The rule's limits with their defaults."""
        _, *rest = inspect.signature(self.function).parameters.values()
        return {parameter.name: parameter.default for parameter in rest}

    @property
    def link(self) -> str:
        """The rule's section in the documentation."""
        return f"{PAGE}#{self.name}"

    def findings(self, evidence: Any, limits: Mapping[str, float] | None = None) -> Iterator[Finding]:
        """The findings in a piece of evidence."""
        settings, unit = {**self.settings, **self._checked(limits or {})}, unit_of(evidence)
        for sentence, subject, figures, headline in self.function(evidence, **settings):
            yield Finding(
                rule=self.name,
                severity=self.severity,
                headline=headline,
                sentence=sentence,
                why=worded(self.why, unit),
                action=worded((unit == "fold" and self.on_folds) or self.action, unit),
                link=self.link,
                subject=subject,
                figures=figures,
                settings=settings,
            )

    def _checked(self, limits: Mapping[str, float]) -> Mapping[str, float]:
        for name, value in limits.items():
            if name not in self.settings:
                settings = ", ".join(self.settings) or "none"
                raise BadSetting(f"the rule {self.name!r} has no setting {name!r}; it has: {settings}")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise BadSetting(f"the rule {self.name!r}: {name} must be a number, not {value!r}")
        return limits


def rule(
    name: str,
    *,
    about: str,
    title: str,
    severity: Severity,
    why: str,
    action: str,
    covers: tuple[str, ...] = (),
    explains: tuple[str, ...] = (),
    on_folds: str = "",
) -> Callable[[Callable[..., Observations]], Callable[..., Observations]]:
    """Declare a rule: the type of the first argument is the evidence it reads, the other arguments are its limits."""

    def declare(function: Callable[..., Observations]) -> Callable[..., Observations]:
        first = next(iter(inspect.signature(function).parameters))
        evidence = get_type_hints(function)[first]
        _RULES[name] = Rule(name, about, function, title, severity, why, action, evidence, covers, explains, on_folds)
        return function

    return declare


@cache
def known_rules() -> Mapping[str, Rule]:
    """Every rule that a subject declares in its `findings`, by name."""
    modules_named("findings")
    places = {about: place for place, about in enumerate(_ORDER)}
    ordered = sorted(_RULES.values(), key=lambda rule: (places.get(rule.about, len(places)), rule.about))
    return MappingProxyType({rule.name: rule for rule in ordered})


def unit_of(evidence: Any) -> str:
    """The sampling unit of a piece of evidence, by default queries."""
    return getattr(evidence, "unit", "query") if isinstance(evidence, VerbResult) else "query"


def worded(text: str, unit: str = "query") -> str:
    """The text with `{unit}` and `{units}` filled in."""
    return text.replace("{units}", plural(unit)).replace("{unit}", unit)


def _together(names: tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def reaches(figure: float, limit: float) -> bool:
    """Whether a figure is at least the limit, up to rounding errors: 1 - 0.9 counts as 0.1."""
    return bool(figure >= limit - LONG_SUMS)


def require_rule(name: str) -> Rule:
    """The rule with this name."""
    if name not in known_rules():
        hint = did_you_mean(name, known_rules()) or f"; available: {', '.join(known_rules())}"
        raise BadSetting(f"there is no rule {name!r}{hint}")
    return known_rules()[name]
