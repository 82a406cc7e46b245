"""Results in files: a zip of `result.json` and NumPy arrays, restored bit for bit; never pickle.

JSON values are written unchanged. Others are an object with one key that begins with `$`: non-finite numbers, tuples,
mappings, arrays (as separate `.npy` files), measures and tests (by name), and the dataclasses and named tuples listed
here (by field names). Nothing else can be written, or created by reading a file.

Decided here: what a saved result contains, and which versions can be read.
"""

from __future__ import annotations

import importlib
import inspect
import io
import json
import math
import os
import struct
import types
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from numbers import Integral, Real
from tokenize import TokenError
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from cranfield.errors import BadInput, CranfieldError
from cranfield.evidence.coded_values import CodedValues
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.results import writing as atomic_files
from cranfield.results.verb_result import VerbResult
from cranfield.results.writing import json_text
from cranfield.statistics.tests import Test, find
from cranfield.tables.items import Info
from cranfield.tables.names import Names, Texts

# Whether values from a file are what the fields of a class declare: types, shapes, and places in other fields


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


FORMAT = 4  # incremented when a field is removed, renamed or added without a default
_DOCUMENT = "result.json"
_NEVER = (1980, 1, 1, 0, 0, 0)  # the date of every entry, so that equal results give equal files

_CLASSES = {
    name: module
    for module, names in {
        "auditing.result": ("Audit",),
        "labelling.result": ("Labels", "ModelLabels"),
        "tables.predictions": ("Predictions",),
        "evidence.samples": ("Samples",),
        "evidence.hits": ("Hits",),
        "evidence.ratings": ("Ratings",),
        "evidence.residuals": ("Residuals",),
        "evidence.forecasts": ("Forecasts",),
        "rankings.precision_recall": (
            "PrecisionRecall",
            "PrecisionRecallCurves",
        ),
        "rankings.steps": (
            "Conventions",
            "RankedList",
            "RankingSteps",
        ),
        "statistics.thresholds": (
            "Constraint",
            "Goal",
        ),
        "statistics.stability": (
            "Stability",
            "Swaps",
        ),
        "fetching.fetch": ("Fetched",),
        "releases.history": ("History",),
        "agreement.result": (
            "Agreed",
            "Agreement",
        ),
        "comparison.bayes": ("BayesianComparison",),
        "results.shape": (
            "Columns",
            "Field",
            "Schema",
        ),
        "classification.result": ("Classification",),
        "classification.report": (
            "ClassReport",
            "ClassificationReport",
        ),
        "comparison.result": (
            "Compared",
            "Comparison",
        ),
        "correlation.result": ("Correlations",),
        "classification.cross_entropy": ("CrossEntropy",),
        "comparison.cross_validation": ("CrossValidation",),
        "estimation.result": ("Estimation",),
        "planning.items": ("ItemPlan",),
        "estimation.judging": ("JudgingPlan",),
        "classification.evaluated": ("Evaluated",),
        "gates.result": (
            "Change",
            "Checked",
            "Gate",
        ),
        "stability.result": ("Latent", "Reproduction", "Selection"),
        "comparison.meta": ("MetaAnalysis",),
        "comparison.mixed": ("MixedModel",),
        "comparison.monitor": ("Monitoring",),
        "planning.plan": ("Plan",),
        "pools.quality": (
            "JudgedDepth",
            "MissingRelevant",
            "Omission",
            "Overlap",
            "PoolQuality",
        ),
        "pools.result": ("Pool",),
        "results.provenance": (
            "Caution",
            "Origin",
            "Provenance",
        ),
        "comparison.published": ("PublishedComparison",),
        "regression.result": ("Regression",),
        "agreement.reordering": (
            "Reordered",
            "Reordering",
        ),
        "results.values": ("Result",),
        "present.findings.rules": (
            "Finding",
            "Findings",
        ),
    }.items()
    for name in names
}


