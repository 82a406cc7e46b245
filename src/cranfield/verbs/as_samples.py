"""Input of comparisons as samples of each measure: a result, samples, or plain values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples, samples
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.naming import known_measure
from cranfield.measures.registry import Measure
from cranfield.results.classification import Classification
from cranfield.results.evaluated import Evaluated
from cranfield.results.provenance import NOTHING_READ, Origin, Provenance
from cranfield.results.rankings import Result
from cranfield.results.regression import Regression
from cranfield.results.result_samples import (
    ERRORS,
    Lower,
    directed,
    on_tested_scale,
    samples_by_measure,
    samples_of,
    topic_means,
    with_unit_values,
)
from cranfield.results.verb_result import VerbResult
from cranfield.tables.adapters.frames import is_frame
from cranfield.tables.adapters.pandas_index import is_labelled
from cranfield.tables.column_roles import listed
from cranfield.tables.values import UNNAMED, read_values, unit_column

RIGHT = "right answers"
_UNWEIGHTED = "items are compared one by one, without their weights"


class Paired(NamedTuple):
    """The samples of each measure, their provenance, the result behind them, if any, and whether units have names."""

    samples: dict[str, Samples]
    provenance: Provenance = NOTHING_READ
    result: Result | None = None
    named: bool = True

    @property
    def tested(self) -> dict[str, Samples]:
        """The samples on the scale on which differences are tested: logarithms for geometric means."""
        return on_tested_scale(self.samples)


def paired(
    data: Any, lower_is_better: Lower = False, topic: Mapping[str, str] | None = None, *, unnamed: str = UNNAMED
) -> Paired:
    """The samples of each measure, with untransformed values; with topics, of their means.

    Without `lower_is_better`, nothing is said about the direction of unknown measures, because it does not matter.
    `unnamed` is the measure of values without a measure, which defines their direction and range if it is known.
    """
    source = _paired(data, lower_is_better, unnamed)
    if topic is None:
        return source
    return Paired(topic_means(source.samples, topic), source.provenance)


def _paired(data: Any, lower_is_better: Lower, unnamed: str) -> Paired:
    if isinstance(data, Classification):
        _refuse_chosen_thresholds(data)
    result = _result(data)
    if lower_is_better and isinstance(data, VerbResult) and not isinstance(data, Samples):
        raise BadSetting("lower_is_better applies only to plain values; the direction of a result's measures is known")
    if result is not None:
        result = with_unit_values(result)
        return Paired(samples_by_measure(result), result.provenance, result)
    if isinstance(data, Classification):
        right = {evaluated.predictions.system: _answered_rightly(evaluated) for evaluated in data.evaluated}
        return Paired({RIGHT: _of_items(right, data)}, data.provenance)
    if isinstance(data, Regression):
        return Paired(_losses(data) if data.forecasts else dict(_errors(data)), data.provenance)
    return _values(data, lower_is_better, unnamed)


def _refuse_chosen_thresholds(data: Classification) -> None:
    """Refuse decisions at thresholds chosen on the same items.

    A threshold moves all decisions of a system at once. Tests take them as independent, and find differences between
    equally good scorers: up to two times in three, as tests/labels/test_chosen_thresholds.py simulates.
    """
    chosen = [str(one.goal) for one in data.evaluated if one.goal is not None]
    if chosen and not (data.evaluated[0].predictions.groups and all(map(_needs_no_threshold, data.measures))):
        raise BadInput(
            f"the thresholds were chosen for {chosen[0]} on these items, so the decisions are not independent, and "
            "tests would find differences between equally good scorers: compare decisions at thresholds chosen on "
            "other items (threshold=, --threshold), or scores by their AUC (classify shows DeLong's test)"
        )


def _needs_no_threshold(measure: Measure) -> bool:
    return measure.declaration.evidence is Thresholds


def _result(data: Any) -> Result | None:
    """The result in the data: over queries, or over groups of items; items without groups have none."""
    if isinstance(data, Classification):
        return data.result if data.evaluated[0].predictions.groups else None
    if isinstance(data, Regression):
        return data.result if data.groups else None
    return data if isinstance(data, Result) else None


def _values(data: Any, lower_is_better: Lower, unnamed: str) -> Paired:
    """Values: of a file or a frame, `{measure: samples}`, or of one measure without a name."""
    if is_frame(data) or isinstance(data, str | os.PathLike):
        table = read_values(data)
        if list(table.values) == [UNNAMED]:
            _refuse_measures(table.values[UNNAMED], table.name)
            table = replace(table, values={unnamed: table.values[UNNAMED]})
        by_measure = {name: samples(values, table.unit) for name, values in table.values.items()}
        source = Provenance((Origin.of("values", table),))
        return Paired(directed(by_measure, lower_is_better), source, named=table.named)
    if isinstance(data, Mapping) and data and all(isinstance(value, Samples) for value in data.values()):
        return Paired(directed({str(measure): value for measure, value in data.items()}, lower_is_better))
    one_measure = directed({unnamed: as_samples(data)}, lower_is_better)
    named = not isinstance(data, Mapping) or any(isinstance(row, Mapping) or is_labelled(row) for row in data.values())
    return Paired(one_measure, getattr(data, "provenance", NOTHING_READ), named=named)


def as_samples(data: Any) -> Samples:
    """Samples as they are, or `{system: values}`."""
    if isinstance(data, Samples):
        return data
    if isinstance(data, Mapping):
        unit = unit_column(list(map(str, data)), "the dict")
        if unit is not None:
            raise BadInput(f"{unit!r} is a name for units, not for a system; pass a data frame, or rename the system")
        _refuse_measures(map(str, data), "the dict")
        return samples(data, unit="unit")
    raise BadInput(
        f"{type(data).__name__} has no paired units for comparing systems; pass a result of evaluate, classify, "
        "regress or cross_validate, samples, or {system: values}"
    )


def _refuse_measures(systems: Iterable[str], where: str) -> None:
    """Refuse the values of several measures instead of several systems."""
    names = list(systems)
    if len(names) > 1 and all(len(name) > 1 and known_measure(name) is not None for name in names):
        raise BadInput(
            f"{where}: {listed(names)} are measures, but one column per system is needed, or columns system, measure, "
            "value and query"
        )


# items


def _of_items(
    values: Mapping[str, Any], data: Classification | Regression, *, lower: bool = False, notes: tuple[str, ...] = ()
) -> Samples:
    if isinstance(data, Classification):
        weight = data.evaluated[0].predictions.weight
    else:
        weight = next(iter(data.predictions.values())).weight
    rows = np.array([*values.values()], np.float64)
    units = tuple(map(str, range(1, rows.shape[1] + 1)))
    notes += () if weight is None else (_UNWEIGHTED,)
    return Samples(tuple(values), units, rows, unit="item", lower_is_better=lower, notes=notes)


def _answered_rightly(evaluated: Evaluated) -> Any:
    """Which items a classifier predicts correctly; in multilabel data, all labels must be correct."""
    predictions = evaluated.predictions
    evaluated.require_decisions()
    if predictions.count is not None:
        evaluated = replace(evaluated, predictions=predictions.each_item, cut=evaluated.threshold)
        predictions = evaluated.predictions
    if evaluated.sets is not None:
        return evaluated.sets.wrong == 0
    if predictions.predicted is not None:
        return predictions.actual == predictions.predicted
    if evaluated.class_scores is not None:
        return predictions.actual == evaluated.class_scores.predicted
    return (predictions.actual == predictions.positive) == (np.asarray(predictions.score) >= evaluated.threshold)


def _errors(data: Regression) -> Iterator[tuple[str, Samples]]:
    """The squared and absolute error of each item, averaged over several outputs."""
    for name, size in ERRORS.items():
        errors = {
            system: np.mean([size(output.error) for output in residuals.by_output], axis=0)
            for system, residuals in data.residuals.items()
        }
        yield name, _of_items(errors, data, lower=True)


def _losses(data: Regression) -> dict[str, Samples]:
    """The value of each item for the measures of forecasts that are means over items and have a direction."""
    declared = {measure: measure.declaration for measure in data.measures if measure.kind == "forecasts"}
    samples = {
        str(measure): _of_items(
            {system: one.per_item(forecasts, **measure.options) for system, forecasts in data.forecasts.items()},
            data,
            lower=not one.higher_is_better,
            notes=data.forecast_notes if measure.name == "CRPS" else (),
        )
        for measure, one in declared.items()
        if one.per_item is not None and one.higher_is_better is not None
    }
    known = {name: sample for name, sample in samples.items() if np.isfinite(sample.values).all()}
    if not known:
        raise BadSetting(
            "no measure of these forecasts can be compared item by item; request CRPS, WIS, IntervalScore or Pinball"
        )
    return known


# one measure


def one_measure(
    data: Any, measure: Measure | str | None, *, transformed: bool = True, lower_is_better: Lower = ()
) -> tuple[str, Samples, Provenance]:
    """The samples of one measure, which may be omitted if it is the only one, on the tested scale if transformed."""
    result = _result(data)
    if result is None or lower_is_better:
        source = paired(data, lower_is_better)
    else:
        if measure is None and len(result.measures) > 1:
            raise BadSetting(f"choose a measure: one of {', '.join(map(str, result.measures))}")
        place = 0 if measure is None else result.place(measure)
        measure = str(result.measures[place])
        source = Paired({measure: samples_of(result, place)}, result.provenance)
    name = _chosen(source.samples, measure)
    return name, (source.tested if transformed else source.samples)[name], source.provenance


def _chosen(by_measure: Mapping[str, Samples], measure: Measure | str | None) -> str:
    if measure is None and len(by_measure) == 1:
        return next(iter(by_measure))
    if measure is not None and list(by_measure) == [UNNAMED]:
        raise BadSetting(f"plain values have no measures, so {measure} cannot be chosen")
    if str(measure) not in by_measure:
        raise BadSetting(f"choose a measure: one of {', '.join(by_measure)}")
    return str(measure)
