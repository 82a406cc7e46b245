"""`cranfield regress`: how far are predicted values or distributions from the true values?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.cli.distribution_columns import distribution_columns
from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import output_columns
from cranfield.commands.output import Answer
from cranfield.errors import BadSetting

REGRESS_EXAMPLES = """
  cranfield regress predictions.csv --actual price --predicted guess
  cranfield regress predictions.csv --actual price --predicted tree --predicted forest --by fold -m RMSE -m R2
  cranfield regress positions.csv --target x --target y --predicted tree=x1 --predicted tree=y1 --average variance
  cranfield regress forecasts.csv --actual price --prediction-interval 0.9=low,high --quantile 0.5=median
  cranfield regress forecasts.csv --actual price --member 'member*' -m "CRPS(fair=True)"
  cranfield regress forecasts.csv --actual price --predicted mean --standard-deviation sd -m CRPS,IntervalCoverage@0.9
"""
PREDICTED = partial(
    o.PREDICTED,
    help="Column with predicted values; repeat for several systems. For several outputs, repeat for each of them, in "
    "the order of --target; for several systems, write SYSTEM=COLUMN.",
)
MEASURES = partial(
    o.MEASURES, show_default="those that fit the data",
    help="A measure, such as RMSE, R2 or scikit-learn's mean_absolute_error; for distributions, such as CRPS or "
    "IntervalCoverage@0.9. May be repeated or separated by commas.",
)  # fmt: skip

DISTRIBUTIONS = {"quantiles", "intervals", "samples", "deviation"}
FORMS = "--quantile, --prediction-interval or --member"


@command(
    "regress",
    o.TABLE, o.ACTUAL, o.TARGETS, PREDICTED, *o.DISTRIBUTIONS, o.OUTPUT_AVERAGE, o.ITEM, o.WEIGHT, o.BY, MEASURES,
    *o.DELIVERY, examples=REGRESS_EXAMPLES,
)  # fmt: skip
def regress_command(
    file: str, *, predicted: Sequence[str] = (), actual: str | None = None, targets: Sequence[str] = (), **settings: Any
) -> Answer:
    """Evaluate predicted numbers, intervals or distributions against the true values."""
    from cranfield.tables.readers.sheets import as_sheet
    from cranfield.verbs.regression import regress

    if (actual is None) == (not targets):
        raise BadSetting("give the column with the true values with --actual, or one --target per output")
    sheet = as_sheet(file)
    settings |= distribution_columns(sheet, settings)
    if not predicted and not settings.keys() & DISTRIBUTIONS:
        raise BadSetting(f"give the column with the predicted values with --predicted, or a distribution with {FORMS}")
    if targets:
        return Answer(regress(list(targets), output_columns(predicted), data=sheet, **settings))
    points = {column: column for column in predicted} or None
    return Answer(regress(actual, points, data=sheet, **settings))
