"""How often intervals cover: counted by measure over simulated data sets, and kept as a table."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cranfield.statistics.rates import IntervalEstimate

DataSet = tuple[Mapping[str, float], Mapping[str, IntervalEstimate]]  # true values, and intervals of one sample
LEAST = 0.93  # coverage of a 95 % interval that holds
NEAR = 1e-9


@dataclass
class Tally:
    """The intervals of a measure in one cell of the simulation: how many, and how many miss the true value."""

    intervals: int = 0
    below: int = 0
    above: int = 0
    none: int = 0

    def add(self, true: float, found: IntervalEstimate) -> None:
        """Count an interval."""
        if not np.isfinite(true) or np.isnan(found.value):
            return
        if np.isnan(found.low):
            self.none += 1
            return
        room = NEAR * max(1, abs(true))
        self.intervals += 1
        self.below += found.high < true - room
        self.above += found.low > true + room


def tallies(data_sets: Iterable[DataSet]) -> dict[str, Tally]:
    """The intervals of every measure over data sets."""
    by_measure: dict[str, Tally] = {}
    for true, found in data_sets:
        for measure, interval in found.items():
            by_measure.setdefault(measure, Tally()).add(true[measure], interval)
    return by_measure


class Cell(NamedTuple):
    """The coverage of the intervals of a measure in samples of one size, prevalence and shape."""

    subject: str
    measure: str
    n: int
    prevalence: float
    shape: str
    intervals: int
    below: int
    above: int
    none: int

    @property
    def missed(self) -> int:
        """The number of intervals that do not contain the true value."""
        return self.below + self.above

    @property
    def covered(self) -> float:
        """The proportion of intervals that do."""
        return 1 - self.missed / self.intervals if self.intervals else np.nan


def read(path: Path) -> list[Cell]:
    """The cells of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Cell(row[0], row[1], int(row[2]), float(row[3]), row[4], *map(int, row[5:])) for row in csv.reader(file)
        ]


def write(path: Path, cells: Iterable[Cell]) -> None:
    """Write cells to a file at once, so that an interrupted simulation leaves no part of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(cells)
    part.replace(path)
