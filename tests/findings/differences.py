"""Comparisons and ratings that make each rule speak, and the nearest that do not."""

from __future__ import annotations

import numpy as np

from counted_ratings import from_table
from cranfield.evidence.samples import samples
from cranfield.results.agreement import Agreement, agreement, standard_measures
from cranfield.results.comparison import Comparison
from cranfield.results.estimation import Estimation, estimated
from cranfield.results.pairwise import compare_samples as compare
from findings.pictured import Case


def apart(difference: float, n_queries: int, spread: float = 0.1, **settings: str) -> Comparison:
    """Two systems that differ by this much on average, give or take the spread from query to query."""
    noise = spread * np.resize([1.0, -1.0], n_queries)
    old = np.full(n_queries, 0.5)
    return compare({"AP": samples({"old": old, "new": old + difference + noise})}, baseline="old", **settings)


def raters(table: list[list[float]]) -> Agreement:
    """Two raters, and how many items they put in each two categories."""
    rated = from_table(table)
    return agreement(rated, standard_measures(rated), per=("all",), resamples=10)


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


DIFFERENCES = {
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
        "Raters agree on 60 % of the items, and Kappa is 0.20: little better than chance.",
    ),
}
