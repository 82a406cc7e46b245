"""Whether values from a file are what the fields of a class declare: types, shapes, and places in other fields."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from cranfield.tables.system_info import Info

# The letters of a field are its axes: fields with the same letter have the same length there, with a plus one more;
# a star stands for any other axes.
_AXES: Mapping[str, Mapping[str, str]] = {
    "Predictions": dict.fromkeys(("actual", "predicted", "score", "weight", "group", "count"), "i"),
    "Samples": {"systems": "s", "units": "u", "values": "su"},
    "CrossValidation": {"systems": "s", "units": "u", "values": "su"},
    "CrossEntropy": {"systems": "s", "items": "i", "values": "smi"},
    "Hits": dict.fromkeys(("queries", "n_retrieved", "size"), "q")
    | dict.fromkeys(("unit", "rank", "grade", "tie_start", "tie_size"), "h")
    | dict.fromkeys(("pool_unit", "pool_grade"), "p"),
    "Ratings": {"units": "u"}
    | dict.fromkeys(("unit", "weight"), "i")
    | dict.fromkeys(("item", "rater", "category"), "r"),
    "Residuals": {"actual": "i*", "predicted": "i*", "weight": "i"},
    "Forecasts": {"actual": "i", "values": "iv", "point": "i", "weight": "i"},
    "PrecisionRecall": dict.fromkeys(("unit", "rank", "recall", "precision"), "p"),
    "Stability": dict.fromkeys(("size", "tau", "low"), "n"),
    "Swaps": {"edge": "n+", "rate": "n", "n_pairs": "n"},
    "Selection": dict.fromkeys(("queries", "tau", "unseen", "chance"), "q"),
    "Latent": {"systems": "s", "queries": "q", "ability": "s", "ability_error": "s", "values": "sq"}
    | dict.fromkeys(("difficulty", "difficulty_error", "discrimination", "discrimination_error", "information"), "q"),
    "Pool": {"topics": "t", "starts": "t+", "contributor_starts": "d+", "runs": "r", "run_wave": "r"}
    | dict.fromkeys(("documents", "wave", "selected", "stratum", "probability", "weight"), "d")
    | dict.fromkeys(("contributor_run", "contributor_rank"), "c"),
    "RankedList": {"grade": "d", "document": "d", "missed_grade": "m", "missed": "m"},
    "Reordering": {"judges": "j", "systems": "s", "measures": "m", "values": "jsm"},
    "Result": {"systems": "s", "measures": "m", "units": "u", "values": "smu", "counted": "su", "micro": "sm"}
    | {"weight": "u", "answered": "su"},
}
_PLACES: Mapping[str, Mapping[str, str]] = {  # fields with places in another field
    "Predictions": {"actual": "labels", "predicted": "labels", "group": "groups"},
    "Hits": {"unit": "queries", "pool_unit": "queries"},
    "Ratings": {"unit": "units", "item": "unit", "category": "categories"},
    "Pool": {"contributor_run": "runs"},
    "Regression": {"group": "groups"},
}
_NONEMPTY = {"Classification": ("evaluated", "measures"), "Regression": ("predictions", "measures")}
_SETTINGS: Mapping[str, Mapping[str, Any]] = {  # that are read when a result is shown
    "Classification": {
        "threshold": float | None,
        "undefined": str,
        "normalise": bool,
        "tolerance_per_class": float,
    },
}
_STARTS: Mapping[str, Mapping[str, str]] = {  # fields with the places in another field where parts of it start
    "Pool": {"starts": "documents", "contributor_starts": "contributor_run"},
}


def require_declared(value: Any) -> None:
    """Refuse an object in which a field is not of its declared type, or does not fit the others."""
    made: Any = type(value)
    name: str = made.__name__
    for field, hint in _hints(made).items():
        content = getattr(value, field)
        if not _fits(content, hint):
            raise ValueError(f"{name}: {field} has a value that it cannot have")
    lengths: dict[str, Any] = {}
    for field, axes in _AXES.get(name, {}).items():
        content = getattr(value, field)
        if content is not None and not _agree(_shape(content), axes, lengths):
            raise ValueError(f"{name}: {field} has another shape than the fields that it belongs to")
    if name in ("Predictions", "Regression") and (value.group is None) != (not value.groups):
        raise ValueError(f"{name}: group and groups do not belong together")
    if name == "Regression" and not all(_has_rows(value, predicted) for predicted in value.predictions.values()):
        raise ValueError(f"{name}: predictions have another number of items or outputs than the rest")
    for field in _NONEMPTY.get(name, ()):
        if not getattr(value, field):
            raise ValueError(f"{name}: {field} is empty")
    for field, hint in _SETTINGS.get(name, {}).items():
        if not (field in value.settings and _fits(value.settings[field], hint)):
            raise ValueError(f"{name}: the setting {field} is missing or has a value that it cannot have")
    for field, other in _PLACES.get(name, {}).items():
        places = getattr(value, field)
        if places is not None and len(places) and (places.min() < 0 or places.max() >= len(getattr(value, other))):
            raise ValueError(f"{name}: {field} has places beyond {other}")
    for field, other in _STARTS.get(name, {}).items():
        starts, end = getattr(value, field), len(getattr(value, other))
        if not len(starts) or starts[0] != 0 or starts[-1] != end or (np.diff(starts) < 0).any():
            raise ValueError(f"{name}: {field} are not places in {other} in ascending order")


def _has_rows(regression: Any, predicted: Any) -> bool:
    """Whether predictions are of the outputs of a regression, and of as many items as its groups."""
    n_items, *n_outputs = predicted.actual.shape
    grouped = regression.group is None or len(regression.group) == n_items
    return grouped and n_outputs == [len(regression.outputs)] * bool(regression.outputs)


@cache
def _hints(made: Any) -> dict[str, Any]:
    names = [field.name for field in fields(made)] if is_dataclass(made) else made._fields
    hints = get_type_hints(made, None, {"Info": Info})  # which is not imported where it is used
    return {name: hints[name] for name in names}


def _shape(value: Any) -> tuple[int, ...]:
    """The lengths of an array or a sequence."""
    return value.shape if isinstance(value, np.ndarray) else (len(value),)


def _agree(shape: tuple[int, ...], axes: str, lengths: dict[str, Any]) -> bool:
    """Whether the axes have the lengths that they have in other fields; new ones are added."""
    if axes.endswith("+"):
        shape, axes = tuple(length - 1 for length in shape), axes[:-1]
    known: list[Any] = [*shape]
    if axes.endswith("*"):
        known = [*shape[: len(axes) - 1], shape[len(axes) - 1 :]]
    return len(known) == len(axes) and all(lengths.setdefault(*axis) == axis[1] for axis in zip(axes, known))


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint in (None, type(None)):
        return value is None
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return any(value == one and type(value) is type(one) for one in inner)
    if origin is np.ndarray:
        (kind,) = get_args(inner[1])
        return isinstance(value, np.ndarray) and (kind is Any or np.issubdtype(value.dtype, kind))
    if origin is tuple:
        if inner[-1:] == (...,):
            return isinstance(value, tuple) and all(_fits(one, inner[0]) for one in value)
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(_fits, value, inner))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, item = inner
        return isinstance(value, Mapping) and all(_fits(k, key) and _fits(v, item) for k, v in value.items())
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return isinstance(value, Sequence) and not isinstance(value, str) and all(_fits(one, inner[0]) for one in value)
    if hint is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    if getattr(hint, "_is_protocol", False):
        return hasattr(value, "intervals")
    return isinstance(value, hint)
