"""The catalogue: measures are declared and listed here; `naming` finds them by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cache, wraps
from types import MappingProxyType
from typing import Any, get_args

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadSetting
from cranfield.evidence.arithmetic import clip_to_bounds, ratio
from cranfield.evidence.counterfactual import filled
from cranfield.frozen import cached_property, frozen
from cranfield.measures.declaration import (
    UNKNOWN_COVERAGE,
    Aggregate,
    Alias,
    Declaration,
    Dialects,
    Kind,
    NoInterval,
    Reasons,
)
from cranfield.settings import Setting, Value
from cranfield.tables.numbers import short_number

EXACT = "clopper-pearson"  # the interval of a proportion
LEAST = 1e-5  # the value used for 0 in a geometric mean, as in trec_eval

# modules without ranking measures, which need not be loaded to evaluate rankings
_KINDS: Mapping[str, tuple[Kind, ...]] = MappingProxyType(
    {
        "agreement": ("ratings",),
        "answers": ("answers",),
        "interpretation": (),
        "trec_names": (),
        "class_scores": ("classes",),
        "classes": ("classes",),
        "clusters": ("classes",),
        "combined_rates": ("binary",),
        "costs": ("binary",),
        "deviances": ("values",),
        "forecasts": ("forecasts",),
        "label_rankings": ("binary",),
        "label_sets": ("binary",),
        "margins": ("binary", "classes"),
        "prg": ("binary",),
        "probabilities": ("binary", "classes"),
        "rates": ("binary",),
        "recalibration": ("binary",),
        "regression": ("values",),
        "scores": ("binary",),
    }
)


_SYNONYMS: dict[Any, Any] = {("judged_only", True): ("unjudged", "skip"), "cutoff": "k"}  # ir_measures
_OF_EVIDENCE = ("of", "baseline", "unjudged")  # settings that choose or change the evidence
_COMMON = ("counts", "graded", "ranking", "sets")  # modules with the measures of rankings that most people request
_NAMED: dict[Kind, dict[str, Declaration]] = {}  # by every name


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
    dialects: Dialects = MappingProxyType({}),
    higher_is_better: bool | None = True,
    undefined: str | Reasons = "",
    proportion: bool = False,
    per_item: bool = False,
    monotone: bool = False,
    needs_probability: bool = False,
    binary: Mapping[str, Value] | None = None,
    unjudged_bounds: bool = False,
    interval: str | NoInterval = UNKNOWN_COVERAGE,
    calibration: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Floats]]:
    """Declare a measure: its settings and the evidence it needs are read from the signature of the function.

    The class attribute `kind` of the evidence is the kind of the measure; without one, rankings. The function of a
    proportion returns its numerator and denominator, from which Wilson's interval is computed; that of a `per_item`
    measure returns the value of each item, and the measure is their mean. `interval` is the method of its intervals
    over items, or why it has none.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Floats]:
        evidence = _evidence(function)
        kind: Kind = getattr(evidence, "kind", "ranking")
        computed = _quotient(function) if proportion else _item_mean(function) if per_item else function
        declaration = Declaration(
            name=name,
            function=computed,
            title=title,
            cite=cite,
            evidence=evidence,
            aggregate=aggregate,
            bounds=bounds,
            names=tuple(names),
            aliases=tuple(alias if isinstance(alias, Alias) else Alias(alias) for alias in aliases),
            pools=pools,
            linear=linear,
            synonyms=MappingProxyType(_SYNONYMS | dict(synonyms)),
            dialects=dialects,
            higher_is_better=higher_is_better,
            undefined=undefined if isinstance(undefined, str) else _either(undefined),
            reasons=MappingProxyType({} if isinstance(undefined, str) else undefined),
            kind=kind,
            parts=function if proportion else None,
            monotone=monotone,
            needs_probability=needs_probability,
            binary=binary,
            per_item=function if per_item else None,
            unjudged_bounds=unjudged_bounds,
            interval=EXACT if proportion and interval is UNKNOWN_COVERAGE else interval,
            calibration=calibration,
        )
        _NAMED.setdefault(kind, {}).update(dict.fromkeys((name, *declaration.names), declaration))
        return computed

    return declare


def _evidence(function: Callable[..., Any]) -> type:
    """The type of the first argument; get_type_hints would evaluate all annotations, which takes long."""
    annotation = next(iter(function.__annotations__.values()))
    return function.__globals__[annotation] if isinstance(annotation, str) else annotation


