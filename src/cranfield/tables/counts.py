"""Square matrices of counts: a published confusion matrix, or the contingency table of two raters.

Decided here: whether the rows of a confusion matrix are actual or predicted classes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isqrt
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Ints
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.adapters.frames import is_labelled
from cranfield.tables.adapters.spark_inputs import is_address
from cranfield.tables.numbers import EXACT, is_number, number
from cranfield.tables.ratings import Source, is_missing
from cranfield.tables.readers.cells import WHOLE
from cranfield.tables.readers.sheets import as_sheet
from cranfield.tables.totals import refuse_totals

Rows = Literal["actual", "predicted"]

CELLS = ("TP", "FP", "FN", "TN")
NEGATIVE, POSITIVE = "negative", "positive"
MOST = 50_000_000  # most ratings in counts
MOST_ITEMS = 3_000_000_000  # products of two counts fit in 64 bits

_CELL = re.compile(r"([A-Za-z]+)\s*=\s*([^\s,;]+)")
_OTHER: dict[str, Rows] = {"actual": "predicted", "predicted": "actual"}
_AXES: dict[Rows, re.Pattern[str]] = {  # names that people give to the rows or columns of a confusion matrix
    "actual": re.compile(r"actual|tru(e|th)(?![a-z])|reference|gold|ground|expected|observed|target"),
    "predicted": re.compile(r"pred|estimated|y_?hat|guess|classified|system(?![a-z])|output"),
}
_OUTCOMES = "TP=20 FP=180 FN=10 TN=1820"


@frozen(eq=False)
class CountMatrix:
    """`counts[i, j]` items in row `labels[i]` and column `labels[j]`; `corner` is the table's name for its rows."""

    labels: tuple[Any, ...]
    counts: Ints
    source: Source
    positive: Any = None
    corner: str = ""

    @property
    def transposed(self) -> CountMatrix:
        """The same with rows and columns exchanged."""
        return replace(self, counts=self.counts.T)

    @property
    def cells(self) -> tuple[list[Any], list[Any], Ints]:
        """The label of the row, that of the column and the number of items of every cell, row by row."""
        rows = [label for label in self.labels for _ in self.labels]
        return rows, list(self.labels) * len(self.labels), self.counts.ravel()


def count_matrix(data: Any, *, labels: Sequence[Any] | None = None, unnamed: str | None = None) -> CountMatrix:
    """The matrix in a path, a data frame, a dict, rows of numbers, or texts such as `TP=20 FP=180 FN=10 TN=1820`.

    Rows of numbers belong to the labels in order; without labels, to numbers from 0, or to `unnamed` 1, 2, ….
    """
    texts = [data] if isinstance(data, str) else data
    if _are_texts(texts) and any("=" in text and not _is_path(text) for text in texts):
        return _outcomes(dict(_named_cells(" ".join(texts))))
    if _are_texts(texts) and all(map(is_number, texts)):
        return _numbers(texts, labels, unnamed)
    if isinstance(data, Mapping) and set(map(_upper, data)) & set(CELLS):
        return _outcomes(data)
    if isinstance(data, Mapping):
        return _nested(data)
    if hasattr(data, "index") and hasattr(data, "columns") and _index_names_rows(data):
        return _indexed(data)
    if _is_two_dimensional(data):
        return _rows(data, labels, unnamed)
    if _are_texts(texts) and len(texts) != 1:
        raise BadInput(f"counts must be one file, or cells such as {_OUTCOMES}, not {len(texts)} files")
    if isinstance(data, list | tuple | np.ndarray) and not any(isinstance(row, str | Mapping) for row in data):
        raise BadInput(
            "counts must be rows with one number per class, as in [[1820, 180], [10, 20]], or have names, as in "
            f"{_OUTCOMES}"
        )
    return _from_sheet(texts[0] if _are_texts(texts) else data)


