"""Files damaged at random, several times over, given to any command that reads them."""

from __future__ import annotations

import atexit
import random
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fuzz.target import assume, target
from hostile.attack import faults
from hostile.damage import damaged, flipped
from hostile.files import Reader, briefly, full
from hostile.runner import Runner

FORMS = ("csv", "tsv", "jsonl", "json", "parquet", "arrow", "arrows", "lz4.arrow", "csv.gz", "csv.zst", "csv.bz2")


@dataclass(frozen=True)
class Case:
    """A command, with `{}` where it takes the file, and what is in the file."""

    command: str
    file: str
    data: bytes


def cases(source: random.Random) -> Case:
    """One or two kinds of damage to a sound file, and some flipped bytes."""
    reader = source.choice(_readers())
    data = reader.data
    for _ in range(source.choice([0, 1, 1, 2])):
        _, data = source.choice(list(damaged(reader._replace(data=data), source.randrange(1 << 30), 5)))
        if len(data) < 2 or not _is_text(data):
            break
    return Case(reader.command, reader.file, flipped(data, source) if data and source.random() < 0.5 else data)


@target(cases, seeds=20)
def damage_is_an_input_error(case: Case) -> None:
    """The command ends with status 0, or with 1 and one readable line."""
    assume((case.command, case.file) in {(reader.command, reader.file) for reader in _readers()})
    with tempfile.TemporaryDirectory() as folder:
        found = faults(_runner(), Reader(case.command, case.file, b""), [("damaged", case.data)], Path(folder))
    assert not found, found[0]


@cache
def _readers() -> list[Reader]:
    return [*full(), *(reader for form in FORMS for reader in briefly(form))]


@cache
def _runner() -> Runner:
    running = Runner().__enter__()
    atexit.register(running.__exit__)
    return running


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
