"""Predicted values assessed: the verb, and what it gives back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cranfield.assessment.intervals import SAMPLES, SMALL, Bounded, bounded, undefined
from cranfield.assessment.resampling import parted, rows_again
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.residuals import Floats, Residuals
from cranfield.inference.intervals import Interval, absent, jackknife, percentiles
from cranfield.inference.resampling import require_draws
from cranfield.registry import Measure, parse
from cranfield.results.intervals import GROUPS, Intervals
from cranfield.results.provenance import Origin, Provenance
from cranfield.results.values import Result
from cranfield.results.views import View
from cranfield.tables.answers import Columns, require_length, systems
from cranfield.tables.counting import counting_rows, regrouped
from cranfield.tables.labels import Codes
from cranfield.tables.numbers import numbers, weights
from cranfield.tables.predictions import grouped
from cranfield.tables.sheets import as_sheet

_OF_ONE = "the greatest error is of one item, and drawing items again finds none greater"
GREATEST = 1e140  # of which squares can be added up
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
        whole = np.array([_values(own, self.measures) for own in self.residuals.values()])
        values = whole[:, :, None]
        if self.group is not None:
            parts = [_parts(own, self.group, len(self.groups)) for own in self.residuals.values()]
            values = np.array([np.transpose([_values(part, self.measures) for part in own]) for own in parts])
        units = self.groups or ("all",)
        return Result(
            unit="group",
            bounded=None if self.groups else replace(self).intervals,  # a copy, lest the two hold each other in memory
            systems=self.systems,
            measures=self.measures,
            queries=units,
            values=values,
            counted=np.ones((len(self.residuals), len(units)), np.bool_),
            micro=whole,
            provenance=Provenance(self.origins, {"undefined": "skip"}, (), {str(m): m.options for m in self.measures}),
        )

    def intervals(self, confidence: float = 0.95, seed: int = 0) -> Intervals:
        """The interval of every measure for every system over all items."""
        found = [
            [each.of_one for each in _bounds(own, self.measures, confidence, SAMPLES, seed)]
            for own in self.residuals.values()
        ]
        return Intervals.of(self.systems, self.measures, found, confidence)

    def interval(
        self,
        measure: Measure | str,
        system: str | None = None,
        *,
        confidence: float = 0.95,
        samples: int = SAMPLES,
        seed: int = 0,
    ) -> Bounded:
        """The value of a measure over all items, and between which bounds it lies."""
        own, wanted = self.of(system), parse(measure, "values") if isinstance(measure, str) else measure
        require_draws(samples, "resamples")
        (value,), (found,) = _values(own, (wanted,)), _bounds(own, (wanted,), confidence, samples, seed)
        return undefined(wanted.why_undefined(own), confidence) if np.isnan(value) else bounded(value, found)

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
    truth = _numbers("actual", actual, columns)
    if not len(truth):
        raise BadInput("there are no items")
    columns.require_items(len(truth))
    weighted = None if weight is None else weights(columns.take(weight), len(truth), columns.where)
    residuals = {
        name: Residuals(truth, _said(columns, answer.predicted, len(truth)), weighted)
        for name, answer in systems(predicted, None, None, columns).items()
    }
    group, groups = grouped(columns.take(by), len(truth), columns.where)
    if (rows := counting_rows(weighted)) is not None:
        residuals = {name: each.take(rows) for name, each in residuals.items()}
        group, groups = regrouped(group, groups, rows)
    origins = () if sheet is None else (Origin("predictions", sheet.name, sheet.form, sheet.digest),)
    return Regression(residuals, _wanted(measures), group, groups, origins)


def _wanted(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    several = [measures] if isinstance(measures, str | Measure) else list(measures)
    return tuple(dict.fromkeys(parse(m, "values") if isinstance(m, str) else m for m in several))


def _numbers(name: str, given: Any, columns: Columns) -> Floats:
    """Numbers whose squares are some, too."""
    found = numbers(name, columns.take(given), columns.where)
    huge = np.abs(found) > GREATEST
    if huge.any():
        place = int(np.argmax(huge))
        raise BadInput(f"{columns.where(place)}: {name} is {found[place]}, too large to be squared: scale the values")
    return found


def _said(columns: Columns, given: Any, n_items: int) -> Floats:
    said = _numbers("predicted", given, columns)
    require_length("predicted", len(said), n_items)
    return said


def _parts(whole: Residuals, group: Codes, n_groups: int) -> list[Residuals]:
    """The residuals of each group."""
    return [whole.take(np.flatnonzero(group == place)) for place in range(n_groups)]


def _values(residuals: Residuals, measures: Sequence[Measure]) -> list[float]:
    return [float(measure.values(residuals)) for measure in measures]


def _bounds(own: Residuals, measures: Sequence[Measure], confidence: float, samples: int, seed: int) -> list[Interval]:
    """By drawing items again, or where they are many, by leaving out each of some groups of them."""
    n_items, few = len(own), len(own) <= SMALL
    if n_items < 2:
        return [absent(1, confidence, "how values vary cannot be told from fewer than 2 items")] * len(measures)
    rows = rows_again(n_items, samples, seed) if few else parted(n_items, GROUPS)
    again = np.array([_values(own.take(each), measures) for each in rows]).T
    each = zip(measures, _values(own, measures), again, strict=True)
    return [_interval(measure, value, values, confidence, drawn=few) for measure, value, values in each]


def _interval(measure: Measure, value: float, again: Floats, confidence: float, *, drawn: bool) -> Interval:
    """The interval of a value, given what it is on items drawn again or left out."""
    if np.isnan(value):
        return absent(1, confidence, f"undefined: {measure.family.undefined}")
    if measure.family.name == "MaxError":
        return absent(1, confidence, _OF_ONE)
    found = percentiles(value, again, confidence) if drawn else jackknife(value, again, confidence)
    return found.within(measure.family.bounds)
