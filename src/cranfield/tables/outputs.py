"""Several outputs per item: tables of numbers with one column per output, in any supported form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.errors import BadInput
from cranfield.tables.adapters.system_columns import Columns, has_named_columns, named_columns
from cranfield.tables.system_names import by_name

_WORD = re.compile(r"[\W_]+")


def has_outputs(values: Any, columns: Columns) -> bool:
    """Whether there is one column per output rather than a single one."""
    if isinstance(values, Mapping | pa.Table) or has_named_columns(values):
        return True
    if isinstance(values, list | tuple) and values:
        named = columns.sheet is not None and all(isinstance(value, str) for value in values)
        return named or isinstance(values[0], list | tuple | np.ndarray)
    return getattr(values, "ndim", 1) == 2


def outputs_of(name: str, values: Any, columns: Columns) -> dict[str, Any]:
    """The column of each output by name, or by position in a table without names."""
    if not has_outputs(values, columns):
        raise BadInput(f"{name}: got one column for several outputs; pass one column per output")
    if isinstance(values, pa.Table) or has_named_columns(values):
        named = by_name(named_columns(name, values), f"columns of {name}")
    elif isinstance(values, Mapping):
        outputs = by_name(values, f"columns of {name}")
        named = {output: columns.take(column) for output, column in outputs.items()}
    elif isinstance(values, list | tuple) and isinstance(values[0], str):
        for output in values:
            if values.count(output) > 1:
                raise BadInput(f"{name}: duplicate column {output!r}")
        named = {output: columns.take(output) for output in values}
    else:
        named = _of_rows(name, values, columns)
    if not named:
        raise BadInput(f"{name}: there are no outputs")
    return named


def _of_rows(name: str, rows: Any, columns: Columns) -> dict[str, Any]:
    """The columns of rows of equal length."""
    widths = [len(row) for row in rows] or [0]
    for place, width in enumerate(widths):
        if width != widths[0]:
            raise BadInput(f"{columns.where(place)}: {name} has {width} outputs; the first item has {widths[0]}")
    return {str(place): [row[place] for row in rows] for place in range(widths[0])}


def _require_same_order(predicted: tuple[str, ...], outputs: tuple[str, ...], *, chosen: bool) -> None:
    """Refuse columns that would be matched in order although their names tell another order.

    The columns of a table may be `chosen` one by one; then an output may also be predicted by another output.
    """
    if any(names == tuple(map(str, range(len(names)))) for names in (predicted, outputs)):
        return  # numbered, not named
    shared = [name for name in predicted if name in outputs]
    odd = [name for name in predicted if name not in outputs]
    if shared and odd and not chosen:
        raise BadInput(
            f"predicted: the column {shared[0]!r} is also an output, but {odd[0]!r} is not; use the same names "
            f"({', '.join(map(repr, outputs))}) for all columns"
        )
    of_name = [_output_in(name, outputs) for name in predicted]
    if odd and set(of_name) == set(outputs) and tuple(of_name) != outputs:
        raise BadInput(
            f"predicted: the columns {', '.join(map(repr, predicted))} are in another order than the outputs "
            f"{', '.join(map(repr, outputs))}; use the same names or the same order"
        )


def _output_in(name: str, outputs: tuple[str, ...]) -> str | None:
    """The only output that is a word of a column's name, such as x in x_pred."""
    words = {name, *_WORD.split(name)}
    named = [output for output in outputs if output in words or name.startswith(f"{output}_")]
    return named[0] if len(named) == 1 else None


def predicted_outputs(values: Any, outputs: tuple[str, ...], columns: Columns) -> dict[str, Any]:
    """The predicted column of each output: by name in a dict or a data frame with the same names, else in order."""
    table = outputs_of("predicted", values, columns)
    _require_same_order(tuple(table), outputs, chosen=isinstance(values, list | tuple))
    if len(table) != len(outputs):
        raise BadInput(f"predicted: got {len(table)} columns for {len(outputs)} outputs")
    if set(table) == set(outputs) and not isinstance(values, list | tuple):  # a list of columns is ordered
        return {output: table[output] for output in outputs}
    return dict(zip(outputs, table.values(), strict=True))