def _index_names_rows(frame: Any) -> bool:
    """Whether the index of a pandas frame names its rows, rather than its first column."""
    return is_labelled(frame) or len(frame.columns) != len(frame) + 1


def _indexed(frame: Any) -> CountMatrix:
    """The matrix in a pandas frame whose index names the rows, such as a cross-tabulation."""
    source = Source("the counts", "frame", None)
    matrix = _matrix(list(frame.index), list(frame.columns), frame.to_numpy().tolist(), source)
    across = axis_named(str(frame.columns.name or ""))
    named = str(frame.index.name or "")
    return replace(matrix, corner=named if axis_named(named) or across is None else _OTHER[across])


def axis_named(name: str) -> Rows | None:
    """Whether a name, such as `y_true` or `Prediction \\ Reference`, first mentions actual or predicted classes."""
    mentions = [(match.start(), axis) for axis, names in _AXES.items() if (match := names.search(name.casefold()))]
    return min(mentions)[1] if mentions else None


def square_sheet(names: Sequence[str], columns: Sequence[Sequence[Any]]) -> bool:
    """Whether the first column contains the names of the others, as in a matrix of counts with named rows."""
    return len(names) > 2 and {str(cell).strip() for cell in columns[0]} == {name.strip() for name in names[1:]}


def _are_texts(data: Any) -> bool:
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(text, str) for text in data)


def _is_path(text: str) -> bool:
    return is_address(text) or os.path.exists(text)


def _upper(key: Any) -> Any:
    return key.upper() if isinstance(key, str) else key


def _is_two_dimensional(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(row, list | tuple | np.ndarray) for row in data)
    return isinstance(data, np.ndarray) and data.ndim == 2


def _named_cells(text: str) -> list[tuple[str, str]]:
    """The cells in a text such as TP=20, FP=180; one named twice is refused."""
    cells = _CELL.findall(text)
    if _CELL.sub("", text).strip(" ,;\t\n"):
        raise BadInput(f"{text!r} is not a list of counts such as {_OUTCOMES}")
    names = [name.upper() for name, _ in cells]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"{twice} is given twice")
    return cells


def _outcomes(cells: Mapping[Any, Any]) -> CountMatrix:
    """The 2×2 matrix of true and false positives and negatives."""
    named = {_upper(name): value for name, value in cells.items()}
    odd = [name for name in named if name not in CELLS]
    missing = [name for name in CELLS if name not in named]
    if odd or missing or len(named) < len(cells):
        what = f"{odd[0]!r} is not one of them" if odd else f"{missing[0]} is missing" if missing else "one is repeated"
        raise BadInput(f"counts need {', '.join(CELLS)}; {what}")
    tp, fp, fn, tn = (count(named[name], name) for name in CELLS)
    return _checked((NEGATIVE, POSITIVE), [[tn, fp], [fn, tp]], Source("the counts", "counts", None), POSITIVE)


def _numbers(texts: Sequence[str], labels: Sequence[Any] | None, unnamed: str | None) -> CountMatrix:
    """The matrix written row by row."""
    side = isqrt(len(texts))
    if side < 2 or side * side != len(texts):
        raise BadInput(f"{len(texts)} numbers do not form a square matrix; give 4, 9, 16 … counts, row by row")
    return _rows([texts[at : at + side] for at in range(0, len(texts), side)], labels, unnamed)


def _rows(data: Any, labels: Sequence[Any] | None, unnamed: str | None) -> CountMatrix:
    """The matrix in rows of numbers."""
    numbered = [place if unnamed is None else f"{unnamed} {place + 1}" for place in range(len(data))]
    names = numbered if labels is None else list(labels)
    if len(names) != len(data):
        raise BadInput(f"got {len(names)} labels for {len(data)} rows of counts")
    return _matrix(names, names, data, Source("the counts", "rows", None))


