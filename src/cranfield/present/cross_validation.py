"""Cross-validation as a table: the score of each learner on each fold."""

from __future__ import annotations

from cranfield.present.table import Column, Table, numbers, row
from cranfield.results.cross_validation import CrossValidation

SIDES = ("train", "test")


def tables(folds: CrossValidation, *, digits: int, steps: bool = False) -> list[Table]:
    """One row per fold, one column per learner, and their means; with `steps`, first the sets of each fold."""
    return [*([working(folds)] if steps else []), _scores(folds, digits)]


def working(folds: CrossValidation) -> Table:
    """The training and test items of each fold."""
    columns = (Column("fold"), *numbers("n train", "n test"), Column("train"), Column("test"))
    lines = [
        row(step["fold"], step["n_train"], step["n_test"], *(", ".join(map(str, step[side])) for side in SIDES))
        for step in folds.steps()
    ]
    return Table(columns, tuple(lines), title="Training and test sets", notes=("items are numbered from 0",))


def _scores(folds: CrossValidation, digits: int) -> Table:
    """One row per fold, one column per learner, and their means."""
    columns = (Column("fold"), *numbers(*folds.systems, digits=digits))
    rows = tuple(row(unit, *values) for unit, values in zip(folds.units, folds.values.T.tolist(), strict=True))
    means = row("mean", *folds.values.mean(axis=1).tolist())
    note = f"test folds are {folds.overlap:.3g} times as large as their training sets"
    return Table(columns, rows, (means,), notes=(note, *folds.notes))
