"""Do systems differ, by published figures or by areas on different items?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from cranfield.classification.classify import classify
from cranfield.classification.result import Classification
from cranfield.comparison.steps import alternative_hypothesis, critical_bounds, retained
from cranfield.comparison.tables import working
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import scales
from cranfield.frozen import frozen
from cranfield.present.table import STAR, Table, listed
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult, Records
from cranfield.settings import Baseline, Means, Significance
from cranfield.statistics.areas import AREA, independent_areas
from cranfield.statistics.distributions import Alternative, Hypothesis
from cranfield.statistics.effects import DEFAULT_CORRECTION, Correction, adjusted, require_correction, title
from cranfield.statistics.published import Difference, Mean, Proportion, require_summary, two_proportions, welch
from cranfield.text import listed as joined
from cranfield.text import number, percent, probability
from cranfield.verb import verb

_TITLES = {
    "welch": "Welch's t-test of published means",
    "two proportions": "z-test of published proportions",
    "unpaired delong": "DeLong's test of areas on different items",
}
_NULL = {"welch": "mean", "two proportions": "proportion", "unpaired delong": "area under the ROC curve"}


PAIRS = Schema(
    "comparisons",
    "",
    (
        *texts("system", "baseline"),
        *figures("n", "baseline_n", in_tables=False),
        Field("value"),
        Field("baseline_value", "other"),
        *figures("deviation", "baseline_deviation", in_tables=False),
        *figures("difference", "low", "high"),
        Field("statistic"),  # z; t of means, which has degrees of freedom
        Field("freedom", "df", optional=True),
        Field("p", probability=True),
        *figures("error", "critical", "pooled", in_tables=False),
        Field("exact_p", "exact p", probability=True, optional=True),
        Field("adjusted_p", "adjusted p", probability=True, star="significant"),
        Field("significant", kind="flag", in_tables=False),
    ),
)


@frozen(eq=False)
class PublishedComparison(AnnotatedResult):
    """Every pair of published proportions or means."""

    kind = "published"

    rows: Columns

    @property
    def title(self) -> str:
        """The name of the test."""
        return _TITLES[self.settings["test"]]

    @property
    def answer(self) -> str:
        """Which systems differ significantly, the largest difference first."""
        order = sorted(self.rows, key=lambda row: (not row.significant, -abs(row.difference)))
        told = [
            f"{row.system} is {'' if row.significant else 'not '}significantly "
            f"{'lower' if row.difference < 0 else 'higher'} than {row.baseline} ({number(row.value)} and "
            f"{number(row.baseline_value)}, {probability(row.adjusted_p)})"
            for row in order
        ]
        return f"{joined(told)}."

    @property
    def explanations(self) -> tuple[str, ...]:
        """What the star, the bounds and the p-values mean."""
        level, test = self.settings["level"], self.settings["test"]
        return (
            f"{STAR} the adjusted p-value ({title(self.settings['correction'])}) is below {level:g}",
            f"statistic: {'z' if test == 'two proportions' else 't'}",
            f"low, high: {percent(1 - level)} {_INTERVALS[test]} intervals of the difference",
            *(["exact p: Fisher's exact test"] if test == "two proportions" else []),
        )

    def records(self, *, steps: bool = False) -> Records:  # noqa: ARG002
        """One row per pair, with the figures behind its statistic."""
        return super().records()

    def steps(self, row: Any = None) -> str:
        """The steps of the test of one pair, or of every test: hypotheses, level, statistic, p-value, decision."""
        if row is None:
            return "\n\n".join(map(self.steps, self.rows))
        level, alternative = self.settings["level"], self.settings["alternative"]
        symbol, freedom = ("z", "") if row.freedom is None else ("t", f" with {_degrees(row.freedom)} of freedom")
        low, high = critical_bounds(row.critical, alternative)
        lines = [
            f"{self.title}: {row.system} and {row.baseline}",
            f"H0: {row.system} and {row.baseline} have the same {_NULL[self.settings['test']]}",
            f"H1: {alternative_hypothesis(row.system, row.baseline, alternative)}",
            f"level: {level:g}",
            f"difference: {row.value:.4g} - {row.baseline_value:.4g} = {row.difference:.4g}",
            *_errors(row),
            f"statistic: {symbol} = {row.difference:.4g} / {row.error:.4g} = {row.statistic:.4g}{freedom}"
            if row.error
            else "statistic: z = 0, since all outcomes are the same",
            f"critical value: {retained(symbol, low, high, self._uncorrected)}",
            f"p = {row.p:.4g}, adjusted p = {row.adjusted_p:.4g} ({title(self.settings['correction'])})",
            f"decision: the adjusted p-value is {'' if row.significant else 'not '}below {level:g}: "
            + ("H0 is rejected" if row.significant else "H0 is not rejected, which does not show that it is true"),
        ]
        return "\n".join(lines)

    @property
    def _uncorrected(self) -> bool:
        return self.settings["correction"] != "none" and len(self.rows) > 1


def _errors(row: Any) -> Iterator[str]:
    """The standard error of the difference, and the pooled proportion behind it."""
    if row.pooled is None and row.deviation is None:
        yield f"standard error: {row.error:.4g}, from DeLong's variances of both areas"
        return
    if row.pooled is None:
        parts = f"{row.deviation:.4g}² / {row.n} + {row.baseline_deviation:.4g}² / {row.baseline_n}"
    else:
        successes = [round(row.value * row.n), round(row.baseline_value * row.baseline_n)]
        both = f"({successes[0]} + {successes[1]}) / ({row.n} + {row.baseline_n})"
        yield f"pooled proportion: {both} = {row.pooled:.4g}"
        parts = f"{row.pooled:.4g} × {1 - row.pooled:.4g} × (1 / {row.n} + 1 / {row.baseline_n})"
    yield f"standard error: sqrt({parts}) = {row.error:.4g}"


def _degrees(freedom: float) -> str:
    """The number of degrees, which need not be whole."""
    text = f"{freedom:.4g}"
    return f"{text} degree{'' if text == '1' else 's'}"


_INTERVALS = {"welch": "Welch", "two proportions": "Newcombe", "unpaired delong": "DeLong"}


def tables(comparison: PublishedComparison, *, digits: int, steps: bool = False) -> list[Table]:
    """One row per pair and, with `steps`, the working of each test."""
    notes = (*comparison.explanations, *comparison.notes)
    worked = [working(comparison.steps(pair)) for pair in comparison.rows] if steps else []
    return [listed(comparison.rows, digits=digits, title=comparison.title, notes=notes), *worked]


_INDEPENDENT = (
    "compared as independent samples; if the systems were evaluated on the same items or queries, a paired test of "
    "their values is more powerful"
)


_CORRECTIONS = "Correction for multiple comparisons: `holm`, `bonferroni`, `benjamini-hochberg` or `none`."


@verb
def compare_published(
    summaries: Mapping[str, Any],
    baseline: Baseline = None,
    *,
    correction: Annotated[Correction, Means(_CORRECTIONS)] = DEFAULT_CORRECTION,
    level: Significance = 0.05,
    alternative: Hypothesis = "two-sided",
) -> PublishedComparison:
    """Differences between published proportions, or means, and whether they are statistically significant.

    Parameters
    ----------
    summaries
        Proportions `{system: (successes, n)}`, or means `{system: (mean, standard deviation, n)}`.

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


