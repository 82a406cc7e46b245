"""The catalogue: measures are declared here, parsed from text and listed."""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, wraps
from types import MappingProxyType
from typing import Any, Literal, get_type_hints

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.evidence.altered import filled
from cranfield.evidence.exact import ratio, settled
from cranfield.evidence.hits import Hits
from cranfield.settings import Range, Setting, Value, declared_setting

Floats = NDArray[np.float64]
Reasons = dict[str, Callable[..., Any]]  # why there is no value, and of which evidence and settings that is so
Aggregate = Literal["mean", "macro", "micro", "weighted", "geometric", "median", "sum"]  # macro is the mean
Kind = Literal["ranking", "binary", "classes", "values", "ratings"]  # what is measured: names are unique within a kind


@dataclass(frozen=True)
class Family:
    """A measure as declared, before any setting is chosen."""

    name: str
    function: Callable[..., Floats]
    title: str
    cite: str
    evidence: type
    settings: Mapping[str, Setting]
    aggregate: Aggregate
    bounds: tuple[float, float]
    names: tuple[str, ...]
    aliases: tuple[Alias, ...]
    pools: bool
    linear: bool
    synonyms: Mapping[Any, Any]
    higher_is_better: bool | None
    undefined: str  # when it has no value, in words
    reasons: Mapping[str, Callable[..., Any]]  # the same one by one, where there are several
    kind: Kind
    parts: Callable[..., tuple[Any, Any]] | None  # of a share of items: how many, and of how many
    monotone: bool  # never worse by a true positive in place of a false negative, nor better by a false positive
    probable: bool  # scores must be probabilities

    @property
    def definition(self) -> str:
        """The first line of the docstring."""
        return inspect.getdoc(self.function).partition("\n")[0]  # type: ignore[union-attr]

    @property
    def remarks(self) -> str:
        """What surprises, from the rest of the docstring."""
        return inspect.getdoc(self.function).partition("\n")[2].strip()  # type: ignore[union-attr]


@dataclass(frozen=True)
class Alias:
    """Another tool's way of writing a measure: `{k}` stands for a setting's value."""

    pattern: str
    fixed: tuple[tuple[str, Value], ...] = ()

    def match(self, text: str) -> dict[str, Any] | None:
        """The settings that the text gives, if it is written this way."""
        found = _compiled(self.pattern).fullmatch(text)
        if found is None:
            return None
        return dict(self.fixed) | {name: ast.literal_eval(_plain(value)) for name, value in found.groupdict().items()}


def also(pattern: str, **fixed: Value) -> Alias:
    """Another way of writing a measure, with the settings it implies."""
    return Alias(pattern, tuple(fixed.items()))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>-?[0-9]*\\.?[0-9]+)", re.escape(pattern)))


def _plain(number: str) -> str:
    """The number without leading zeros, which Python does not read."""
    return re.sub(r"^(-?)0+(?=\d)", r"\1", number)


_UNJUDGED = Setting("unjudged", None, False, (Range("a grade"),), ("skip",), False, False)
_SKIPPED = Setting("unjudged", None, False, (), ("skip",), False, False)  # for evidence that knows nothing to fill in
_SYNONYMS: dict[Any, Any] = {("judged_only", True): ("unjudged", "skip"), "cutoff": "k"}  # ir_measures
_FAMILIES: dict[Kind, dict[str, Family]] = {}
_READERS: dict[Kind, list[Reader]] = {}


