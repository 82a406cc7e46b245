"""Every record is frozen, and is compared field by field only where that has an answer."""

from __future__ import annotations

import importlib
import inspect
import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import cranfield

SOURCE = Path(cranfield.__file__).parent
ARRAYS = ("NDArray", "Floats", "Ints", "Mask", "Bytes", "Numbers")  # whose == has no single answer


def dataclasses_of(path: Path) -> list[type]:
    """The dataclasses that a module declares."""
    module = importlib.import_module(".".join(("cranfield", *path.relative_to(SOURCE).with_suffix("").parts)))
    return [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__ == module.__name__ and "__dataclass_params__" in vars(kind)
    ]


def records_in(*rooms: str) -> list[type]:
    return [
        record for room in rooms for path in sorted((SOURCE / room).glob("*.py")) for record in dataclasses_of(path)
    ]


RECORDS = records_in("evidence", "engines", "statistics")
BY_IDENTITY = {
    record.__name__
    for record in records_in("tables", "evidence", "engines", "statistics")
    if record.__eq__ is object.__eq__
}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_a_record_is_frozen_and_one_that_holds_arrays_is_compared_by_identity(record):
    with pytest.raises(FrozenInstanceError):
        object.__new__(record).added = 1
    fields = [kind for base in record.__mro__ for kind in inspect.get_annotations(base).values()]
    held = " ".join(kind for kind in fields if "Callable" not in kind)
    without_equality = {*ARRAYS, *BY_IDENTITY - {record.__name__}} & {*re.findall(r"\w+", held)}
    assert (record.__eq__ is object.__eq__) is bool(without_equality), without_equality
