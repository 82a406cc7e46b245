"""The declaration of a measure."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from cranfield.arrays import Floats
from cranfield.evidence.hits import Hits
from cranfield.evidence.system_values import Gains, SystemValues
from cranfield.frozen import cached_property, frozen
from cranfield.settings import Range, Setting, Value, declared_settings

# Other tools' names for measures


@frozen
class Alias:
    """Another tool's name for a measure; `{k}` stands for the value of a setting."""

    pattern: str
    fixed: tuple[tuple[str, Value], ...] = ()
    refused: str = ""  # why a known name is refused


def also(pattern: str, **fixed: Value) -> Alias:
    """Another name for a measure, with the settings it implies."""
    return Alias(pattern, tuple(fixed.items()))


def cut_off(name: str) -> tuple[str, str]:
    """The two spellings of a measure with a cutoff in trec_eval."""
    return f"{name}_{{k}}", f"{name}.{{k}}"


def ranx(name: str, **fixed: Value) -> tuple[Alias, ...]:
    """ranx's spellings of a metric, with and without a cutoff and a relevance level."""
    return tuple(also(f"{name}{at}{level}", **fixed) for level in ("", "-l{rel}") for at in ("", "@{k}"))


def refused(pattern: str, why: str) -> Alias:
    """Another tool's name for something that differs from this measure: why it is refused, and what to use instead."""
    return Alias(pattern, refused=why)


# Full references of the papers and books that measures and tests cite


class Reference(NamedTuple):
    """Authors, title and venue of a publication; the key ends with its year."""

    key: str
    authors: str
    title: str
    venue: str

    @property
    def year(self) -> str:
        """The year of publication."""
        return self.key[-4:]

    def __str__(self) -> str:
        return f"[{self.key}] {self.authors} ({self.year}). {self.title}. {self.venue}."

    @property
    def bibtex(self) -> str:
        """The reference as a BibTeX entry."""
        fields = {
            "author": self.authors.replace("; ", " and "),
            "year": self.year,
            "title": f"{{{self.title}}}",
            "howpublished": self.venue.replace("&", r"\&"),
        }
        return f"@misc{{{self.key},\n" + "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items()) + "}\n"


def references(keys: Iterable[str]) -> tuple[Reference, ...]:
    """The references with these keys, in alphabetical order."""
    return tuple(_known()[key] for key in sorted({*keys}) if key in _known())


def cited(key: str) -> str:
    """The key in brackets after a sentence, if there is a reference for it."""
    return f" [{key}]" if key in _known() else ""


@cache
def _known() -> dict[str, Reference]:
    from importlib import resources  # slow to import and not needed for an evaluation

    lines = resources.files("cranfield.measures").joinpath("citations.txt").read_text("utf-8").splitlines()
    return {(one := Reference(*line.split("|"))).key: one for line in lines}


# The formulas of measures, in Python's notation, so that a test can evaluate them.
#
# A line has the kind of a measure, its name, and its formula, with further definitions after `where`. A name with
# settings, such as `DCG(discount='log(i)')`, has what is different with them: another formula, or other definitions.


_ALGORITHM = "algorithm: "


@cache
def _lines() -> dict[tuple[str, str], str]:
    from importlib import resources  # slow to import and not needed for an evaluation

    lines = resources.files("cranfield.measures").joinpath("formulas.txt").read_text("utf-8").splitlines()
    return {(kind, name): text for kind, name, text in (line.split("|") for line in lines)}


@cache
def formulas() -> dict[tuple[str, str], str]:
    """The formula of each measure that has one, by kind and name."""
    return {
        (kind, name): text
        for (kind, name), text in _lines().items()
        if not text.startswith(_ALGORITHM) and "(" not in name
    }


@cache
def variants() -> dict[tuple[str, str], dict[str, str]]:
    """What is different in the formula of a measure with other settings, by kind and name, and by these settings."""
    different: dict[tuple[str, str], dict[str, str]] = {}
    for (kind, name), text in _lines().items():
        measure, parenthesis, settings = name.partition("(")
        if parenthesis:
            different.setdefault((kind, measure), {})[settings.removesuffix(")")] = text
    return different


@cache
def algorithms() -> dict[tuple[str, str], str]:
    """How the other measures are computed, in words, by kind and name."""
    return {key: text.removeprefix(_ALGORITHM) for key, text in _lines().items() if text.startswith(_ALGORITHM)}


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