def save(result: VerbResult, path: str | os.PathLike[str]) -> None:
    """Write a result to a file, which is unchanged if writing fails."""
    from importlib.metadata import version

    arrays: list[np.ndarray] = []
    content = {"format": FORMAT, "cranfield": version("cranfield"), "result": _encoded(result, arrays)}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(_DOCUMENT, _NEVER), json.dumps(content, allow_nan=False))
        for place, array in enumerate(arrays):
            data = io.BytesIO()
            np.save(data, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{place}.npy", _NEVER), data.getvalue())
    atomic_files.save(path, file.getvalue())


def load(path: str | os.PathLike[str]) -> Any:
    """The result in a file written by `save`.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    VerbResult
        The saved result: the same class with the same values, bit for bit.

    Examples
    --------
    >>> import cranfield, tempfile
    >>> result = cranfield.evaluate({"q": {"d1": 1, "d2": 0}}, {"q": {"d1": 2, "d2": 1}}, "AP")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/result.cranfield")
    ...     cranfield.load(f"{folder}/result.cranfield")["AP"]
    1.0
    """
    with open(path, "rb") as saved:
        try:
            file = io.BytesIO(saved.read())
        except OSError as error:
            raise BadInput(f"{os.fspath(path)}: cannot be read ({error.strerror})") from None
    try:
        with zipfile.ZipFile(file) as archive:
            content = json.loads(_read(archive, _DOCUMENT))
            if content["format"] != FORMAT:
                wrote = f"in format {content['format']!r} by cranfield {content['cranfield']!r}"
                advice = "load it with that version, or compute it again"
                raise BadInput(f"{os.fspath(path)}: written {wrote}; this version reads format {FORMAT}: {advice}")
            result = _Reader(archive).decoded(content["result"])
    except _OtherFields as error:
        raise BadInput(
            f"{os.fspath(path)}: written by cranfield {content['cranfield']!r}, where {error}; load it with that "
            "version, or compute it again"
        ) from None
    except BadInput:
        raise
    except _DAMAGE as error:
        raise _damaged(path, error) from None
    if not isinstance(result, VerbResult):
        raise BadInput(f"{os.fspath(path)}: contains a {type(result).__name__}, not a result")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are given when the result is used
            _show(result)
    except Exception as error:  # whatever else does not fit
        raise _damaged(path, error) from None
    return result


def _show(result: VerbResult) -> None:
    """Show a result, without what takes long: intervals over items, and the rows of a pool."""
    if result.kind in ("result", "classification"):
        result.to_json(confidence=None)
    elif result.kind == "regression":
        result.to_json()
    elif result.kind == "pool":
        str(result)
        json_text([result.about(), result.provenance.to_dict()])
    else:
        str(result)
        result.to_json()


def _damaged(path: str | os.PathLike[str], error: Exception) -> BadInput:
    return BadInput(f"{os.fspath(path)}: not a result saved by cranfield, or damaged ({error})")


_DAMAGE = (
    CranfieldError, TokenError,
    zipfile.BadZipFile, EOFError, KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError,
    NotImplementedError, RuntimeError, struct.error, MemoryError,
)  # fmt: skip


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    entry = archive.getinfo(name)
    if entry.compress_type != zipfile.ZIP_STORED:  # compressed entries could exceed the memory
        raise ValueError(f"{name} is compressed")
    return archive.read(entry)


# writing


def _encoded(value: Any, arrays: list[np.ndarray]) -> Any:
    if value is None or isinstance(value, bool | str) or type(value) is int:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, np.ndarray | np.generic | CodedValues):
        return _array(value, arrays)
    if isinstance(value, Names | Texts):
        names = list(Names.of(value))
        joined, lengths = np.frombuffer(b"".join(names), np.uint8), np.array([*map(len, names)], np.int64)
        return {"$names": [_array(joined, arrays), _array(lengths, arrays)], "texts": isinstance(value, Texts)}
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _object(value, {name: getattr(value, name) for name in value._fields}, arrays)
    if isinstance(value, Measure):
        return {"$measure": str(value), "kind": value.kind}
    if isinstance(value, Test):
        return {"$test": value.name, "title": value.title, "symbol": value.symbol}
    if is_dataclass(value) and not isinstance(value, type):
        return _object(value, {field.name: getattr(value, field.name) for field in fields(value)}, arrays)
    if isinstance(value, Mapping):
        return {"$map": [[_encoded(key, arrays), _encoded(item, arrays)] for key, item in value.items()]}
    if isinstance(value, list):
        return [_encoded(item, arrays) for item in value]
    if isinstance(value, Sequence):
        return {"$tuple": [_encoded(item, arrays) for item in value]}
    raise BadInput(f"a {type(value).__name__} cannot be saved")


