"""Predictions in a large file, counted while it is read: its distinct rows, and how many items each stands for.

Decided here: whether a file of predictions is read as a whole or counted in batches, and how many rows are held in
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.adapters.system_columns import Columns, SystemColumns
from cranfield.tables.count_matrices import MOST_ITEMS
from cranfield.tables.disk_arrays import SpillFile, array_beside, disk_array, in_blocks, release_pages
from cranfield.tables.label_combinations import BatchCombinations, LabelCombinations, batch_combinations
from cranfield.tables.labels import Codes
from cranfield.tables.memory import give_back_freed_memory
from cranfield.tables.number_columns import numbers, with_one_zero
from cranfield.tables.number_spelling import EXACT, widened
from cranfield.tables.predictions import Predictions, predictions, system_columns
from cranfield.tables.probabilities import probabilities
from cranfield.tables.readers.batches import Batch, LargeFile
from cranfield.tables.readers.limits import MEMORY, limits, readable_size
from cranfield.tables.readers.recognition import NeedsWhole
from cranfield.tables.readers.sheets import Sheet
from cranfield.tables.readers.streams import n_bytes
from cranfield.tables.score_counts import ScoreCounts
from cranfield.tables.spilled_counts import Counted, distinct_rows
from cranfield.tables.threads import in_threads

Progress = Callable[[str, int, int | None], None]

_SMALL = 1 << 20  # bytes of a file that is never read in batches
_MOST_APART = 4096  # combinations of labels whose scores are counted apart
_IN_MEMORY = 1 << 22  # distinct rows; more are sorted in a file
_GREATEST = np.finfo(np.float32).max
_ROW = 64  # bytes of memory that a distinct row takes until all measures are computed


class _Column(NamedTuple):
    """A column of scores."""

    name: str
    is_probability: bool


class _CountedBatch(NamedTuple):
    """The combinations of labels in a batch, and the scores of each combination, with counts."""

    combinations: BatchCombinations
    counts: list[Counted]


@frozen(eq=False)
class CountedFile:
    """The combinations of labels and groups in a file, and the scores of each combination, with counts."""

    file: LargeFile
    combinations: LabelCombinations
    columns: tuple[_Column, ...]
    counts: list[ScoreCounts]
    spill_file: SpillFile = field(default_factory=SpillFile)

    def counted(self, batch: Batch) -> _CountedBatch:
        """The combinations of labels in a batch, and the distinct scores of each; batches are counted in threads."""
        if any(name not in batch.sheet.table.column_names for name in self.file.columns):
            raise NeedsWhole  # objects without a key
        scores = [_checked(batch.sheet, column) for column in self.columns]
        combinations = batch_combinations(batch, self.combinations.columns)
        if not scores:
            return _CountedBatch(combinations, [])
        if len(combinations.keys) > _MOST_APART:
            raise NeedsWhole
        rows = _by_value(combinations.place, len(combinations.keys))
        counts = [distinct_rows([column[of] for column in scores], None) for of in rows]
        return _CountedBatch(combinations._replace(place=combinations.place[:0]), counts)

    def add(self, batch: Batch, counted: _CountedBatch) -> None:
        """Add the items of a batch."""
        places = self.combinations.add(batch, counted.combinations)
        if not self.columns:
            return
        if len(self.combinations) > _MOST_APART:
            raise NeedsWhole
        while len(self.counts) < len(self.combinations):
            self.counts.append(ScoreCounts())
        for place, counts in zip(places, counted.counts, strict=True):
            self.counts[place].add(*counts)
        self._make_room()

    def _make_room(self) -> None:
        """Merge rows if there are many, and move those of the combinations with the most to a file if many are left."""
        if sum(map(len, self.counts)) <= _IN_MEMORY:
            return
        for counts in self.counts:
            counts.merge()
        n_rows = sum(map(len, self.counts))
        if n_rows > _IN_MEMORY // 2:
            for counts in self.counts:
                if len(counts) * len(self.counts) >= n_rows:
                    counts.spill(self.spill_file)

    def _require_memory(self, n_rows: int) -> None:
        if n_rows * _ROW > limits.memory:
            raise BadInput(
                f"{self.file.path}: up to {n_rows:,} distinct rows of labels and scores are too many for "
                f"{readable_size(limits.memory)} of memory ({MEMORY} sets the limit); round the scores, or classify "
                "one system at a time with two classes, without groups, predicted labels or invert"
            )

    @property
    def sheet(self) -> Sheet:
        """The first row of each combination of labels."""
        table, path = self.combinations.rows, self.file.path
        first, file = self.combinations.first, self.file
        typed = file.form not in ("CSV", "TSV")
        return Sheet(table, path, file.form, lambda place: file.where(first[place]), file.digest, typed)

    def predictions(
        self, actual: str, sheet: Sheet, progress: Progress | None, *, invert: bool, **how: Any
    ) -> list[Predictions]:
        """The predictions of each system; a row stands for several items."""
        total = sum(self.combinations.n_items)
        if total > MOST_ITEMS:
            raise BadInput(f"{self.file.path}: {total:,} items; at most {MOST_ITEMS:,} are supported")
        every = predictions(actual, Columns(sheet), **how)
        answered = how.get("predicted"), how.get("score"), how.get("probability")
        answers = system_columns(sheet.cells(actual), Columns(sheet), answered, how.get("labels"), how.get("separator"))
        if any(isinstance(column, Mapping) for answer in answers.values() for column in answer):
            raise NeedsWhole  # one column per class
        count, scores, size = self._moved(invert, progress)
        systems = [
            replace(
                system,
                actual=_repeated(system.actual, size, count),
                predicted=None if system.predicted is None else _repeated(system.predicted, size, count),
                group=None if system.group is None else _repeated(system.group, size, count),
                score=scores.get(_score_of(answer)),
                count=count,
            )
            for system, answer in zip(every, answers.values(), strict=True)
        ]
        return [system.inverted for system in systems] if invert else systems

    def _moved(self, invert: bool, progress: Progress | None) -> tuple[Ints, dict[_Column | None, Floats], Ints]:
        """The counts and the scores of all rows, in the order of the combinations, and the number of rows of each."""
        n_items = np.array(self.combinations.n_items)
        dtype = np.int32 if n_items.sum() < 1 << 31 else np.int64
        if not self.columns:
            return n_items.astype(dtype), {}, np.ones(len(n_items), np.int64)
        most = sum(counts.settle(self.spill_file) for counts in self.counts)
        array: Callable[..., NDArray[Any]] = np.empty if most <= _IN_MEMORY else disk_array
        if most > _IN_MEMORY and (len(self.columns) > 1 or len(self.counts) > 2 or invert):
            self._require_memory(most)  # they are sorted again, or otherwise
        count, scores = array(most, dtype), [array(most, kind) for kind in self.counts[0].dtypes]
        size: list[int] = []
        end = 0
        for counts in self.counts:
            for rows, times in counts.taken():
                start, end = end, end + len(times)
                part = slice(start, end)
                count[part] = times
                for column, values in zip(scores, rows, strict=True):
                    column[part] = values
                release_pages()
                if progress is not None and most > _IN_MEMORY:
                    progress(f"sorting {self.file.path}", end, most)
            size.append(end - sum(size))
        pa.default_memory_pool().release_unused()
        give_back_freed_memory(end)
        return (
            count[:end],
            dict(zip(self.columns, (_wide(column[:end]) for column in scores), strict=True)),
            np.array(size),
        )


def counted_predictions(
    data: Any, actual: Any, progress: Progress | None, **how: Any
) -> tuple[Sheet, list[Predictions]] | None:
    """The predictions in a large file, and a sheet with some of its rows; None if the file is read as a whole."""
    if not isinstance(data, str | PathLike) or (n_bytes(fspath(data)) or 0) < _SMALL:
        return None
    columns = {name: how.get(name) for name in ("predicted", "score", "probability", "by")}
    if not isinstance(actual, str):
        return None
    try:
        counted = _counted(fspath(data), progress, actual=actual, **columns)
        if counted is None:
            return None
        sheet = counted.sheet
        return sheet, counted.predictions(actual, sheet, progress, **how)
    except NeedsWhole:
        return None


def _counted(path: str, progress: Progress | None, *, actual: Any, by: Any, **systems: Any) -> CountedFile | None:
    """The distinct rows of a large file; None if it is small."""
    labels = dict.fromkeys([*_names(actual), *_names(systems["predicted"]), *_names(by)])
    scores = [_Column(name, is_probability=False) for name in _names(systems["score"])]
    scores += [_Column(name, is_probability=True) for name in _names(systems["probability"])]
    names = dict.fromkeys([*labels, *(column.name for column in scores)])
    counted = CountedFile(LargeFile(path, tuple(names)), LabelCombinations(labels), tuple(dict.fromkeys(scores)), [])
    size = n_bytes(path) or 0
    for batch, counts in in_threads(counted.counted, counted.file.batches()):
        counted.add(batch, counts)
        if progress is not None:
            progress(path, min(batch.n_read, size), size)
    return counted if len(counted.combinations) else None


def _names(columns: Any) -> list[str]:
    """The names of columns: none, one, or those of several systems."""
    if columns is None:
        return []
    several = [*columns.values()] if isinstance(columns, Mapping) else [columns]
    if not all(isinstance(name, str) for name in several):
        raise NeedsWhole
    return several


def _checked(sheet: Sheet, column: _Column) -> NDArray[Any]:
    """The scores in a column; those in single precision are widened once they are counted."""
    cells = sheet.table.column(column.name)
    if pa.types.is_float32(cells.type) and not cells.null_count:
        values = cells.to_numpy()
        low, high = (0, 1) if column.is_probability else (-_GREATEST, _GREATEST)
        if len(values) and low <= values.min() and values.max() <= high:  # not if any is NaN
            return with_one_zero(values)  # or an error follows: all batches have the same type
    if column.is_probability:
        return probabilities("probability", sheet.cells(column.name), sheet.where)
    values = numbers("score", sheet.cells(column.name), sheet.where, ordered=True)
    if np.abs(values).max(initial=0) >= EXACT and not pa.types.is_floating(cells.type):
        raise NeedsWhole  # integers that may be equal only when rounded
    return values


def _by_value(place: Ints, n_values: int) -> Iterator[Any]:
    """The rows of each value."""
    if n_values == 1:
        yield slice(None)
    elif n_values <= 8:
        yield from (place == value for value in range(n_values))
    else:
        order = np.argsort(place.astype(np.int16), kind="stable")
        yield from np.split(order, np.cumsum(np.bincount(place))[:-1])


def _repeated(codes: Codes, size: Ints, count: Ints) -> Codes:
    """The codes of all rows, in few bytes each; on disk if their counts are."""
    narrow = next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if codes.max() <= np.iinfo(kind).max)
    every = array_beside(count, len(count), narrow)
    for code, end, n_rows in zip(codes.tolist(), np.cumsum(size).tolist(), size.tolist(), strict=True):
        every[end - n_rows : end] = code
    release_pages()
    return every


def _score_of(answer: SystemColumns) -> _Column | None:
    """The column of scores of a system."""
    if answer.score is not None:
        return _Column(answer.score, is_probability=False)
    return None if answer.probability is None else _Column(answer.probability, is_probability=True)


def _wide(scores: NDArray[Any]) -> Floats:
    """The scores in double precision."""
    return scores if scores.dtype == np.float64 else in_blocks(widened, scores)
