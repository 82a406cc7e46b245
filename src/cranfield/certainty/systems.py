"""Are systems different? Compare them, and plan how many queries it takes to see it."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.assessment.assessed import Assessed
from cranfield.assessment.classification import Classification
from cranfield.certainty.subjects import as_samples, by_measure
from cranfield.errors import BadInput
from cranfield.evidence.samples import samples
from cranfield.inference.distributions import Alternative
from cranfield.inference.effects import Bounds
from cranfield.results import comparing
from cranfield.results.comparison import Comparison
from cranfield.results.planning import Design, Plan, plan_for
from cranfield.results.planning import plan as planned
from cranfield.results.sampling import compare_result
from cranfield.results.values import Result


def compare(
    data: Any,
    baseline: str | float | None = None,
    *,
    test: str | None = None,
    correction: str = "holm",
    level: float = 0.05,
    alternative: Alternative = "two-sided",
    interval: Bounds = "t",
    seed: int = 0,
    **settings: Any,
) -> Comparison:
    """How far apart systems are on each measure, and whether that could be chance.

    Parameters
    ----------
    data
        A result of `evaluate`; one of `classify`, compared on its groups (folds) or else on its items; samples, as
        `cross_validate` gives them; or `{system: values}`, the values being a list in one order of units, or
        `{unit: value}`.
    baseline
        The system that all others are compared with; without one, every two are. A number is a system that always
        has this value: with one system, the test is then one-sample.
    test
        `"t"` (the default), `"wilcoxon"`, `"sign"`, `"randomisation"`, `"bootstrap"`, `"tukey"`,
        `"randomised tukey"`, `"nemenyi"`, `"tost"`, `"mcnemar"` (the default for items), `"corrected t"`, `"5x2cv"`.
    correction
        For all comparisons together, over systems and measures: `"holm"`, `"bonferroni"`, `"benjamini-hochberg"`,
        `"max-T"` (with randomisation) or `"none"`.
    level
        The level of significance; intervals of differences have a confidence of one less it.
    alternative
        `"two-sided"`, or `"greater"` or `"less"` than the baseline.
    interval
        Of each difference: `"t"`, or `"bca"` by resampling.
    seed
        From which chance is simulated, in tests and intervals that do.
    settings
        Those of the test: `flips`, `resamples` and `shuffled` where chance is simulated, `margin` for tost, `overlap`
        for the corrected t-test, `form` for mcnemar and 5x2cv.

    Examples
    --------
    >>> found = compare({"new": [0.4, 0.6, 0.7, 0.5], "old": [0.3, 0.5, 0.7, 0.3]}, "old")
    >>> round(found.rows[0].difference, 4), round(found.rows[0].p, 4)
    (0.1, 0.0917)
    """
    chosen: dict[str, Any] = {"correction": correction, "level": level, "alternative": alternative, **settings}
    chosen |= {"interval": interval, "seed": seed}
    if isinstance(data, Classification) and not data.assessed[0].predictions.groups:
        own = samples({each.predictions.system: _right(each) for each in data.assessed}, kind="item")
        return comparing.compare({"right answers": own}, baseline=baseline, test=test or "mcnemar", **chosen)
    if isinstance(data, Classification):
        return compare_result(data.result, baseline=baseline, test=test or "t", kind="group", **chosen)
    if isinstance(data, Result):
        return compare_result(data, baseline=baseline, test=test or "t", **chosen)
    return comparing.compare({"value": as_samples(data)}, baseline=baseline, test=test or "t", **chosen)


def _right(assessed: Assessed) -> dict[str, float]:
    """Whether each item was answered rightly."""
    given = assessed.predictions
    if given.many:
        raise BadInput("items of several classes at once are not simply right or wrong; compare them on groups")
    if given.predicted is not None:
        right = given.actual == given.predicted
    elif assessed.probabilities is not None:
        right = given.actual == assessed.probabilities.predicted
    else:
        right = (given.actual == given.positive) == (np.asarray(given.score) >= assessed.threshold)
    return {str(place): float(value) for place, value in enumerate(right, 1)}


def plan(
    data: Any,
    difference: float | None = None,
    *,
    baseline: str | None = None,
    queries: int | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> Plan:
    """How many queries it takes to see a difference, and how likely those there are were to show it.

    Parameters
    ----------
    data
        A pilot, from which is told how differences vary: a result, samples, or `{system: values}`. Or a number: the
        standard deviation of the differences between two systems, where it is known.
    difference
        The mean difference that should be seen; without one, only the smallest that can be seen is told.
    baseline
        The system that all others are paired with; without one, every two are.
    queries
        On how many queries a test is planned; as many as in the pilot if not given.
    power, level
        How likely a difference that is there should be seen, and one that is not there may be.

    Examples
    --------
    >>> pilot = {"new": [0.4, 0.6, 0.7, 0.5, 0.2], "old": [0.3, 0.5, 0.7, 0.3, 0.3]}
    >>> plan(pilot, 0.05).rows[0].needed
    43
    >>> round(plan(0.1, queries=50).rows[0].smallest, 4)
    0.0404
    """
    design = Design(difference, queries, power, level)
    if isinstance(data, int | float):
        return plan_for(float(data), design)
    return planned(by_measure(data), design, baseline=baseline)
