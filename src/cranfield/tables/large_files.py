"""Predictions in a large file, counted while it is read: its distinct rows, and how many items each stands for.

Decided here: whether a file of predictions is read as a whole or counted in batches, and how many rows are held in
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.memory import give_back_freed_memory
from cranfield.tables.adapters.arrow import damaged, validated
from cranfield.tables.adapters.system_columns import Columns, SystemColumns
from cranfield.tables.counts import MOST_ITEMS
from cranfield.tables.disk import (
    Counted,
    Scores,
    SpilledCounts,
    SpillFile,
    array_beside,
    disk_array,
    distinct_of_all,
    distinct_rows,
    in_blocks,
    merged_counts,
    pieces,
    release_pages,
)
from cranfield.tables.labels import Codes, arrow
from cranfield.tables.number_columns import numbers, probabilities, with_one_zero
from cranfield.tables.numbers import EXACT, widened
from cranfield.tables.predictions import Predictions, predictions, system_columns
from cranfield.tables.readers.recognition import Batches, NeedsWhole, recognised
from cranfield.tables.readers.sheets import DAMAGED, Sheet
from cranfield.tables.readers.streams import MEMORY, Stream, limits, n_bytes, opened, readable_size
from cranfield.tables.threads import in_threads

# Large files in batches of rows, so that they need not fit in memory


class Batch(NamedTuple):
    """Some rows of a file: the number of the first one, and the number of bytes read so far."""

    sheet: Sheet
    first: int
    n_read: int


@dataclass
class LargeFile:
    """Some columns of a file that is read in batches; the digest is known once all were read."""

    path: str
    columns: tuple[str, ...]
    form: str = ""
    digest: str | None = None

    def batches(self) -> Iterator[Batch]:
        """The rows in batches; none if the file is small, or must be read as a whole."""
        with opened(self.path) as stream:
            batches = self._recognised(stream)
            if batches is None:
                return
            self.form = batches.form
            first = 0
            for sheet, n_read in _undamaged(batches, stream):
                validated(sheet.table, sheet.name)
                yield Batch(sheet, first, n_read)
                first += len(sheet.table)
            stream.drain()
            self.digest = stream.digest

    def _recognised(self, stream: Stream) -> Batches | None:
        if not stream.peek(1):
            return None
        try:
            return recognised(stream).batches(stream, self.columns)
        except DAMAGED as error:
            raise _unreadable(stream, error) from None

    def where(self, place: int) -> str:
        """How errors name a row; the file is read again up to it."""
        batch = next(batch for batch in self.batches() if place < batch.first + len(batch.sheet.table))
        return batch.sheet.where(place - batch.first)


def _undamaged(batches: Batches, stream: Stream) -> Iterator[tuple[Sheet, int]]:
    try:
        yield from batches.sheets
    except DAMAGED as error:
        raise _unreadable(stream, error) from None


def _unreadable(stream: Stream, error: Exception) -> BadInput:
    return error if isinstance(error, BadInput) else damaged(f"{stream.name}: the data cannot be read", error)


# Combinations of labels in a large table, with the number of items of each and its first row


_FEW = 1 << 16  # combinations that are looked up in a table, whether they occur or not
_SOME = 16  # combinations that are searched for one by one


class BatchCombinations(NamedTuple):
    """The combinations in a batch, in the order of their first rows."""

    types: list[pa.DataType]
    values: list[list[Any]]  # the distinct values of each column
    keys: list[tuple[int, ...]]  # the value of each column, for each combination
    first: list[int]  # rows of the batch
    n_items: list[int]
    place: Ints  # the combination of each item


def batch_combinations(batch: Batch, names: Collection[str]) -> BatchCombinations:
    """The combinations of values of some columns in a batch."""
    columns = [arrow(name, batch.sheet.cells(name)) for name in names]
    types = [column.type for column in columns]
    if any(map(pa.types.is_nested, types)):
        raise NeedsWhole
    encoded = [column.dictionary_encode("encode") for column in columns]
    sizes = [len(column.dictionary) for column in encoded]
    cell, occurs = _cells([column.indices.to_numpy() for column in encoded], sizes)
    n_items = np.bincount(cell, minlength=len(occurs))
    in_order, first = _in_order(cell, n_items > 0)
    place = np.zeros(len(occurs), np.int64)
    place[in_order] = np.arange(len(in_order))
    keys = zip(*(code.tolist() for code in np.unravel_index(occurs[in_order], sizes)), strict=True)
    values = [column.dictionary.to_pylist() for column in encoded]
    return BatchCombinations(types, values, [*keys], first.tolist(), n_items[in_order].tolist(), place[cell])


class LabelCombinations:
    """The combinations of values of some columns, in the order of their first rows."""

    def __init__(self, columns: Collection[str]) -> None:
        self.columns = tuple(columns)
        self.n_items: list[int] = []
        self.first: list[int] = []  # numbers of the first rows
        self._rows: list[pa.Table] = []
        self._types: list[pa.DataType] = []
        self._schema = pa.schema([])
        self._codes: list[dict[Any, int]] = [{} for _ in columns]  # of the values of each column
        self._places: dict[tuple[int, ...], int] = {}

    def __len__(self) -> int:
        return len(self.n_items)

    @property
    def rows(self) -> pa.Table:
        """The first row of each combination."""
        return pa.concat_tables(self._rows, promote_options="permissive").combine_chunks()

    def add(self, batch: Batch, combinations: BatchCombinations) -> list[int]:
        """Count the items of a batch; the place of each of its combinations among all."""
        self._require_types(batch.sheet.table.schema, combinations.types)
        codes = [
            [known.setdefault(value, len(known)) for value in values]
            for known, values in zip(self._codes, combinations.values, strict=True)
        ]
        places = []
        for key, row, n_items in zip(combinations.keys, combinations.first, combinations.n_items, strict=True):
            place = self._place(tuple(code[at] for code, at in zip(codes, key, strict=True)), batch, row)
            self.n_items[place] += n_items
            places.append(place)
        return places

    def _require_types(self, schema: pa.Schema, types: list[pa.DataType]) -> None:
        """Leave a file to be read as a whole if its labels change their type, or others from numbers to text."""
        self._types = self._types or types
        try:
            self._schema = pa.unify_schemas([self._schema, schema], promote_options="permissive")
        except pa.ArrowTypeError:
            raise NeedsWhole from None
        if self._types != types:
            raise NeedsWhole

    def _place(self, key: tuple[int, ...], batch: Batch, row: int) -> int:
        """The place of a combination; a new one is added with its first row."""
        if key not in self._places:
            self._places[key] = len(self._places)
            self.first.append(batch.first + row)
            self._rows.append(batch.sheet.table.take([row]))
            self.n_items.append(0)
        return self._places[key]


def _cells(codes: Sequence[Ints], sizes: Sequence[int]) -> tuple[Ints, Ints]:
    """The combination of each row as a number, and the codes behind these numbers."""
    n_cells = int(np.prod(sizes, dtype=object))
    cell = np.asarray(np.ravel_multi_index(tuple(codes), tuple(sizes)), np.int64)
    if n_cells <= _FEW:
        return cell, np.arange(n_cells)
    occurs, place = np.unique(cell, return_inverse=True)
    return place, occurs


def _in_order(cell: Ints, occurs: Mask) -> tuple[Ints, Ints]:
    """The combinations that occur, in the order of their first rows, and these rows."""
    places = np.flatnonzero(occurs)
    if len(places) > _SOME:
        places, first = np.unique(cell, return_index=True)
    else:
        first = np.array([np.argmax(cell == place) for place in places], np.int64)
    order = np.argsort(first)
    return places[order], first[order]


# Score counts: distinct rows of scores, sorted, with the number of items of each, collected in batches


_SCORE_FEW = 1 << 16  # rows that are merged at once


class ScoreCounts:
    """The distinct rows of one or several columns of scores, with counts.

    They are in sorted runs, which are merged when they take too much memory. If they still do, they are moved to a
    file, as often as needed; all runs are merged at the end.
    """

    def __init__(self) -> None:
        self.dtypes: list[np.dtype[Any]] = []  # the types of the columns, once items were added
        self._runs: list[list[Counted]] = []  # each in pieces
        self._spilled: list[SpilledCounts] = []

    def __len__(self) -> int:
        """Number of rows in memory."""
        return sum(len(count) for run in self._runs for _, count in run)

    def add(self, rows: Scores, count: Ints) -> None:
        """Add distinct rows in ascending order."""
        self.dtypes = [column.dtype for column in rows]
        self._runs.append([*pieces((rows, count))])

    def merge(self) -> None:
        """Merge all rows in memory."""
        if len(self._runs) > 1:
            runs, self._runs = self._runs, []
            few = sum(len(count) for run in runs for _, count in run) <= _SCORE_FEW
            merged = distinct_of_all([piece for run in runs for piece in run]) if few else None
            self._runs = [[merged] if merged else [*merged_counts(map(_removed, runs))]]

    def spill(self, file: SpillFile) -> None:
        """Move all rows to a file."""
        self.merge()
        if self._runs:
            self._spilled.append(SpilledCounts(file, self.dtypes, _removed(self._runs.pop())))

    def settle(self, file: SpillFile) -> int:
        """Merge all rows in memory, after which none are added; the greatest number of distinct rows there may be."""
        self.merge()
        if self._spilled:
            self.spill(file)
        return len(self) + sum(map(len, self._spilled))

    def taken(self) -> Iterator[Counted]:
        """All rows in ascending order, some at a time; none are kept."""
        spilled, self._spilled = self._spilled, []
        return merged_counts(spilled) if spilled else _removed(self._runs.pop()) if self._runs else iter(())


def _removed(run: list[Counted]) -> Iterator[Counted]:
    """The pieces of a run, each of which is removed from it, so that its memory can be used again."""
    run.reverse()
    while run:
        yield run.pop()


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
