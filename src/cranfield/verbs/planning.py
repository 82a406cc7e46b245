"""How many queries does it take to detect a difference?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cranfield.errors import BadSetting
from cranfield.evidence.samples import is_number
from cranfield.inference.distributions import Alternative
from cranfield.results import planning
from cranfield.results.planning import Design, Plan
from cranfield.verbs.as_samples import paired


def plan(
    data: Any,
    difference: float | None = None,
    *,
    baseline: str | None = None,
    queries: int | None = None,
    power: float = 0.8,
    level: float = 0.05,
    comparisons: int = 1,
    alternative: Alternative = "two-sided",
) -> Plan:
    """Number of queries needed to detect a difference, and the power of those at hand.

    A pilot estimates the variance of the differences, a small one poorly: `needed_low` and `needed_high` are the
    numbers needed at the bounds of the 95 % chi-square interval of that variance.

    Parameters
    ----------
    data
        A pilot: a result, samples, or `{system: values}`. Or a number: the standard deviation of the differences
        between two systems, where it is known.
    difference
        The mean difference to detect; without one, only the smallest detectable difference is computed.
    baseline
        The system that all others are paired with; by default, all pairs are formed.
    queries
        The number of queries of the planned test; by default, that of the pilot.
    power
        Desired power: the probability of detecting a true difference.
    level
        Significance level.
    comparisons
        The number of comparisons that will be corrected for: each is planned at the level divided by their number.
    alternative
        Alternative hypothesis: `"two-sided"`, `"greater"` or `"less"`.

    Returns
    -------
    Plan
        One row per pair and measure.

    Examples
    --------
    >>> pilot = {"new": [0.4, 0.6, 0.7, 0.5, 0.2], "old": [0.3, 0.5, 0.7, 0.3, 0.3]}
    >>> row = plan(pilot, 0.05).rows[0]
    >>> row.needed_low, row.needed, row.needed_high
    (17, 43, 339)
    >>> round(plan(0.1, queries=50).rows[0].smallest, 4)
    0.0404
    """
    design = Design(difference, queries, power, level, alternative, comparisons)
    if not is_number(data):
        paired_data = paired(data)
        return replace(
            planning.from_pilot(paired_data.tested, design, baseline=baseline), provenance=paired_data.provenance
        )
    if baseline is not None:
        raise BadSetting(f"baseline={baseline!r} does not apply to a deviation, which has no systems")
    return planning.from_deviation(float(data), design)
