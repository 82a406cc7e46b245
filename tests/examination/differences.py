"""Comparisons and ratings that make each rule speak, and the nearest that do not."""

from __future__ import annotations

import numpy as np

from counted_ratings import from_table
from cranfield.agreement.agree import agree
from cranfield.agreement.result import Agreement, agreement, standard_measures
from cranfield.comparison.compare import compare_samples as compare
from cranfield.comparison.result import Comparison
from cranfield.estimation.result import Estimation, estimated
from cranfield.evidence.samples import samples
from examination.pictured import Case


def apart(difference: float, n_queries: int, spread: float = 0.1, **settings: str) -> Comparison:
    """Two systems that differ by this much on average, give or take the spread from query to query."""
    noise = spread * np.resize([1.0, -1.0], n_queries)
    old = np.full(n_queries, 0.5)
    return compare({"AP": samples({"old": old, "new": old + difference + noise})}, baseline="old", **settings)


def raters(table: list[list[float]]) -> Agreement:
    """Two raters, and how many items they put in each two categories."""
    rated = from_table(table)
    return agreement(rated, standard_measures(rated), per=("all",), resamples=1000)


def judged_by(lenient: float) -> Estimation:
    """A system on 40 queries, of which people judged 20, by a machine that is lenient by this much."""
    true = 0.5 + 0.05 * np.resize([1.0, -1.0, 1.0, -1.0, 0.4, -0.4], 40)
    noise = 0.02 * np.resize([1.0, 0.5, -1.0, -0.5], 40)
    names = [f"q{place}" for place in range(40)]
    people, judge = (
        {"AP": samples({"new": dict(zip(names[:n], values[:n], strict=True))})}
        for n, values in ((20, true), (40, true + lenient + noise))
    )
    return estimated(people, judge, None, confidence=0.95, half_width=None)


def three(correction: str) -> Comparison:
    """Three systems, of which the third is far ahead."""
    noise = 0.05 * np.resize([1.0, -1.0], 20)
    values = {"a": np.full(20, 0.5), "b": np.full(20, 0.5) + noise, "c": np.full(20, 0.9) - noise}
    return compare({"AP": samples(values)}, correction=correction)


def four_raters(odd: np.ndarray) -> Agreement:
    """Three raters who mostly agree on which of sixty items are odd-numbered, and a fourth with these ratings."""
    truth = np.arange(60) % 2
    rated = {name: truth ^ ((np.arange(60) + 7 * k) % 20 == 0) for k, name in enumerate("abc")} | {"d": odd}
    return agree({name: dict(enumerate(own.tolist())) for name, own in rated.items()}, "Fleiss", per=("all",))


def at_the_top(but: int) -> Comparison:
    """Two systems with a perfect AP on 20 queries, but for so many."""
    below = np.arange(20) < but
    return compare({"AP": samples({"old": 1 - 0.4 * below, "new": 1 - 0.01 * np.arange(20) * below})})


DIFFERENCES = {
    "ceiling": Case(
        at_the_top(but=4),
        at_the_top(but=5),
        "AP is at least 0.95 for all systems on 16 of 20 queries: they cannot be separated there.",
    ),
    "few-units": Case(
        apart(0.3, 4),
        apart(0.3, 10),
        "AP: new (0.80) and old (0.50) differ by 0.30, significant on only 4 queries (paired t-test, p = 0.014; 95 % "
        "CI of the difference [0.12, 0.48]).",
    ),
    "too-regular": Case(
        apart(0.1, 20, spread=0.01),
        apart(0.1, 20, spread=0.02),
        "AP: new (0.60) and old (0.50) differ by 0.10, 9.75 standard deviations (d_z) on 20 queries.",
    ),
    "odd-rater": Case(
        four_raters(np.arange(60) // 2 % 2),
        four_raters((np.arange(60) % 2) ^ (np.arange(60) % 4 == 0)),
        "d hardly agrees with the others beyond chance: kappa is 0.03, but 0.80 among the others (60 items).",
    ),
    "not-significant": Case(
        apart(0.02, 8),
        apart(0.02, 200),
        "AP: new (0.52) and old (0.50) differ by 0.02, not statistically significant (paired t-test, p = 0.61; 95 % "
        "CI of the difference [-0.07, 0.11]); detecting a difference of this size takes 227 queries.",
    ),
    "not-tested": Case(
        apart(0.1, 8, spread=0),
        apart(0.1, 8),
        "AP: new (0.60) and old (0.50) differ by 0.10, not tested: the difference is the same on every query, so "
        "it has no variance.",
    ),
    "tiny-difference": Case(
        apart(0.01, 1000),
        apart(0.02, 1000),
        "AP: new (0.51) and old (0.50) differ by 0.01, 2.0 % of the larger value: significant (paired t-test, p = "
        "0.0016; 95 % CI of the difference [0.004, 0.016]) but very small.",
    ),
    "uncorrected": Case(
        three("none"),
        three("holm"),
        "2 of 3 comparisons (AP) are significant, without correction: about 0.15 false positives are expected by "
        "chance at level 0.05.",
    ),
    "machine-labels": Case(
        judged_by(lenient=0.2),
        judged_by(lenient=0.0),
        "This leaderboard is based on machine labels: with these alone, AP of new is 0.70, with human judgments 0.50 "
        "(95 % CI [0.48, 0.52]).",
    ),
    "kappa-prevalence": Case(
        raters([[20, 12], [4, 4]]),
        raters([[12, 8], [8, 12]]),
        "Raters agree on 60 % of the items, yet Kappa is 0.09: one category is so frequent that chance agreement is "
        "high. With equally frequent categories, the same agreement would give 0.20; Gwet's AC1 is 0.31.",
    ),
    "low-agreement": Case(
        raters([[12, 8], [8, 12]]),
        raters([[13, 7], [7, 13]]),
        "Raters agree on 60 % of the items, and Kappa is 0.20: no better than chance.",
    ),
}
