"""`cranfield regress`: how far are predicted values or distributions from the true values?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import output_columns
from cranfield.commands.output import Answer
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.tables.readers.sheets import Sheet


# Columns of predicted distributions, as written on the command line


OPTIONS = ("quantile", "intervals", "sample", "deviation")
_AT_LEVEL = re.compile(r"(?:(?P<system>.*):)?(?P<level>[0-9.]+)=(?P<columns>.+)", re.DOTALL)


def distribution_columns(sheet: Sheet, settings: dict[str, Any]) -> dict[str, Any]:
    """The columns for `regress`; their options are removed from the settings."""
    quantile, intervals, sample, deviation = (settings.pop(name, ()) for name in OPTIONS)
    columns = {
        "quantiles": _at_levels("--quantile", quantile),
        "intervals": _at_levels("--prediction-interval", intervals, pairs=True),
        "samples": _of_systems("--member", sample, sheet.table.column_names),
        "deviation": _single(_of_systems("--standard-deviation", deviation, ())),
    }
    return {name: value for name, value in columns.items() if value is not None}


def _at_levels(option: str, texts: Sequence[str], *, pairs: bool = False) -> dict[Any, Any] | None:
    """The columns by level, or by system and level."""
    by_system: dict[str | None, dict[float, Any]] = {}
    for text in texts:
        matched = _AT_LEVEL.fullmatch(text)
        form = "LEVEL=LOWER,UPPER, as in 0.9=low,high" if pairs else "LEVEL=COLUMN, as in 0.9=q90"
        if matched is None:
            raise BadSetting(f"{option} {text}: write {form}")
        columns: Any = tuple(matched["columns"].split(",")) if pairs else matched["columns"]
        if pairs and len(columns) != 2:
            raise BadSetting(f"{option} {text}: write {form}")
        at_level = by_system.setdefault(matched["system"], {})
        level = _level(option, text, matched["level"])
        if level in at_level:
            raise BadSetting(f"{option}: the level {level:g} is given twice")
        at_level[level] = columns
    return _whole(option, by_system)


def _level(option: str, text: str, level: str) -> float:
    try:
        return float(level)
    except ValueError:
        raise BadSetting(f"{option} {text}: {level} is not a number") from None


def _of_systems(option: str, texts: Sequence[str], known: Iterable[str]) -> Any:
    """The columns in order, or by system if written SYSTEM=COLUMN; patterns stand for all columns that match."""
    by_system: dict[str | None, list[str]] = {}
    for text in texts:
        system, equals, column = text.partition("=")
        if not equals or text in known:
            system, column = None, text  # type: ignore[assignment]
        matching = [name for name in known if column != name and fnmatchcase(name, column)]
        by_system.setdefault(system, []).extend(matching or [column])
    return _whole(option, by_system)


def _whole(option: str, by_system: dict[str | None, Any]) -> Any:
    """The columns of the only system, or by system; None if there are none."""
    if not by_system:
        return None
    if None not in by_system:
        return by_system
    if len(by_system) > 1:
        raise BadSetting(f"{option} names a system only in some places; name it in all of them")
    return by_system[None]


def _single(columns: Any) -> Any:
    """The only column of each system."""
    if columns is None:
        return None
    if isinstance(columns, dict):
        return {system: _single(names) for system, names in columns.items()}
    if len(columns) > 1:
        raise BadSetting("--standard-deviation: for several systems, write SYSTEM=COLUMN")
    return columns[0]


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
EVERY = partial(o.EVERY, help="Show everything: all measures, quantiles of forecasts, and the residuals.")
DISTRIBUTIONS = {"quantiles", "intervals", "samples", "deviation"}
FORMS = "--quantile, --prediction-interval or --member"


@command(
    "regress",
    o.TABLE, o.ACTUAL, o.TARGETS, PREDICTED, *o.DISTRIBUTIONS, o.OUTPUT_AVERAGE, o.ITEM, o.WEIGHT, o.BY, MEASURES,
    EVERY, *o.DELIVERY, examples=REGRESS_EXAMPLES,
)  # fmt: skip
def regress_command(
    file: str,
    *,
    predicted: Sequence[str] = (),
    actual: str | None = None,
    targets: Sequence[str] = (),
    every: bool,
    **settings: Any,
) -> Answer:
    """Evaluate predicted numbers, intervals or distributions against the true values."""
    from cranfield.regression.regress import regress
    from cranfield.tables.readers.sheets import as_sheet

    if (actual is None) == (not targets):
        raise BadSetting("give the column with the true values with --actual, or one --target per output")
    sheet = as_sheet(file)
    settings |= distribution_columns(sheet, settings)
    if not predicted and not settings.keys() & DISTRIBUTIONS:
        raise BadSetting(f"give the column with the predicted values with --predicted, or a distribution with {FORMS}")
    if targets:
        return Answer(regress(list(targets), output_columns(predicted), data=sheet, **settings), every=every)
    points = {column: column for column in predicted} or None
    return Answer(regress(actual, points, data=sheet, **settings), every=every)
