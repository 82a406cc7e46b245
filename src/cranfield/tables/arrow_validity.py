"""Arrow data that can be trusted. Few imports: every command uses it."""

from __future__ import annotations

from typing import Any, TypeVar

from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.tables.readers.limits import MEMORY

Data = TypeVar("Data", bound=Any)  # a table, a batch or an array


def validated(data: Data, name: str) -> Data:
    """The same data, once every offset, index and text in them is known to be valid.

    Arrow trusts its input: without this check a damaged or crafted file makes it read foreign memory.
    """
    try:
        data.validate(full=True)
        if isinstance(data, pa.Table | pa.RecordBatch):
            data.schema.names  # noqa: B018, which may not be UTF-8
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise damaged(f"{name}: the Arrow data are damaged", error) from None
    return data


def damaged(what: str, error: Exception) -> BadInput:
    """The error for data that Arrow cannot read."""
    if isinstance(error, MemoryError):
        return BadInput(f"{what}, or need more memory than is available; {MEMORY} sets the limit")
    return BadInput(f"{what} ({first_line_of(error)})")


def first_line_of(error: Exception) -> str:
    """The first line of an error, which the stack of the library follows."""
    return str(error).partition("\n")[0]
