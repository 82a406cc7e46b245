"""Mixed models: differences between systems, with random effects of topics, shards, collections or annotators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import frozen
from cranfield.inference.corrections import DEFAULT_CORRECTION, adjusted
from cranfield.inference.distributions import require_confidence
from cranfield.inference.mixed_models import Fit, fit
from cranfield.inference.variance_analysis import RESIDUAL, variance_table
from cranfield.results.verb_result import AnnotatedResult

SYSTEM = "system"
NEGLIGIBLE = 2.0**-44  # of the largest value: rounding
MANY_CELLS = 50_000_000  # of a design that is not checked for an exact fit, which large tables do not have


@frozen(eq=False)
class Observations:
    """Values with the system and the levels of other factors that each belongs to."""

    values: Floats
    factors: Mapping[str, tuple[str, ...]]  # the level of each value, by factor; one is the system

    def levels(self, factor: str) -> tuple[list[str], Ints]:
        """The names of the levels, and the level of each value; `a:b` is the combination of two factors."""
        parts = [factor] if factor in self.factors else factor.split(":")
        for part in parts:
            if part not in self.factors:
                raise BadSetting(f"there is no factor {part!r}; available: {', '.join(self.factors)}")
        combined = list(zip(*(self.factors[part] for part in parts), strict=True))
        place = {levels: number for number, levels in enumerate(dict.fromkeys(combined))}
        return [" ".join(levels) for levels in place], np.array([place[levels] for levels in combined])


@frozen
class Contrast:
    """The difference between two systems in the model."""

    measure: str
    system: str
    baseline: str
    difference: float
    low: float
    high: float
    error: float
    freedom: float
    t: float
    p: float
    adjusted_p: float


@frozen
class Component:
    """The variance of a random factor or of the residuals, and its proportion of the total."""

    measure: str
    source: str
    levels: int
    variance: float
    deviation: float
    proportion: float


@frozen
class VarianceRow:
    """A row of the analysis of variance; F and p compare it with the residuals."""

    measure: str
    source: str
    freedom: int
    squares: float
    mean_square: float
    f: float | None
    p: float | None


@frozen(eq=False)
class MixedModel(AnnotatedResult):
    """Contrasts between systems, components of variance and, for complete tables, the analysis of variance."""

    kind = "mixed-model"
    record_fields = (("contrasts", "contrasts"), ("components", "components"), ("analysis", "analysis"))

    contrasts: tuple[Contrast, ...]
    components: tuple[Component, ...]
    analysis: tuple[VarianceRow, ...]


def modelled(
    by_measure: Mapping[str, Observations], baseline: str | None, random: tuple[str, ...], confidence: float
) -> MixedModel:
    """The mixed model of each measure."""
    require_confidence(confidence)
    contrasts: list[Contrast] = []
    components: list[Component] = []
    analysis: list[VarianceRow] = []
    notes = []
    for measure, observed in by_measure.items():
        systems, place = observed.levels(SYSTEM)
        _require(measure, systems, baseline, observed, random)
        factors = [observed.levels(name) for name in random]
        exact = _exact_differences(observed, random)
        if exact is not None:
            contrasts += _untested(measure, systems, baseline, exact)
            sources = " and ".join((SYSTEM, *random))
            notes.append(f"{measure}: no test: {sources} explain every value exactly, so there is no residual variance")
            continue
        model = fit(observed.values, np.eye(len(systems))[place], [levels for _, levels in factors])
        contrasts += _contrasts(measure, systems, baseline, model, confidence)
        sizes = {name: len(names) for name, (names, _) in zip(random, factors, strict=True)}
        of_measure = [*_components(measure, sizes, model)]
        components += of_measure
        notes += [f"{measure}: the variance of {one.source} is 0" for one in of_measure if one.variance == 0]
        analysis += [VarianceRow(measure, *source) for source in _complete(observed, random)]
    if components and not analysis:
        notes.append("no analysis of variance: it needs one value for every combination of levels")
    formula = " + ".join(["value ~ system", *(f"(1 | {name})" for name in random)])
    settings = {"formula": formula, "method": "REML", "baseline": baseline, "confidence": confidence}
    parts = (tuple(contrasts), tuple(components), tuple(analysis))
    return MixedModel(*parts, settings=settings, notes=tuple(dict.fromkeys(notes)))


def _require(
    measure: str, systems: list[str], baseline: str | None, observed: Observations, random: tuple[str, ...]
) -> None:
    if len(systems) < 2:
        raise BadInput(f"{measure}: a comparison needs at least two systems; got {len(systems)}")
    if baseline is not None and baseline not in systems:
        raise BadInput(f"there is no system {baseline!r}; available: {', '.join(systems)}")
    if not random or SYSTEM in random:
        raise BadSetting("name at least one random factor besides the system, such as topic")
    for name in random:
        names, _ = observed.levels(name)
        if not 2 <= len(names) < len(observed.values):
            raise BadInput(
                f"{measure}: {name} has {len(names)} levels for {len(observed.values)} values; a random factor needs "
                "at least 2 levels, and several values for some of them"
            )


def _exact_differences(observed: Observations, random: tuple[str, ...]) -> Floats | None:
    """The effects of the systems, if they and the other factors explain all values exactly; otherwise None."""
    factors = [observed.levels(name) for name in (SYSTEM, *random)]
    n, n_columns = len(observed.values), sum(len(names) for names, _ in factors)
    if n * n_columns > MANY_CELLS:
        return None
    design = np.hstack([np.eye(len(names))[place] for names, place in factors])
    effects, _, rank, _ = np.linalg.lstsq(design, observed.values, rcond=None)
    left = np.abs(observed.values - design @ effects).max()
    exact = rank < n and left <= NEGLIGIBLE * np.abs(observed.values).max()
    return np.asarray(effects[: len(factors[0][0])]) if exact else None


def _pairs(systems: list[str], baseline: str | None) -> list[tuple[int, int]]:
    """The systems that are compared, by their places."""
    if baseline is None:
        return list(combinations(range(len(systems)), 2))
    base = systems.index(baseline)
    return [(place, base) for place in range(len(systems)) if place != base]


def _untested(measure: str, systems: list[str], baseline: str | None, effects: Floats) -> Iterator[Contrast]:
    """Differences without variance: neither tested nor with intervals."""
    for first, second in _pairs(systems, baseline):
        difference = float(effects[first] - effects[second])
        yield Contrast(measure, systems[first], systems[second], difference, *[float("nan")] * 7)


def _contrasts(
    measure: str, systems: list[str], baseline: str | None, model: Fit, confidence: float
) -> Iterator[Contrast]:
    from scipy.special import stdtr, stdtrit

    rows = []
    for first, second in _pairs(systems, baseline):
        weights = np.zeros(len(systems))
        weights[first], weights[second] = 1, -1
        difference, error = float(weights @ model.fixed), float(np.sqrt(model.variance_of(weights)))
        freedom = model.freedom_of(weights)
        half = float(stdtrit(freedom, (1 + confidence) / 2)) * error
        t = difference / error
        p = min(1.0, float(2 * stdtr(freedom, -abs(t))))
        bounds = (difference, difference - half, difference + half, error, freedom, t, p, p)
        rows.append(Contrast(measure, systems[first], systems[second], *bounds))
    after = adjusted(np.array([row.p for row in rows]), DEFAULT_CORRECTION)
    return (replace(row, adjusted_p=float(p)) for row, p in zip(rows, after, strict=True))


def _components(measure: str, sizes: Mapping[str, int], model: Fit) -> Iterator[Component]:
    variances = [*model.variances.tolist(), model.residual]
    for (source, levels), variance in zip([*sizes.items(), (RESIDUAL, model.design.n_values)], variances, strict=True):
        yield Component(measure, source, levels, variance, variance**0.5, variance / sum(variances))


def _complete(observed: Observations, random: tuple[str, ...]) -> list[Any]:
    """The analysis of variance, if there is one value for every combination of levels."""
    names = [SYSTEM, *(name for name in random if ":" not in name)]
    levels = [observed.levels(name) for name in names]
    shape = tuple(len(known) for known, _ in levels)
    if np.prod(shape) != len(observed.values):
        return []
    places = tuple(place for _, place in levels)
    counts = np.zeros(shape, np.int64)
    np.add.at(counts, places, 1)
    if (counts != 1).any():
        return []
    table = np.empty(shape)
    table[places] = observed.values
    return variance_table(table, names)
