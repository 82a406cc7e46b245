"""How many items does it take to distinguish two values of an AUC, or of kappa?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from cranfield.errors import BadSetting, require_between, require_whole
from cranfield.frozen import frozen
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.settings import Count, Means, Power, Range, Significance
from cranfield.statistics.distributions import Hypothesis
from cranfield.statistics.power import area_power, items_needed, kappa_power
from cranfield.text import counted, percent
from cranfield.verb import verb

PLAN = Schema(
    "plan",
    "Items needed",
    (
        *texts("measure"),
        *figures("value", "null", "prevalence"),
        Field("needed", digits=0),
        Field("n", "items", digits=0, optional=True),
        Field("power", digits=2, optional=True),  # of n items
    ),
)
Within = Range("a number between 0 and 1", low=0, high=1, open=True)
Prevalence = Annotated[float, Within, Means("Proportion of positive items.")]
Items = Annotated[Count | None, Means("Also compute the power of this many items.")]


@frozen(eq=False)
class ItemPlan(AnnotatedResult):
    """The number of items for a test of an area under the ROC curve, or of kappa."""

    kind = "item plan"

    rows: Columns

    @property
    def answer(self) -> str:
        """The number of items needed, and the power of a given number."""
        (row,) = self.rows
        text = (
            f"{counted(row.needed, 'item')} are needed to distinguish {row.measure} {row.value:g} from {row.null:g} "
            f"with power {self.settings['power']:g}."
        )
        return text if row.n is None else f"{text} With {counted(row.n, 'item')}, the power is {percent(row.power)}."

    @property
    def explanations(self) -> tuple[str, ...]:
        """The power, the level and the alternative."""
        settings = self.settings
        return (
            f"needed: items for power {settings['power']:g} at level {settings['level']:g}, {settings['alternative']}",
        )


@verb
def plan_area(
    area: Annotated[float, Within, Means("The expected area under the ROC curve (AUC).")],
    null: Annotated[
        float,
        Within,
        Means("The area under the null hypothesis: a number such as 0.5, or the area of another scorer."),
    ] = 0.5,
    *,
    items: Items = None,
    prevalence: Prevalence = 0.5,
    correlation: Annotated[
        float | None,
        Range("a number between -1 and 1", low=-1, high=1, open=True),
        Means(
            "If `null` is the area of another scorer: the correlation of the two estimated areas, 0 for different "
            "items."
        ),
    ] = None,
    power: Power = 0.8,
    level: Significance = 0.05,
    alternative: Hypothesis = "two-sided",
) -> ItemPlan:
    """Number of items needed to show that an area under the ROC curve differs from another value.

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
    if area == null or (alternative != "two-sided" and (area > null) != (alternative == "greater")):
        raise BadSetting(f"an area of {area:g} cannot be distinguished from {null:g} with alternative={alternative!r}")
    test: dict[str, Any] = {"prevalence": prevalence, "correlation": correlation, "level": level}
    test |= {"alternative": alternative}
    one = "z-test of the AUC with its variance under the null hypothesis" + ", as Mann-Whitney's" * (null == 0.5)
    note = one if correlation is None else f"DeLong's test of two scorers, correlation {correlation:g}"
    note += "; variance of Hanley and McNeil, which is rather large for normally distributed scores"
    least = math.ceil(2 / min(prevalence, 1 - prevalence))  # two items of each class
    row = ("AUC", area, null, prevalence)
    return _planned(row, lambda n: area_power(n, area, null, **test), items, power, test, note, least)


@verb
def plan_kappa(
    kappa: Annotated[float, Means("The expected kappa, of two raters and two categories.")],
    null: Annotated[float, Means("Kappa under the null hypothesis.")] = 0.0,
    *,
    items: Items = None,
    prevalence: Annotated[
        float, Within, Means("The probability with which each rater chooses the first category.")
    ] = 0.5,
    power: Power = 0.8,
    level: Significance = 0.05,
) -> ItemPlan:
    """Number of items that two raters must rate to show that kappa differs from a value.

    Returns
    -------
    ItemPlan
        The number of items, and the power, by the chi-square test of Donner and Eliasziw (1992).

    Examples
    --------
    >>> plan_kappa(0.6, 0.4, prevalence=0.3).rows[0].needed
    191
    """
    lowest = -min(prevalence, 1 - prevalence) / max(prevalence, 1 - prevalence)
    for name, value in (("kappa", kappa), ("null", null)):
        require_between(name, value, lowest, 1)
    if kappa == null:
        raise BadSetting("kappa and null must differ: no number of items can distinguish equal values")
    test: dict[str, Any] = {"prevalence": prevalence, "level": level}
    note = "chi-square goodness-of-fit test of Donner and Eliasziw, for two raters and two categories; a Wald test, as "
    note += "by an interval of kappa, may have more or less power"
    row, settings = ("Kappa", kappa, null, prevalence), {**test, "alternative": "two-sided"}
    return _planned(row, lambda n: kappa_power(n, kappa, null, **test), items, power, settings, note, 2)


def _planned(
    row: tuple[str, float, float, float], power_of: Callable[[int], float], items: int | None, power: float,
    test: Mapping[str, Any], note: str, least: int,
) -> ItemPlan:  # fmt: skip
    """The plan for a test whose power is a function of the number of items."""
    require_between("power", power, test["level"], 1)
    if items is not None:
        require_whole("items", items, least)
    reached = None if items is None else power_of(items)
    planned = (*row, items_needed(power_of, power, least), items, reached)
    return ItemPlan(PLAN.of([planned]), settings={"power": power, **test}, notes=(note,))
