"""`cranfield regress`: how far are predicted values from the true ones?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.cli import item_options as i
from cranfield.cli import options as o
from cranfield.cli.command import command
from cranfield.cli.inputs import output_columns
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.results.regression import Regression

EXAMPLES = """
  cranfield regress predictions.csv --actual price --predicted guess
  cranfield regress predictions.csv --actual price --predicted tree --predicted forest --by fold -m RMSE -m R2
  cranfield regress positions.csv --target x --target y --predicted tree=x1 --predicted tree=y1 --average variance
"""
PREDICTED = partial(
    i.PREDICTED, required=True,
    help="Column with predicted values; repeat for several systems. For several outputs, repeat for each of them, in "
    "the order of --target; for several systems, write SYSTEM=COLUMN.",
)  # fmt: skip
MEASURES = partial(
    o.MEASURES, show_default="those that fit the data",
    help="A measure, such as RMSE, R2 or scikit-learn's mean_absolute_error; may be repeated or separated by commas.",
)  # fmt: skip


@command(
    i.TABLE, i.ACTUAL, i.TARGETS, PREDICTED, i.OUTPUT_AVERAGE, i.ITEM, i.WEIGHT, i.BY, MEASURES,
    *o.DELIVERY, examples=EXAMPLES,
)  # fmt: skip
def run(
    file: str, *, predicted: Sequence[str], actual: str | None = None, targets: Sequence[str] = (), **settings: Any
) -> Regression:
    """Evaluate predicted numbers: how far they are from the true values."""
    from cranfield.verbs.regression import regress

    if (actual is None) == (not targets):
        raise BadSetting("give the column with the true values with --actual, or one --target per output")
    if targets:
        return regress(list(targets), output_columns(predicted), data=file, **settings)
    return regress(actual, {column: column for column in predicted}, data=file, **settings)
