"""The verb for predicted values: how far they are from the actual ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput
from cranfield.evidence.residuals import Residuals
from cranfield.measures.naming import Requested, measures_named
from cranfield.results.provenance import Origin
from cranfield.results.regression import Regression
from cranfield.tables.adapters.pandas_index import require_aligned
from cranfield.tables.adapters.system_columns import Columns, require_length, systems
from cranfield.tables.numbers import numbers, weights
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
) -> Regression:
    """How far predicted values are from the actual ones.

    Parameters
    ----------
    actual
        The true value of each item.
    predicted
        The predicted value of each item; for several systems, a dict by name.
    data
        A path (CSV, TSV, JSON Lines, JSON, Parquet, Arrow) or a data frame; strings passed as other parameters
        then name its columns.
    item
        The names of the items: errors then name them, and none may appear twice.
    measures
        Measures or their names, such as `"RMSE"`.
    weight
        The weight of each item.
    by
        The group of each item, such as its fold: values are then computed for each group.

    Returns
    -------
    Regression
        `result["MSE"]` is a value, `result.of()` the residuals.

    Examples
    --------
    >>> result = regress([1, 2, 3], [1, 2, 5])
    >>> round(result["MSE"], 4)
    1.3333
    """
    sheet = None if data is None else as_sheet(data)
    columns = Columns(sheet, item)
    require_aligned({"actual": actual, "predicted": predicted, "weight": weight, "by": by, "item": item, "data": data})
    truth = _numbers("actual", actual, columns)
    if not len(truth):
        raise BadInput("there are no items")
    columns.require_items(len(truth))
    weighted = None if weight is None else weights(columns.take(weight), len(truth), columns.where)
    residuals = {
        name: Residuals(truth, _predicted(answer.predicted, columns, len(truth)), weighted)
        for name, answer in systems(predicted, None, None, columns).items()
    }
    group, groups = grouped(columns.take(by), len(truth), columns.where)
    if (rows := nonzero_rows(weighted)) is not None:
        residuals = {name: errors.take(rows) for name, errors in residuals.items()}
        group, groups = regrouped(group, groups, rows)
    origins = () if sheet is None else (Origin.of("predictions", sheet),)
    return Regression(residuals, measures_named(measures, "values", STANDARD), group, groups, origins)


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


def _predicted(column: Any, columns: Columns, n_items: int) -> Floats:
    values = _numbers("predicted", column, columns)
    require_length("predicted", len(values), n_items)
    return values