def _quotient(parts: Callable[..., Any]) -> Callable[..., Floats]:
    @wraps(parts)
    def quotient(evidence: Any, **settings: Any) -> Floats:
        return ratio(*parts(evidence, **settings))

    return quotient


def _item_mean(per_item: Callable[..., Floats]) -> Callable[..., Floats]:
    @wraps(per_item)
    def mean(evidence: Any, **settings: Any) -> Floats:
        return np.asarray(evidence.mean(per_item(evidence, **settings)))

    return mean


def _either(reasons: Iterable[str]) -> str:
    *others, last = reasons
    return f"{', '.join(others)}, or {last}" if others else last


@frozen
class Measure:
    """A measure with its settings: a value that prints, compares, hashes and parses back.

    Examples
    --------
    >>> import cranfield
    >>> cranfield.P(rel=2) @ 5
    P(rel=2)@5
    >>> cranfield.parse("P(rel=2)@5") == cranfield.P(rel=2) @ 5
    True
    """

    name: str
    settings: tuple[tuple[str, Value], ...] = field(default=())
    kind: Kind = "ranking"

    @property
    def declaration(self) -> Declaration:
        """The measure as declared: title, definition, bounds and possible settings."""
        return declared_as(self.name, self.kind)

    @property
    def options(self) -> dict[str, Value]:
        """All settings with their values, including defaults."""
        defaults = {name: setting.default for name, setting in self.declaration.settings.items()}
        return defaults | dict(self.settings)

    @property
    def binary(self) -> bool:
        """Whether every unit has the value 0 or 1 by definition, except for expected values of ties."""
        return self.declaration.binary is not None and self.declaration.binary.items() <= self.options.items()

    @property
    def interval_scaled(self) -> bool:
        """Whether equal differences are worth the same beyond dispute: of counts, gains in sums, and 0 or 1."""
        return self.binary or self.declaration.bounds[1] == np.inf

    @property
    def unjudged_bounds(self) -> bool:
        """Whether its values are never outside those with no unjudged document relevant and all of the top grade."""
        return self.declaration.unjudged_bounds and "gain" not in dict(self.settings)

    def __call__(self, **settings: Any) -> Measure:
        """The same measure with these settings."""
        return bound(self.declaration, dict(self.settings) | settings)

    def __matmul__(self, at: float) -> Measure:
        """The same measure at a cutoff or a recall level."""
        for name, setting in self.declaration.settings.items():
            if setting.at:
                return self(**{name: at})
        raise BadSetting(f"{self.name} has no cutoff")

    def values(self, evidence: Any) -> Floats:
        """The value for each unit of the evidence, NaN where undefined."""
        ready, settings = self.prepared(evidence)
        return clip_to_bounds(self.declaration.function(ready, **settings), self.declaration.bounds)

    def why_undefined(self, evidence: Any) -> str:
        """Why there is no value: the first reason that holds for every unit, or all possible reasons."""
        held = (reason for reason, holds in self.declaration.reasons.items() if np.all(holds(evidence, **self.options)))
        return next(held, self.declaration.undefined)

    def micro(self, evidence: Any) -> float:
        """The value for all units of the evidence pooled."""
        ready, settings = self.prepared(evidence)
        return float(self.declaration.function(ready.pooled, **settings)[0])

    def prepared(self, evidence: Any) -> tuple[Any, dict[str, Value]]:
        """The evidence with unjudged documents treated as set in the measure, and the settings of its function."""
        unjudged, cutoff = dict(self.settings).get("unjudged"), self._arguments.get("k")
        if unjudged == "skip":
            return evidence.condensed, self._arguments
        if isinstance(unjudged, int | float):
            return filled(evidence, unjudged, cutoff if isinstance(cutoff, int) else None), self._arguments
        return evidence, self._arguments

    @cached_property
    def _arguments(self) -> dict[str, Value]:
        """The settings of the function; the others choose or change its evidence."""
        self.require_settings()
        return {name: value for name, value in self.options.items() if name not in _OF_EVIDENCE}

    def require_settings(self) -> None:
        """Refuse a measure that lacks a setting without a default."""
        for name, setting in self.declaration.settings.items():
            if setting.required and name not in dict(self.settings):
                example = f"{self.name}@{setting.example}" if setting.at else f"{self.name}({name}=…)"
                raise BadSetting(f"{self.name} needs {name}, {setting.what}: for example {example}")

    def __str__(self) -> str:
        chosen = dict(self.settings)
        inside = ", ".join(
            f"{name}={_shown(chosen[name], setting)}"
            for name, setting in self.declaration.settings.items()
            if name in chosen and not setting.at
        )
        at = "".join(
            f"@{chosen[name]}" for name, setting in self.declaration.settings.items() if name in chosen and setting.at
        )
        return self.name + (f"({inside})" if inside else "") + at

    def __repr__(self) -> str:
        return str(self)


