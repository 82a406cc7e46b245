"""`cranfield regress`: how far predicted values are from the actual ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.cli import item_options as i
from cranfield.cli import options as o
from cranfield.cli.command import command

if TYPE_CHECKING:
    from cranfield.results.regression import Regression

EXAMPLES = """
  cranfield regress predictions.csv --actual price --predicted guess
  cranfield regress predictions.csv --actual price --predicted tree --predicted forest --by fold -m RMSE -m R2
"""
MEASURES = partial(
    o.MEASURES, show_default="those that fit the data",
    help="A measure, such as RMSE, R2 or scikit-learn's mean_absolute_error; may be repeated or separated by commas.",
)  # fmt: skip


@command(
    i.TABLE, partial(i.ACTUAL, required=True), partial(i.PREDICTED, required=True), i.ITEM, i.WEIGHT, i.BY, MEASURES,
    *o.DELIVERY, examples=EXAMPLES,
)  # fmt: skip
def run(file: str, actual: str, *, predicted: Sequence[str], **settings: Any) -> Regression:
    """Evaluate predicted numbers: how far they are from the true values."""
    from cranfield.verbs.regression import regress

    return regress(actual, {column: column for column in predicted}, data=file, **settings)
