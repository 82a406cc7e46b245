"""The index of pandas series and frames, which shows whether rows belong together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cranfield.errors import BadInput


def is_labelled(values: Any) -> bool:
    """Whether this is a pandas series or frame whose index names the rows instead of just counting them."""
    index: Any = getattr(values, "index", None)
    return hasattr(index, "tolist") and bool(index.tolist() != list(range(len(values))))


def require_aligned(inputs: Mapping[str, Any]) -> None:
    """Refuse inputs with different indexes, because rows are paired by position.

    A default index (0, 1, 2, …) matches any other. Differences in length are reported where columns are read.
    """
    labelled = [(name, values) for name, value in inputs.items() for name, values in _labelled(name, value)]
    for name, values in labelled[1:]:
        first, reference = labelled[0]
        index, expected = values.index, reference.index
        if len(index) != len(expected) or index.equals(expected):
            continue
        labels, others = index.tolist(), expected.tolist()
        row = next((row for row, pair in enumerate(zip(labels, others, strict=True)) if pair[0] != pair[1]), 0)
        problem = "has the same labels in another order" if set(labels) == set(others) else "has other labels"
        raise BadInput(
            f"the index of {name} {problem} than that of {first}: row {row} is {labels[row]!r} in one and "
            f"{others[row]!r} in the other; align them, as with {name}.loc[{first}.index], or pass .to_numpy() of both "
            "to pair rows by position"
        )


def _labelled(name: str, values: Any) -> Iterator[tuple[str, Any]]:
    """The labelled series and frames among the values, which may be a dict of them."""
    if isinstance(values, Mapping):
        for key, value in values.items():
            yield from _labelled(f"{name}[{key!r}]", value)
    elif is_labelled(values):
        yield name, values