def _nested(data: Mapping[Any, Any]) -> CountMatrix:
    """The matrix in a dict of dicts; a missing pair counts 0."""
    if not data or not all(isinstance(row, Mapping) for row in data.values()):
        raise BadInput("a dict of counts must be {'TP': 20, 'FP': 180, 'FN': 10, 'TN': 1820} or {row: {column: n}}")
    names = list(dict.fromkeys([*data, *(column for row in data.values() for column in row)]))
    rows = [[data.get(row, {}).get(column, 0) for column in names] for row in names]
    return _matrix(names, names, rows, Source("the counts", "dict", None))


def _from_sheet(data: Any) -> CountMatrix:
    """The matrix in a table whose first column names the rows."""
    sheet = as_sheet(os.fspath(data) if isinstance(data, os.PathLike) else data)
    names = [name.strip() for name in sheet.table.column_names]
    columns = [sheet.text(place).to_pylist() for place in range(len(names))]
    if len(names) < 3 or len(columns[0]) != len(names) - 1:
        raise BadInput(
            f"{sheet.name}: {len(columns[0])} rows and {max(len(names) - 1, 0)} columns of counts; a matrix needs a "
            "header with the column names, and as many rows, each starting with its name"
        )
    return matrix_of(names, columns, Source(sheet.name, sheet.form, sheet.digest))


def matrix_of(names: Sequence[str], columns: Sequence[Sequence[Any]], source: Source) -> CountMatrix:
    """The matrix in columns; the first column names the rows."""
    rows, heads = _labels([str(cell).strip() for cell in columns[0]]), _labels(names[1:])
    return replace(_matrix(rows, heads, list(zip(*columns[1:], strict=True)), source), corner=names[0])


def _labels(names: Sequence[str]) -> Sequence[Any]:
    """The names as integers if all are, as for labels of items in a file."""
    return [int(name) for name in names] if all(map(WHOLE.fullmatch, names)) else names


def _matrix(rows: Sequence[Any], columns: Sequence[Any], cells: Sequence[Sequence[Any]], source: Source) -> CountMatrix:
    """The matrix with the columns in the order of the rows, which must have the same names."""
    for names, what in ((rows, "rows"), (columns, "columns")):
        twice = next((name for name in names if list(names).count(name) > 1), None)
        if twice is not None:
            raise BadInput(f"{source.name}: duplicate {twice!r} among the {what}")
    if set(rows) != set(columns):
        odd = next(iter([*(r for r in rows if r not in columns), *(c for c in columns if c not in rows)]))
        raise BadInput(
            f"{source.name}: rows and columns must have the same names; {odd!r} names only a row or only a column"
        )
    ragged = next((place for place, row in enumerate(cells) if len(row) != len(columns)), None)
    if ragged is not None:
        raise BadInput(
            f"{source.name}: row {rows[ragged]!r} has {len(cells[ragged])} counts for {len(columns)} columns"
        )
    order = [list(columns).index(name) for name in rows]
    table = [
        [count(row[place], f"{source.name}: row {name!r}, column {columns[place]!r}") for place in order]
        for name, row in zip(rows, cells, strict=True)
    ]
    return _checked(tuple(columns[place] for place in order), table, source)


def _checked(labels: tuple[Any, ...], table: list[list[int]], source: Source, positive: Any = None) -> CountMatrix:
    total = sum(map(sum, table))
    if not total:
        raise BadInput(f"{source.name}: all counts are 0")
    if total > MOST_ITEMS:
        raise BadInput(f"{source.name}: the counts add up to {total:,} items; at most {MOST_ITEMS:,} are supported")
    counts = np.array(table, np.int64)
    refuse_totals(counts.astype(np.float64), labels, labels, source.name)
    return CountMatrix(labels, counts, source, positive)


def count(cell: Any, where: str) -> int:
    """A count as an integer."""
    try:
        value = np.nan if is_missing(cell) else number(cell)
    except ValueError:
        value = np.nan
    if not 0 <= value <= EXACT or value % 1:
        raise BadInput(f"{where}: {cell!r} is not a count; counts are non-negative integers")
    return int(value)
