"""What a module of benchmarks declares: cases, the tools that are run on each, and what is to be reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

WRITTEN = "written"  # the name under which a job tells how many bytes it wrote

Values = Mapping[str, Sequence[float]]  # by the name of what was computed, in an order that all tools share
Job = Callable[[], Callable[[], Values]]  # does the work; what it returns tells the values, and is not timed
Figure = Literal["wall", "cpu", "peak", "warm", "size"]

UNIT: dict[Figure, str] = {"wall": "s", "cpu": "s", "peak": "MB", "warm": "s", "size": "MB"}


@dataclass(frozen=True)
class Tool:
    """A way to do the work: `start` gets the folder of data and is not timed, the job it returns is.

    A job that imports its tool is timed from an empty interpreter on, which is what a user waits for.
    """

    start: Callable[[Path], Job]
    compiles: bool = False  # begins with nothing compiled, as on the day it is installed; else with what was left
    session: str = ""  # tools of one session are run in one process, one after the other


@dataclass(frozen=True)
class Target:
    """A bound on a figure of a tool: in its own unit, or, with `times`, as a multiple of the first tool's."""

    tool: str
    at_least: float | None = None
    at_most: float | None = None
    figure: Figure = "wall"
    times: bool = True


@dataclass(frozen=True)
class Case:
    """One piece of work, done by several tools; the first of them is the one the others are set beside."""

    name: str
    title: str
    tools: Mapping[str, Tool]
    make: Callable[[Path], None] | None = None  # writes the data that is not there yet
    targets: tuple[Target, ...] = ()
    warm: bool = True  # whether a second call in the same process tells something
