"""The declaration of a measure."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

from cranfield.arrays import Floats
from cranfield.evidence.hits import Hits
from cranfield.evidence.system_values import Gains, SystemValues
from cranfield.frozen import cached_property, frozen
from cranfield.measures.aliases import Alias
from cranfield.measures.citations import references
from cranfield.measures.formulas import algorithms, formulas, variants
from cranfield.measures.settings import Range, Setting, Value, declared_settings

Dialects = Mapping[str, Mapping[str, Callable[[Any], Any]]]
Reasons = dict[str, Callable[..., Any]]  # why there is no value, and the condition on evidence and settings
Aggregate = Literal["mean", "macro", "micro", "weighted", "geometric", "median", "sum"]  # macro is the mean
Kind = Literal[
    "ranking", "binary", "classes", "values", "forecasts", "answers", "ratings"
]  # the kinds of evidence; names are unique within a kind


_UNJUDGED = Setting("unjudged", ranges=(Range("a grade"),), choices=("skip",))
_SKIPPED = Setting("unjudged", choices=("skip",))  # for evidence without unjudged items
_OF = Setting("of", "AP", name_of="a measure")  # for evidence of several systems
_BASELINE = Setting("baseline", name_of="a system")


@frozen
class NoInterval:
    """Why a measure has no interval over items."""

    reason: str


UNKNOWN_COVERAGE = NoInterval("the coverage of its intervals has not been simulated")


@frozen(eq=False)
class Declaration:
    """A measure as declared, before any setting is chosen."""

    name: str
    function: Callable[..., Floats]
    title: str
    cite: str
    evidence: type
    aggregate: Aggregate
    bounds: tuple[float, float]
    names: tuple[str, ...]
    aliases: tuple[Alias, ...]
    pools: bool
    linear: bool
    synonyms: Mapping[Any, Any]
    dialects: Dialects  # names under which settings have another meaning, and their meaning here
    higher_is_better: bool | None
    undefined: str  # when it is undefined
    reasons: Mapping[str, Callable[..., Any]]  # the individual reasons, if there are several
    kind: Kind
    parts: Callable[..., tuple[Any, Any]] | None  # numerator and denominator of a proportion
    monotone: bool  # never worse with one more true positive, nor better with one more false positive
    needs_probability: bool
    binary: Mapping[str, Value] | None  # settings for which every unit is 0 or 1 by definition
    per_item: Callable[..., Floats] | None  # the value of each item, if the measure is their mean
    unjudged_bounds: bool  # each document contributes alone, and more relevant ones contribute more (default gains)
    interval: str | NoInterval  # its method over items, and from how many of each class or in all
    calibration: bool  # 0 for calibrated probabilities, but for sampling: shown beside what these would give

    @cached_property
    def settings(self) -> Mapping[str, Setting]:
        """Its settings by name, read from the signature on first use."""
        declared = declared_settings(self.function)
        if self.evidence is Hits:
            declared["unjudged"] = _UNJUDGED
        elif hasattr(self.evidence, "condensed"):
            declared["unjudged"] = _SKIPPED
        elif self.evidence is Gains:
            declared = {"of": _OF} | declared | {"baseline": _BASELINE}
        elif self.evidence is SystemValues:
            declared = {"of": _OF} | declared
        return MappingProxyType(declared)

    @property
    def per_unit(self) -> bool:
        """Whether each query has a value, rather than only all queries together."""
        return self.aggregate != "micro"

    @property
    def undefined_value(self) -> float:
        """What an undefined value counts as if it is not left out: 0 unless that is the best value of a ranking.

        Where lower is better, it is the upper end of the range; without one it is left out all the same (NaN).
        """
        if self.higher_is_better is not False or self.kind not in ("ranking", "answers"):
            return 0.0
        return self.bounds[1] if math.isfinite(self.bounds[1]) else math.nan

    @property
    def interval_method(self) -> str:
        """The name of the method of its interval over items; empty if it has none."""
        return "" if isinstance(self.interval, NoInterval) else self.interval.partition(" from ")[0]

    @property
    def fewest_of_class(self) -> int:
        """The number of items of each class that its interval needs."""
        return 0 if isinstance(self.interval, NoInterval) else int(self.interval.partition(" from ")[2] or 0)

    @property
    def definition(self) -> str:
        """The first line of the docstring."""
        return inspect.getdoc(self.function).partition("\n")[0]  # type: ignore[union-attr]

    @property
    def reference(self) -> str:
        """The full reference of its citation, or the program whose source code defines it."""
        program = f"{self.cite} (source code)" if self.cite else ""
        return next((str(reference).partition("] ")[2] for reference in references([self.cite])), program)

    @property
    def formula(self) -> str:
        """The formula in Python notation, which holds except for `variants`; empty for an algorithm."""
        return formulas().get((self.kind, self.name), "")

    @property
    def variants(self) -> dict[str, str]:
        """What is different in the formula with other settings: another formula, or other definitions."""
        return variants().get((self.kind, self.name), {})

    @property
    def algorithm(self) -> str:
        """How it is computed, in words, if no short formula says it."""
        return algorithms().get((self.kind, self.name), "")

    @property
    def remarks(self) -> str:
        """The rest of the docstring."""
        return inspect.getdoc(self.function).partition("\n")[2].strip()  # type: ignore[union-attr]
