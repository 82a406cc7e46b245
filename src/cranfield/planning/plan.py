"""How many queries does it take to detect a difference?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cranfield.errors import BadSetting, require_between, require_one_of, require_whole
from cranfield.evidence.samples import is_number
from cranfield.planning import result as planning
from cranfield.planning.items import ItemPlan, PlannedItems
from cranfield.planning.result import Design, Plan
from cranfield.results.samples import paired
from cranfield.statistics.distributions import Alternative, require_level
from cranfield.statistics.power import area_power, items_needed, kappa_power


def plan(
    data: Any,
    difference: float | None = None,
    *,
    baseline: str | None = None,
    queries: int | None = None,
    power: float = 0.8,
    level: float = 0.05,
    comparisons: int = 1,
    alternative: Alternative = "two-sided",
) -> Plan:
    """Number of queries needed to detect a difference, and the power of those at hand.

    A small pilot estimates the variance of the differences poorly: `needed_low` and `needed_high` are the numbers
    needed at the bounds of its 95 % chi-square interval.

    Parameters
    ----------
    data
        A pilot: a result, samples, or `{system: values}`. Or a number: the standard deviation of the differences
        between two systems, if known.
    difference
        The mean difference to detect; without one, only the smallest detectable difference is computed.
    baseline
        The system that all others are paired with; by default, all pairs are formed.
    queries
        The number of queries of the planned test; by default, that of the pilot.
    power
        Desired power: the probability of detecting a true difference.
    level
        Significance level.
    comparisons
        The number of comparisons to correct for: each is planned at the level divided by this number.
    alternative
        Alternative hypothesis: `"two-sided"`, `"greater"` or `"less"`.

    Returns
    -------
    Plan
        One row per pair and measure.

    Examples
    --------
    >>> pilot = {"new": [0.4, 0.6, 0.7, 0.5, 0.2], "old": [0.3, 0.5, 0.7, 0.3, 0.3]}
    >>> row = plan(pilot, 0.05).rows[0]
    >>> row.needed_low, row.needed, row.needed_high
    (17, 43, 339)
    >>> round(plan(0.1, queries=50).rows[0].smallest, 4)
    0.0404
    """
    design = Design(difference, queries, power, level, alternative, comparisons)
    if not is_number(data):
        pilot = paired(data)
        return replace(planning.from_pilot(pilot.tested, design, baseline=baseline), provenance=pilot.provenance)
    if baseline is not None:
        raise BadSetting(f"baseline={baseline!r} does not apply to a deviation, which has no systems")
    return planning.from_deviation(float(data), design)


def plan_area(
    area: float,
    null: float = 0.5,
    *,
    items: int | None = None,
    prevalence: float = 0.5,
    correlation: float | None = None,
    power: float = 0.8,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> ItemPlan:
    """Number of items needed to show that an area under the ROC curve differs from another value.

    Parameters
    ----------
    area
        The expected area.
    null
        The area under the null hypothesis: a number such as 0.5, or the area of another scorer.
    items
        Also compute the power of this many items.
    prevalence
        The proportion of positive items.
    correlation
        If `null` is the area of another scorer: the correlation of the two estimated areas, 0 for different items.
    power
        Desired power: the probability of detecting a true difference.
    level
        Significance level.
    alternative
        Alternative hypothesis: `"two-sided"`, `"greater"` or `"less"`.

    Returns
    -------
    ItemPlan
        The number of items, and the power, with the variance of Hanley and McNeil (1982), which is exact for
        exponential scores and rather large for normal ones. The test against a number is a z-test with the variance
        under the null hypothesis (for 0.5, the Mann-Whitney test), that against another scorer is DeLong's.

    Examples
    --------
    >>> plan_area(0.85, 0.75, prevalence=0.3).rows[0].needed
    228
    """
    for name, value in (("area", area), ("null", null), ("prevalence", prevalence)):
        require_between(name, value, 0, 1)
    if correlation is not None:
        require_between("correlation", correlation, -1, 1)
    require_one_of("alternative", alternative, Alternative)
    if area == null or (alternative != "two-sided" and (area > null) != (alternative == "greater")):
        raise BadSetting(f"an area of {area:g} cannot be distinguished from {null:g} with alternative={alternative!r}")
    test: dict[str, Any] = {"prevalence": prevalence, "correlation": correlation, "level": level}
    test |= {"alternative": alternative}
    one = "z-test of the AUC with its variance under the null hypothesis" + ", as Mann-Whitney's" * (null == 0.5)
    note = one if correlation is None else f"DeLong's test of two scorers, correlation {correlation:g}"
    note += "; variance of Hanley and McNeil, which is rather large for normally distributed scores"
    least = math.ceil(2 / min(prevalence, 1 - prevalence))  # two items of each class
    row = ("AUC", area, null, prevalence)
    return _item_plan(row, lambda n: area_power(n, area, null, **test), items, power, test, note, least)


def plan_kappa(
    kappa: float,
    null: float = 0.0,
    *,
    items: int | None = None,
    prevalence: float = 0.5,
    power: float = 0.8,
    level: float = 0.05,
) -> ItemPlan:
    """Number of items that two raters must rate to show that kappa differs from a value.

    Parameters
    ----------
    kappa
        The expected kappa, of two categories.
    null
        Kappa under the null hypothesis.
    items
        Also compute the power of this many items.
    prevalence
        The probability with which each rater chooses the first category.
    power
        Desired power: the probability of detecting a true difference.
    level
        Significance level of the two-sided test.

    Returns
    -------
    ItemPlan
        The number of items, and the power, by the chi-square test of Donner and Eliasziw (1992).

    Examples
    --------
    >>> plan_kappa(0.6, 0.4, prevalence=0.3).rows[0].needed
    191
    """
    require_between("prevalence", prevalence, 0, 1)
    lowest = -min(prevalence, 1 - prevalence) / max(prevalence, 1 - prevalence)
    for name, value in (("kappa", kappa), ("null", null)):
        require_between(name, value, lowest, 1)
    if kappa == null:
        raise BadSetting("kappa and null must differ: no number of items can distinguish equal values")
    test: dict[str, Any] = {"prevalence": prevalence, "level": level}
    note = "chi-square goodness-of-fit test of Donner and Eliasziw, for two raters and two categories; a Wald test, as "
    note += "by an interval of kappa, may have more or less power"
    row, settings = ("Kappa", kappa, null, prevalence), {**test, "alternative": "two-sided"}
    return _item_plan(row, lambda n: kappa_power(n, kappa, null, **test), items, power, settings, note, 2)


def _item_plan(
    row: tuple[str, float, float, float], power_of: Callable[[int], float], items: int | None, power: float,
    test: Mapping[str, Any], note: str, least: int,
) -> ItemPlan:  # fmt: skip
    """The plan for a test whose power is a function of the number of items."""
    require_level(test["level"])
    require_between("power", power, test["level"], 1)
    if items is not None:
        require_whole("items", items, least)
    reached = None if items is None else power_of(items)
    planned = PlannedItems(*row, items_needed(power_of, power, least), items, reached)
    return ItemPlan((planned,), settings={"power": power, **test}, notes=(note,))
