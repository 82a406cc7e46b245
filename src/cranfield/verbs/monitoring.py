"""Have enough queries been judged? Bounds of differences that are valid at every look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.errors import BadSetting
from cranfield.evidence.samples import is_number
from cranfield.results.monitoring import Monitoring, monitored
from cranfield.results.result_samples import Lower, bounds_of, not_geometric
from cranfield.verbs.as_samples import paired


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
