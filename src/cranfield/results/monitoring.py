"""Monitored comparisons: bounds of a difference after each unit, valid at every look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Mask
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Pairs, Samples
from cranfield.frozen import frozen
from cranfield.inference.confidence_sequences import ConfidenceSequence, confidence_sequence
from cranfield.inference.distributions import require_half_width, require_level
from cranfield.results.settings_on_scale import require_below_range
from cranfield.results.verb_result import AnnotatedResult

Verdict = Literal["better", "worse", "undecided"]


@frozen
class Monitored:
    """A pair of systems after all units: the bounds of its mean difference, and when it was decided."""

    measure: str
    system: str
    baseline: str
    n: int
    difference: float
    low: float
    high: float
    e: float  # e-value of no difference
    p: float  # always-valid p-value
    verdict: Verdict
    decided_after: int | None  # number of units after which 0 was excluded
    precise_after: int | None  # number of units after which the interval was short enough


@frozen
class Look:
    """The state of a pair after this many units."""

    measure: str
    system: str
    baseline: str
    n: int
    difference: float
    low: float
    high: float
    e: float
    p: float


@frozen(eq=False)
class Monitoring(AnnotatedResult):
    """Confidence sequences of the differences between systems, in the order in which units were judged."""

    kind = "monitoring"
    record_fields = (("pairs", "rows"), ("looks", "looks"))

    rows: tuple[Monitored, ...]
    looks: tuple[Look, ...]

    @property
    def enough(self) -> bool:
        """Whether every pair is decided, or its interval as short as requested."""
        return all(row.decided_after is not None or row.precise_after is not None for row in self.rows)

    def about(self) -> dict[str, Any]:
        """The settings, the notes, and whether enough was judged."""
        return super().about() | {"enough": self.enough}


def monitored(
    by_measure: Mapping[str, Samples],
    baseline: str | None,
    *,
    bounds: Mapping[str, tuple[float, float]],
    level: float,
    half_width: float | None,
) -> Monitoring:
    """The confidence sequence of every pair, for each measure."""
    require_level(level)
    require_half_width(half_width)
    rows, looks, notes = [], [], dict[str, None]()
    for measure, samples in by_measure.items():
        low, high = bounds[measure]
        if not np.isfinite([low, high]).all():
            raise BadSetting(f"{measure} has no bounds; pass its lowest and highest values, such as bounds=(0, 1)")
        if samples.values.min() < low or samples.values.max() > high:
            raise BadInput(f"{measure}: values lie outside the bounds {low:g} and {high:g}")
        notes |= dict.fromkeys(samples.notes)
        require_below_range("half_width", half_width, measure, samples)
        pairs = samples.pairs(baseline)
        for place in range(len(pairs)):
            sequence = confidence_sequence(pairs.difference[:, place], (low - high, high - low), level, 0.0)
            rows.append(_row(measure, pairs, place, sequence, half_width))
            looks += _looks(measure, pairs, place, sequence)
    unit = next(iter(by_measure.values())).unit
    ranges = {measure: [*ends] for measure, ends in bounds.items()}
    settings = {"baseline": baseline, "units": unit, "level": level, "half_width": half_width, "bounds": ranges}
    return Monitoring(tuple(rows), tuple(looks), settings=settings, notes=tuple(notes))


def _row(measure: str, pairs: Pairs, place: int, sequence: ConfidenceSequence, half_width: float | None) -> Monitored:
    low, high = float(sequence.low[-1]), float(sequence.high[-1])
    up, down = ("worse", "better") if pairs.samples.lower_is_better else ("better", "worse")
    verdict: Any = up if low > 0 else down if high < 0 else "undecided"
    width = half_width or -1.0
    return Monitored(
        measure,
        *pairs.names[place],
        pairs.n_units,
        float(pairs.mean[place]),
        low,
        high,
        float(sequence.e[-1]),
        float(sequence.p[-1]),
        verdict,
        _first((sequence.low > 0) | (sequence.high < 0)),
        _first((sequence.high - sequence.low) / 2 <= width),
    )


def _looks(measure: str, pairs: Pairs, place: int, sequence: ConfidenceSequence) -> list[Look]:
    mean = np.cumsum(pairs.difference[:, place]) / np.arange(1, pairs.n_units + 1)
    columns = (mean, sequence.low, sequence.high, sequence.e, sequence.p)
    figures = zip(*(column.tolist() for column in columns), strict=True)
    return [Look(measure, *pairs.names[place], n, *after) for n, after in enumerate(figures, 1)]


def _first(reached: Mask) -> int | None:
    return int(np.argmax(reached)) + 1 if reached.any() else None
