"""Comparisons of published summaries."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.frozen import frozen
from cranfield.inference.corrections import title
from cranfield.results.records import records
from cranfield.results.significance_steps import alternative_hypothesis, critical_bounds, retained
from cranfield.results.verb_result import AnnotatedResult, Records

_TITLES = {
    "welch": "Welch's t-test of published means",
    "two proportions": "z-test of published proportions",
    "unpaired delong": "DeLong's test of areas on different items",
}
_NULL = {"welch": "mean", "two proportions": "proportion", "unpaired delong": "area under the ROC curve"}


@frozen
class PublishedPair:
    """Two systems with published summaries, compared as independent samples."""

    system: str
    baseline: str
    n: int
    baseline_n: int
    value: float
    baseline_value: float
    deviation: float | None
    baseline_deviation: float | None
    difference: float
    low: float
    high: float
    statistic: float
    freedom: float | None
    p: float
    error: float
    critical: float
    pooled: float | None
    exact_p: float | None
    adjusted_p: float
    significant: bool


@frozen(eq=False)
class PublishedComparison(AnnotatedResult):
    """Every pair of published proportions or means."""

    kind = "published"

    rows: tuple[PublishedPair, ...]

    @property
    def title(self) -> str:
        """The name of the test."""
        return _TITLES[self.settings["test"]]

    def records(self, *, steps: bool = False) -> Records:  # noqa: ARG002
        """One row per pair, with the figures behind its statistic."""
        return {"comparisons": records(self.rows)}

    def steps(self, row: PublishedPair | None = None) -> str:
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


def _errors(row: PublishedPair) -> Iterator[str]:
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
