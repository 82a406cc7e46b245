"""How much larger Arrow data become when their dictionaries and views are written out as plain values."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from cranfield.arrays import Ints
from cranfield.arrow import pa

_VIEW = 4  # 32-bit numbers per view, of which the first is the length
_NUMBER = 8  # bytes


def added_bytes(data: Any) -> int:
    """How many bytes plain values take more than these: a batch, a table or an array, whose indices are valid."""
    if isinstance(data, pa.RecordBatch | pa.Table):
        return sum(map(added_bytes, data.columns))
    if isinstance(data, pa.ChunkedArray):
        return sum(map(added_bytes, data.chunks))
    kind = data.type
    if pa.types.is_dictionary(kind):
        size = _sizes(data.dictionary)
        used = np.from_dlpack(data.indices.drop_null())
        return max(0, int(size[used].sum()) - data.indices.nbytes)
    if _is_view(kind):
        return max(0, viewed_bytes(data) - data.nbytes)
    return added_bytes(data.flatten()) if has_codes(kind) else 0


def viewed_bytes(data: Any) -> int:
    """How many bytes the views of a batch, a table or an array show, also where several show the same ones."""
    if isinstance(data, pa.RecordBatch | pa.Table):
        return sum(map(viewed_bytes, data.columns))
    if isinstance(data, pa.ChunkedArray):
        return sum(map(viewed_bytes, data.chunks))
    return int(_sizes(data).sum()) if _is_view(data.type) else 0


def has_codes(kind: pa.DataType) -> bool:
    """Whether values of this type may be stored once and occur often."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return has_codes(kind.value_type)
    return bool(pa.types.is_dictionary(kind) or _is_view(kind))


def longest(array: pa.Array) -> float:
    """The number of bytes of the longest value in the dictionary of an array; unlimited for lists of such values."""
    if pa.types.is_dictionary(array.type):
        return float(_sizes(array.dictionary).max(initial=0))
    return inf if has_codes(array.type) else 0


def _is_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))


def _sizes(values: pa.Array) -> Ints:
    """The number of bytes of each value."""
    kind = values.type
    if _is_view(kind):
        views = np.frombuffer(values.buffers()[1] or b"", np.int32)
        length = views[_VIEW * values.offset : _VIEW * (values.offset + len(values)) : _VIEW].astype(np.int64)
        if values.null_count:
            length[values.is_null().to_numpy(zero_copy_only=False)] = 0
        return np.maximum(length, 0)
    if kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        from pyarrow.compute import binary_length  # slow to import and rarely needed

        length = binary_length(values)
        if length.null_count:
            return np.nan_to_num(length.to_numpy(zero_copy_only=False)).astype(np.int64)
        return np.from_dlpack(length).astype(np.int64)
    return np.full(len(values), max(_NUMBER, -(-values.nbytes // max(len(values), 1))), np.int64)
