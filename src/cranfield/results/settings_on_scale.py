"""Settings on the scale of a measure: margins and values that no system could miss or reach are refused."""

from __future__ import annotations

import numpy as np

from cranfield.errors import BadSetting
from cranfield.evidence.samples import Samples, is_number, look_like_proportions
from cranfield.results.result_samples import bounds_of, is_geometric, is_summed


def require_below_range(what: str, size: object, measure: str, samples: Samples) -> None:
    """Refuse a difference, such as a margin of 5 for 5 %, that two systems cannot have."""
    low, high = _range(measure, samples)
    if is_number(size) and size >= high - low:
        raise BadSetting(
            f"{what} {_out_of(low, high, float(size), measure)}, so no difference could reach it{_percent(float(size))}"
        )


def require_in_range(what: str, value: object, measure: str, samples: Samples) -> None:
    """Refuse a value, such as 60 for 60 %, that a measure cannot have."""
    low, high = (-np.inf, np.inf) if is_summed(measure) else bounds_of(measure, samples)
    if is_number(value) and (value < low or value > high):
        raise BadSetting(f"{what} {_out_of(low, high, float(value), measure)}{_percent(float(value))}")


def _range(measure: str, samples: Samples) -> tuple[float, float]:
    """The range of a measure; of unknown values that look like proportions, from 0 to 1."""
    low, high = (-np.inf, np.inf) if is_geometric(measure) or is_summed(measure) else bounds_of(measure, samples)
    return (0.0, 1.0) if np.isinf(high - low) and look_like_proportions(samples.values) else (low, high)


def _out_of(low: float, high: float, value: float, measure: str) -> str:
    return f"is {value:g}, but {measure} lies between {low:g} and {high:g}"


def _percent(value: float) -> str:
    return f"; for {value:g} % use {value / 100:g}" if 1 <= value <= 100 else ""
