"""Simulate how often intervals over items cover: `python -m tools.coverage`; it resumes."""

from __future__ import annotations

import argparse
import warnings
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import astuple
from pathlib import Path
from typing import Any, NamedTuple

from tools.coverage import agreement, binary, class_scores, classes, label_sets, regression, table
from tools.coverage.tally import Cell, read, tallies, write

SIZES = (20, 50, 200, 1000)
SETS = {"binary": 160, "agreement": 160, "regression": 96, "classes": 48, "class scores": 24, "label sets": 40}
QUICK = 8  # data sets of each cell
BUILD = Path(__file__).parents[2] / "build" / "coverage"

SUBJECTS: Mapping[str, Any] = {
    "binary": binary,
    "classes": classes,
    "class scores": class_scores,
    "label sets": label_sets,
    "regression": regression,
    "agreement": agreement,
}


class Case(NamedTuple):
    """A cell of the simulation, whose random numbers depend on its name alone."""

    subject: str
    shape: str
    prevalence: float
    n: int
    n_sets: int

    @property
    def path(self) -> Path:
        """Where its result is kept."""
        return BUILD / ("-".join(map(str, self)).replace(" ", "_") + ".csv")


def cases(*, quick: bool = False) -> Iterator[Case]:
    """Every cell, those with the smallest samples first."""
    for n in SIZES:
        for subject, module in SUBJECTS.items():
            for prevalence in module.PREVALENCES:
                for shape in module.SHAPES:
                    yield Case(subject, shape, prevalence, n, QUICK if quick else SETS[subject])


def simulated(case: Case) -> list[Cell]:
    """The intervals of each measure in a cell."""
    seed = zlib.crc32("/".join(map(str, case)).encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of small samples
        module = SUBJECTS[case.subject]
        found = tallies(module.data_sets(case.shape, case.prevalence, case.n, case.n_sets, seed))
    return [
        Cell(case.subject, measure, case.n, case.prevalence, case.shape, *astuple(tally))
        for measure, tally in found.items()
    ]


def keep(case: Case) -> Case:
    """Simulate a cell and keep its result."""
    write(case.path, simulated(case))
    return case


def main() -> None:
    """Simulate what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} data sets of each cell, without a table")
    parser.add_argument("--only", choices=SUBJECTS, help="one subject")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    chosen = parser.parse_args()
    every = [case for case in cases(quick=chosen.quick) if chosen.only in (None, case.subject)]
    missing = [case for case in every if not case.path.exists()]
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for done, future in enumerate(as_completed(pool.submit(keep, case) for case in missing), 1):
            case = future.result()
            print(f"{done} of {len(missing)}: {case.subject}, {case.shape}, {case.prevalence}, n {case.n}", flush=True)
    if not chosen.quick:
        cells = [cell for case in cases() if case.path.exists() for cell in read(case.path)]
        table.write(cells)


if __name__ == "__main__":
    main()
