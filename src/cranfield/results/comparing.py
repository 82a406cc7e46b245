"""Comparing: every pair of systems tested on every measure, and the p-values corrected for all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Pairs, Samples, counted
from cranfield.inference.catalogue import Outcome, Test, find
from cranfield.inference.distributions import Alternative, require_alternative, require_level
from cranfield.inference.effects import Bounds, Effects, effects
from cranfield.inference.multiplicity import corrected
from cranfield.inference.randomisation import randomised
from cranfield.inference.resampling import generator
from cranfield.results.comparison import Compared, Comparison

Floats = NDArray[np.float64]


def compare(
    samples: Mapping[str, Samples],
    *,
    baseline: str | float | None = None,
    test: str = "t",
    correction: str = "holm",
    level: float = 0.05,
    alternative: Alternative = "two-sided",
    interval: Bounds = "t",
    seed: int = 0,
    lower_is_better: frozenset[str] = frozenset(),
    notes: tuple[str, ...] = (),
    **settings: Any,
) -> Comparison:
    """Systems compared on each measure of `{measure: samples}`, with one correction over all comparisons."""
    require_level(level)
    chosen = find(test)
    own = {"alternative": alternative, "level": level, "seed": seed}
    settings = _settings(chosen, own, settings)
    paired = {name: _paired(own, baseline) for name, own in samples.items()}
    found = {name: _outcome(chosen, pairs, settings) for name, pairs in paired.items()}
    if correction == "max-T":
        found = _together(chosen, paired, found, settings)
    rows = [
        row
        for name, pairs in paired.items()
        for row in _rows(name, pairs, found[name], _sized(pairs, level, interval, seed, name in lower_is_better))
    ]
    return Comparison(
        rows=_corrected(rows, found, chosen, correction, level),
        test=chosen,
        correction=_described(chosen, correction, len(samples)),
        level=level,
        alternative=alternative,
        interval=interval,
        kind=next(iter(samples.values())).kind,
        freedom={name: outcome.freedom for name, outcome in found.items()},
        omnibus={name: str(outcome.omnibus) for name, outcome in found.items() if outcome.omnibus},
        remarks={name: outcome.remark for name, outcome in found.items() if outcome.remark},
        notes=notes + _floors(chosen, paired, level, alternative),
    )


def _floors(test: Test, paired: Mapping[str, Pairs], level: float, alternative: Alternative) -> tuple[str, ...]:
    """Say where so few units leave a test nothing to find."""
    n_units = min(pairs.n_units for pairs in paired.values())
    least = (1 if alternative != "two-sided" else 2) / 2**n_units
    if test.name not in ("sign", "wilcoxon", "randomisation") or least < level:
        return ()
    return (f"{n_units} units leave this test no p below {least:g}: it can find nothing at the level {level:g}",)


def _settings(test: Test, own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    require_alternative(own["alternative"])
    generator(own["seed"])
    if own["alternative"] != "two-sided" and "alternative" not in test.settings:
        raise BadSetting(f"the test {test.name!r} is two-sided")
    return {name: value for name, value in own.items() if name in test.settings} | dict(given)


def _paired(samples: Samples, baseline: str | float | None) -> Pairs:
    if len(samples) < 2:
        raise BadInput(
            f"{counted(len(samples), samples.kind)} only: how values vary, and so whether a difference could be "
            "chance, cannot be told from fewer than 2"
        )
    if isinstance(baseline, int | float):
        samples = samples.with_constant(baseline)
        return samples.pairs(samples.systems[-1])
    return samples.pairs(baseline)


def _outcome(test: Test, pairs: Pairs, settings: Mapping[str, Any]) -> Outcome:
    """What the test finds, leaving out pairs without any difference: those have p = 1."""
    differ = (pairs.difference != 0).any(axis=0)
    if differ.all() or test.simultaneous or test.name == "tost":
        return test(pairs, **settings)
    statistic, p = np.zeros(len(pairs)), np.ones(len(pairs))
    if not differ.any():
        return Outcome(statistic, p)
    found = test(pairs.taken(differ), **settings)
    statistic[differ], p[differ] = found.statistic, found.p
    half_width = None
    if found.half_width is not None:
        half_width = np.zeros(len(pairs))
        half_width[differ] = found.half_width
    return replace(found, statistic=statistic, p=p, half_width=half_width)


def _together(
    test: Test, paired: Mapping[str, Pairs], found: Mapping[str, Outcome], settings: Mapping[str, Any]
) -> dict[str, Outcome]:
    """The outcomes with p-values corrected by the greatest statistic of all pairs and measures under each flip."""
    if test.name != "randomisation":
        raise BadSetting("the correction max-T comes with the test 'randomisation' alone")
    units = {
        unit: place for place, unit in enumerate(dict.fromkeys(u for p in paired.values() for u in p.samples.units))
    }
    tables = []
    for pairs in paired.values():
        table = np.zeros((len(units), len(pairs)))  # a unit a measure has no value for flips nothing
        table[[units[unit] for unit in pairs.samples.units]] = pairs.difference
        tables.append(table)
    options = {**test.settings, **settings}
    both = randomised(np.hstack(tables), options["flips"], options["seed"], options["alternative"])
    ends = np.cumsum([len(pairs) for pairs in paired.values()])[:-1]
    return {
        name: replace(found[name], together=together)
        for name, together in zip(paired, np.split(both.greatest, ends), strict=True)
    }


def _sized(pairs: Pairs, level: float, interval: Bounds, seed: int, lower: bool) -> Effects:
    return effects(pairs, level=level, interval=interval, seed=seed, higher_is_better=not lower)


def _rows(measure: str, pairs: Pairs, outcome: Outcome, size: Effects) -> list[Compared]:
    mean = pairs.samples.values.mean(axis=1)
    low, high = size.low, size.high
    if outcome.half_width is not None:
        low, high = size.difference - outcome.half_width, size.difference + outcome.half_width
    return [
        Compared(
            measure=measure,
            system=pairs.samples.systems[first],
            baseline=pairs.samples.systems[second],
            n=pairs.n_units,
            mean=float(mean[first]),
            baseline_mean=float(mean[second]),
            difference=float(size.difference[p]),
            low=float(low[p]),
            high=float(high[p]),
            d_z=float(size.d_z[p]),
            wins=int(size.wins[p]),
            ties=int(size.ties[p]),
            losses=int(size.losses[p]),
            detectable=float(size.detectable[p]),
            statistic=float(outcome.statistic[p]),
            p=float(outcome.p[p]),
            corrected=float("nan"),
            significant=False,
            note=_note(pairs.difference[:, p], pairs.samples.kind),
        )
        for p, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True))
    ]


def _note(difference: Floats, kind: str) -> str:
    if not difference.any():
        return f"the two have the same value on every {kind}: nothing tells them apart"
    if np.ptp(difference) <= 1e-12 * np.abs(difference).max():
        return f"the difference is the same on every {kind}: it does not vary, and t is infinite"
    return ""


def _corrected(
    rows: list[Compared], found: Mapping[str, Outcome], test: Test, correction: str, level: float
) -> tuple[Compared, ...]:
    p = np.array([row.p for row in rows])
    if correction == "max-T":
        adjusted = np.concatenate([o.together for o in found.values()])
        adjusted = np.where([row.wins + row.losses > 0 for row in rows], adjusted, 1.0)
    elif test.simultaneous:
        adjusted = np.minimum(p * len(found), 1.0) if correction != "none" else p
    else:
        adjusted = corrected(p, correction)
    return tuple(
        replace(row, corrected=float(value), significant=bool(value < level))
        for row, value in zip(rows, adjusted, strict=True)
    )


def _described(test: Test, correction: str, n_measures: int) -> str:
    if not test.simultaneous or correction == "none":
        return correction
    return "the test itself" + (f" and bonferroni over {n_measures} measures" if n_measures > 1 else "")
