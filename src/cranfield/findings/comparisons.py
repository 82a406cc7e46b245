"""Rules about differences between systems: whether they could be chance, whether they matter, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import NamedTuple, get_args

from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.findings.finding import Said, said
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import count, listed, numbers, probability, share, tally
from cranfield.inference.distributions import Alternative
from cranfield.inference.power import smallest_difference, units_needed
from cranfield.registry import Kind, parse
from cranfield.results.comparison import Compared, Comparison
from cranfield.results.writing import plural


def _differences(comparison: Comparison) -> list[Compared]:
    """The pairs that differ at all: measure by measure, the leader and its nearest rivals first, then the others."""
    if comparison.test.equivalence:  # which asks whether they are alike, not whether they differ
        return []
    leaders = _leaders(comparison)
    order = list(leaders)
    differ = [row for row in comparison.rows if row.wins + row.losses]
    return sorted(
        differ,
        key=lambda row: (order.index(row.measure), not _holds(row, leaders[row.measure]), abs(row.difference)),
    )


def _holds(row: Compared, system: str) -> bool:
    return system in (row.system, row.baseline)


def _leaders(comparison: Comparison) -> dict[str, str]:
    """The best system on each measure."""
    means: dict[str, dict[str, float]] = {}
    for row in comparison.rows:
        means.setdefault(row.measure, {}).update({row.system: row.mean, row.baseline: row.baseline_mean})
    return {
        measure: (min if _low_is_good(measure) else max)(own, key=lambda name: own[name])
        for measure, own in means.items()
    }


def _low_is_good(measure: str) -> bool:
    """Whether a measure is better the lower it is; one that is not known is taken for better the higher it is."""
    for kind in get_args(Kind):
        with suppress(UnknownMeasure, BadSetting):
            return parse(measure, kind).family.higher_is_better is False
    return False


def _relative(row: Compared) -> float:
    """The difference as a share of the greater of the two means."""
    greatest = max(abs(row.mean), abs(row.baseline_mean))
    return abs(row.difference) / greatest if greatest else 0.0


def _apart(row: Compared) -> str:
    one, other, difference = numbers(row.mean, row.baseline_mean, abs(row.difference))
    return f"{row.measure}: {row.system} ({one}) and {row.baseline} ({other}) are {difference} apart"


def _tested(row: Compared, comparison: Comparison) -> str:
    """The test, its p-value and what that allows for, or the interval where it is of this difference alone."""
    side = "" if comparison.alternative == "two-sided" else "one-sided "
    p = f"{side}{comparison.test.title}, {probability(row.corrected)}"
    if comparison.test.simultaneous:
        return f"{p} after {comparison.allowance or 'the test itself, over all pairs of systems'}"
    if comparison.correction == "none" or len(comparison) == 1:
        low, high = numbers(row.low, row.high)
        return f"{p}; {share(1 - comparison.level)} interval of the difference from {low} to {high}"
    alone = probability(row.p).removeprefix("p = ")
    return f"{p} corrected by {comparison.correction.title()} over {len(comparison)} comparisons, {alone} alone"


def _said(sentence: str, found: list[Compared], comparison: Comparison, **figures: float) -> Said:
    """What is said of the first of the pairs, and how many there are."""
    row, many = found[0], ""
    if len(found) > 1:
        by_measure = Counter(one.measure for one in found)
        where = f" ({tally(by_measure)})" if len({one.measure for one in comparison.rows}) > 1 else ""
        many = f"; in all, this goes for {len(found)} of {count(len(comparison), 'difference')}{where}"
    names = ("difference", "low", "high", "p", "corrected", "d_z", "n", "detectable", "wins", "ties", "losses")
    own = {name: getattr(row, name) for name in names} | figures
    own |= {"n_found": len(found), "n_pairs": len(comparison)}
    return said(f"{sentence}{many}.", own, system=row.system, other=row.baseline, measure=row.measure)


@rule(
    "not-significant",
    title="A difference that could be chance",
    severity="caution",
    why="Systems differ from query to query. A mean difference this small against that spread comes about by the "
    "choice of queries alone often enough that it does not show which system is better; nor does it show that they "
    "are alike.",
    action="Do not call either better. Test on more queries; to show that they are alike, use the test 'tost'.",
)
def not_significant(comparison: Comparison, *, least: float = 0.0) -> Iterator[Said]:
    """Two systems whose means differ by more than `least` are not told apart at the level of the comparison."""
    unsure = [row for row in _differences(comparison) if not row.significant and abs(row.difference) > least]
    if unsure:
        sentence = f"{_apart(unsure[0])}, which could be chance ({_tested(unsure[0], comparison)})"
        yield _said(f"{sentence}{_rivals(unsure, comparison)}", unsure, comparison)


def _rivals(unsure: list[Compared], comparison: Comparison) -> str:
    """The others whom the leader of the first measure may be ahead of by chance."""
    measure = unsure[0].measure
    leader = _leaders(comparison)[measure]
    own = [row for row in unsure if row.measure == measure and _holds(row, leader)]
    others = [row.baseline if row.system == leader else row.system for row in own[1:]]
    return f"; so could {leader}'s lead over {listed(others)}" if others else ""


@rule(
    "tiny-difference",
    title="Significant, but tiny",
    severity="caution",
    why="With enough queries any difference becomes significant. That it is no chance does not make it large enough "
    "for anyone to notice.",
    action="Report the difference with its interval, and say what difference would matter to users.",
)
def tiny_difference(comparison: Comparison, *, tiny: float = 0.02) -> Iterator[Said]:
    """A significant difference is smaller than the share `tiny` of the greater of the two means."""
    small = [row for row in _differences(comparison) if row.significant and not reaches(_relative(row), tiny)]
    if small:
        relative = _relative(small[0])
        sentence = (
            f"{_apart(small[0])}, {share(relative)} of the higher value: significant "
            f"({_tested(small[0], comparison)}), but tiny"
        )
        yield _said(sentence, small, comparison, relative=relative)


@rule(
    "too-few-topics",
    title="Too few queries for the difference claimed",
    severity="caution",
    why="With so few queries a true difference of this size is missed more than once in five times; and where one is "
    "found all the same, it tends to be exaggerated.",
    action="Add queries: the number needed is given for a paired t-test with power 0.8. Or claim only differences "
    "that this many queries can show.",
)
def too_few_topics(comparison: Comparison, *, tiny: float = 0.02) -> Iterator[Said]:
    """A difference of at least the share `tiny` of the higher mean is smaller than what is seen four times in five.

    Seen at the level that Holm's or Bonferroni's correction leaves to one of so many comparisons.
    """
    found, level = _differences(comparison), _level(comparison)
    weak = [row for row in found if reaches(_relative(row), tiny) and abs(row.difference) < _detectable(row, level)]
    if weak:
        row, kind = weak[0], comparison.kind
        detectable, needed = _detectable(row, level), _needed(row, level)
        enough = f"; this one takes {needed:,} {plural(kind)}" if needed else ""
        allowed = f" and {len(comparison)} comparisons to correct for" if level.each < level.all else ""
        difference, least = numbers(abs(row.difference), detectable)
        sentence = (
            f"{row.measure}: {row.system} and {row.baseline} are {difference} apart, but with {count(row.n, kind)}"
            f"{allowed} only differences of {least} or more are found four times in five{enough}"
        )
        yield _said(sentence, weak, comparison, detectable=detectable, **({"needed": needed} if needed else {}))


class _Level(NamedTuple):
    """The level of all comparisons together, and that which is left to each of them."""

    all: float
    each: float
    alternative: Alternative


def _level(comparison: Comparison) -> _Level:
    shared = comparison.correction in ("holm", "bonferroni")
    return _Level(comparison.level, comparison.level / (len(comparison) if shared else 1), comparison.alternative)


def _detectable(row: Compared, level: _Level) -> float:
    """The difference that is seen four times in five at the level left to each comparison."""
    return row.detectable * _times_as_large(row.n, level) if row.detectable > 0 else row.detectable


@cache
def _times_as_large(n: int, level: _Level) -> float:
    """How many times larger a difference must be for that than at the level of all comparisons."""
    if level.each == level.all:
        return 1.0
    before, after = (smallest_difference(n, 1.0, level=each, alternative=level.alternative) for each in level[:2])
    return after / before


def _needed(row: Compared, level: _Level) -> int | None:
    """How many units would show the difference four times in five, None if there is no telling."""
    try:
        deviation = abs(row.difference / row.d_z)
        return units_needed(row.difference, deviation, level=level.each, alternative=level.alternative)
    except (BadSetting, ZeroDivisionError):
        return None


@rule(
    "uncorrected",
    title="Many comparisons, none corrected for",
    severity="serious",
    why="Each test calls a difference significant by mistake now and then; with many tests some such mistakes are "
    "to be expected.",
    action="Correct for the number of comparisons (correction='holm'), or name one comparison beforehand.",
)
def uncorrected(comparison: Comparison, *, expected: float = 0.1) -> Iterator[Said]:
    """Without a correction, at least `expected` differences are called significant by chance, and some are."""
    n_tests, n_found = len(comparison), sum(row.significant for row in comparison.rows)
    by_chance = n_tests * comparison.level
    if comparison.correction == "none" and not comparison.test.simultaneous and n_found and by_chance >= expected:
        measures = list(dict.fromkeys(row.measure for row in comparison.rows))
        yield said(
            f"{n_found} of {count(n_tests, 'comparison')} ({listed(measures)}) "
            f"{'is' if n_found == 1 else 'are'} significant, none corrected for: chance alone gives about "
            f"{by_chance:.2g} of them at the level {comparison.level:g}.",
            {"n_tests": n_tests, "n_significant": n_found, "by_chance": by_chance},
        )