@verb
def compare_independent_areas(
    scorers: Mapping[str, Any],
    baseline: Baseline = None,
    *,
    correction: Annotated[Correction, Means(_CORRECTIONS)] = DEFAULT_CORRECTION,
    level: Significance = 0.05,
    alternative: Hypothesis = "two-sided",
) -> PublishedComparison:
    """Differences between the areas under ROC curves of scorers on different items (unpaired DeLong's test).

    Scorers of the same items are compared by `classify`, whose test is paired and more powerful.

    Parameters
    ----------
    scorers
        By name, a result of `classify` with the scores of one system, or a path or data frame with the columns
        `actual` and `score`.

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
    require_correction(settings["correction"])
    if len(known) < 2:
        raise BadSetting("a comparison needs at least two systems")
    if baseline is not None and baseline not in known:
        raise BadSetting(f"there is no system {baseline!r}; available: {', '.join(known)}")
    pairs = [*combinations(known, 2)] if baseline is None else [(name, baseline) for name in known if name != baseline]
    tests = [compared(known[one], known[other], level, alternative) for one, other in pairs]
    after = adjusted(np.array([test.p for test in tests]), settings["correction"])
    rows = [
        {
            "system": one,
            "baseline": other,
            "n": known[one].n,
            "baseline_n": known[other].n,
            "value": known[one].value,
            "baseline_value": known[other].value,
            "deviation": getattr(known[one], "deviation", None),
            "baseline_deviation": getattr(known[other], "deviation", None),
            "adjusted_p": p,
            "significant": p < level,
            **outcome._asdict(),
        }
        for (one, other), outcome, p in zip(pairs, tests, after, strict=True)
    ]
    return PublishedComparison(PAIRS.of(rows), settings={**settings, "baseline": baseline}, notes=(_INDEPENDENT,))


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
