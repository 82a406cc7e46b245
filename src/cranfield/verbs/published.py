"""Are published figures different? Tests on summaries only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.errors import BadInput, BadSetting, require_one_of
from cranfield.evidence.samples import scales
from cranfield.inference.corrections import DEFAULT_CORRECTION, adjusted, require_correction
from cranfield.inference.delong import AREA, independent_areas
from cranfield.inference.distributions import Alternative, require_level
from cranfield.inference.published import Difference, Mean, Proportion, require_summary, two_proportions, welch
from cranfield.results.classification import Classification
from cranfield.results.published import PublishedComparison, PublishedPair
from cranfield.verbs.classification import classify

_INDEPENDENT = (
    "compared as independent samples; if the systems were evaluated on the same items or queries, a paired test of "
    "their values is more powerful"
)


def compare_published(
    summaries: Mapping[str, Any],
    baseline: str | None = None,
    *,
    correction: str = DEFAULT_CORRECTION,
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
    known = {str(name): _summary(str(name), figures) for name, figures in _by_name(summaries).items()}
    if len({type(summary) for summary in known.values()}) > 1:
        raise BadSetting("proportions (successes, n) and means (mean, deviation, n) cannot be compared with each other")
    test = "welch" if isinstance(next(iter(known.values())), Mean) else "two proportions"
    settings = {"test": test, "correction": correction, "level": level, "alternative": alternative}
    doubts = scales({name: np.array([summary.value]) for name, summary in known.items() if isinstance(summary, Mean)})
    tested = _tested(known, baseline, settings, _compared)
    return replace(tested, notes=(*tested.notes, *doubts))


def compare_independent_areas(
    scorers: Mapping[str, Any],
    baseline: str | None = None,
    *,
    correction: str = DEFAULT_CORRECTION,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> PublishedComparison:
    """Differences between the areas under ROC curves of scorers on different items (unpaired DeLong's test).

    Scorers of the same items are compared by `classify`, whose test is paired and more powerful.

    Parameters
    ----------
    scorers
        By name, a result of `classify` with the scores of one system, or a path or data frame with the columns
        `actual` and `score`.
    baseline
        The scorer that all others are compared with; by default, all pairs are compared.
    correction
        Correction for multiple comparisons: `"holm"`, `"bonferroni"`, `"benjamini-hochberg"` or `"none"`.
    level
        Significance level; intervals have confidence 1 - level.
    alternative
        `"two-sided"`, or `"greater"` or `"less"` than the baseline.

    Returns
    -------
    PublishedComparison
        One row per pair: the difference of the areas, its interval and the test.

    Examples
    --------
    >>> import cranfield
    >>> one = cranfield.classify([1, 1, 1, 0, 0, 0, 0], score=[0.9, 0.8, 0.4, 0.5, 0.3, 0.2, 0.1])
    >>> other = cranfield.classify([1, 1, 1, 0, 0, 0], score=[0.9, 0.3, 0.2, 0.5, 0.3, 0.1])
    >>> row = compare_independent_areas({"one": one, "other": other}).rows[0]
    >>> round(row.difference, 4), round(row.p, 4)
    (0.3056, 0.3538)
    """
    known = {str(name): _Scored(str(name), data) for name, data in _by_name(scorers).items()}
    settings = {"test": "unpaired delong", "correction": correction, "level": level, "alternative": alternative}
    return _tested(
        known, baseline, settings, lambda one, other, *how: independent_areas(one.scores, other.scores, *how)
    )


def _by_name(systems: object) -> Mapping[Any, Any]:
    if not isinstance(systems, Mapping):
        raise BadInput(f"systems must be given by name, as a dict, not as {type(systems).__name__}")
    return systems


def _tested(
    known: Mapping[str, Any], baseline: str | None, settings: Mapping[str, Any], compared: Callable[..., Difference]
) -> PublishedComparison:
    """Every pair compared as independent samples, with adjusted p-values."""
    level, alternative = settings["level"], settings["alternative"]
    require_level(level)
    require_one_of("alternative", alternative, Alternative)
    require_correction(settings["correction"])
    if len(known) < 2:
        raise BadSetting("a comparison needs at least two systems")
    if baseline is not None and baseline not in known:
        raise BadSetting(f"there is no system {baseline!r}; available: {', '.join(known)}")
    pairs = [*combinations(known, 2)] if baseline is None else [(name, baseline) for name in known if name != baseline]
    tests = [compared(known[one], known[other], level, alternative) for one, other in pairs]
    after = adjusted(np.array([test.p for test in tests]), settings["correction"])
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
    return PublishedComparison(tuple(rows), settings={**settings, "baseline": baseline}, notes=(_INDEPENDENT,))


class _Scored:
    """The scores of one system on its own items."""

    def __init__(self, name: str, data: Any) -> None:
        result = data if isinstance(data, Classification) else classify("actual", data=data, score="score")
        if len(result.evaluated) != 1 or result.evaluated[0].thresholds is None:
            raise BadInput(f"{name}: the scores of one system for a binary decision are needed")
        self.scores = result.evaluated[0].thresholds
        self.n = len(result.evaluated[0].predictions)
        self.value = float(AREA.values(self.scores))


def _compared(one: Any, other: Any, level: float, alternative: Alternative) -> Difference:
    return (welch if isinstance(one, Mean) else two_proportions)(one, other, level, alternative)


def _summary(name: str, figures: Any) -> Proportion | Mean:
    if not isinstance(figures, tuple | list) or len(figures) not in (2, 3):
        raise BadSetting(f"{name}: pass (successes, n) or (mean, standard deviation, n), not {figures!r}")
    summary = Proportion(*figures) if len(figures) == 2 else Mean(*figures)
    require_summary(name, summary)
    return summary
