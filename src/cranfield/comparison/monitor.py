"""Have enough queries been judged? Bounds of differences that are valid at every look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Mask
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Pairs, Samples, is_number
from cranfield.frozen import frozen
from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.samples import Lower, bounds_of, not_geometric, paired, require_below_range
from cranfield.results.verb_result import AnnotatedResult
from cranfield.statistics.distributions import require_half_width, require_level
from cranfield.statistics.sequences import ConfidenceSequence, confidence_sequence
from cranfield.text import percent, plural

# Monitored comparisons: bounds of a difference after each unit, valid at every look


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


def monitor(
    data: Any,
    baseline: str | None = None,
    *,
    bounds: tuple[float, float] | None = None,
    level: float = 0.05,
    half_width: float | None = None,
    lower_is_better: Lower = (),
) -> Monitoring:
    """Differences between systems that may be looked at after every query, and whether enough were judged.

    A significance test is valid for one look at the data. Testing after every new query until something is significant
    finds differences where there are none. A confidence sequence is valid for all numbers of queries at once, so
    judging may stop as soon as it excludes 0, or is short enough.

    Parameters
    ----------
    data
        As for `compare`, with queries in the order in which they were judged, which must be random.
    baseline
        The system that all others are compared with; by default, all pairs are compared.
    bounds
        The lowest and the highest possible value; known for measures such as AP and nDCG.
    level
        One minus the confidence of each sequence.
    half_width
        Also report when the interval of the difference was ± this number.
    lower_is_better
        For plain values: True, or the names of the measures for which lower is better.

    Returns
    -------
    Monitoring
        One row per pair and measure after all queries (`rows`), and one for each number of queries (`looks`); `enough`
        tells whether all are decided or precise.

    Examples
    --------
    >>> values = {"new": [0.9, 0.8, 0.9, 0.7] * 10, "old": [0.2, 0.3, 0.1, 0.2] * 10}
    >>> row = monitor(values, "old", bounds=(0, 1)).rows[0]
    >>> row.verdict, row.decided_after
    ('better', 14)
    """
    limits = None if bounds is None else _range(bounds)
    source = paired(data, lower_is_better)
    of_measure = {name: limits or bounds_of(name, samples) for name, samples in source.samples.items()}
    result = monitored(source.samples, baseline, bounds=of_measure, level=level, half_width=half_width)
    notes = (*result.notes, *not_geometric(source.samples))
    return replace(result, notes=notes, provenance=source.provenance)


def _range(bounds: object) -> tuple[float, float]:
    """The lowest and the highest value, if they are two numbers in this order."""
    if isinstance(bounds, Sequence | np.ndarray) and len(bounds) == 2 and all(map(is_number, bounds)):
        low, high = float(bounds[0]), float(bounds[1])
        if -np.inf < low < high < np.inf:
            return low, high
    raise BadSetting(f"bounds must be the lowest and the highest possible value, such as (0, 1), not {bounds!r}")


# Monitored comparisons as tables


def tables(monitoring: Monitoring, *, digits: int) -> list[Table]:
    """One row per pair and measure, after all units."""
    half_width = monitoring.settings["half_width"]
    with_width = half_width is not None
    columns = (
        *map(Column, ("measure", "system", "baseline")),
        *numbers("n", digits=0),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("e", digits=2),
        *numbers("p", digits=digits, probability=True),
        Column("verdict"),
        *numbers("decided after", *["precise after"] * with_width, digits=0),
    )
    units = plural(monitoring.settings["units"])
    confidence = percent(1 - monitoring.settings["level"])
    enough = "enough: every pair is decided" + " or precise" * with_width
    notes = (
        f"low, high: {confidence} confidence sequence of each difference, valid at every look; e: e-value of no "
        "difference; p: always valid",
        f"{units} must be in random order; p-values are not adjusted for the number of pairs",
        f"decided after: number of {units} after which 0 was excluded",
        *[f"precise after: number of {units} after which the interval was ± {half_width:g}" for _ in range(with_width)],
        enough if monitoring.enough else "not enough yet: some pairs are undecided",
        *monitoring.notes,
    )
    return [Table(columns, rows_of(monitoring.rows, columns), title="Monitored differences", notes=notes)]
