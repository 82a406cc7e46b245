"""What the declaration of a measure holds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from cranfield.arrays import Floats
from cranfield.evidence.hits import Hits
from cranfield.measures.aliases import Alias
from cranfield.measures.citations import references
from cranfield.measures.formulas import formulas
from cranfield.measures.settings import Range, Setting, Value, declared_settings

Dialects = Mapping[str, Mapping[str, Callable[[Any], Any]]]
Reasons = dict[str, Callable[..., Any]]  # why there is no value, and of which evidence and settings that is so
Aggregate = Literal["mean", "macro", "micro", "weighted", "geometric", "median", "sum"]  # macro is the mean
Kind = Literal["ranking", "binary", "classes", "values", "ratings"]  # what is measured: names are unique within a kind


_UNJUDGED = Setting("unjudged", None, False, (Range("a grade"),), ("skip",), False, False)
_SKIPPED = Setting("unjudged", None, False, (), ("skip",), False, False)  # for evidence that knows nothing to fill in


@dataclass(frozen=True, eq=False)
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
    dialects: Dialects  # names under which settings mean something else, and what they mean here
    higher_is_better: bool | None
    undefined: str  # when it has no value, in words
    reasons: Mapping[str, Callable[..., Any]]  # the same one by one, where there are several
    kind: Kind
    parts: Callable[..., tuple[Any, Any]] | None  # numerator and denominator of a proportion
    monotone: bool  # never worse by a true positive in place of a false negative, nor better by a false positive
    needs_probability: bool
    binary: Mapping[str, Value] | None  # the settings with which every unit has 0 or 1, by definition
    jackknife: bool  # higher on bootstrap resamples, in which items repeat and agree with themselves

    @cached_property
    def settings(self) -> Mapping[str, Setting]:
        """Its settings by name; read from the signature when first needed, since few measures are used at a time."""
        declared = declared_settings(self.function)
        if self.evidence is Hits:
            declared["unjudged"] = _UNJUDGED
        elif hasattr(self.evidence, "condensed"):
            declared["unjudged"] = _SKIPPED
        return MappingProxyType(declared)

    @property
    def definition(self) -> str:
        """The first line of the docstring."""
        return inspect.getdoc(self.function).partition("\n")[0]  # type: ignore[union-attr]

    @property
    def reference(self) -> str:
        """The full reference of what it cites; the name of the program if that is one."""
        return next((str(reference).partition("] ")[2] for reference in references([self.cite])), self.cite)

    @property
    def formula(self) -> str:
        """What is computed with default settings, in Python's notation; empty for what takes more than one line."""
        return formulas().get((self.kind, self.name), "")

    @property
    def remarks(self) -> str:
        """The rest of the docstring."""
        return inspect.getdoc(self.function).partition("\n")[2].strip()  # type: ignore[union-attr]