def measure(
    name: str,
    *,
    title: str,
    cite: str = "",
    aggregate: Aggregate = "mean",
    bounds: tuple[float, float] = (0, 1),
    names: Iterable[str] = (),
    aliases: Iterable[str | Alias] = (),
    pools: bool = False,
    linear: bool = False,
    synonyms: Mapping[Any, Any] = MappingProxyType({}),
    higher_is_better: bool | None = True,
    undefined: str | Reasons = "",
    share: bool = False,
    monotone: bool = False,
    probable: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Floats]]:
    """Declare a measure: its settings and the evidence it needs are read off the function's signature.

    The evidence says what kind of thing is measured, by a class attribute `kind`; without one, it is a ranking.
    The function of a share gives how many items there are, and of how many: of both, intervals are made.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Floats]:
        hints = get_type_hints(function, include_extras=True)
        evidence, *settings = inspect.signature(function).parameters.values()
        declared = {p.name: declared_setting(p, hints[p.name]) for p in settings}
        if hints[evidence.name] is Hits:
            declared["unjudged"] = _UNJUDGED
        elif hasattr(hints[evidence.name], "condensed"):
            declared["unjudged"] = _SKIPPED
        kind: Kind = getattr(hints[evidence.name], "kind", "ranking")
        own = _quotient(function) if share else function
        _FAMILIES.setdefault(kind, {})[name] = Family(
            name=name,
            function=own,
            title=title,
            cite=cite,
            evidence=hints[evidence.name],
            settings=MappingProxyType(declared),
            aggregate=aggregate,
            bounds=bounds,
            names=tuple(names),
            aliases=tuple(alias if isinstance(alias, Alias) else Alias(alias) for alias in aliases),
            pools=pools,
            linear=linear,
            synonyms=MappingProxyType(_SYNONYMS | dict(synonyms)),
            higher_is_better=higher_is_better,
            undefined=undefined if isinstance(undefined, str) else _either(undefined),
            reasons=MappingProxyType({} if isinstance(undefined, str) else undefined),
            kind=kind,
            parts=function if share else None,
            monotone=monotone,
            probable=probable,
        )
        return own

    return declare


def _quotient(parts: Callable[..., Any]) -> Callable[..., Floats]:
    @wraps(parts)
    def share(evidence: Any, **settings: Any) -> Floats:
        return ratio(*parts(evidence, **settings))

    return share


def _either(reasons: Iterable[str]) -> str:
    *others, last = reasons
    return f"{', '.join(others)}, or {last}" if others else last


@dataclass(frozen=True)
class Measure:
    """A measure with its settings: a value that prints, compares, hashes and parses back."""

    name: str
    settings: tuple[tuple[str, Value], ...] = field(default=())
    kind: Kind = "ranking"

    @property
    def family(self) -> Family:
        """The declaration behind it."""
        return families(self.kind)[self.name]

    @property
    def options(self) -> dict[str, Value]:
        """Every setting with its value, the defaults included."""
        defaults = {name: setting.default for name, setting in self.family.settings.items()}
        return defaults | dict(self.settings)

    def __call__(self, **settings: Any) -> Measure:
        """The same measure with these settings."""
        return bound(self.family, dict(self.settings) | settings)

    def __matmul__(self, at: float) -> Measure:
        """The same measure at a cut-off, or at a level of recall."""
        for name, setting in self.family.settings.items():
            if setting.at:
                return self(**{name: at})
        raise BadSetting(f"{self.name} takes no cut-off")

    def values(self, evidence: Any) -> Floats:
        """The value for each unit of the evidence, NaN where it is undefined."""
        ready, settings = self.prepared(evidence)
        return settled(self.family.function(ready, **settings), self.family.bounds)

    def why_undefined(self, evidence: Any) -> str:
        """Why there is no value: the first reason that holds for every unit of the evidence, or all there may be."""
        held = (reason for reason, holds in self.family.reasons.items() if np.all(holds(evidence, **self.options)))
        return next(held, self.family.undefined)

    def micro(self, evidence: Any) -> float:
        """The value for all units of the evidence taken as one."""
        ready, settings = self.prepared(evidence)
        return float(self.family.function(ready.pooled, **settings)[0])

    def prepared(self, evidence: Any) -> tuple[Any, dict[str, Value]]:
        """The evidence as this measure takes unjudged documents, and the settings that its function takes."""
        self.require_settings()
        options = self.options
        unjudged, cutoff = options.pop("unjudged", None), options.get("k")
        if unjudged == "skip":
            return evidence.condensed, options
        if isinstance(unjudged, int | float):
            return filled(evidence, unjudged, cutoff if isinstance(cutoff, int) else None), options
        return evidence, options

    def require_settings(self) -> None:
        """Refuse a measure that still lacks a setting without a default."""
        for name, setting in self.family.settings.items():
            if setting.required and name not in dict(self.settings):
                example = f"{self.name}@{setting.example}" if setting.at else f"{self.name}({name}=…)"
                raise BadSetting(f"{self.name} needs {name}, {setting.what}: for example {example}")

    def __str__(self) -> str:
        chosen = dict(self.settings)
        inside = ", ".join(
            f"{name}={_shown(chosen[name], setting)}"
            for name, setting in self.family.settings.items()
            if name in chosen and not setting.at
        )
        at = "".join(
            f"@{chosen[name]}" for name, setting in self.family.settings.items() if name in chosen and setting.at
        )
        return self.name + (f"({inside})" if inside else "") + at

    def __repr__(self) -> str:
        return str(self)


def _shown(value: Value, setting: Setting) -> str:
    if setting.gains and isinstance(value, tuple):
        return repr({_short(grade): _short(gain) for grade, gain in value})  # type: ignore[misc]
    return repr(value)


def _short(number: float) -> float | int:
    return int(number) if float(number).is_integer() else number


def bound(family: Family, given: Mapping[str, Any]) -> Measure:
    """The measure of a family with these settings, checked; those at their default are left out."""
    settings: dict[str, Value] = {}
    for written, value in given.items():
        name, value = _translated(family, written, value)
        if name is None:
            continue
        if name == "measure":  # what they have as a setting, we have as a measure of its own
            rest = {other: setting for other, setting in given.items() if other != written}
            return bound(families(family.kind)[value], rest)
        if name not in family.settings:
            known = ", ".join(family.settings) or "none"
            raise BadSetting(f"{family.name} has no setting {written!r}; it has: {known}")
        setting = family.settings[name]
        checked = setting.checked(value, family.name)
        if setting.required or checked != setting.default:
            settings[name] = checked
    chosen = tuple((name, settings[name]) for name in family.settings if name in settings)
    return Measure(family.name, chosen, family.kind)


def _translated(family: Family, name: str, value: Any) -> tuple[str | None, Any]:
    """A setting as another tool writes it, in our words."""
    if name in family.settings:
        return name, value
    if not isinstance(value, dict | list) and (name, value) in family.synonyms:
        return family.synonyms[name, value]
    if (name, False) == (name, value) and (name, True) in family.synonyms:
        return None, None
    if name in family.synonyms:
        return family.synonyms[name], value
    return name, value


@cache
def families(kind: Kind = "ranking") -> Mapping[str, Family]:
    """Every declared measure of a kind, by name."""
    package = importlib.import_module("cranfield.measures")
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"cranfield.measures.{module}")
    return MappingProxyType(_FAMILIES.get(kind, {}))


@cache
def _names(kind: Kind) -> Mapping[str, Family]:
    known = {name: family for family in families(kind).values() for name in (family.name, *family.names)}
    return MappingProxyType(known)


_FORM = re.compile(
    r"(?P<name>[^\W\d][\w-]*|α[\w-]*)\s*"
    r"(?:\((?P<inside>.*)\))?\s*"
    r"(?:@(?P<at>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e-?[0-9]+)?))?",
    re.DOTALL,
)


Reader = Callable[[str], tuple[Measure, ...]]


def reader(kind: Kind) -> Callable[[Reader], Reader]:
    """Declare a way to read names that may stand for several measures; it gives none for what it cannot read."""

    def declare(read: Reader) -> Reader:
        _READERS.setdefault(kind, []).append(read)
        return read

    return declare


def parse(text: str, kind: Kind = "ranking") -> Measure:
    """The measure a text names: `nDCG(gain="exp2")@10`, or as trec_eval, ir_measures and ranx write it."""
    several = parse_all(text, kind)
    if len(several) > 1:
        raise BadSetting(f"{text!r} stands for several measures: {', '.join(map(str, several))}; name one of them")
    return several[0]


@cache
def parse_all(text: str, kind: Kind = "ranking") -> tuple[Measure, ...]:
    """The measures a text names: one, or those that trec_eval calculates for it, as for `ndcg_cut` and `P.5,10`."""
    text = text.strip()
    if (own := _one(text, kind)) is not None:
        return (own,)
    for read in _READERS.get(kind, ()):
        if several := read(text):
            return several
    form = _FORM.fullmatch(text)
    raise UnknownMeasure(_unknown(form["name"] if form else text, kind))


def _one(text: str, kind: Kind) -> Measure | None:
    """The measure that goes by this text, as it is declared."""
    form = _FORM.fullmatch(text)
    if form and (family := _names(kind).get(form["name"])):
        result = bound(family, _arguments(form["inside"] or "", text))
        return result @ ast.literal_eval(_plain(form["at"])) if form["at"] else result
    for family in families(kind).values():
        for alias in family.aliases:
            if (settings := alias.match(text)) is not None:
                return bound(family, settings)
    return None


def _arguments(inside: str, text: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError(inside)
        return {str(word.arg): _written(word.value) for word in call.keywords}
    except (SyntaxError, ValueError):
        raise BadSetting(f"{text!r}: settings are written name=value, as in nDCG(gain='exp2')@10") from None


def _written(value: ast.expr) -> Any:
    """What a setting says; a bare word is a text."""
    return value.id if isinstance(value, ast.Name) else ast.literal_eval(value)


def _unknown(name: str, kind: Kind) -> str:
    written = [*_names(kind), *(alias.pattern for family in families(kind).values() for alias in family.aliases)]
    lower = {known.lower(): known for known in reversed(written) if "{" not in known}
    close = difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.5)
    hint = f"; did you mean {', '.join(lower[match] for match in close)}?" if close else ""
    return f"there is no measure {name!r}{hint} (cranfield measures lists them)"
