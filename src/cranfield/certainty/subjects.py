"""What a question is asked about: a result, samples, or plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cranfield.assessment.classification import Classification
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples, samples
from cranfield.registry import Measure
from cranfield.results.sampling import samples_by_measure, samples_of, tested_samples
from cranfield.results.values import Result
from cranfield.tables.frames import is_frame
from cranfield.tables.values import UNNAMED, read_values


def as_samples(data: Any) -> Samples:
    """The samples in what was given."""
    if isinstance(data, Samples):
        return data
    if isinstance(data, Mapping):
        return samples(data, kind="unit")
    raise BadInput(f"{type(data).__name__} cannot be compared; give a result, samples, or {{system: values}}")


def by_measure(data: Any) -> dict[str, Samples]:
    """The samples of each measure there is, on the scale on which differences are tested."""
    result = _result(data)
    return _given(data) if result is None else samples_by_measure(result)


def _given(data: Any) -> dict[str, Samples]:
    """The samples of each measure in values: of a frame, of `{measure: samples}`, or of one measure without a name."""
    if is_frame(data):
        table = read_values(data)
        return {measure: samples(values, table.unit) for measure, values in table.values.items()}
    if isinstance(data, Mapping) and data and all(isinstance(each, Samples) for each in data.values()):
        return {str(measure): own for measure, own in data.items()}
    return {UNNAMED: as_samples(data)}


def one_measure(data: Any, measure: Measure | str | None, *, as_given: bool = False) -> Samples:
    """The samples of one measure, which need not be named if it is the only one; logarithms unless as given."""
    result = _result(data)
    if result is None:
        return _chosen(_given(data), measure)
    if measure is None and len(result.measures) > 1:
        raise BadSetting(f"say by which measure: one of {', '.join(map(str, result.measures))}")
    place = 0 if measure is None else result.place(measure)
    return samples_of(result, place) if as_given else tested_samples(result, place)


def _chosen(own: dict[str, Samples], measure: Measure | str | None) -> Samples:
    if measure is None and len(own) == 1:
        return next(iter(own.values()))
    if measure is not None and list(own) == [UNNAMED]:
        raise BadSetting(f"these are plain values, which have no measure to choose, such as {measure}")
    if str(measure) not in own:
        raise BadSetting(f"say by which measure: one of {', '.join(own)}")
    return own[str(measure)]


def _result(data: Any) -> Result | None:
    """The result in what was given, if there is one."""
    own = data.result if isinstance(data, Classification) else data
    return own if isinstance(own, Result) else None
