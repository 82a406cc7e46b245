"""The leaderboard examined by rules about rankings: its measures, the systems with evidence, means and places."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.arrays import Floats
from cranfield.engines.baselines import sees_systems
from cranfield.evidence.hits import Hits
from cranfield.measures.registry import Measure
from cranfield.results.values import Result, aggregate


def averaged(result: Result) -> Iterator[tuple[int, Measure]]:
    """The measures that are averaged over queries and have a better direction, with their index.

    Measures that already compare systems, such as URisk, are left out.
    """
    for place, measure in enumerate(result.measures):
        declared = measure.declaration
        if declared.aggregate == "mean" and declared.higher_is_better is not None and not sees_systems(measure):
            yield place, measure


def counted(result: Result) -> Iterator[tuple[int, str, Hits]]:
    """The systems with stored evidence, with their index."""
    for place, system in enumerate(result.systems):
        if system in result.evidence:
            yield place, system, result.evidence[system]


def mean(result: Result, s: int, values: Floats) -> float:
    """The mean of these values over a system's queries, with undefined values treated as in the result."""
    return aggregate(result.counted_values(s, 0, values)[0], "mean")


def places(result: Result) -> dict[str, int]:
    """The place of each system on the leaderboard: by the first measure with a better direction, 0 for the best."""
    m, measure = next(averaged(result), (0, result.measures[0]))
    value = np.nan_to_num(result.aggregated()[:, m], nan=-np.inf)
    order = np.argsort(value if measure.declaration.higher_is_better is False else -value, kind="stable")
    return {result.systems[s]: place for place, s in enumerate(order.tolist())}
