"""Predictions in Spark, counted in the cluster: exactly, or by quantiles if too many scores are distinct.

Decided here: whether scores in Spark are counted exactly, or by quantiles.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import ROUND_CEILING, Context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Ints
from cranfield.arrow import pa
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.frozen import frozen
from cranfield.tables.adapters.spark import SparkTable, spark_table
from cranfield.tables.readers.sheets import Sheet, place_of

MOST = 50_000_000  # most distinct rows that the driver holds
N_QUANTILES = 10_000

_ACCURACY = 10 * N_QUANTILES  # the rank of a quantile is off by at most one part in this many
_HALF = 0.5  # default threshold of probabilities
_COUNT = " items"  # not the name of a user's column

Scores = NDArray[np.floating[Any]]


def counted_rows(data: Any, item: Any, *, threshold: float | None = None, **requested: Any) -> tuple[Sheet, Ints]:
    """The distinct rows of the requested columns of a Spark data frame, or of the file at an address, in a fixed order,
    and how often each occurs.

    They are counted in the cluster, which returns only the confusion matrix for labels, and one row per distinct score
    and class for scores. If these are too many, scores are rounded down to quantiles, with a warning that states how
    far the values can be from the exact ones.
    """
    if item is not None:
        raise BadSetting("items are counted in Spark, without their names; leave item out, or use a local table")
    table = spark_table(data)
    columns = list(dict.fromkeys(_texts(list(requested.values()))))
    for name in columns:
        place_of(name, table.frame.columns, table.name)
    some = replace(table, frame=table.frame.select(*map(_column, columns)))
    counted = _counted(some, some.frame)
    if counted is None:
        counted = _rounded(some, requested, threshold)
    rows = counted.take(_order(counted))
    return table.sheet(rows.select(columns)), rows.column(_COUNT).to_numpy()


def _texts(requested: Any) -> Iterator[str]:
    """The names of columns in texts, and in lists and dicts of them."""
    if isinstance(requested, str):
        yield requested
    elif isinstance(requested, Mapping | list | tuple):
        for part in requested.values() if isinstance(requested, Mapping) else requested:
            yield from _texts(part)


def _column(name: str) -> Any:
    """The column with exactly this name, whatever its characters mean in SQL."""
    from pyspark.sql import functions as f

    return f.col("`" + name.replace("`", "``") + "`")


def _counted(table: SparkTable, frame: Any) -> pa.Table | None:
    """The distinct rows and their counts; None if there are too many for the driver."""
    from pyspark.sql import functions as f

    groups = frame.groupBy(*map(_column, frame.columns)).agg(f.count(f.lit(1)).alias(_COUNT))
    counted = table.collected(groups.limit(MOST + 1))
    return None if len(counted) > MOST else counted


def _order(rows: pa.Table) -> pa.Array:
    """The order of the rows: by their values, or by the text of values that have no order, such as lists."""
    from pyarrow.compute import sort_indices

    nested = [pa.types.is_nested(kind) for kind in rows.schema.types]
    columns = [
        pa.array(map(str, column.to_pylist())) if unordered else column
        for column, unordered in zip(rows.columns, nested, strict=True)
    ]
    names = [str(place) for place in range(len(columns))]
    return sort_indices(pa.table(columns, names), [(name, "ascending") for name in names])


def _rounded(table: SparkTable, requested: Mapping[str, Any], threshold: float | None) -> pa.Table:
    """The distinct rows and their counts, with scores rounded down to quantiles."""
    frame = table.frame
    column = _only_score(frame, requested)
    counted = None
    if column is not None:
        frame = frame.withColumn(column, _column(column).cast(_kind(frame, column)))
        edges = _quantiles(frame, column, threshold)
        counted = _counted(table, frame.mapInArrow(_Rounding(edges, column), frame.schema))
    if column is None or counted is None:
        raise BadInput(
            f"more than {MOST:,} distinct rows are too many for one machine; round the scores, or classify one "
            "system at a time or a sample of the items"
        )
    alone = set(frame.columns) == {column, requested["actual"]}
    warnings.warn(
        _bound(counted, column, requested["actual"] if alone else None, edges), CranfieldWarning, stacklevel=4
    )
    return counted


def _only_score(frame: Any, requested: Mapping[str, Any]) -> str | None:
    """The column of scores, if there is only one and it contains numbers."""
    from pyspark.sql.types import NumericType

    columns = set(_texts([requested.get("score"), requested.get("probability")]))
    column = columns.pop() if len(columns) == 1 else None
    return column if column is not None and isinstance(frame.schema[column].dataType, NumericType) else None


def _kind(frame: Any, column: str) -> str:
    """The type of the scores in Spark: single precision if they have it, otherwise double."""
    name = frame.schema[column].dataType.typeName()
    return "float" if name == "float" else "double"


def _quantiles(frame: Any, column: str, threshold: float | None) -> Scores:
    """The least score, the quantiles as Spark estimates them in one pass, the greatest score, and the threshold."""
    from pyspark.sql import functions as f

    score = _column(column)
    parts = f.array(*(f.lit(part) for part in np.linspace(0, 1, N_QUANTILES + 1).tolist()))
    finite = frame.where(f.abs(score) < float("inf"))  # not NaN either, which is the highest number in Spark
    between = f.percentile_approx(score, parts, _ACCURACY)
    lowest, highest, quantiles = finite.select(f.min(score), f.max(score), between).first()
    thresholds = [_HALF] if threshold is None else [_HALF, threshold]
    dtype = np.float32 if _kind(frame, column) == "float" else np.float64
    edges = np.array([lowest, highest, *quantiles, *thresholds] if quantiles else thresholds, dtype)
    return np.unique(edges[edges >= edges[0]])


@frozen(eq=False)
class _Rounding:
    """The function that a worker applies to the rows of a partition."""

    edges: Scores
    column: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            place = batch.schema.get_field_index(self.column)
            scores = batch.column(place)
            values = rounded_down(scores.to_numpy(zero_copy_only=False), self.edges)
            array = pa.array(values, scores.type, mask=scores.is_null().to_numpy(zero_copy_only=False))
            yield batch.set_column(place, batch.schema.field(place), array)


def rounded_down(scores: Scores, edges: Scores) -> Scores:
    """Scores that equal an edge, and the others rounded down to the first number above an edge.

    An item is then at or above any of these numbers if and only if it was before, so counts at these thresholds are
    exact.
    """
    below = edges[np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, None)]
    rounded = np.where(below == scores, below, np.nextafter(below, edges.dtype.type(np.inf)))
    return np.where(np.isfinite(scores), rounded, scores).astype(edges.dtype)


def _bound(counted: pa.Table, column: str, actual: str | None, edges: Scores) -> str:
    """How far values may be from the exact ones; for the AUC, of which half of the tied pairs could be wrong."""
    score, place = np.unique(counted[column].to_numpy(), return_inverse=True)
    count = counted[_COUNT].to_numpy()
    between = ~np.isin(score, edges)
    widest = (np.bincount(place, count) / count.sum())[between].max(initial=0)
    words = (
        f"more than {MOST:,} distinct rows: scores were rounded down to {len(score):,} quantiles. Counts at these "
        f"thresholds are exact; at most a fraction of {_at_most(widest)} of the items lies between two of them"
    )
    if actual is None or len(counted[actual].unique()) != 2:
        return words
    label = np.unique(counted[actual].to_numpy(), return_inverse=True)[1]
    one, other = (
        np.bincount(place[label == i], count[label == i], len(score)) / count[label == i].sum() for i in (0, 1)
    )
    return f"{words}, and the AUC is within {_at_most((one * other)[between].sum() / 2)} of its exact value"


def _at_most(bound: float) -> str:
    """A bound with two digits, rounded up, so that it stays one."""
    return f"{Context(prec=2, rounding=ROUND_CEILING).create_decimal_from_float(float(bound)):g}"
