"""Which rows of two pandas series or frames belong together, according to their indexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cranfield.errors import BadInput

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
    indexed = [(name, values) for name, value in inputs.items() for name, values in _indexed(name, value)]
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


def _indexed(name: str, values: Any) -> Iterator[tuple[str, Any]]:
    """The series and frames among the values, which may be a dict, a list or a tuple of them."""
    if isinstance(values, list | tuple) and any(map(has_index, values[:_COLUMNS])):
        values = dict(enumerate(values))
    if isinstance(values, Mapping):
        for key, value in values.items():
            yield from _indexed(f"{name}[{key!r}]", value)
    elif has_index(values):
        yield name, values
