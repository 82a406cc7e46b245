"""The steps of significance tests: hypotheses, figures behind each statistic, p-values and decisions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.evidence.samples import Pairs
from cranfield.results.samples import is_geometric, on_tested_scale
from cranfield.statistics.distributions import t_quantile
from cranfield.statistics.pairs import ranked_values, signed_ranks
from cranfield.text import plural

if TYPE_CHECKING:
    from cranfield.comparison.result import Compared, Comparison

_UNCORRECTED = " (not adjusted for multiple comparisons)"
_STUDENT = ("t", "corrected t")  # tests whose statistic is a mean over its standard error
_OF_T = ("deviation", "error", "freedom", "critical_low", "critical_high")
_WORDS = {
    "mean_rank": "mean ranks, 1 for the best: {}",
    "baseline_mean_rank": "and {}",
    "deviation": "standard deviation s = {}",
    "error": "standard error {}",
    "nonzero": "nonzero differences: {}",
    "losses": "negative: {}",
    "positive_ranks": "W+, the sum of the ranks of positive differences: {}",
    "negative_ranks": "W-, of negative ones: {}",
    "expected": "expected under H0: {}",
    "above_lower": "t above the lower margin: {}",
    "below_upper": "t below the upper margin: {}",
    "only_first": "right only in the first: {}",
    "only_second": "only in the second: {}",
    "both_right": "in both: {}",
    "both_wrong": "in neither: {}",
    "critical_difference": "critical difference {}",
    "first_difference": "first difference {}",
    "mean_square": "mean square of the differences {}",
    "variance_within": "variance within splits {}",
}


def steps(comparison: Comparison, *rows: Compared) -> str:
    """The steps of the tests of these rows: hypotheses, level, statistic, p-value and decision."""
    return "\n\n".join("\n".join(_steps(comparison, row)) for row in rows)


def _steps(comparison: Comparison, row: Compared) -> Iterator[str]:
    yield f"{comparison.test.title}: {row.system} and {row.baseline}, {row.measure}"
    yield f"H0: {_null_hypothesis(comparison, row)} in {row.measure} over {plural(comparison.unit)} like these {row.n}"
    yield f"H1: {_alternative(comparison, row)}"
    yield f"level: {comparison.level:g}"
    yield from _outcome(comparison, row) if row.tested else ["decision: none"]
    if row.note:
        yield f"note: {row.note}"


def _null_hypothesis(comparison: Comparison, row: Compared) -> str:
    if comparison.test.equivalence:
        return f"the means of {row.system} and {row.baseline} differ by at least the margin"
    if _of_one_sample(comparison, row):
        return f"the mean of {row.system} is {row.baseline}"
    return f"{row.system} and {row.baseline} have {comparison.test.null}"


def _alternative(comparison: Comparison, row: Compared) -> str:
    if comparison.test.equivalence:
        return "they differ by less than the margin"
    return alternative_hypothesis(
        row.system, row.baseline, comparison.alternative, one_sample=_of_one_sample(comparison, row)
    )


def _of_one_sample(comparison: Comparison, row: Compared) -> bool:
    """Whether a mean is compared with a number."""
    return comparison.test.null == "the same mean" and row.baseline not in comparison.samples[row.measure].systems


def _outcome(comparison: Comparison, row: Compared) -> Iterator[str]:
    """The statistic, the p-value and the decision."""
    freedom = f" with {comparison.freedom[row.measure]}" if comparison.freedom[row.measure] else ""
    yield from _figures_in_words(comparison, row)
    yield f"statistic: {comparison.test.symbol} = {row.statistic:.4g}{freedom}"
    yield from _region(comparison, row)
    yield from _effect_size(comparison, row)
    adjusted = f", adjusted p = {row.adjusted_p:.4g} ({comparison.allowance})" if comparison.allowance else ""
    yield f"p = {row.p:.4g}{adjusted}"
    yield f"decision: {_decision(comparison, row)}"


def _decision(comparison: Comparison, row: Compared) -> str:
    p = "the adjusted p-value" if comparison.allowance else "p"
    if row.significant:
        return f"{p} is below {comparison.level:g}: H0 is rejected"
    retained = f"{p} is not below {comparison.level:g}: H0 is not rejected, which does not show that it is true"
    return retained + (_missed(comparison, row) if row.detectable > 0 else "")


def _missed(comparison: Comparison, row: Compared) -> str:
    """The differences that would probably be missed, at the level of a single test."""
    nearer = f"above -{row.detectable:.3g}" if comparison.alternative == "less" else f"under {row.detectable:.3g}"
    even = " even without the correction" if comparison.allowance and comparison.n_together > 1 else ""
    return f"; a mean difference {nearer} would be detected with a power below 0.8{even}"


def figures(comparison: Comparison, row: Compared) -> dict[str, float | int | str | None]:
    """The figures behind the statistic of a pair by name; those of t-tests are None for other tests.

    Critical values are those of the level, not adjusted for multiple comparisons.
    """
    of_t: dict[str, float | int | str | None] = dict.fromkeys(_OF_T)
    if not row.tested:
        return of_t
    if comparison.test.name in _STUDENT:
        return of_t | _of_t(comparison, row)
    alike = [compared for compared in comparison.rows if compared.measure == row.measure]
    known = comparison.worked.get(row.measure)
    return of_t | dict(known[alike.index(row)] if known else {})


def _of_t(comparison: Comparison, row: Compared) -> dict[str, float | int | None]:
    deviation, freedom = float(np.std(_pair(comparison, row).difference[:, 0], ddof=1)), row.n - 1
    error = row.difference / row.statistic if row.statistic else None
    if comparison.test.name == "t":
        error = deviation / math.sqrt(row.n)
    two_sided = comparison.alternative == "two-sided"
    critical = t_quantile(1 - comparison.level / (2 if two_sided else 1), freedom)
    low, high = critical_bounds(critical, comparison.alternative)
    return dict(zip(_OF_T, (deviation, error, freedom, low, high), strict=True))


def _pair(comparison: Comparison, row: Compared) -> Pairs:
    """The values of the two systems, on the scale of the test."""
    samples = comparison.samples[row.measure]
    if row.baseline not in samples.systems:  # a number, as one more system
        samples = samples.with_constant(row.baseline_mean)
    samples = on_tested_scale({row.measure: samples})[row.measure]
    return Pairs(samples, np.array([samples.system(row.system)]), np.array([samples.system(row.baseline)]))


def _figures_in_words(comparison: Comparison, row: Compared) -> Iterator[str]:
    """The figures as text, before the statistic."""
    shown = figures(comparison, row)
    words = [text.format(_number(shown[name])) for name, text in _WORDS.items() if _known(shown.get(name))]
    if shown["deviation"] is not None:
        means = row.mean, row.baseline_mean
        if is_geometric(row.measure):
            means = math.log(row.mean), math.log(row.baseline_mean)
        of_logarithms = " of logarithms" * is_geometric(row.measure)
        mean = _subtraction(*means, row.difference)
        yield f"mean difference{of_logarithms}: {mean}; {', '.join(words[:2])} (n = {row.n})"
        words = words[2:]
    if words:
        yield "; ".join(words).replace("; and ", " and ")
    if "extreme" in shown:
        yield from _as_extreme(shown)


def _subtraction(mean: float, baseline_mean: float, difference: float) -> str:
    """A difference to four significant digits, and its operands with as many decimals as make it agree with them."""
    shown = f"{difference:.4g}"
    if "e" in shown or not math.isfinite(difference):
        return f"{mean:.6g} - {baseline_mean:.6g} = {shown}"
    fewest = len(shown.partition(".")[2])
    operands = [(f"{mean:.{digits}f}", f"{baseline_mean:.{digits}f}") for digits in range(fewest, fewest + 4)]
    agreeing = (pair for pair in operands if f"{Decimal(pair[0]) - Decimal(pair[1]):.{fewest}f}" == shown)
    return f"{' - '.join(next(agreeing, operands[-1]))} = {shown}"


def _as_extreme(shown: Mapping[str, Any]) -> Iterator[str]:
    """The number of arrangements or resamples at least as extreme as the data, and the resulting p-value."""
    kind = next(kind for kind in ("arrangements", "permutations", "resamples") if kind in shown)
    extreme, n = int(shown["extreme"]), int(shown[kind])
    p = f"p = {extreme:,} / {n:,}"
    if kind != "arrangements":
        p = f"p = ({extreme:,} + 1) / ({n:,} + 1), counting the data"
    yield f"at least as extreme as the data: {extreme:,} of {n:,} {kind}; {p}"


def _known(value: object) -> bool:
    return isinstance(value, float | int) and not math.isnan(value)


def _number(value: Any) -> str:
    return f"{int(value):,}" if float(value).is_integer() else f"{value:.4g}"


def _region(comparison: Comparison, row: Compared) -> Iterator[str]:
    """The critical value and the region in which H0 is retained or rejected."""
    shown = figures(comparison, row)
    uncorrected = bool(comparison.allowance) and comparison.n_together > 1
    if "region" in shown:
        yield f"{shown['region']}{_UNCORRECTED if uncorrected and not comparison.test.simultaneous else ''}"
    low, high = shown["critical_low"], shown["critical_high"]
    if low is not None or high is not None:
        yield f"critical value: {retained('t', low, high, uncorrected)}"


def _effect_size(comparison: Comparison, row: Compared) -> Iterator[str]:
    """The effect size d_z with its interval, which assumes normal differences."""
    if not math.isfinite(row.d_z_low):
        return
    confidence = f"{100 * (1 - comparison.level):.4g} %"
    bounds = f"{row.d_z_low:.2f} to {row.d_z_high:.2f}"
    yield f"effect size: d_z = {row.d_z:.2f}, {confidence} confidence interval {bounds} (noncentral t)"


def critical_bounds(critical: float, alternative: str) -> tuple[float | None, float | None]:
    """The bounds between which a statistic retains H0; None where there is no bound."""
    return (None if alternative == "greater" else -critical), (None if alternative == "less" else critical)


def retained(symbol: str, low: Any, high: Any, uncorrected: bool) -> str:
    """The critical value, and the region in which H0 is not rejected, as text."""
    left, right = ("-∞" if low is None else f"{low:.4g}"), ("∞" if high is None else f"{high:.4g}")
    value = f"±{high:.4g}" if low is not None and high is not None else left if high is None else right
    return f"{value}{_UNCORRECTED if uncorrected else ''}; H0 is not rejected if {symbol} is in ({left}, {right})"


def alternative_hypothesis(system: str, baseline: str, alternative: str, one_sample: bool = False) -> str:
    """H1 as text; in a one-sample test, the mean is compared with a number."""
    if alternative == "two-sided":
        return f"it is not {baseline}" if one_sample else "they differ"
    higher = "higher" if alternative == "greater" else "lower"
    return f"it is {higher} than {baseline}" if one_sample else f"{system} has {higher} values than {baseline}"


def ranked_differences(comparison: Comparison) -> list[dict[str, Any]]:
    """Each unit with its difference, the rank of its absolute value and the signed rank, for Wilcoxon's test."""
    if comparison.test.name != "wilcoxon":
        return []
    pratt = comparison.variant == "pratt"
    return [record for row in comparison.rows for record in _ranked(_pair(comparison, row), row, pratt=pratt)]


def _ranked(pair: Pairs, row: Compared, *, pratt: bool) -> Iterator[dict[str, Any]]:
    difference = pair.difference[:, 0]
    column = ranked_values(difference, pair.magnitude[:, 0], zeros=pratt)
    rank = np.zeros(len(difference))
    rank[slice(None) if pratt else difference != 0] = signed_ranks(column)
    values = (pair.samples.values[place].tolist() for place in (pair.first[0], pair.second[0]))
    for unit, one, other, apart, signed in zip(
        pair.samples.units, *values, difference.tolist(), rank.tolist(), strict=True
    ):
        yield {
            "measure": row.measure,
            "system": row.system,
            "baseline": row.baseline,
            pair.samples.unit: unit,
            "value": one,
            "baseline_value": other,
            "difference": apart,
            "rank": abs(signed) if apart else None,
            "signed_rank": signed if apart else None,
        }
