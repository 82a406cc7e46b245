"""Data frames: of Polars, pandas, PyArrow, and of anything else that speaks Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from cranfield.errors import BadInput
from cranfield.tables.batches import ROWS, chosen, row_of, slices
from cranfield.tables.names import encode, named
from cranfield.tables.pieces import Piece, arrow_names
from cranfield.tables.roles import NUMBERS, Kind, roles


def is_frame(data: Any) -> bool:
    """Whether something is a table of columns."""
    return _is_lazy(data) or hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def form_of(data: Any) -> str:
    """What a frame is, as one would say it."""
    return f"{type(data).__module__.split('.')[0]} {type(data).__name__}"


def frame(data: Any, kind: Kind, name: str) -> list[Piece]:
    """The rows of a data frame."""
    columns, table = _table(data, kind, name)
    return list(slices(table.to_batches(ROWS), columns, name))


def _is_lazy(data: Any) -> bool:
    return hasattr(data, "collect_schema") and hasattr(data, "collect") and not hasattr(data, "__arrow_c_stream__")


def _table(data: Any, kind: Kind, name: str) -> tuple[dict[str, str], pa.Table]:
    """The role of each column that is wanted, by its name, and a table that has them."""
    if _is_lazy(data):
        columns = chosen(data.collect_schema().names(), kind, name)
        return columns, pa.table(data.select(list(columns)).collect())
    if hasattr(data, "columns") and hasattr(data, "index"):
        return _from_pandas(data, kind, name)
    table = pa.table(data) if hasattr(data, "__arrow_c_stream__") else pa.Table.from_batches([pa.record_batch(data)])
    return chosen(table.column_names, kind, name), table


def _from_pandas(data: Any, kind: Kind, name: str) -> tuple[dict[str, str], pa.Table]:
    """The columns of a frame of pandas one by one, for a column of objects may hold anything."""
    if any(level is not None for level in data.index.names):
        data = data.reset_index()
    labels = list(data.columns)
    found = roles([str(label) for label in labels], kind, name)
    arrays = {role: _from_series(data[labels[place]], role, name) for role, place in found.items()}
    return {role: role for role in found}, pa.table(arrays)


def _from_series(values: Any, role: str, name: str) -> pa.Array | pa.ChunkedArray:
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # objects of several kinds
        objects = values.tolist()
    if role in NUMBERS:
        return pa.array([None if value is None else str(value) for value in objects], pa.large_string())
    return arrow_names([_named(value, name, row) for row, value in enumerate(objects)])


def _named(value: Any, name: str, row: int) -> bytes:
    try:
        given = named(value)
        return given if isinstance(given, bytes) else encode(given)
    except BadInput as error:
        raise BadInput(f"{row_of(name, row)}: {error}") from None
