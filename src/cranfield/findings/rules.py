"""The catalogue of rules: declared here, with the limits from which they speak read off the signature."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType, UnionType
from typing import Any, get_type_hints

from cranfield.errors import BadSetting
from cranfield.findings.finding import Finding, Said, Severity

PAGE = "docs/reference/findings.md"

ROUNDING = 1e-9

_MODULES = (
    *("queries", "judgments", "ties", "averages", "comparisons"),
    *("classes", "answers", "scores", "choices", "residuals", "agreement"),
)
_RULES: dict[str, Rule] = {}


@dataclass(frozen=True)
class Rule:
    """A rule as declared; those it covers would say the same again of a system, and are silent where it speaks."""

    name: str
    function: Callable[..., Iterator[Said]]
    title: str
    severity: Severity
    why: str
    action: str
    evidence: type | UnionType
    covers: tuple[str, ...] = ()

    @property
    def definition(self) -> str:
        """When it speaks: the first paragraph of the docstring."""
        return " ".join(inspect.getdoc(self.function).partition("\n\n")[0].split())  # type: ignore[union-attr]

    @property
    def remarks(self) -> str:
        """What surprises, from the rest of the docstring, and which rules are silent where it speaks."""
        rest = inspect.getdoc(self.function).partition("\n\n")[2].split()  # type: ignore[union-attr]
        silent = f"Where it speaks of a system, what follows from it is not said again: {', '.join(self.covers)}."
        return " ".join([*rest, *([silent] if self.covers else [])])

    @property
    def subject(self) -> str:
        """What it is about, as the module that declares it says: `Rules about ties: …`."""
        told = (importlib.import_module(self.function.__module__).__doc__ or "").partition(":")[0]
        return told.removeprefix("Rules about ").capitalize()

    @property
    def settings(self) -> Mapping[str, float]:
        """The limits from which it speaks, with their defaults."""
        _, *rest = inspect.signature(self.function).parameters.values()
        return {parameter.name: parameter.default for parameter in rest}

    @property
    def link(self) -> str:
        """Where the documentation explains it."""
        return f"{PAGE}#{self.name}"

    def findings(self, evidence: Any, limits: Mapping[str, float] | None = None) -> Iterator[Finding]:
        """What it finds in a piece of evidence."""
        own = {**self.settings, **self._checked(limits or {})}
        for sentence, subject, figures in self.function(evidence, **own):
            yield Finding(
                rule=self.name,
                severity=self.severity,
                sentence=sentence,
                why=self.why,
                action=self.action,
                link=self.link,
                subject=subject,
                figures=figures,
                settings=own,
            )

    def _checked(self, limits: Mapping[str, float]) -> Mapping[str, float]:
        for name, value in limits.items():
            if name not in self.settings:
                known = ", ".join(self.settings) or "none"
                raise BadSetting(f"the rule {self.name!r} has no setting {name!r}; it has: {known}")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise BadSetting(f"the rule {self.name!r}: {name} must be a number, not {value!r}")
        return limits


def rule(
    name: str, *, title: str, severity: Severity, why: str, action: str, covers: tuple[str, ...] = ()
) -> Callable[[Callable[..., Iterator[Said]]], Callable[..., Iterator[Said]]]:
    """Declare a rule: the type of the function's first argument says what it reads, the rest are its limits."""

    def declare(function: Callable[..., Iterator[Said]]) -> Callable[..., Iterator[Said]]:
        first = next(iter(inspect.signature(function).parameters))
        evidence = get_type_hints(function)[first]
        _RULES[name] = Rule(name, function, title, severity, why, action, evidence, covers)
        return function

    return declare


@cache
def known_rules() -> Mapping[str, Rule]:
    """Every declared rule, by name."""
    modules = [importlib.import_module(f"cranfield.findings.{name}").__name__ for name in _MODULES]
    ordered = sorted(_RULES.values(), key=lambda rule: modules.index(rule.function.__module__))
    return MappingProxyType({rule.name: rule for rule in ordered})


def reaches(figure: float, limit: float) -> bool:
    """Whether a figure is at least the limit, but for rounding: 1 - 0.9 is 0.1."""
    return bool(figure >= limit - ROUNDING)


def require_rule(name: str) -> Rule:
    """The rule of a name."""
    if name not in known_rules():
        raise BadSetting(f"there is no rule {name!r}; there are {', '.join(known_rules())}")
    return known_rules()[name]
