"""Power: how likely a paired t-test is to see a difference that is there, and what it takes to see it."""

from __future__ import annotations

import math

from cranfield.errors import BadSetting
from cranfield.evidence.samples import counted, is_number
from cranfield.inference.distributions import Alternative, least, require_alternative, require_level, t_quantile

MOST_UNITS = 10_000_000


def power(
    n_units: int, difference: float, deviation: float, *, level: float = 0.05, alternative: Alternative = "two-sided"
) -> float:
    """How likely so many units are to show this mean difference, their differences having this deviation.

    >>> round(power(6, 1.5, 9.5**0.5), 4)
    0.1643
    """
    _require(n_units, deviation, level)
    _require_difference(difference)
    require_alternative(alternative)
    freedom = n_units - 1
    shift = difference / deviation * math.sqrt(n_units)
    if alternative == "two-sided":
        critical = t_quantile(1 - level / 2, freedom)
        return 1 - _below(freedom, abs(shift), critical) + _below(freedom, abs(shift), -critical)
    critical = t_quantile(1 - level, freedom)
    return 1 - _below(freedom, shift if alternative == "greater" else -shift, critical)


def _below(freedom: int, shift: float, value: float) -> float:
    """The probability that a t whose mean was shifted stays below the value."""
    from scipy.special import nctdtr

    known = float(nctdtr(freedom, shift, value))
    return float(shift < 0) if math.isnan(known) else known  # it gives up in tails beyond what can be counted


def units_needed(
    difference: float,
    deviation: float,
    *,
    power: float = 0.8,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> int:
    """The fewest units that show this mean difference with this power."""
    _require_power(power, level)
    _require_difference(difference)
    if difference == 0:
        raise BadSetting("a difference of 0 cannot be seen, however many units there are; say what should be seen")
    require_alternative(alternative)
    if alternative == "two-sided":
        difference = abs(difference)
    elif (difference > 0) != (alternative == "greater"):
        raise BadSetting(f"a difference of {difference:g} is never seen by a test for {alternative!r}; turn its sign")
    enough, few = 2, 1
    while _power(enough, difference, deviation, level, alternative) < power:
        few, enough = enough, 2 * enough
        if enough > MOST_UNITS:
            raise BadSetting(f"a difference of {difference:g} with a deviation of {deviation:g} needs over {few} units")
    while enough - few > 1:
        middle = (few + enough) // 2
        if _power(middle, difference, deviation, level, alternative) < power:
            few = middle
        else:
            enough = middle
    return enough


def smallest_difference(
    n_units: int,
    deviation: float,
    *,
    power: float = 0.8,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """The smallest mean difference that so many units show with this power."""
    _require(n_units, deviation, level)
    _require_power(power, level)
    require_alternative(alternative)
    side: Alternative = "two-sided" if alternative == "two-sided" else "greater"
    found = least(lambda shift: _power(n_units, shift, 1.0, level, side) >= power)
    return found * deviation * (-1 if alternative == "less" else 1)


def _power(n_units: int, difference: float, deviation: float, level: float, alternative: Alternative) -> float:
    return power(n_units, difference, deviation, level=level, alternative=alternative)


def _require(n_units: int, deviation: float, level: float) -> None:
    require_level(level)
    if not is_number(n_units) or n_units != int(n_units):
        raise BadSetting(f"the number of units must be a whole number, not {n_units!r}")
    if n_units < 2:
        raise BadSetting(f"{counted(int(n_units), 'unit')} only: how differences vary cannot be told from fewer than 2")
    if not is_number(deviation) or not 0 < deviation < math.inf:
        raise BadSetting(f"the deviation of the differences must be a number above 0, not {deviation!r}")


def _require_difference(difference: float) -> None:
    if not is_number(difference) or not math.isfinite(difference):
        raise BadSetting(f"the difference to be seen must be a number, not {difference!r}")


def _require_power(power: float, level: float) -> None:
    require_level(level)
    if not is_number(power) or not level < power < 1:
        raise BadSetting(f"the power must lie between the level, {level:g}, and 1, such as 0.8, not {power!r}")
