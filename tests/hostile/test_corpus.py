"""However a file is damaged, every command that reads it ends with an error in one line, or does not mind.

Each reader gets a part of all kinds of damage, so large in `make test-all` that every kind is met by some reader, and
a quarter of it in `make test`. `make fuzz` goes on with damage at random.
"""

from __future__ import annotations

import shlex
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile.attack import ended, faults
from hostile.damage import damaged
from hostile.files import BESIDE, Reader, briefly, columns_of, full
from hostile.runner import Runner

UNREADABLE = "/proc/self/mem"  # whose first byte is an input/output error
FULL, BRIEF = 16, 4  # kinds of damage that are tried on one reader

READERS = {
    **{str(reader): (reader, FULL) for reader in full()},
    **{str(reader): (reader, BRIEF) for form in ("csv", "jsonl", "parquet") for reader in briefly(form)},
}


@pytest.fixture(scope="module")
def run() -> Iterator[Runner]:
    with Runner() as running:
        yield running


@pytest.mark.parametrize("quarter", [0, *(pytest.param(place, marks=pytest.mark.thorough) for place in (1, 2, 3))])
@pytest.mark.parametrize(("reader", "most"), READERS.values(), ids=READERS)
def test_damage_is_no_fault(reader: Reader, most: int, quarter: int, run: Runner, tmp_path: Path) -> None:
    cases = list(damaged(reader))
    step = -(-len(cases) // most)
    chosen = cases[zlib.crc32(str(reader).encode()) % step :: step]
    assert not faults(run, reader, chosen[quarter::4], tmp_path)


@pytest.mark.parametrize("quarter", [0, *(pytest.param(place, marks=pytest.mark.thorough) for place in (1, 2, 3))])
def test_files_without_damage_are_read(quarter: int, run: Runner, tmp_path: Path) -> None:
    readers = [reader for reader, _ in READERS.values()][quarter::4]
    for reader, ending in zip(
        readers, ended(run, [(reader, reader.data) for reader in readers], tmp_path), strict=True
    ):
        assert ending.status == 0, (str(reader), ending.err)


@pytest.mark.parametrize("reader", list(full()), ids=str)
def test_a_file_on_a_failing_disk_is_named(reader: Reader, run: Runner, tmp_path: Path) -> None:
    for name, data in BESIDE.items():
        (tmp_path / name).write_bytes(data)
    given = reader.written(tmp_path, reader.data, 0)
    failing = tmp_path / f"0-{reader.file}"
    failing.unlink()
    failing.symlink_to(UNREADABLE)
    (ending,) = run([shlex.split(reader.command.replace("{}", given))], tmp_path)
    assert ending.status == (2 if reader.command.startswith("trec_eval") else 1)
    line, *more = [line for line in ending.err.splitlines() if not line.startswith("cranfield: warning: ")]
    assert failing.name in line
    assert "standard output" not in line
    assert not more or reader.command.startswith("trec_eval")  # NIST's program says it in two lines


def test_sizes_that_arrow_cannot_give_are_an_error(run: Runner, tmp_path: Path) -> None:
    """A column that is required, with counts of missing values: PyArrow ends the process if asked for its metadata."""
    for reader in (each for each, _ in READERS.values() if each.file.endswith(".parquet")):
        last = list(columns_of(reader.command) or ())[-1].encode()
        optional, required = (bytes([0x25, kind, 0x18, len(last)]) + last for kind in (2, 0))
        assert optional in reader.data
        (ending,) = ended(run, [(reader, reader.data.replace(optional, required, 1))], tmp_path)
        assert ending.status in (0, 1), (str(reader), ending.err)


def test_a_dictionary_shorter_than_it_says_is_an_error(run: Runner, tmp_path: Path) -> None:
    """The offsets of its texts lie beyond the file, where nothing may read before they are checked."""
    for reader in (each for each in full() if each.file.endswith(".arrow") and "lz4" not in each.file):
        names = next(iter((columns_of(reader.command) or {}).values()))
        length, longer = (struct.pack("<qq", len(set(names)) + more, 0) for more in (0, 1 << 28))
        assert length in reader.data
        (ending,) = ended(run, [(reader, reader.data.replace(length, longer, 1))], tmp_path)
        assert ending.status == 1, (str(reader), ending.err)
