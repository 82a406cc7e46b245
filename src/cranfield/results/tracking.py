"""Results for experiment trackers: values as metrics, settings and inputs as parameters."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from cranfield.errors import BadInput, BadSetting
from cranfield.results import writing as atomic_files
from cranfield.results.writing import json_text

if TYPE_CHECKING:
    from cranfield.results.verb_result import VerbResult

_REFUSED = re.compile(r"[^\w\-. /]+")  # characters that MLflow refuses in a name, as in nDCG@10
_NAMES = ("system", "baseline", "first", "second", "scope", "name", "group", "query", "class", "average", "goal",
          "measure", "coefficient")  # fmt: skip
_ALL = "all"  # the scope of coefficients over all raters and topics
_DEFAULT_AGGREGATE = "mean"


def log(result: VerbResult, tracker: Any, **options: Any) -> dict[str, float]:
    """The metrics, logged to a tracker or written to a JSON file with the parameters."""
    metrics, parameters = metrics_of(result, **options), parameters_of(result)
    if isinstance(tracker, str | os.PathLike):
        _require_json(os.fspath(tracker))
        atomic_files.save(tracker, json_text({"metrics": metrics, "params": parameters}))
        return metrics
    _logged(tracker, "log_metric", metrics)
    _logged(tracker, "log_param", parameters)
    return metrics


def _require_json(path: str) -> None:
    """Refuse a text that may be meant as the name of a tracker."""
    if not path.lower().endswith(".json"):
        raise BadSetting(
            f"log_to: {path!r} is neither a tracker nor the path of a JSON file; pass the tracker itself "
            "(import mlflow; result.log_to(mlflow)), or a path that ends in .json"
        )


def _logged(tracker: Any, one: str, values: Mapping[str, Any]) -> None:
    """Pass the values to the tracker's function for many values, or else to that for one."""
    many: Callable[..., Any] | None = getattr(tracker, f"{one}s", None)
    single: Callable[..., Any] | None = getattr(tracker, one, None)
    if many is not None:
        _require_arguments(many, tracker, "values")
        many(dict(values))
    elif single is not None:
        _require_arguments(single, tracker, "name", "value")
        for name, value in values.items():
            single(name, value)
    else:
        raise BadSetting(
            f"{type(tracker).__name__} is not an experiment tracker: it has neither {one} nor {one}s; pass a tracker "
            "such as mlflow, or the path of a JSON file"
        )


def _require_arguments(function: Callable[..., Any], tracker: Any, *arguments: str) -> None:
    """Refuse trackers whose functions need more arguments, such as the run for MLflow's client."""
    try:
        signature(function).bind(*arguments)
    except TypeError as error:
        raise BadSetting(
            f"{type(tracker).__name__}.{function.__name__} cannot be called with {' and '.join(arguments)} alone "
            f"({error}); pass a tracker with an active run, such as the module mlflow"
        ) from None


def metrics_of(result: VerbResult, **options: Any) -> dict[str, float]:
    """The value of each row of a result under a unique name; the system is omitted if there is only one."""
    rows = result.records(**options)[result.main(**options)]
    if not rows or "value" not in rows[0]:
        raise BadInput(f"this result ({result.kind}) has no values by measure to log; use to_json")
    alone = len({row.get("system") for row in rows}) == 1
    metrics: dict[str, float] = {}
    for row in rows:
        if row["value"] is None:
            continue
        name, value = _name(row, omitted=("system",) if alone else ()), float(row["value"])
        if name in metrics:
            raise BadInput(f"two values would be logged as {name!r}; log fewer measures, or use to_json")
        metrics[name] = value
    return metrics


def _name(row: Mapping[str, Any], omitted: Collection[str]) -> str:
    """The name of the value in a row; MLflow takes it for a path, which must be relative."""
    if row.get("scope") == _ALL:
        omitted = (*omitted, "scope", "name")
    names = ("gate",) if "gate" in row else _NAMES
    parts = [str(row[name]) for name in names if row.get(name) is not None and name not in omitted]
    if row.get("aggregate", _DEFAULT_AGGREGATE) != _DEFAULT_AGGREGATE:
        parts.append(row["aggregate"])
    folders = _REFUSED.sub("_", "/".join(parts)).strip("_ ").split("/")
    return "/".join(folder for folder in folders if folder not in ("", ".", ".."))


def parameters_of(result: VerbResult) -> dict[str, str]:
    """The settings, and the name and digest of each input."""
    about = result.provenance.to_dict()
    parameters = {name: str(value) for name, value in about["settings"].items() if value is not None}
    for place, origin in enumerate(about["inputs"], 1):
        digest = f" sha256:{origin['digest']}" if origin["digest"] else ""
        parameters[f"input {place}"] = f"{origin['role']} {origin['name']}{digest}"
    return parameters | {"cranfield": about["versions"]["cranfield"]}
