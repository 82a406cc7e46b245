"""Predicted values assessed: the verb, and what it gives back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.residuals import Floats, Residuals
from cranfield.registry import Measure, parse
from cranfield.results.provenance import Origin, Provenance
from cranfield.results.values import Result
from cranfield.results.views import View
from cranfield.tables.answers import Columns, require_length, systems
from cranfield.tables.labels import Codes
from cranfield.tables.numbers import numbers, weights
from cranfield.tables.predictions import grouped
from cranfield.tables.sheets import as_sheet

STANDARD = ("MSE", "RMSE", "MAE", "MedianAE", "MaxError", "R2", "ExplainedVariance", "MAPE")


@dataclass(frozen=True, eq=False)
class Regression:
    """What predicted values come to: the residuals of each system, and values when they are first asked for."""

    residuals: Mapping[str, Residuals]
    measures: tuple[Measure, ...]
    group: Codes | None
    groups: tuple[str, ...]
    origins: tuple[Origin, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.residuals)

    def of(self, system: str | None = None) -> Residuals:
        """The residuals of a system, which need not be named if it is the only one."""
        if system is None and len(self.residuals) == 1:
            return next(iter(self.residuals.values()))
        if system is None or system not in self.residuals:
            raise BadSetting(f"say which system: one of {', '.join(map(repr, self.residuals))}")
        return self.residuals[system]

    def __getitem__(self, key: tuple[str, Measure | str] | Measure | str) -> float:
        """The value of a measure for a system; over groups, their mean."""
        return self.result[key]

    @cached_property
    def result(self) -> Result:
        """Every measure for every system: of each group, or of all items."""
        whole = np.array([self._values(own) for own in self.residuals.values()])
        values = whole[:, :, None]
        if self.group is not None:
            parts = [_parts(own, self.group, len(self.groups)) for own in self.residuals.values()]
            values = np.array([np.transpose([self._values(part) for part in own]) for own in parts])
        units = self.groups or ("all",)
        return Result(
            systems=self.systems,
            measures=self.measures,
            queries=units,
            values=values,
            counted=np.ones((len(self.residuals), len(units)), np.bool_),
            micro=whole,
            provenance=Provenance(self.origins, {"undefined": "skip"}, (), {str(m): m.options for m in self.measures}),
        )

    def _values(self, residuals: Residuals) -> list[float]:
        return [float(measure.values(residuals)) for measure in self.measures]

    plot = View()
    _repr_html_ = View()  # for notebooks


def regress(
    actual: Any,
    predicted: Any,
    *,
    data: Any = None,
    item: Any = None,
    measures: str | Measure | Iterable[str | Measure] = STANDARD,
    weight: Any = None,
    by: Any = None,
) -> Regression:
    """How far predicted values are from the actual ones.

    Parameters
    ----------
    actual
        The true value of each item.
    predicted
        The value predicted for each item; a dict holds several systems by name.
    data
        A path (CSV, TSV, JSON Lines, JSON, Parquet, Arrow) or a data frame; texts given above and below then name
        its columns.
    item
        What the items are called: errors then name them, and none may appear twice.
    measures
        Measures or their names, such as `"RMSE"`.
    weight
        How much each item counts.
    by
        The group of each item, such as its fold: values are then given for each group.

    Examples
    --------
    >>> result = regress([1, 2, 3], [1, 2, 5])
    >>> round(result["MSE"], 4)
    1.3333
    """
    sheet = None if data is None else as_sheet(data)
    columns = Columns(sheet, item)
    truth = numbers("actual", columns.take(actual), columns.where)
    if not len(truth):
        raise BadInput("there are no items")
    columns.require_items(len(truth))
    weighted = None if weight is None else weights(columns.take(weight), len(truth), columns.where)
    residuals = {
        name: Residuals(truth, _said(columns, answer.predicted, len(truth)), weighted)
        for name, answer in systems(predicted, None, None, columns).items()
    }
    group, groups = grouped(columns.take(by), len(truth), columns.where)
    several = [measures] if isinstance(measures, str | Measure) else list(measures)
    wanted = tuple(dict.fromkeys(parse(m, "values") if isinstance(m, str) else m for m in several))
    origins = () if sheet is None else (Origin("predictions", sheet.name, sheet.form, sheet.digest),)
    return Regression(residuals, wanted, group, groups, origins)


def _said(columns: Columns, given: Any, n_items: int) -> Floats:
    said = numbers("predicted", columns.take(given), columns.where)
    require_length("predicted", len(said), n_items)
    return said


def _parts(whole: Residuals, group: Codes, n_groups: int) -> list[Residuals]:
    """The residuals of each group."""
    weight = whole.weight
    each = [np.flatnonzero(group == place) for place in range(n_groups)]
    return [Residuals(whole.actual[i], whole.predicted[i], None if weight is None else weight[i]) for i in each]
