"""Comparisons and ratings that make each rule speak, and the nearest that do not."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.ratings import from_table
from cranfield.evidence.samples import samples
from cranfield.results.agreement import Agreement, agreement, standard_measures
from cranfield.results.comparing import compare
from cranfield.results.comparison import Comparison
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


def three(correction: str) -> Comparison:
    """Three systems, of which the third is far ahead."""
    noise = 0.05 * np.resize([1.0, -1.0], 20)
    values = {"a": np.full(20, 0.5), "b": np.full(20, 0.5) + noise, "c": np.full(20, 0.9) - noise}
    return compare({"AP": samples(values)}, correction=correction)


DIFFERENCES = {
    "not-significant": Case(
        apart(0.02, 8),
        apart(0.02, 200),
        "AP: new (0.52) and old (0.50) are 0.02 apart, which could be chance (paired t-test, p = 0.61; 95 % "
        "interval of the difference from -0.07 to 0.11).",
    ),
    "tiny-difference": Case(
        apart(0.01, 1000),
        apart(0.02, 1000),
        "AP: new (0.51) and old (0.50) are 0.01 apart, 2.0 % of the higher value: significant (paired "
        "t-test, p = 0.0016; 95 % interval of the difference from 0.004 to 0.016), but tiny.",
    ),
    "too-few-topics": Case(
        apart(0.02, 8),
        apart(0.02, 250),
        "AP: new and old are 0.02 apart, but with 8 queries only differences of 0.12 or more are found four times in "
        "five; this one takes 227 queries.",
    ),
    "uncorrected": Case(
        three("none"),
        three("holm"),
        "2 of 3 comparisons (AP) are significant, none corrected for: chance alone gives about 0.15 of them at the "
        "level 0.05.",
    ),
    "kappa-prevalence": Case(
        raters([[20, 12], [4, 4]]),
        raters([[12, 8], [8, 12]]),
        "Raters agree on 60 % of the items, yet Kappa is 0.09: one category is so frequent that chance alone agrees "
        "often. With even categories the same agreement would give 0.20, and Gwet's AC1 is 0.31.",
    ),
    "low-agreement": Case(
        raters([[12, 8], [8, 12]]),
        raters([[13, 7], [7, 13]]),
        "Raters agree on 60 % of the items, and Kappa is 0.20: little more than chance would give.",
    ),
}
