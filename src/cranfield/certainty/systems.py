"""Are systems different? Compare them, and plan how many queries it takes to see it."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.assessment.assessed import Assessed
from cranfield.assessment.classification import Classification
from cranfield.certainty.subjects import by_measure
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples, is_number, samples
from cranfield.inference.distributions import Alternative
from cranfield.inference.effects import Bounds
from cranfield.results import comparing, planning
from cranfield.results.comparison import Comparison
from cranfield.results.planning import Design, Plan


def compare(
    data: Any,
    baseline: str | float | None = None,
    *,
    test: str | None = None,
    correction: str | None = None,
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
        For all comparisons together, over systems and measures: `"holm"` (the default), `"bonferroni"`,
        `"benjamini-hochberg"`, `"max-T"` (with randomisation) or `"none"`. Tests of all systems at once allow for
        the pairs themselves, and take `"bonferroni"` (their default) or `"none"` over measures.
    level
        The level of significance; intervals of differences have a confidence of one less it.
    alternative
        `"two-sided"`, or `"greater"` or `"less"` than the baseline: more or less of what is measured, be that better
        or worse. Intervals are two-sided all the same.
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
    items = isinstance(data, Classification) and not data.assessed[0].predictions.groups
    return comparing.compare(
        _answers(data) if items else by_measure(data),
        baseline=baseline,
        test=test or ("mcnemar" if items else "t"),
        correction=correction,
        level=level,
        alternative=alternative,
        interval=interval,
        seed=seed,
        **settings,
    )


def _answers(data: Classification) -> dict[str, Samples]:
    """Which items each classifier answers rightly."""
    return {"right answers": samples({each.predictions.system: _right(each) for each in data.assessed}, kind="item")}


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
    alternative: Alternative = "two-sided",
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
    alternative
        That of the test: `"two-sided"`, `"greater"` or `"less"`.

    Examples
    --------
    >>> pilot = {"new": [0.4, 0.6, 0.7, 0.5, 0.2], "old": [0.3, 0.5, 0.7, 0.3, 0.3]}
    >>> plan(pilot, 0.05).rows[0].needed
    43
    >>> round(plan(0.1, queries=50).rows[0].smallest, 4)
    0.0404
    """
    design = Design(difference, queries, power, level, alternative)
    if not is_number(data):
        return planning.from_pilot(by_measure(data), design, baseline=baseline)
    if baseline is not None:
        raise BadSetting(f"a deviation has no systems to pair with a baseline, such as {baseline!r}")
    return planning.from_deviation(float(data), design)
