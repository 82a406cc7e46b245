"""Validation of Arrow data. Few imports, because every command uses it."""

from __future__ import annotations

from typing import Any, TypeVar

from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.tables.arrow_sizes import added_bytes, viewed_bytes
from cranfield.tables.readers.limits import MEMORY, limits

Data = TypeVar("Data", bound=Any)  # a table, a batch or an array


def validated(data: Data, name: str) -> Data:
    """The same data, after checking that all offsets, indices and texts are valid, and fit into memory as plain values.

    Arrow trusts its input: without this check, a damaged or malicious file could make it read out of bounds, or write
    out the long value of a dictionary a million times.
    """
    try:
        data.validate()
        limits.require_memory(viewed_bytes(data), name)  # each view is validated, even if it shows the same bytes
        data.validate(full=True)
        if isinstance(data, pa.Table | pa.RecordBatch):
            data.schema.names  # noqa: B018, which may not be UTF-8
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise damaged(f"{name}: the Arrow data are damaged", error) from None
    limits.require_memory(added_bytes(data), name)
    return data


def damaged(what: str, error: Exception) -> BadInput:
    """The error for data that Arrow cannot read."""
    if isinstance(error, MemoryError):
        return BadInput(f"{what}, or need more memory than is available; {MEMORY} sets the limit")
    return BadInput(f"{what} ({first_line_of(error)})")


def first_line_of(error: Exception) -> str:
    """The first line of an error message, without the library's stack trace."""
    return str(error).partition("\n")[0]
