"""Multilabel answers as tables of 0 and 1, in every form that users have them, and as sets of labels."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

Rows = list[list[int]]
NAMES = ["cat", "dog", "01", "1", "犬", "a b"]  # of classes


def _frame(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=NAMES[: len(rows[0])])


LISTS: dict[str, Callable[[Rows], Any]] = {  # which could be lists of labels as well
    "lists": list,
    "tuples": lambda rows: tuple(map(tuple, rows)),
    "truths": lambda rows: [[bool(value) for value in row] for row in rows],
    "list of arrays": lambda rows: [np.array(row) for row in rows],
    "pandas, series of lists": pd.Series,
    "Polars, series of lists": pl.Series,
    "Arrow, lists": pa.array,
}
TABLES: dict[str, Callable[[Rows], Any]] = LISTS | {
    "NumPy": np.array,
    "NumPy, truths": lambda rows: np.array(rows, np.bool_),
    "NumPy, floating": lambda rows: np.array(rows, np.float32),
    "masked, but nowhere": lambda rows: np.ma.array(rows),
    "pandas": pd.DataFrame,
    "pandas, named": _frame,
    "pandas, other order": lambda rows: _frame(rows)[NAMES[: len(rows[0])][::-1]],
    "pandas, nullable": lambda rows: _frame(rows).astype("boolean"),
    "pandas, sparse": lambda rows: _frame(rows).astype(pd.SparseDtype("int")),
    "pandas, categories": lambda rows: _frame(rows).astype("category"),
    "Polars": lambda rows: pl.DataFrame(rows, schema=NAMES[: len(rows[0])], orient="row"),
    "Arrow": lambda rows: pa.table(_frame(rows)),
    "SciPy matrix": sparse.csr_matrix,
    "SciPy array": sparse.coo_array,
    "SciPy, a dict": lambda rows: sparse.dok_matrix(np.array(rows)),
    "SciPy, lists": lambda rows: sparse.lil_array(np.array(rows)),
}


@dataclass(frozen=True)
class LabelSets:
    """The labels that each item has and those that it was given, as 0 and 1 for each class."""

    actual: Rows
    predicted: Rows

    @property
    def is_valid(self) -> bool:
        """Whether both are tables of one shape; shrinking makes others."""
        rows = [*self.actual, *self.predicted]
        shaped = bool(rows) and len(self.actual) == len(self.predicted) and len({len(row) for row in rows}) == 1
        return shaped and 0 < len(rows[0]) <= len(NAMES) and all(value in (0, 1) for row in rows for value in row)

    @property
    def may_be_sets(self) -> bool:
        """Whether no list holds anything twice, so that all of them could be sets of the labels 0 and 1."""
        return all(len(set(row)) == len(row) for row in [*self.actual, *self.predicted])


def label_sets(source: random.Random) -> LabelSets:
    """A few items of one to six classes, often, seldom or never given."""
    width, n_items = source.choice([1, 2, 2, 3, 4, 6]), source.choice([1, 2, 3, 10])
    frequency = [source.choice([0, 0.2, 0.5, 1]) for _ in range(width)]
    actual = [[int(source.random() < each) for each in frequency] for _ in range(n_items)]
    wrong = source.choice([0, 0.1, 0.5])
    return LabelSets(actual, [[value ^ (source.random() < wrong) for value in row] for row in actual])
