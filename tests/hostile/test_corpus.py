"""However a file is damaged, every command that reads it ends with an error in one line, or does not mind.

Each reader gets a part of all kinds of damage, so that every kind is met by some reader; `make fuzz` goes on with
damage at random.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile.attack import ended, faults
from hostile.damage import damaged
from hostile.files import Reader, briefly, full
from hostile.runner import Runner

FULL, BRIEF = 16, 4  # kinds of damage that are tried on one reader

READERS = {
    **{str(reader): (reader, FULL) for reader in full()},
    **{str(reader): (reader, BRIEF) for form in ("csv", "jsonl", "parquet") for reader in briefly(form)},
}


@pytest.fixture(scope="module")
def run() -> Iterator[Runner]:
    with Runner() as running:
        yield running


@pytest.mark.parametrize(("reader", "most"), READERS.values(), ids=READERS)
def test_damage_is_no_fault(reader: Reader, most: int, run: Runner, tmp_path: Path) -> None:
    cases = list(damaged(reader))
    step = -(-len(cases) // most)
    assert not faults(run, reader, cases[zlib.crc32(str(reader).encode()) % step :: step], tmp_path)


def test_files_without_damage_are_read(run: Runner, tmp_path: Path) -> None:
    readers = [reader for reader, _ in READERS.values()]
    for reader, ending in zip(
        readers, ended(run, [(reader, reader.data) for reader in readers], tmp_path), strict=True
    ):
        assert ending.status == 0, (str(reader), ending.err)
