"""Input of comparisons as samples of each measure: a result, samples, or plain values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples, samples
from cranfield.measures.naming import known_measure
from cranfield.measures.registry import Measure
from cranfield.results.provenance import NOTHING_READ, Origin, Provenance
from cranfield.results.rankings import Result
from cranfield.results.result_samples import (
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
    if isinstance(data, VerbResult):
        data._require_comparable()
    result = _result(data)
    if lower_is_better and isinstance(data, VerbResult) and not isinstance(data, Samples):
        raise BadSetting("lower_is_better applies only to plain values; the direction of a result's measures is known")
    if result is not None:
        result = with_unit_values(result)
        return Paired(samples_by_measure(result), result.provenance, result)
    if isinstance(data, VerbResult) and (by_item := data._by_item()):
        return Paired(by_item, data.provenance)
    return _values(data, lower_is_better, unnamed)


def _result(data: Any) -> Result | None:
    """The result in the data: over queries, or over groups of items; items without groups have none."""
    source = data._by_unit() if isinstance(data, VerbResult) else None
    return source if isinstance(source, Result) else None


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
