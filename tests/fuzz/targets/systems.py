"""Several systems by label, score or probability: each is evaluated as it would be alone, and none is lost."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

from cranfield import classify
from cranfield.cli.main import main
from cranfield.errors import CranfieldWarning
from fuzz.target import assume, target
from fuzz.targets.answers import same
from generators.systems import Column, Systems, systems
from reference import labels as reference
from reference import scores as curves

FORMS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "Polars": pl.DataFrame,
    "Arrow": pa.table,
}


@target(systems, seeds=40)
def several_systems_are_evaluated_as_each_alone(case: Systems) -> None:
    """From dicts and frames by kind, from columns of a file, and by the command."""
    assume(case.is_valid)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore", CranfieldWarning)
        path = Path(folder, "systems.csv")
        path.write_bytes(case.file())
        for make in FORMS.values():
            given = {what: make({name: _values(each) for name, each in own.items()})
                     for what, own in case.by_kind.items()}  # fmt: skip
            _require(classify(case.actual, **given, positive="yes", measures="Accuracy"), case)
        for data in (path, pd.read_csv(path, dtype={"actual": str})):
            columns: dict[str, Any] = {what: {name: name for name in own} for what, own in case.by_kind.items()}
            _require(classify("actual", data=data, **columns, positive="yes", measures="Accuracy"), case)
        _require_printed(path, case)


def _values(column: Column) -> list[Any]:
    return column.cells if column.what == "predicted" else [float(cell) for cell in column.cells]


def _accuracy(column: Column, actual: list[str], threshold: float) -> Fraction:
    if column.what == "predicted":
        return reference.accuracy(reference.Answers(actual, column.cells, [Fraction(1)] * len(actual)))
    rows = [{"actual": own, "score": cell} for own, cell in zip(actual, column.cells, strict=True)]
    cells = curves.scored(rows, "actual", "yes", "score").at(None if threshold == float("inf") else Fraction(threshold))
    return (cells.tp + cells.tn) / len(actual)


def _require(found: Any, case: Systems) -> None:
    by_name = {column.system: column for column in case.columns}
    assert sorted(found.systems) == sorted(by_name), f"{found.systems}, not {[*by_name]}"
    for name, column in by_name.items():
        one = found.of(name)
        threshold = None if column.what == "predicted" else one.threshold
        value = found[name, "Accuracy"] if len(by_name) > 1 else found["Accuracy"]
        same(value, _accuracy(column, case.actual, threshold), name)


def _require_printed(path: Path, case: Systems) -> None:
    """The command has no names of systems but those of the columns; labels and scores of one each are of one system."""
    kinds = {what: list(own) for what, own in case.by_kind.items()}
    options = [word for what, names in kinds.items() for name in names for word in (f"--{what}", name)]
    out = io.StringIO()
    command = ["classify", str(path), "-a", "actual", "--positive", "yes", "-m", "Accuracy", "-f", "json", "--quiet"]
    with contextlib.redirect_stdout(out):
        assert main([*command, *options]) == 0
    shown = json.loads(out.getvalue())["systems"]
    one_system = sorted(map(len, kinds.values())) == [1, 1] and "predicted" in kinds
    expected = ["predictions"] if one_system else [column.system for column in case.columns]
    assert sorted(shown) == sorted(expected), (sorted(shown), options)
