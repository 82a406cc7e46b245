"""The verb for predicted values: how far are they from the actual ones?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, require_one_of
from cranfield.evidence.residuals import Residuals
from cranfield.measures.naming import Requested, measures_named
from cranfield.results.provenance import Origin
from cranfield.results.regression import Average, Regression
from cranfield.tables.adapters.pandas_index import require_aligned
from cranfield.tables.adapters.system_columns import Columns, require_length, systems
from cranfield.tables.numbers import numbers, weights
from cranfield.tables.outputs import has_outputs, outputs_of, predicted_outputs
from cranfield.tables.predictions import grouped
from cranfield.tables.readers.sheets import as_sheet
from cranfield.tables.zero_weights import nonzero_rows, regrouped

GREATEST = 1e140  # sums of squares do not overflow
STANDARD = ("MSE", "RMSE", "MAE", "MedianAE", "MaxError", "R2", "ExplainedVariance", "MAPE")


def regress(
    actual: Any,
    predicted: Any,
    *,
    data: Any = None,
    item: Any = None,
    measures: Requested = None,
    weight: Any = None,
    by: Any = None,
    average: Average = "uniform",
) -> Regression:
    """Evaluate predicted values: how far they are from the actual ones.

    Parameters
    ----------
    actual
        The true value of each item. For several outputs, a table with one column per output: an array, a data frame,
        a dict by output, or a list of column names of `data`.
    predicted
        The predicted value of each item; for several systems, a dict by name. For several outputs, a table like
        `actual`, or a dict of tables by system; columns with names are matched by name, others in order.
    data
        A path (CSV, TSV, JSON Lines, JSON, Parquet, Arrow) or a data frame; strings passed as other parameters
        then name its columns.
    item
        The names of the items, used in errors; they must be distinct.
    measures
        Measures or their names, such as `"RMSE"`.
    weight
        The weight of each item.
    by
        The group of each item, such as its fold: values are then computed for each group.
    average
        How the values of several outputs are averaged: `"uniform"`, their mean; `"variance"`, weighted by the variance
        of the actual values of each output.

    Returns
    -------
    Regression
        `result["MSE"]` is a value, `result.of()` the residuals.

    Examples
    --------
    >>> result = regress([1, 2, 3], [1, 2, 5])
    >>> round(result["MSE"], 4)
    1.3333
    >>> both = regress([[1, 10], [2, 20], [3, 30]], [[1, 10], [2, 20], [5, 30]])
    >>> both.by_output.per_query("MAE")
    {'0': 0.6666666666666666, '1': 0.0}
    """
    require_one_of("average", average, Average)
    sheet = None if data is None else as_sheet(data)
    columns = Columns(sheet, item)
    require_aligned({"actual": actual, "predicted": predicted, "weight": weight, "by": by, "item": item, "data": data})
    several = has_outputs(actual, columns)
    table = outputs_of("actual", actual, columns) if several else None
    truth = _numbers("actual", actual, columns) if table is None else _table("actual", table, columns)
    outputs = () if table is None else tuple(table)
    if not len(truth):
        raise BadInput("there are no items")
    columns.require_items(len(truth))
    weighted = None if weight is None else weights(columns.take(weight), len(truth), columns.where)
    residuals = {
        name: Residuals(truth, _predicted(answer.predicted, columns, len(truth), outputs), weighted)
        for name, answer in systems(predicted, None, None, columns, many=several).items()
    }
    group, groups = grouped(columns.take(by), len(truth), columns.where)
    if (rows := nonzero_rows(weighted)) is not None:
        residuals = {name: errors.take(rows) for name, errors in residuals.items()}
        group, groups = regrouped(group, groups, rows)
    origins = () if sheet is None else (Origin.of("predictions", sheet),)
    chosen = measures_named(measures, "values", STANDARD)
    return Regression(residuals, chosen, group, groups, origins, outputs, average)


def _numbers(name: str, column: Any, columns: Columns) -> Floats:
    """Numbers whose squares do not overflow."""
    values = numbers(name, columns.take(column), columns.where, exact=True)
    huge = np.abs(values) > GREATEST
    if huge.any():
        place = int(np.argmax(huge))
        raise BadInput(
            f"{columns.where(place)}: {name} is {values[place]}, too large to be squared; rescale the values"
        )
    return values


def _predicted(column: Any, columns: Columns, n_items: int, outputs: tuple[str, ...]) -> Floats:
    if outputs:
        values = _table("predicted", predicted_outputs(column, outputs, columns), columns)
    else:
        values = _numbers("predicted", column, columns)
    require_length("predicted", len(values), n_items)
    return values


def _table(name: str, outputs: Mapping[str, Any], columns: Columns) -> Floats:
    """One column of numbers per output."""
    table = [_numbers(f"{name} of {output!r}", column, columns) for output, column in outputs.items()]
    for column in table:
        require_length(name, len(column), len(table[0]))
    return np.column_stack(table)