def _object(value: Any, content: Mapping[str, Any], arrays: list[np.ndarray]) -> dict[str, Any]:
    name = type(value).__name__
    if name not in _CLASSES:
        raise BadInput(f"a {name} cannot be saved")
    return {"$class": name, "fields": {key: _encoded(item, arrays) for key, item in content.items()}}


def _array(value: Any, arrays: list[np.ndarray]) -> dict[str, Any]:
    array = np.asarray(value)
    if array.dtype == object:
        return {"$objects": [_encoded(item, arrays) for item in array.ravel().tolist()], "shape": list(array.shape)}
    arrays.append(np.ascontiguousarray(array).reshape(array.shape))
    return {"$array": len(arrays) - 1, "scalar": isinstance(value, np.generic)}


# reading


class _OtherFields(Exception):
    """A class had different fields when it was saved."""


class _Reader:
    """Values from the content of an archive."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def decoded(self, content: Any) -> Any:
        """The value behind its written form."""
        if isinstance(content, list):
            return [self.decoded(item) for item in content]
        if not isinstance(content, dict):
            return content
        (key,) = (key[1:] for key in content if key[:1] == "$" and key[1:].isalpha())
        return getattr(self, f"_{key}")(content)

    def _float(self, content: dict[str, Any]) -> float:
        return float(content["$float"])

    def _bytes(self, content: dict[str, Any]) -> bytes:
        return bytes.fromhex(content["$bytes"])

    def _names(self, content: dict[str, Any]) -> Names | Texts:
        joined, lengths = map(self.decoded, content["$names"])
        ends, data = np.cumsum(lengths).tolist(), joined.tobytes()
        if (lengths < 0).any() or lengths.sum() != len(data):
            raise ValueError("names have other lengths than their bytes")
        names = Names.of(data[start:end] for start, end in zip([0, *ends], ends, strict=False))
        return Texts(names) if content["texts"] else names

    def _tuple(self, content: dict[str, Any]) -> tuple[Any, ...]:
        items = content["$tuple"]
        if not isinstance(items, list):
            raise TypeError("a tuple must be a list")
        return tuple(map(self.decoded, items))

    def _map(self, content: dict[str, Any]) -> dict[Any, Any]:
        return {self.decoded(key): self.decoded(item) for key, item in content["$map"]}

    def _objects(self, content: dict[str, Any]) -> Any:
        array = np.empty(len(content["$objects"]), object)
        array[:] = [self.decoded(item) for item in content["$objects"]]
        return array.reshape(content["shape"])

    def _array(self, content: dict[str, Any]) -> Any:
        data = _read(self._archive, f"{int(content['$array'])}.npy")
        file = io.BytesIO(data)
        np.lib.format.read_magic(file)
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
        if dtype.hasobject or fortran:
            raise ValueError("an array of objects")
        array = np.frombuffer(data, dtype, offset=file.tell()).reshape(shape)  # cannot be written to
        return array[()] if content["scalar"] else array

    def _class(self, content: dict[str, Any]) -> Any:
        name = content["$class"]
        made = getattr(importlib.import_module(f"cranfield.{_CLASSES[name]}"), name)
        try:
            inspect.signature(made).bind(**content["fields"])
        except TypeError as error:
            raise _OtherFields(f"a {name} had different fields ({error})") from None
        value = made(**{key: self.decoded(item) for key, item in content["fields"].items()})
        require_declared(value)
        return value

    def _measure(self, content: dict[str, Any]) -> Any:
        return parse(content["$measure"], content["kind"])

    def _test(self, content: dict[str, Any]) -> Any:
        return replace(find(content["$test"]), title=content["title"], symbol=content["symbol"])
