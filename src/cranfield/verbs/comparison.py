"""Are systems different? Compare them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cranfield.inference.distributions import Alternative
from cranfield.inference.effects import DifferenceInterval
from cranfield.results.comparison import Comparison, Family
from cranfield.results.pairwise import compare_samples
from cranfield.results.result_samples import RIGHT, Lower
from cranfield.verbs.as_samples import paired


def compare(
    data: Any,
    baseline: str | float | None = None,
    *,
    test: str | None = None,
    correction: str | None = None,
    family: Family = "measure",
    level: float = 0.05,
    alternative: Alternative = "two-sided",
    interval: DifferenceInterval = "t",
    simultaneous: bool = False,
    seed: int = 0,
    lower_is_better: Lower = (),
    topic: Mapping[str, str] | None = None,
    **settings: Any,
) -> Comparison:
    """Differences between systems on each measure, and whether they are statistically significant.

    Parameters
    ----------
    data
        A result of `evaluate`; one of `classify` or `regress`, compared on its groups (folds) or else on its items; a
        result of `cross_validate`; the path of a table of values, or a data frame; or `{system: values}`, where values
        are a list in the same order of units for all systems, or `{unit: value}`.
    baseline
        The system that all others are compared with; by default, all pairs are compared. With a number, all systems
        are compared with this value in a one-sample test.
    test
        `"t"` (the default), `"wilcoxon"`, `"sign"`, `"randomisation"`, `"bootstrap"`, `"tukey"`, `"dunnett"` (with a
        baseline), `"randomised tukey"`, `"nemenyi"`, `"tost"`, `"mcnemar"` (the default for classified items),
        `"corrected t"`, `"5x2cv"`.
    correction
        Correction for multiple comparisons: `"holm"` (the default), `"bonferroni"`, `"benjamini-hochberg"`, `"max-T"`
        or `"step-down max-T"` (with randomisation) or `"none"`. Simultaneous tests of all systems already account for
        the number of pairs and accept `"bonferroni"` (their default) or `"none"` over measures.
    family
        The comparisons whose p-values are adjusted together: those on each `"measure"`, so decisions do not depend on
        which other measures were evaluated; or `"all"`, over systems and measures.
    level
        Significance level; intervals of differences have confidence 1 - level. They are simultaneous with the
        correction `"bonferroni"` and the tests `"tukey"` and `"dunnett"`; otherwise they hold for single differences
        unless `simultaneous` is set.
    alternative
        `"two-sided"`, or `"greater"` or `"less"` than the baseline: a higher or lower value of the measure, whether
        that is better or worse. Intervals are always two-sided.
    interval
        Intervals of differences: `"t"`, or `"bca"` by the bootstrap.
    simultaneous
        Make intervals hold for all differences of a family at once: with max-T by its own critical value, with Holm's
        correction as with Bonferroni's.
    seed
        Random seed.
    lower_is_better
        For plain values: True, or the names of the measures for which lower is better, so a lower value is a win.
        Built-in measures, such as ErrorRate, have their own direction.
    topic
        The topic of each query, if queries are variants of topics: the test compares the means of the topics, which are
        independent while variants of one topic are not.
    settings
        Settings of the test: `resamples`, the number of random draws; `margin` of tost; `overlap` of the corrected
        t-test; `variant` of mcnemar (`"exact"`, `"mid-p"` or `"chi-square"`), of 5x2cv
        (`"F"` or `"t"`) and of wilcoxon (`"wilcox"`, or `"pratt"` to rank zeros too).

    Returns
    -------
    Comparison
        One row per pair and measure: the difference, its interval, the p-values and the effect size.

    Examples
    --------
    >>> compared = compare({"new": [0.4, 0.6, 0.7, 0.5], "old": [0.3, 0.5, 0.7, 0.3]}, "old")
    >>> round(compared.rows[0].difference, 4), round(compared.rows[0].p, 4)
    (0.1, 0.0917)
    """
    paired_data = paired(data, lower_is_better, topic)
    return compare_samples(
        paired_data.samples,
        baseline=baseline,
        test=test or ("mcnemar" if RIGHT in paired_data.samples else "t"),
        correction=correction,
        family=family,
        level=level,
        alternative=alternative,
        interval=interval,
        simultaneous=simultaneous,
        seed=seed,
        provenance=paired_data.provenance,
        result=paired_data.result,
        **settings,
    )
