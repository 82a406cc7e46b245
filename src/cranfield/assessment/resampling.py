"""Items drawn again: the scores of a sample of as many items, each drawn from all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.errors import BadSetting
from cranfield.evidence.thresholds import Floats, Ints, Thresholds
from cranfield.registry import Measure


def resampled(scores: Thresholds, samples: int, seed: int) -> Iterator[Thresholds]:
    """Sets of as many items, drawn with replacement; sorted scores stay sorted, however often each is drawn."""
    if samples < 1:
        raise BadSetting(f"at least one resample is needed, not {samples}")
    n_positive, n_negative = len(scores.positive), len(scores.negative)
    rng = np.random.default_rng(seed)
    for _ in range(samples):
        drawn = rng.integers(0, n_positive + n_negative, n_positive + n_negative)
        times = np.bincount(drawn, minlength=n_positive + n_negative)
        yes, no = times[:n_positive], times[n_positive:]
        yield Thresholds(
            np.repeat(scores.positive, yes),
            np.repeat(scores.negative, no),
            _repeated(scores.positive_weight, yes),
            _repeated(scores.negative_weight, no),
        )


def bootstrap(
    measure: Measure, scores: Thresholds, *, confidence: float = 0.95, samples: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """The percentiles of a measure over resampled items between which most of its values lie."""
    values = np.array([float(measure.values(drawn)) for drawn in resampled(scores, samples, seed)])
    known = values[~np.isnan(values)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.quantile(known, ((1 - confidence) / 2, (1 + confidence) / 2))
    return float(low), float(high)


def _repeated(weight: Floats | None, times: Ints) -> Floats | None:
    return None if weight is None else np.repeat(weight, times)
