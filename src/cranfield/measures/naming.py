"""From names to measures: names in cranfield and in other tools.

Decided here: which measure a name means; cranfield's own names come before those of other tools.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any, get_args

from cranfield.errors import BadSetting, UnknownMeasure, did_you_mean
from cranfield.measures.declaration import Alias, Declaration, Kind
from cranfield.measures.registry import Measure, bound, declarations, find_declared

Requested = str | Measure | Iterable[str | Measure] | None
Kinds = Kind | tuple[Kind, ...]

# what measures of a kind evaluate, the verb that accepts them, and examples
_KINDS: Mapping[Kind, tuple[str, str, str]] = MappingProxyType(
    {
        "ranking": ("rankings", "evaluate", "nDCG@10, AP, RR, P@10, …"),
        "binary": ("classifiers", "classify", "Accuracy, Precision, Recall, F, AUC, …"),
        "classes": ("classifiers", "classify", "Accuracy, BalancedAccuracy, F, Kappa, MCC, …"),
        "values": ("numeric predictions", "regress", "MSE, RMSE, MAE, R2, …"),
        "forecasts": ("predicted distributions", "regress", "CRPS, IntervalScore@0.9, IntervalCoverage@0.9, …"),
        "answers": ("judged answers", "evaluate_answers", "NuggetRecall, CitationPrecision, CitationRecall, …"),
        "ratings": ("agreement between raters", "agree", "Kappa, Fleiss, Alpha, …"),
    }
)
_UNREADABLE = (
    SyntaxError,
    ValueError,
    OverflowError,
    RecursionError,
    MemoryError,
)  # the last one for excessive nesting
_FORM = re.compile(
    r"(?P<name>[^\W\d][\w -]*|α[\w-]*)\s*"
    r"(?:\((?P<inside>.*)\))?\s*"
    r"(?:@(?P<at>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e-?[0-9]+)?))?",
    re.DOTALL,
)
_COMMA = re.compile(r",(?!\s*(?:p=)?[-+0-9.][-+0-9.=e]*\s*(?:,|$))")  # not between two parameters of trec_eval
_ADDED = (("", ""), (r"(?<=\w)_at_(?=[0-9.])", "@"), ("_score$", ""), ("^mean[ _]", ""))
_NEGATED = re.compile(r"neg_(?P<name>\w+)")
_AVERAGED = re.compile(r"(?P<name>\w+)_(?P<average>macro|micro|weighted)")


def measures_named(requested: Requested, kinds: Kinds, default: Iterable[str | Measure] = ()) -> tuple[Measure, ...]:
    """The requested measures, without repetition: by name, as measures, as a comma-separated list, or several of these.

    `kinds` are the kinds of evidence: if a name belongs to several kinds, the first one wins. Without a request, the
    default measures are returned.
    """
    measures = tuple(dict.fromkeys(_measures_in(default if requested is None else requested, kinds)))
    if not measures:
        raise BadSetting("no measure was requested; cranfield measures lists them")
    for measure in measures:
        measure.require_settings()
    return measures


def parse(text: str | Measure, kinds: Kinds = "ranking") -> Measure:
    """The one measure that a text names.

    Parameters
    ----------
    text
        `nDCG(gain="exp2")@10`, or the name in trec_eval, ir_measures, ranx or scikit-learn.
    kinds
        What is measured: `"ranking"`, `"binary"`, `"classes"`, `"values"`, `"forecasts"`, `"answers"` or
        `"ratings"`, or several of these.

    Returns
    -------
    Measure
        The measure with its settings.

    Examples
    --------
    >>> parse("ndcg_cut_10")
    nDCG@10
    >>> parse("f1_score", "binary")
    F
    """
    measures = tuple(_measures_in(text, kinds))
    if len(measures) > 1:
        raise BadSetting(f"{text!r} stands for several measures: {', '.join(map(str, measures))}; choose one of them")
    return measures[0]


@cache
def known_measure(text: str) -> Measure | None:
    """The measure of any kind that has this name, if there is one."""
    with suppress(UnknownMeasure, BadSetting):
        return parse(text, get_args(Kind))
    return None


def _measures_in(requested: Any, kinds: Kinds) -> Iterator[Measure]:
    allowed = (kinds,) if isinstance(kinds, str) else kinds
    if isinstance(requested, Measure) and requested.kind in allowed:
        yield requested
    elif isinstance(requested, str) or not isinstance(requested, Iterable):
        yield from _named(str(requested).strip(), allowed)  # measures of ir_measures print their names
    else:
        for one in requested:
            yield from _measures_in(one, kinds)


@cache
def _named(text: str, kinds: tuple[Kind, ...]) -> tuple[Measure, ...]:
    """The measures that a text names."""
    for understood in (_exactly, _loosely):
        for kind in kinds:
            if measures := understood(text, kind):
                return measures
    ends = [comma.start() for comma in _COMMA.finditer(_outline(text))]
    parts = [part for part in (text[a + 1 : b].strip() for a, b in pairwise((-1, *ends, len(text)))) if part]
    if len(parts) > 1:
        return tuple(measure for part in parts for measure in _named(part, kinds))
    raise UnknownMeasure(_unknown(text, kinds))


def _outline(text: str) -> str:
    """The text with bracketed parts blanked out, so the remaining commas separate measures."""
    outline, depth, quote = [], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif depth and character in "'\"":
            quote = character
        else:
            depth = max(depth + (character in "({[") - (character in ")}]"), 0)
        outline.append(" " if depth else character)
    return "".join(outline)


def _exactly(text: str, kind: Kind) -> tuple[Measure, ...]:
    """The measures with exactly this name, or those that trec_eval computes for it, such as `P.5,10`."""
    if (measure := _one(text, kind)) is not None:
        return (measure,)
    if kind != "ranking":
        return ()
    from cranfield.measures.trec_names import trec_measures  # most names are cranfield's own

    return trec_measures(text)


def _loosely(text: str, kind: Kind) -> tuple[Measure, ...]:
    """The measure with this name or title, ignoring case, word separators and affixes used by other tools."""
    for added, instead in _ADDED:
        written = re.sub(added, instead, text, flags=re.IGNORECASE)
        if (measure := _one(written, kind, re.IGNORECASE)) is not None:
            return (measure,)
    return ()


def _one(text: str, kind: Kind, flags: int = 0) -> Measure | None:
    form = _FORM.fullmatch(text) if "," not in _outline(text) else None
    if form and (
        declared := _loosely_called(form["name"], kind) if flags else find_declared(form["name"].strip(), kind)
    ):
        settings = _arguments(form["inside"] or "", text)
        dialect = declared.dialects.get(form["name"], {})
        settings |= {name: dialect[name](settings[name]) for name in dialect if name in settings}
        measure = bound(declared, settings)
        return measure @ _number(form["at"], text) if form["at"] else measure
    for declared in declarations(kind).values():
        for alias in declared.aliases:
            if (values := _values(alias, text, flags)) is not None:
                return bound(declared, values)
    return None


def _loosely_called(name: str, kind: Kind) -> Declaration | None:
    return _loose_names(kind).get(_squashed(name))


@cache
def _loose_names(kind: Kind) -> Mapping[str, Declaration]:
    """Measures by normalised name, alias or title; ambiguous ones are left out."""
    sharing: dict[str, list[Declaration]] = {}
    for level in (_written, lambda declared: (declared.title,)):  # a name takes precedence over another measure's title
        taken = set(sharing)
        for declared in declarations(kind).values():
            for key in {_squashed(name) for name in level(declared)} - taken:
                sharing.setdefault(key, []).append(declared)
    return {key: sharers[0] for key, sharers in sharing.items() if len(sharers) == 1}


def _written(declared: Declaration) -> tuple[str, ...]:
    """The names and aliases of a measure, without their settings."""
    fixed = (alias.pattern for alias in declared.aliases if not alias.refused and "{" not in alias.pattern)
    return (declared.name, *declared.names, *fixed)


def _squashed(name: str) -> str:
    """A name without case and word separators."""
    return re.sub(r"(?<=\w)[\s_-]+(?=\w)", "", name.casefold()).replace("_", "").strip()


@cache
def _pattern(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>-?[0-9]*\\.?[0-9]+)", re.escape(pattern)), flags)


def _values(alias: Alias, text: str, flags: int) -> dict[str, Any] | None:
    """The settings in a text, if it matches the alias."""
    match = _pattern(alias.pattern, flags).fullmatch(text)
    if match is None:
        return None
    if alias.refused:
        raise BadSetting(f"{text}: {alias.refused}")
    return dict(alias.fixed) | {name: _number(value, text) for name, value in match.groupdict().items()}


def _arguments(inside: str, text: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError(inside)
        names = [str(word.arg) for word in call.keywords]
        if len(set(names)) < len(names):
            raise ValueError(inside)
        return {str(word.arg): _setting(word.value) for word in call.keywords}
    except _UNREADABLE:
        raise BadSetting(f"{text!r}: settings are written name=value, as in nDCG(gain='exp2')@10") from None


def _setting(value: ast.expr) -> Any:
    """The value of a setting; a bare word or measure is a text, and only `inf` is infinite."""
    is_measure = isinstance(value, ast.Name | ast.Call) or (
        isinstance(value, ast.BinOp) and isinstance(value.op, ast.MatMult)
    )
    setting = ast.unparse(value).replace(" @ ", "@") if is_measure else ast.literal_eval(value)
    if isinstance(setting, float) and math.isinf(setting):
        raise OverflowError(setting)
    return setting


def _number(written: str, text: str) -> Any:
    try:
        return ast.literal_eval(re.sub(r"^(-?)0+(?=\d)", r"\1", written))  # Python refuses leading zeros
    except _UNREADABLE:
        raise BadSetting(f"{text!r}: {written[:20]}… is not a usable number") from None


def _unknown(text: str, kinds: tuple[Kind, ...]) -> str:
    """The error for an unknown name of these kinds, with a suggestion."""
    if negated := _NEGATED.fullmatch(text):
        for measure in _suggested(negated["name"], kinds):
            return f"there is no measure {text!r}; use {measure}, which is not negated"
    if averaged := _AVERAGED.fullmatch(text):
        for measure in _suggested(averaged["name"], kinds):
            return f"there is no measure {text!r}; use {measure} with average={averaged['average']!r}"
    form = _FORM.fullmatch(text)
    name = form["name"].strip() if form else text
    others = dict.fromkeys(_KINDS[kind][0] for kind in _KINDS if kind not in kinds and _suggested(text, (kind,)))
    if others:
        _, verb, examples = _KINDS[kinds[0]]
        return f"{name} measures {' and '.join(others)}; {verb} takes {examples} (cranfield measures lists them)"
    suggestions = dict(_suggestions(name, kinds))
    hint = did_you_mean(name, suggestions, suggestions.__getitem__, _squashed)
    return f"there is no measure {name!r}{hint} (cranfield measures lists them)"


def _suggested(text: str, kinds: tuple[Kind, ...]) -> tuple[Measure, ...]:
    """The measures of these kinds that have this name."""
    for kind in kinds:
        with suppress(UnknownMeasure, BadSetting):
            if measures := _exactly(text, kind) or _loosely(text, kind):
                return measures
    return ()


def _suggestions(name: str, kinds: tuple[Kind, ...]) -> Iterator[tuple[str, str]]:
    """Texts that a misspelt name may resemble, each with the name to suggest; for equal texts, the last one."""
    number = next(iter(re.findall("[0-9]+", name)), "10")
    for declared in (declared for kind in kinds for declared in reversed(tuple(declarations(kind).values()))):
        yield declared.title, declared.name
        aliases = (re.sub(r"{\w+}", number, alias.pattern) for alias in declared.aliases if not alias.refused)
        for known in reversed((declared.name, *declared.names, *aliases)):
            yield f"{known}_score", known  # as scikit-learn writes many
            yield known, known
