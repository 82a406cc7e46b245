"""What the values behind a release gate lack for a verdict: enough different units, one scale, variation, a loser."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.rounding import ROUNDING, less
from cranfield.evidence.samples import Samples, scales
from cranfield.inference.intervals import constant
from cranfield.measures.naming import known_measure
from cranfield.results.gate_demands import Demand, Needs
from cranfield.results.result_samples import bounds_of, is_geometric, is_summed, may_be_lower
from cranfield.tables.lookalikes import spelled_alike
from cranfield.text import counted, plural

REPEATED = 0.1  # largest proportion of units that may be repetitions of others
_BY_CHANCE = 0.002  # that so many values occur twice, three times … if units are not repeated
_MOST_COPIES = 100
_ROUNDED = 1e-4  # differences below it, for values up to 1, are those of rounded values
_SINGLE = 1e-6  # relative error of values in single precision
_DIFFERENT = 5  # different values that lie on a line, or are sorted, for a reason
_DECIMALS = (2, 3)  # to which values may have been cut


def doubts_about_values(demand: Demand, samples: Samples, value: Mapping[str, float]) -> Iterator[str]:
    """Why the values of the systems of a demand, wherever they come from, allow no verdict."""
    values = samples.values[[samples.system(name) for name in demand.systems]]
    yield from _few(demand, samples, values)
    yield from _repeated(demand, samples, values)
    yield from _on_several_scales(demand, values)
    if demand.is_absolute:
        yield from _of_one_value(demand, samples, values[0])
    elif isinstance(demand.baseline, str):
        yield from _incomparable(demand, samples, values[0], values[1], value[demand.baseline])
    if not demand.is_absolute and may_be_lower(demand.measure, samples):
        yield (f"whether lower values of {demand.measure} are better is not known: set lower_is_better, or rename it")


def worst_value(measure: str, samples: Samples) -> float:
    """The worst value of a measure; infinite if there is none, or none is known."""
    low, high = bounds_of(measure, samples)
    if known_measure(measure) is None and samples.values.min(initial=0) >= 0:
        low = 0.0
    return high if samples.lower_is_better else low


def is_copy(first: Floats, second: Floats) -> bool:
    """Whether values are those of another system, up to rounding in single precision or to few decimals."""
    apart = np.abs(less(first, second))
    if not apart.any():
        return True
    unit = 10.0 ** math.ceil(math.log10(max(np.abs(first).max(), np.abs(second).max())))  # 1 for proportions
    steps = (unit * 10.0**-decimals for decimals in _DECIMALS if (apart < unit * 10.0**-decimals).all())
    cut = (not less(row, np.rint(row / step) * step).any() for step in steps for row in (first, second))
    return bool(apart.max() < _ROUNDED * unit) or any(cut)


def _linear(first: Floats, second: Floats) -> float:
    """The factor by which values are those of another system on another scale; 0 if they are not."""
    if len(np.unique(second)) < _DIFFERENT:
        return 0.0
    away, others_away = first - first.mean(), second - second.mean()
    factor = float((away * others_away).sum() / (others_away**2).sum())
    apart = np.abs(away - factor * others_away).max()
    return factor if apart < _SINGLE * np.abs(away).max() else 0.0


def _are_sorted(values: Floats) -> bool:
    steps = np.diff(values)
    return len(np.unique(values)) >= _DIFFERENT and bool((steps >= 0).all() or (steps <= 0).all())


def _few(demand: Demand, samples: Samples, values: Floats) -> Iterator[str]:
    n, least = len(samples), demand.needs.min_queries
    if n < least:
        yield f"{counted(n, samples.unit)}, but a verdict needs {least:g} (min_queries)"
    elif demand.requirement == "not worse" and isinstance(demand.baseline, str):
        worst = worst_value(demand.measure, samples)
        n_worst = int((values == worst).all(axis=0).sum())
        if n - n_worst < least:
            yield (
                f"both have the worst value, {worst:g}, on {n_worst:,} of {counted(n, samples.unit)}; a verdict needs "
                f"{least:g} others (min_queries)"
            )


def _repeated(demand: Demand, samples: Samples, values: Floats) -> Iterator[str]:
    """Whether names of units are the same or spelled alike, or values occur as often as if units were copied."""
    n, units = len(samples), plural(samples.unit)
    _, name = np.unique(spelled_alike(samples.units), return_inverse=True)
    n_names = len(set(samples.units))
    n_different = min(n_names, len(np.unique(np.vstack([name, values]), axis=1).T))
    if too_many_repeat(n, n_different, demand.needs):
        yield f"only {n_different} of {counted(n, samples.unit)} differ by more than the spelling of their names"
        return
    _, times = np.unique(values, axis=1, return_counts=True)
    copies = _copies(times)
    if copies > 1:
        yield (
            f"nearly every value occurs {copies} times, or a multiple of it: are {units} repeated? there may be only "
            f"{n // copies} {units}"
        )


def too_many_repeat(n: int, n_different: int, needs: Needs) -> bool:
    """Whether so many units repeat others that a verdict would rest on them."""
    return n_different < min(n, needs.min_queries) or n - n_different > REPEATED * n


def _copies(times: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    """How often each unit seems to be repeated, from how often each of the different values occurs; 1 if not at all.

    Of numbers that are multiples by chance, one in two is even, one in three a multiple of 3, and so on.
    """
    most, n_values = min(int(times.max(initial=1)), _MOST_COPIES), len(times)
    for copies in range(most, 1, -1):
        n_multiples = int((times % copies == 0).sum())
        if 2 * n_multiples > n_values and most * _tail(n_multiples, n_values, 1 / copies) < _BY_CHANCE:
            return copies
    return 1


def _tail(least: int, n: int, p: float) -> float:
    """The probability of at least this many of n independent events of probability p."""
    logs = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
        for k in range(least, n + 1)
    ]
    return math.fsum(map(math.exp, logs))


def _on_several_scales(demand: Demand, values: Floats) -> Iterator[str]:
    """Percentages beside proportions, and values that the measure cannot have."""
    required = demand.value if demand.is_absolute else demand.baseline
    named = dict(zip(demand.systems, values, strict=True))
    if isinstance(required, int | float) and not is_summed(demand.measure):
        named["the requirement"] = np.array([required], np.float64)
    if mixed := scales(named):
        yield from mixed
        return
    known = known_measure(demand.measure)
    if known is None:  # right or wrong, as 1 and as 100
        both = {100.0, 1.0} <= {float(row.max()) for row in named.values()} and np.isin(values, (0, 1, 100)).all()
        if both:
            yield "the values of one side are 0 and 1, those of the other 0 and 100: are some of them percentages?"
        return
    low, high = known.declaration.bounds
    beyond = {name: row for name, row in named.items() if row.min() < low - ROUNDING or row.max() > high + ROUNDING}
    for name, row in beyond.items():
        if row.min() < 100 * low or row.max() > 100 * high:
            yield (
                f"the values of {name} go from {row.min():g} to {row.max():g}, but {demand.measure} lies between "
                f"{low:g} and {high:g}"
            )
            return
    if 0 < len(beyond) < len(named):
        first, second = next(iter(beyond)), next(name for name in named if name not in beyond)
        yield f"values of {first} are beyond {high:g}, but not those of {second}: are some of them percentages?"


def _of_one_value(demand: Demand, samples: Samples, values: Floats) -> Iterator[str]:
    """Values that are all the same, and one that decides alone."""
    if len(values) < 2 or is_geometric(demand.measure):
        return
    if constant(values) and values[0] % 1:
        yield f"every value is {values[0]:g}: nothing varies, so nothing was tested"
    largest = int(np.abs(values).argmax())
    others = np.delete(values, largest)
    if np.abs(values[largest]) > np.abs(others).sum():
        without = float(others.sum() if is_summed(demand.measure) else others.mean())
        if without < demand.value if demand.requirement == "at least" else without > demand.value:  # type: ignore[operator]
            yield (
                f"{samples.unit} {samples.units[largest]!r} makes up more than half of the value, which without it "
                f"would be {without:.4f}"
            )


def _incomparable(
    demand: Demand, samples: Samples, first: Floats, second: Floats, baseline_value: float
) -> Iterator[str]:
    """A baseline that has the values of the system, or that any system would match."""
    n, worst = len(samples), worst_value(demand.measure, samples)
    if is_copy(first, second):
        if demand.needs.unchanged != "pass":
            yield (
                f"{demand.system} has the same values as {demand.baseline} on all {counted(n, samples.unit)}, so "
                'nothing was tested: is it a copy? (unchanged = "pass" accepts it as not worse)'
            )
    elif factor := _linear(first, second):
        yield (
            f"{demand.system} has {factor:g} times the value of {demand.baseline} on every {samples.unit}, up to a "
            "constant: is it the same on another scale?"
        )
    elif _are_sorted(first) and _are_sorted(second):
        yield f"the values of both are sorted: do those of one row belong to the same {samples.unit}?"
    elif (second == worst).all():
        yield f"{demand.baseline} has the worst value, {worst:g}, on every {samples.unit}: does it use the same ids?"
    elif demand.margin and not is_geometric(demand.measure):
        room = abs(baseline_value - worst * (n if is_summed(demand.measure) else 1))
        if demand.margin >= room:
            yield (
                f"the margin of {demand.margin:g} is not smaller than the value of {demand.baseline}, "
                f"{baseline_value:.4f}, so that the worst possible system would pass"
                if worst == 0
                else f"with a margin of {demand.margin:g}, a system with the worst value, {worst:g}, would pass"
            )
