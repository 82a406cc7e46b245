"""What a question is asked about: a result, samples, or plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cranfield.assessment.classification import Classification
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples, samples
from cranfield.registry import Measure
from cranfield.results.sampling import samples_of
from cranfield.results.values import Result


def as_samples(data: Any) -> Samples:
    """The samples in what was given."""
    if isinstance(data, Samples):
        return data
    if isinstance(data, Mapping):
        return samples(data, kind="unit")
    raise BadInput(f"{type(data).__name__} cannot be compared; give a result, samples, or {{system: values}}")


def by_measure(data: Any) -> dict[str, Samples]:
    """The samples of each measure there is."""
    if isinstance(data, Classification):
        data = data.result
    if isinstance(data, Result):
        return {str(measure): samples_of(data, place)[0] for place, measure in enumerate(data.measures)}
    return {"value": as_samples(data)}


def one_measure(data: Any, measure: Measure | str | None) -> Samples:
    """The samples of one measure, which need not be named if it is the only one."""
    own = by_measure(data)
    if measure is not None and isinstance(data, Result):
        return data.samples(measure)
    if len(own) > 1:
        raise BadSetting(f"say by which measure: one of {', '.join(own)}")
    return next(iter(own.values()))
