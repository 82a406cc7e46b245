"""Rules about differences between systems: significance, effect size, power and multiple comparisons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Ints
from cranfield.classification.result import Classification
from cranfield.comparison.result import Compared, Comparison
from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.measures.naming import parse
from cranfield.present.findings.rules import Observation, Observations, observation, reaches, rule
from cranfield.regression.result import Regression, of_points
from cranfield.results.samples import is_geometric
from cranfield.statistics.distributions import Alternative
from cranfield.statistics.effects import FAMILYWISE
from cranfield.statistics.power import units_needed
from cranfield.text import any_of, brief, count, listed, numbers, percent, plural, probability, subtraction, tally, verb

_MORE_DATA = (
    "The folds share their training data, so more folds are not more evidence: collect more data, or repeat the "
    "cross-validation with other splits and use the test 'corrected t'."
)


def _differences(comparison: Comparison) -> list[Compared]:
    """The tested pairs with different means, by measure; pairs with the best system first, then by difference."""
    if comparison.test.equivalence:  # tests for equivalence, not for a difference
        return []
    leaders = _leaders(comparison)
    order = list(leaders)
    differ = [row for row in comparison.rows if row.wins + row.losses and row.tested]
    return sorted(
        differ,
        key=lambda row: (order.index(row.measure), not _includes(row, leaders[row.measure]), abs(row.difference)),
    )


def _includes(row: Compared, system: str) -> bool:
    return system in (row.system, row.baseline)


def _leaders(comparison: Comparison) -> dict[str, str]:
    """The best system by measure."""
    means: dict[str, dict[str, float]] = {}
    for row in comparison.rows:
        means.setdefault(row.measure, {}).update({row.system: row.mean, row.baseline: row.baseline_mean})
    descending = {row.measure for row in comparison.rows if row.lower_is_better}
    return {
        measure: (min if measure in descending else max)(by_system, key=lambda name: by_system[name])
        for measure, by_system in means.items()
    }


def _relative(row: Compared) -> float:
    """The difference relative to the larger of the two means."""
    if is_geometric(row.measure):  # between logarithms
        return -math.expm1(-abs(row.difference))
    greatest = max(abs(row.mean), abs(row.baseline_mean))
    return abs(row.difference) / greatest if greatest else 0.0


def _difference(row: Compared, comparison: Comparison) -> str:
    one, other, difference = subtraction(row.mean, row.baseline_mean, abs(row.difference))
    scale = " between mean logarithms" * is_geometric(row.measure)
    over = f" on the {count(row.n, comparison.unit)} scored for all systems" if row.left_out else ""
    return f"{row.measure}: {row.system} ({one}) and {row.baseline} ({other}) differ by {difference}{scale}{over}"


def _tested(row: Compared, comparison: Comparison) -> str:
    """The test, its adjusted p-value, or the confidence interval if nothing was adjusted."""
    side = "" if comparison.alternative == "two-sided" else "one-sided "
    p = f"{side}{comparison.test.title}, {probability(row.adjusted_p)}"
    if comparison.test.simultaneous:
        return f"{p}, adjusted by {comparison.allowance}"
    if comparison.correction == "none" or comparison.n_together == 1:
        low, high = numbers(row.low, row.high)
        return f"{p}; {percent(1 - comparison.level)} CI of the difference [{low}, {high}]"
    unadjusted_p = probability(row.p).removeprefix("p = ")
    return f"{p} adjusted by {comparison.allowance}, {unadjusted_p} unadjusted"


def _observed(
    sentence: str, pairs: list[Compared], comparison: Comparison, headline: str = "", **figures: float
) -> Observation:
    """A sentence about the first of the pairs, and the number of the others."""
    row, many = pairs[0], ""
    if len(pairs) > 1:
        by_measure = Counter(pair.measure for pair in pairs)
        where = f" ({tally(by_measure)})" if len({pair.measure for pair in comparison.rows}) > 1 else ""
        many = f"; in total this applies to {len(pairs):,} of {count(len(comparison), 'difference')}{where}"
    names = ("difference", "low", "high", "p", "adjusted_p", "d_z", "n", "detectable", "wins", "ties", "losses")
    figures = {name: getattr(row, name) for name in names} | figures
    figures |= {"n_reported": len(pairs), "n_pairs": len(comparison), "n_together": comparison.n_together}
    subject = {"system": row.system, "other": row.baseline, "measure": row.measure}
    return observation(f"{sentence}{many}.", figures, headline=headline, **subject)


@rule(
    "not-significant",
    about="differences between systems",
    title="A difference that is not statistically significant",
    severity="caution",
    why="Differences vary from {unit} to {unit}. A mean difference this small relative to that variation can easily "
    "arise by chance; it does not show which system is better, nor that they are equivalent.",
    action="Do not claim that either is better. Test on more {units}: the number given is for a paired t-test with "
    "power 0.8, at the level that the correction leaves. To show equivalence, use the test 'tost'.",
    on_folds=f"Do not claim that either is better. {_MORE_DATA}",
)
def not_significant(comparison: Comparison, *, least: float = 0.0) -> Observations:
    """Two systems whose means differ by more than `least` are not significantly different at the level of the
    comparison."""
    insignificant = [row for row in _differences(comparison) if not row.significant and abs(row.difference) > least]
    if insignificant:
        row = insignificant[0]
        first, test = _difference(row, comparison), _tested(row, comparison)
        leader, rivals = _rivals(insignificant, comparison)
        more = f"; nor is {leader} significantly better than {any_of(rivals[1:])}" if len(rivals) > 1 else ""
        sentence = f"{first}, not statistically significant ({test}){more}"
        headline = f"{brief(row.system)} and {brief(row.baseline)} are not significantly different in {row.measure}."
        if len(rivals) > 1:
            others = f"{brief(rivals[0])} or {count(len(rivals) - 1, 'other system')}"
            headline = f"{brief(leader)} is not significantly better than {others} in {row.measure}."
        needed = None if comparison.unit == "fold" else _needed(row, _level(comparison))
        if needed is None or needed <= row.n:
            yield _observed(sentence, insignificant, comparison, headline)
        else:
            enough = f"; detecting a difference of this size takes {needed:,} {plural(comparison.unit)}"
            yield _observed(f"{sentence}{enough}", insignificant, comparison, headline, needed=needed)


def _rivals(insignificant: list[Compared], comparison: Comparison) -> tuple[str, list[str]]:
    """The best system on the first measure, and those from which it is not significantly different."""
    measure = insignificant[0].measure
    leader = _leaders(comparison)[measure]
    pairs = [row for row in insignificant if row.measure == measure and _includes(row, leader)]
    return leader, [row.baseline if row.system == leader else row.system for row in pairs]


@rule(
    "ceiling",
    about="differences between systems",
    title="Nearly all values are at the maximum",
    severity="caution",
    why="Where every system is as good as the measure allows, none can be better: the {units} are too easy to separate "
    "these systems, and a difference rests on the few others.",
    action="Use harder {units}, a deeper cutoff or a stricter measure.",
    explains=("not-significant", "not-tested", "tiny-difference", "too-perfect"),
)
def ceiling(comparison: Comparison, *, proportion: float = 0.8, near: float = 0.95, least: int = 10) -> Observations:
    """On at least `proportion` of `least` or more units, the value of every system is at least `near` times the upper
    bound of the measure, or equal to the largest value if that bound is unknown.

    Measures whose values are all 0 or 1 are left out.
    """
    for name, samples in comparison.samples.items():
        if samples.lower_is_better or len(samples) < least or np.isin(samples.values, (0, 1)).all():
            continue
        limit = near * _upper_bound(name) if _upper_bound(name) else float(samples.values.max())
        n = int((samples.values >= limit).all(axis=0).sum())
        if reaches(n / len(samples), proportion):
            yield observation(
                f"{name} is at least {limit:.3g} for all systems on {n:,} of {count(len(samples), comparison.unit)}: "
                "they cannot be separated there.",
                {"proportion": n / len(samples), "limit": limit, "n": n},
                measure=name,
            )


def _upper_bound(name: str) -> float:
    """The upper bound of a measure; 0 if it is unknown or infinite."""
    with suppress(UnknownMeasure, BadSetting):
        bound = parse(name, ("ranking", "binary", "classes")).declaration.bounds[1]
        return float(bound) if math.isfinite(bound) else 0.0
    return 0.0


@rule(
    "few-units",
    about="differences between systems",
    title="A claim of significance from very few units",
    severity="caution",
    why="With so few {units}, a p-value relies on the assumption that differences are normally distributed, which so "
    "few cannot support, and another sample may look very different.",
    action="Test on more {units}, at least a few dozen.",
)
def few_units(comparison: Comparison, *, least: int = 10) -> Observations:
    """A difference is called significant on fewer than `least` units (folds excepted)."""
    claimed = [row for row in _differences(comparison) if row.significant and row.n < least]
    if claimed and comparison.unit != "fold":
        row = claimed[0]
        first, test = _difference(row, comparison), _tested(row, comparison)
        yield _observed(f"{first}, significant on only {count(row.n, comparison.unit)} ({test})", claimed, comparison)


@rule(
    "too-regular",
    about="differences between systems",
    title="A difference that is nearly the same everywhere",
    severity="caution",
    why="Measured differences vary from {unit} to {unit}, usually by more than their mean. Where they hardly vary, the "
    "values may be averaged, rescaled or simulated, or those of one system copied from the other.",
    action="Check where the values come from, and that each is measured on its own {unit}.",
)
def too_regular(comparison: Comparison, *, d_z: float = 4.0) -> Observations:
    """The mean difference is at least `d_z` standard deviations of the differences, and so is the lower bound of its
    confidence interval (folds excepted)."""
    if comparison.unit == "fold":
        return
    regular = [row for row in _differences(comparison) if row.d_z_low >= d_z or row.d_z_high <= -d_z]
    if regular:
        row = regular[0]
        times = f"{abs(row.d_z):.3g} standard deviations (d_z) on {count(row.n, comparison.unit)}"
        yield _observed(f"{_difference(row, comparison)}, {times}", regular, comparison)


@rule(
    "not-tested",
    about="differences between systems",
    title="A difference that could not be tested",
    severity="caution",
    why="A test compares the mean difference with its variation between {units}. Without variation there is no "
    "p-value: the difference is neither significant nor not significant.",
    action="Check that no values were imputed. Test on more {units}, or use a test that needs no variance, such as "
    "'randomisation'.",
    on_folds=f"Check that no values were imputed. {_MORE_DATA}",
)
def not_tested(comparison: Comparison) -> Observations:
    """Two systems could not be tested because their difference has no variance."""
    untested = [row for row in comparison.rows if not row.tested]
    if untested:
        reason = untested[0].note.partition(": ")[2]
        yield _observed(f"{_difference(untested[0], comparison)}, not tested: {reason}", untested, comparison)


@rule(
    "tiny-difference",
    about="differences between systems",
    title="Significant but very small difference",
    severity="caution",
    why="With enough {units}, any true difference becomes significant, however small. Statistical significance does "
    "not mean that users would notice it.",
    action="Report the difference with its confidence interval, and state which difference would matter in practice.",
)
def tiny_difference(comparison: Comparison, *, tiny: float = 0.02) -> Observations:
    """A significant difference is smaller than a proportion `tiny` of the larger mean."""
    small = [row for row in _differences(comparison) if row.significant and not reaches(_relative(row), tiny)]
    if small:
        relative = _relative(small[0])
        sentence = (
            f"{_difference(small[0], comparison)}, {percent(relative)} of the larger value: significant "
            f"({_tested(small[0], comparison)}) but very small"
        )
        yield _observed(sentence, small, comparison, relative=relative)


class _Level(NamedTuple):
    """The significance level of all comparisons together and of a single one."""

    all: float
    single: float
    alternative: Alternative


def _level(comparison: Comparison) -> _Level:
    shared = comparison.correction in FAMILYWISE
    return _Level(comparison.level, comparison.level / (comparison.n_together if shared else 1), comparison.alternative)


def _needed(row: Compared, level: _Level) -> int | None:
    """The number of units needed to detect the difference with power 0.8; None if it cannot be computed."""
    try:
        deviation = abs(row.difference / row.d_z)
        return units_needed(row.difference, deviation, level=level.single, alternative=level.alternative)
    except (BadSetting, ZeroDivisionError):
        return None


@rule(
    "uncorrected",
    about="differences between systems",
    title="Multiple comparisons without correction",
    severity="serious",
    why="Every test has a chance of a false positive; with many tests, some false positives are to be expected.",
    action="Correct for multiple comparisons (correction='holm'), or choose a single comparison in advance.",
)
def uncorrected(comparison: Comparison, *, expected: float = 0.1) -> Observations:
    """Without correction, some differences are significant and at least `expected` false positives are expected."""
    n_tests, n_significant = len(comparison), sum(row.significant for row in comparison.rows)
    by_chance = n_tests * comparison.level
    if comparison.correction == "none" and not comparison.test.simultaneous and n_significant and by_chance >= expected:
        measures = list(dict.fromkeys(row.measure for row in comparison.rows))
        yield observation(
            f"{n_significant} of {count(n_tests, 'comparison')} ({listed(measures)}) "
            f"{verb(n_significant, 'is', 'are')} significant, without correction: about {by_chance:.2g} false "
            f"positives are expected by chance at level {comparison.level:g}.",
            {"n_tests": n_tests, "n_significant": n_significant, "by_chance": by_chance},
        )


# Rules about repeated rows: copies of the data that make intervals too short


_TRIED = 9  # rows, spread over all, whose copies are counted first: if most of them occur once, rows are not repeated
_MOST = 1000  # copies that are looked for if not all rows are repeated as often


class Rows(NamedTuple):
    """The rows of the data as columns, and how many items or other units each stands for, if counted."""

    columns: Sequence[NDArray[np.generic]]
    unit: str = "item"
    n: Ints | None = None

    @property
    def copies(self) -> Ints:
        """How often each distinct row occurs; only that of a few if most of these occur once."""
        if self.n is not None:
            return self.n
        first = self.columns[-1]
        few = np.array([np.count_nonzero(first == one) for one in first[:: len(first) // _TRIED + 1]])
        if not len(few) or np.median(few) == 1:  # values of one column occur at least as often as rows
            return few
        code = np.zeros(len(first), np.int64)
        for column in self.columns:
            _, place = np.unique(column, return_inverse=True)
            _, code = np.unique(code * (place.max(initial=0) + 1) + place, return_inverse=True)
        return np.bincount(code)


def rows_of_predictions(classification: Classification) -> Rows:
    """The actual class of each item with the predictions of all systems."""
    first = classification.evaluated[0].predictions
    tables = [first.actual, first.weight]
    for evaluated in classification.evaluated:
        tables += [evaluated.predictions.predicted, evaluated.predictions.score]
    return Rows(_columns(tables), n=first.count)


def rows_of_values(regression: Regression) -> Rows:
    """The actual values of each item with the predictions of all systems."""
    tables = []
    for predicted in regression.predictions.values():
        residuals = of_points(predicted)
        if residuals is not None:
            tables += [residuals.actual, residuals.weight, residuals.predicted]
        else:
            tables += [predicted.actual, predicted.weight]
    return Rows(_columns(tables))


def rows_of_samples(comparison: Comparison) -> Rows:
    """The values of all systems on each unit."""
    return Rows(_columns([one.values.T for one in comparison.samples.values()]), comparison.unit)


def _columns(tables: Sequence[NDArray[np.generic] | None]) -> list[NDArray[np.generic]]:
    known = [table for table in tables if table is not None]
    return [column for table in known for column in (table.T if table.ndim == 2 else [table])]


@rule(
    "repeated-rows",
    about="repeated rows",
    title="Rows are repeated",
    severity="serious",
    why="Copies are no new evidence, but count as such: with k copies of each row, intervals shrink by a factor of the "
    "square root of k, and p-values become far too small.",
    action="Remove the copies: they often come from a join, or from a file that was appended to itself.",
    covers=("miscalibration",),
    explains=("tiny-difference",),
)
def repeated_rows(rows: Rows, *, proportion: float = 0.95, distinct: int = 20) -> Observations:
    """Of at least `distinct` distinct rows, at least `proportion` occur a multiple of the same number of times, two or
    more."""
    copies = rows.copies
    if len(copies) < distinct:
        return
    every = int(np.gcd.reduce(copies))
    times = every if every > 1 else int(np.bincount(np.minimum(copies, _MOST)).argmax())
    if times > 1 and reaches(float(np.mean(copies % times == 0)), proportion):
        n_rows = int(copies.sum())
        which = "Every row" if every > 1 else "Nearly every row"
        yield observation(
            f"{which} occurs {times:,} times (or a multiple): {count(n_rows, rows.unit)}, but no more than "
            f"{-(-n_rows // times):,} without copies.",
            {"times": times, "n_rows": n_rows},
        )
