"""How good is a system, from a few human and many machine judgments?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cranfield.results.estimation import Estimation, estimated
from cranfield.verbs.as_samples import paired


def estimate(
    human: Any,
    machine: Any,
    baseline: str | None = None,
    *,
    confidence: float = 0.95,
    half_width: float | None = None,
) -> Estimation:
    """Means over all queries from human judgments of some queries and machine judgments of all.

    A language model judges every query, but its errors are not random; people judge few. Prediction-powered inference
    corrects the machine's mean by the difference on the queries that both judged. The estimate is consistent whatever
    errors the machine makes. The better machine and people agree, the shorter is its interval; with a useless machine
    it is that of the human judgments alone. The queries judged by people must be a random sample of all queries.

    Parameters
    ----------
    human
        Values by human judgments: a result of `evaluate`, a table of values, or `{system: {query: value}}`.
    machine
        Values by the machine's judgments of the same systems, for these queries and others.
    baseline
        Also estimate the difference of every other system from this one.
    confidence
        Confidence level.
    half_width
        Also compute how many queries people must judge for a confidence interval of ± this number.

    Returns
    -------
    Estimation
        One row per measure and system: the estimate with its interval, what human judgments alone and the machine alone
        say, the bias of the machine, and how many human-judged queries the interval is worth.

    Examples
    --------
    >>> queries = [f"q{number}" for number in range(12)]
    >>> machine = {"dense": {query: 0.3 + 0.05 * number for number, query in enumerate(queries)}}
    >>> human = {"dense": {"q1": 0.2, "q3": 0.31, "q5": 0.44, "q8": 0.55, "q9": 0.62, "q10": 0.68}}
    >>> row = estimate(human, machine).rows[0]
    >>> round(row.estimate, 3), round(row.human, 3), round(row.machine, 3), round(row.bias, 3)
    (0.441, 0.467, 0.575, 0.133)
    """
    people, judge = paired(human), paired(machine)
    estimation = estimated(people.samples, judge.samples, baseline, confidence=confidence, half_width=half_width)
    return replace(estimation, provenance=people.provenance)
