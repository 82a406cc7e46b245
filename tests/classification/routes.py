"""Predictions through every door: columns as files of every form, frames, arrays, lists and rows."""

from __future__ import annotations

import csv
import datetime
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

Columns = dict[str, list[Any]]


def separated(columns: Columns, delimiter: str, quoting: Any = csv.QUOTE_MINIMAL) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def rows(columns: Columns) -> list[dict[str, Any]]:
    plain = {
        name: [value.isoformat() if isinstance(value, datetime.date) else value for value in column]
        for name, column in columns.items()
    }
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def as_file(ending: str, write: Callable[[Columns, Path], object]) -> Callable[[Columns, Path], Any]:
    def route(columns: Columns, folder: Path) -> Any:
        path = folder / f"predictions.{ending}"
        write(columns, path)
        return path

    return route


ROUTES: dict[str, Callable[[Columns, Path], Any]] = {
    "CSV": as_file("csv", lambda columns, path: path.write_text(separated(columns, ","), newline="")),
    "CSV, quoted": as_file(
        "csv", lambda columns, path: path.write_text(separated(columns, ",", csv.QUOTE_ALL), newline="")
    ),
    "TSV": as_file("tsv", lambda columns, path: path.write_text(separated(columns, "\t"), newline="")),
    "JSON": as_file("json", lambda columns, path: path.write_text(json.dumps(rows(columns)))),
    "JSON Lines": as_file("jsonl", lambda columns, path: path.write_text("\n".join(map(json.dumps, rows(columns))))),
    "Parquet": as_file("parquet", lambda columns, path: pa.parquet.write_table(pa.table(columns), path)),
    "Arrow": as_file("arrow", lambda columns, path: pa.feather.write_feather(pa.table(columns), str(path))),
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "pandas, objects": lambda columns, _: pd.DataFrame(columns, dtype=object),
    "Polars": lambda columns, _: pl.DataFrame(columns),
    "dict of lists": lambda columns, _: columns,
    "dict of NumPy arrays": lambda columns, _: {name: np.array(column) for name, column in columns.items()},
    "rows": lambda columns, _: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
}
