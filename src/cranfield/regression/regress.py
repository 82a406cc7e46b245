"""The verb for predicted values: how far are they from the actual ones?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting, require_one_of
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Residuals
from cranfield.measures.naming import Requested, measures_named
from cranfield.measures.registry import Measure
from cranfield.regression.result import Average, Regression, of_points
from cranfield.results.provenance import Origin
from cranfield.tables.adapters.frames import require_aligned
from cranfield.tables.adapters.system_columns import Columns, require_length, require_other_columns, systems
from cranfield.tables.forecasts import DistributionColumns, ends
from cranfield.tables.number_columns import squarable_numbers, weights
from cranfield.tables.predictions import grouped, has_outputs, nonzero_rows, outputs_of, predicted_outputs, regrouped
from cranfield.tables.readers.sheets import as_sheet

STANDARD = ("MSE", "RMSE", "MAE", "MedianAE", "MaxError", "R2", "ExplainedVariance", "MAPE")

OF_INTERVALS = ("IntervalScore", "IntervalCoverage", "IntervalWidth")
LEVELS = (0.5, 0.9)  # levels of the intervals shown by default for samples and normal distributions
N_LEVELS = 2  # so many predicted intervals are shown by default, the widest


def regress(
    actual: Any,
    predicted: Any = None,
    *,
    quantiles: Any = None,
    intervals: Any = None,
    samples: Any = None,
    deviation: Any = None,
    data: Any = None,
    item: Any = None,
    measures: Requested = None,
    weight: Any = None,
    by: Any = None,
    average: Average = "uniform",
) -> Regression:
    """Evaluate predicted values, or predicted distributions: how far they are from the actual values.

    Parameters
    ----------
    actual
        The true value of each item. For several outputs, a table with one column per output: an array, a data frame,
        a dict by output, or a list of column names of `data`.
    predicted
        The predicted value of each item; for several systems, a dict by name. For several outputs, a table like
        `actual`, or a dict of tables by system; columns with names are matched by name, others in order. It may be
        omitted if distributions are predicted.
    quantiles, intervals
        Predicted quantiles `{level: values}` and central intervals `{level: (lower, upper)}`, such as
        `{0.9: ("lower", "upper")}`, whose bounds are the quantiles at 0.05 and 0.95; or a dict of these by system.
    samples
        Samples of the predicted distribution (an ensemble): a table with one row per item and one column per sample, or
        a list of column names of `data`; or a dict of these by system.
    deviation
        The standard deviation of a normal distribution whose mean is `predicted`; or a dict by system.
    data
        A path (CSV, TSV, JSON Lines, JSON, Parquet, Arrow) or a data frame; strings passed as other parameters
        then name its columns. Paths such as s3://… are read by Spark.
    item
        The names of the items, used in errors; they must be distinct.
    measures
        Measures or their names, such as `"RMSE"`; for distributions, such as `"CRPS"` or `"IntervalCoverage@0.9"`.
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
    >>> bounded = regress([1, 2, 9], intervals={0.9: ([0, 1, 2], [3, 4, 5])})
    >>> round(bounded["IntervalCoverage@0.9"], 4)
    0.6667
    """
    require_one_of("average", average, Average)
    sheet = None if data is None else as_sheet(data)
    columns = Columns(sheet, item)
    distributed = DistributionColumns(quantiles, intervals, samples, deviation)
    require_aligned({"actual": actual, "predicted": predicted, "weight": weight, "by": by, "item": item, "data": data})
    require_aligned({"actual": actual} | vars(distributed))
    several = has_outputs(actual, columns)
    if not several and average != "uniform":
        raise BadSetting(f"average={average!r} has no effect: there is one output")
    if several and distributed:
        raise BadSetting("distributions of several outputs are not supported; evaluate one output at a time")
    table = outputs_of("actual", actual, columns) if several else None
    truth = _numbers("actual", actual, columns) if table is None else _table("actual", table, columns)
    outputs = () if table is None else tuple(table)
    if not len(truth):
        raise BadInput("there are no items")
    columns.require_items(len(truth))
    weighted = None if weight is None else weights(columns.take(weight), len(truth), columns.where)
    points = {} if distributed and predicted is None else _points(actual, predicted, columns, len(truth), outputs)
    predictions: Mapping[str, Residuals | Forecasts]
    if distributed:
        described = distributed.by_system(len(truth), points, columns)
        predictions = {name: Forecasts(truth, **vars(one), weight=weighted) for name, one in described.items()}
    else:
        predictions = {name: Residuals(truth, point, weighted) for name, point in points.items()}
    group, groups = grouped(columns.take(by), len(truth), columns.where)
    if (rows := nonzero_rows(weighted)) is not None:
        predictions = {name: one.take(rows) for name, one in predictions.items()}
        group, groups = regrouped(group, groups, rows)
    origins = () if sheet is None else (Origin.of("predictions", sheet),)
    chosen = _measures(measures, predictions)
    return Regression(predictions, chosen, group, groups, origins, outputs, average, measures is not None)


def _measures(requested: Requested, predictions: Mapping[str, Residuals | Forecasts]) -> tuple[Measure, ...]:
    """The requested measures or those that fit; point predictions are needed for those of single values."""
    forecasts = [one for one in predictions.values() if isinstance(one, Forecasts)]
    if not forecasts:
        return measures_named(requested, "values", STANDARD)
    chosen = measures_named(requested, ("forecasts", "values"), _fitting(forecasts))
    for measure in chosen:
        for name, one in predictions.items():
            if measure.kind == "values" and of_points(one) is None:
                raise BadSetting(f"{measure} needs point predictions, which {name} lacks; pass them as predicted")
    return chosen


def _fitting(forecasts: Sequence[Forecasts]) -> Iterator[str]:
    """The standard measures that are defined for all systems."""
    levels = [one.interval_levels[-N_LEVELS:] if one.form == "quantiles" else LEVELS for one in forecasts]
    shown = [level for level in dict.fromkeys(chain(*levels)) if all(one.reaches(ends(level)[0]) for one in forecasts)]
    per_level = [f"{name}@{level:g}" for level in shown for name in OF_INTERVALS]
    names = ("CRPS", "WIS", *per_level, "QuantileCalibrationError", "MAE", "RMSE")
    for measure in measures_named(names, ("forecasts", "values")):
        evidence = [one if measure.kind == "forecasts" else one.residuals for one in forecasts]
        if all(one is not None and not np.isnan(measure.values(one)) for one in evidence):
            yield str(measure)


def _points(actual: Any, predicted: Any, columns: Columns, n_items: int, outputs: tuple[str, ...]) -> dict[str, Floats]:
    """The point predictions of each system."""
    answers = systems(predicted, None, None, columns, many=bool(outputs))
    require_other_columns(actual, answers, columns)
    return {name: _predicted(answer.predicted, columns, n_items, outputs) for name, answer in answers.items()}


def _numbers(name: str, column: Any, columns: Columns) -> Floats:
    return squarable_numbers(name, columns.take(column), columns.where)


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
