"""Data frames: Polars, pandas, PyArrow, and anything else that supports the Arrow interface.

Decided here: what the index of a pandas frame means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.tables.adapters.arrow import ROWS, chosen, slices, validated
from cranfield.tables.adapters.chunks import Chunk
from cranfield.tables.adapters.spark_inputs import is_spark_frame
from cranfield.tables.columns import NUMBERS, Kind, has_role, roles, row_of, tag_place
from cranfield.tables.rankings import TAG


def is_frame(data: Any) -> bool:
    """Whether an object is a table of columns."""
    return (
        _is_lazy(data)
        or _is_hugging_face(data)
        or is_spark_frame(data)
        or hasattr(data, "__arrow_c_stream__")
        or hasattr(data, "__arrow_c_array__")
        or has_index(data)  # a series of pandas 2
    )


def arrow_table(data: Any) -> pa.Table:
    """A data frame as one table, including a named pandas index."""
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        data = data.collect()
    if _is_hugging_face(data):
        return _hugging_face_table(data)
    frame = _indexed(data)
    if hasattr(frame, "rename_axis") and not all(isinstance(name, str) for name in frame.columns):
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    return pa.table(frame)


def _indexed(data: Any) -> Any:
    """A pandas frame with its index as columns if it has a name, and without it if a column names the rows."""
    if not hasattr(data, "reset_index"):
        return data
    if not hasattr(data, "columns"):
        raise BadInput("this is a pandas series, which has one column; pass a data frame, as with series.reset_index()")
    if data.columns.nlevels > 1:
        raise BadInput(
            f"the columns of the data frame have {data.columns.nlevels} levels, such as {data.columns[0]!r}; pass one "
            "level, as with data[measure] or data.stack()"
        )
    if any(level is not None for level in data.index.names):
        return data.reset_index()
    has_names = any(has_role(str(name), ("query", "item", "fold", "unit", "id")) for name in data.columns)
    if has_names:
        return data.reset_index(drop=True)
    mixed = data.index.inferred_type.startswith("mixed")  # such as 0, 1, 2, "mean", which Arrow would leave out
    return data.set_axis(data.index.map(str)) if mixed else data


def form_of(data: Any) -> str:
    """The type of a frame, for provenance."""
    return f"{type(data).__module__.split('.')[0]} {type(data).__name__}"


def frame(data: Any, kind: Kind, name: str) -> list[Chunk]:
    """The rows of a data frame."""
    columns, table = _table(data, kind, name)
    return list(slices(validated(table, name).to_batches(ROWS), columns, name))


def _is_lazy(data: Any) -> bool:
    return hasattr(data, "collect_schema") and hasattr(data, "collect") and not hasattr(data, "__arrow_c_stream__")


def _is_hugging_face(data: Any) -> bool:
    """Whether an object is a Hugging Face dataset, in memory or memory-mapped."""
    return type(data).__module__.startswith("datasets.") and hasattr(data, "with_format")


def _hugging_face_table(data: Any) -> pa.Table:
    """A Hugging Face dataset, or the only split of one, as a table; a streamed dataset is read to its end."""
    if isinstance(data, Mapping):
        splits = list(data)
        if len(splits) != 1:
            raise BadInput(
                f"the dataset has {len(splits)} splits ({', '.join(splits)}); choose one, as in data['test']"
            )
        data = data[splits[0]]
    if not hasattr(data, "__len__"):
        return pa.Table.from_pylist(list(data))
    return data.with_format("arrow")[:]


def _table(data: Any, kind: Kind, name: str) -> tuple[dict[str, str], pa.Table]:
    """The role of each needed column by name, and a table with these columns."""
    if _is_lazy(data):
        columns = chosen(data.collect_schema().names(), kind, name)
        return columns, pa.table(data.select(list(columns)).collect())
    if hasattr(data, "reset_index"):
        return _from_pandas(data, kind, name)
    if _is_hugging_face(data):
        data = arrow_table(data)
    table = _imported(data, name)
    return chosen(table.column_names, kind, name), table


def _imported(data: Any, name: str) -> pa.Table:
    """The table that an object exports by Arrow's stream or array interface; a single column is none."""
    try:
        return pa.table(data) if hasattr(data, "__arrow_c_stream__") else pa.Table.from_batches([pa.record_batch(data)])
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
        raise BadInput(f"{name}: cannot read a table from {type(data).__name__}: {error}") from None


def _from_pandas(data: Any, kind: Kind, name: str) -> tuple[dict[str, str], pa.Table]:
    """The columns of a pandas frame one by one, since an object column may contain anything."""
    data = _indexed(data)
    labels = list(data.columns)
    names = [str(label) for label in labels]
    place_of = roles(names, kind, name)
    tag = tag_place(names, kind)
    place_of |= {} if tag is None else {TAG: tag}
    arrays = {role: _from_series(data[labels[place]], role, name) for role, place in place_of.items()}
    return {role: role for role in place_of}, pa.table(arrays)


def _from_series(values: Any, role: str, name: str) -> pa.Array | pa.ChunkedArray:
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # objects of several kinds
        objects = values.tolist()
    if role in NUMBERS:
        return pa.array([None if value is None else str(value) for value in objects], pa.large_string())
    from cranfield.tables.adapters.rows import names_of  # rarely needed

    return names_of(objects, role, partial(row_of, name))


# Which rows of two pandas series or frames belong together, according to their indexes


_COLUMNS = 1000  # a longer list holds values rather than columns, unless one of its first elements is a column


def has_index(values: Any) -> bool:
    """Whether this is a pandas series or frame."""
    return hasattr(getattr(values, "index", None), "tolist")


def is_labelled(values: Any) -> bool:
    """Whether this is a pandas series or frame whose index names the rows instead of just counting them."""
    return has_index(values) and bool(values.index.tolist() != list(range(len(values))))


def require_aligned(inputs: Mapping[str, Any]) -> None:
    """Refuse inputs with different indexes, because rows are paired by position.

    A default index (0, 1, 2, …) matches any other, except the same numbers in another order. Differences in length are
    reported where columns are read.
    """
    indexed = [(name, values) for name, value in inputs.items() for name, values in _index_indexed(name, value)]
    indexed.sort(key=lambda named: not is_labelled(named[1]))
    for name, values in indexed[1:]:
        first, reference = indexed[0]
        index, expected = values.index, reference.index
        if len(index) != len(expected) or index.equals(expected):
            continue
        labels, others = index.tolist(), expected.tolist()
        if not is_labelled(values) and set(labels) != set(others):
            continue
        row = next((row for row, pair in enumerate(zip(labels, others, strict=True)) if pair[0] != pair[1]), 0)
        problem = "has the same labels in another order" if set(labels) == set(others) else "has other labels"
        raise BadInput(
            f"the index of {name} {problem} than that of {first}: row {row} is {labels[row]!r} in one and "
            f"{others[row]!r} in the other; align them, as with {name}.loc[{first}.index], or pass .to_numpy() of both "
            "to pair rows by position"
        )


def _index_indexed(name: str, values: Any) -> Iterator[tuple[str, Any]]:
    """The series and frames among the values, which may be a dict, a list or a tuple of them."""
    if isinstance(values, list | tuple) and any(map(has_index, values[:_COLUMNS])):
        values = dict(enumerate(values))
    if isinstance(values, Mapping):
        for key, value in values.items():
            yield from _index_indexed(f"{name}[{key!r}]", value)
    elif has_index(values):
        yield name, values