def _shown(value: Value, setting: Setting) -> str:
    if setting.gains and isinstance(value, tuple):
        return repr({short_number(grade): short_number(gain) for grade, gain in value})  # type: ignore[misc]
    return repr(value)


def bound(declared: Declaration, requested: Mapping[str, Any]) -> Measure:
    """A declared measure with these settings, checked; settings at their default are omitted."""
    settings: dict[str, Value] = {}
    for written, value in requested.items():
        name, value = _translated(declared, written, value)
        if name is None:
            continue
        if name == "measure":  # their setting is a separate measure here
            rest = {other: setting for other, setting in requested.items() if other != written}
            return bound(declared_as(value, declared.kind), rest)
        if name not in declared.settings:
            raise _unknown_setting(declared, written, value)
        setting = declared.settings[name]
        checked = setting.checked(value, declared.name, _printed)
        if setting.required or checked != setting.default:
            settings[name] = checked
    chosen = tuple((name, settings[name]) for name in declared.settings if name in settings)
    return Measure(declared.name, chosen, declared.kind)


def _printed(text: str) -> str:
    """The name of a measure as it prints."""
    from cranfield.measures.naming import parse  # which imports this module

    return str(parse(text))


def _unknown_setting(declared: Declaration, name: str, value: Any) -> BadSetting:
    """The error for a setting that does not exist, or for a value of another tool's setting that is not supported."""
    known = [key[1] for key in declared.synonyms if isinstance(key, tuple) and key[0] == name]
    if known:
        choices = known + [False] * (known == [True])
        return BadSetting(f"{declared.name}: {name} can only be {' or '.join(map(repr, choices))}, not {value!r}")
    return BadSetting(f"{declared.name} has no setting {name!r}; it has: {', '.join(declared.settings) or 'none'}")


def _translated(declared: Declaration, name: str, value: Any) -> tuple[str | None, Any]:
    """Another tool's setting in cranfield's terms."""
    if name in declared.settings:
        return name, value
    for known, meant in declared.synonyms.items():
        if known == (name, value):
            return meant
    if value is False and (name, True) in declared.synonyms:
        return None, None
    if name in declared.synonyms:
        return declared.synonyms[name], value
    return name, value


@cache
def by_name() -> Mapping[str, Measure]:
    """Every measure by its name, without settings; the first kind that has the name."""
    last_kind_first = (declared for kind in reversed(get_args(Kind)) for declared in declarations(kind).values())
    return MappingProxyType({declared.name: bound(declared, {}) for declared in last_kind_first})


def find_declared(name: str, kind: Kind = "ranking") -> Declaration | None:
    """The declared measure of a kind that has this name; rare ones are imported only if no common one has it."""
    known = _NAMED.setdefault(kind, {})
    if name not in known and kind == "ranking":
        _import(_COMMON)
    if name not in known:
        declarations(kind)
    return known.get(name)


def declared_as(name: str, kind: Kind = "ranking") -> Declaration:
    """The declared measure of a kind with this name, which exists."""
    declared = find_declared(name, kind)
    if declared is None:
        raise KeyError(name)
    return declared


@cache
def declarations(kind: Kind = "ranking") -> Mapping[str, Declaration]:
    """Every declared measure of a kind by name, in the order of the modules."""
    import pkgutil  # here, because most evaluations do not need it

    package = importlib.import_module("cranfield.measures")
    modules = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    _import(module for module in modules if kind in _KINDS.get(module, (kind,)))
    ordered = sorted(_NAMED.get(kind, {}).values(), key=lambda declared: declared.function.__module__)
    return MappingProxyType({declared.name: declared for declared in ordered})


def _import(modules: Iterable[str]) -> None:
    for module in modules:
        importlib.import_module(f"cranfield.measures.{module}")
