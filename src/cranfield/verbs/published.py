"""Are published figures different? Tests that need only summaries."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.errors import BadSetting, require_one_of
from cranfield.inference.distributions import Alternative, require_level
from cranfield.inference.multiplicity import DEFAULT, adjusted, require_correction
from cranfield.inference.published import Difference, Mean, Proportion, require_summary, two_proportions, welch
from cranfield.results.published import PublishedComparison, PublishedPair

_INDEPENDENT = (
    "compared as independent samples; if the systems were evaluated on the same items or queries, a paired test of "
    "their values is more powerful"
)


def compare_published(
    summaries: Mapping[str, Any],
    baseline: str | None = None,
    *,
    correction: str = DEFAULT,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> PublishedComparison:
    """Differences between published proportions, or means, and whether they are statistically significant.

    Parameters
    ----------
    summaries
        Proportions `{system: (successes, n)}`, or means `{system: (mean, standard deviation, n)}`.
    baseline
        The system that all others are compared with; by default, all pairs are compared.
    correction
        Correction for multiple comparisons: `"holm"`, `"bonferroni"`, `"benjamini-hochberg"` or `"none"`.
    level
        Significance level; intervals have confidence 1 - level.
    alternative
        `"two-sided"`, or `"greater"` or `"less"` than the baseline.

    Returns
    -------
    PublishedComparison
        One row per pair. Proportions: z-test with the pooled proportion, Fisher's exact p and Newcombe's interval.
        Means: Welch's t-test and its interval.

    Examples
    --------
    >>> compared = compare_published({"new": (170, 200), "old": (150, 200)})
    >>> round(compared.rows[0].statistic, 3), round(compared.rows[0].p, 4)
    (2.5, 0.0124)
    >>> round(compare_published({"a": (10.5, 3.08, 6), "b": (9.0, 2.5, 8)}).rows[0].p, 4)
    0.3533
    """
    require_level(level)
    require_one_of("alternative", alternative, Alternative)
    require_correction(correction)
    known = {str(name): _summary(str(name), figures) for name, figures in summaries.items()}
    if len(known) < 2:
        raise BadSetting("a comparison needs at least two systems")
    if len({type(summary) for summary in known.values()}) > 1:
        raise BadSetting("proportions (successes, n) and means (mean, deviation, n) cannot be compared with each other")
    if baseline is not None and baseline not in known:
        raise BadSetting(f"there is no system {baseline!r}; there are {', '.join(known)}")
    pairs = [*combinations(known, 2)] if baseline is None else [(name, baseline) for name in known if name != baseline]
    tests = [_compared(known[one], known[other], level, alternative) for one, other in pairs]
    after = adjusted(np.array([test.p for test in tests]), correction)
    rows = [
        PublishedPair(
            system=one,
            baseline=other,
            n=known[one].n,
            baseline_n=known[other].n,
            value=known[one].value,
            baseline_value=known[other].value,
            deviation=getattr(known[one], "deviation", None),
            baseline_deviation=getattr(known[other], "deviation", None),
            adjusted_p=float(p),
            significant=bool(p < level),
            **outcome._asdict(),
        )
        for (one, other), outcome, p in zip(pairs, tests, after, strict=True)
    ]
    test = "welch" if isinstance(next(iter(known.values())), Mean) else "two proportions"
    settings = {
        "test": test,
        "correction": correction,
        "level": level,
        "alternative": alternative,
        "baseline": baseline,
    }
    return PublishedComparison(tuple(rows), settings, (_INDEPENDENT,))


def _compared(one: Any, other: Any, level: float, alternative: Alternative) -> Difference:
    return (welch if isinstance(one, Mean) else two_proportions)(one, other, level, alternative)


def _summary(name: str, figures: Any) -> Proportion | Mean:
    if not isinstance(figures, tuple | list) or len(figures) not in (2, 3):
        raise BadSetting(f"{name}: give (successes, n) or (mean, standard deviation, n), not {figures!r}")
    summary = Proportion(*figures) if len(figures) == 2 else Mean(*figures)
    require_summary(name, summary)
    return summary
