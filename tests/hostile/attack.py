"""Damaged files given to commands, and what must not happen."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from cranfield.commands.statuses import NOT_PASSED
from hostile.damage import Case
from hostile.files import BESIDE, Reader
from hostile.runner import Ending, Runner

LONGEST = 1_000  # characters of a readable line


def faults(run: Runner, reader: Reader, cases: Sequence[Case], folder: Path) -> list[str]:
    """What is wrong with how the command ended, for each case with which something is."""
    endings = ended(run, [(reader, data) for _, data in cases], folder)
    return [
        f"{reader}: {done}: {wrong}"
        for (done, _), ending in zip(cases, endings, strict=True)
        if (wrong := _wrong(reader.command, ending))
    ]


def ended(run: Runner, cases: Sequence[tuple[Reader, bytes]], folder: Path) -> list[Ending]:
    """How each command ended, with these bytes in its file."""
    for name, data in BESIDE.items():
        (folder / name).write_bytes(data)
    commands = []
    for number, (reader, data) in enumerate(cases):
        given = reader.written(folder, data, number)
        commands.append(shlex.split(reader.command.replace("{}", given)))
    return run(commands, folder)


def _wrong(command: str, ending: Ending) -> str:
    lines = ending.err.splitlines()
    said = ending.err[-300:]
    own = command.startswith("trec_eval")  # which ends as the program of that name does
    expected = (0, 1, NOT_PASSED) if command.startswith("check") else (0, 1)
    if ending.status < 0 or ending.status == 3 or (ending.status not in expected and not own):
        return f"status {ending.status}: {said}"
    if not own and ending.status == 1 and sum(not line.startswith("cranfield: warning: ") for line in lines) != 1:
        return f"not one line of error: {said}"
    if not own and any(len(line) > LONGEST for line in lines):
        return f"a line of {max(map(len, lines))} characters: {said[:100]}"
    written = lines if "-f csv" in command else [*lines, *ending.out.splitlines()]  # CSV has names as they are
    if not "".join(written).isprintable() and not own:
        return f"control characters: {ending.err[:200]!r} {ending.out[:100]!r}"
    if not own and any(not line.startswith("cranfield: ") for line in lines):
        return f"a line from elsewhere: {said}"
    return ""
