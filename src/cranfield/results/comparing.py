"""Comparing: every pair of systems tested on every measure, and the p-values corrected for all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Pairs, Samples, counted, is_number
from cranfield.inference.catalogue import Outcome, Test, find
from cranfield.inference.distributions import Alternative, require_alternative, require_level
from cranfield.inference.effects import Bounds, Effects, effects
from cranfield.inference.multiplicity import corrected, require_correction
from cranfield.inference.power import smallest_difference
from cranfield.inference.randomisation import randomised
from cranfield.inference.resampling import generator
from cranfield.results.comparison import Compared, Comparison

Floats = NDArray[np.float64]

POWER = 0.8  # with which a difference is said to be seen


@dataclass(frozen=True)
class Terms:
    """What is asked of a comparison, whatever the test."""

    level: float
    alternative: Alternative
    interval: Bounds
    seed: int

    def __post_init__(self) -> None:
        require_level(self.level)
        require_alternative(self.alternative)
        generator(self.seed)


def compare(
    samples: Mapping[str, Samples],
    *,
    baseline: str | float | None = None,
    test: str = "t",
    correction: str | None = None,
    level: float = 0.05,
    alternative: Alternative = "two-sided",
    interval: Bounds = "t",
    seed: int = 0,
    **settings: Any,
) -> Comparison:
    """Systems compared on each measure of `{measure: samples}`, with one correction over all comparisons."""
    terms, chosen = Terms(level, alternative, interval, seed), find(test)
    correction = _correction(chosen, correction, len(samples))
    settings = _settings(chosen, terms, settings)
    paired = {name: _paired(own, baseline, chosen) for name, own in samples.items()}
    if correction == "max-T":
        found = _together(chosen, paired, settings)
    else:
        found = {name: chosen(pairs, **settings) for name, pairs in paired.items()}
    rows = _corrected([*_rows(paired, found, terms)], found, chosen, correction, level)
    return Comparison(
        rows=rows,
        test=_as_run(chosen, baseline, found),
        correction=correction if not chosen.simultaneous else _allowed(correction, len(samples)),
        baseline=None if baseline is None else rows[0].baseline,
        kind=next(iter(samples.values())).kind,
        freedom={name: outcome.freedom for name, outcome in found.items()},
        omnibus={name: str(outcome.omnibus) for name, outcome in found.items() if outcome.omnibus},
        remarks={name: outcome.remark for name, outcome in found.items() if outcome.remark},
        notes=tuple(dict.fromkeys(_notes(samples, chosen, rows, correction, terms))),
        **vars(terms),
    )


def _correction(test: Test, correction: str | None, n_measures: int) -> str:
    """The correction asked for, if it goes with the test; without one, the usual."""
    if correction is None:
        return "bonferroni" if test.simultaneous else "holm"
    if correction != "max-T":
        require_correction(correction)
    elif test.name != "randomisation":
        raise BadSetting("the correction max-T comes with the test 'randomisation' alone")
    if test.simultaneous and n_measures > 1 and correction not in ("bonferroni", "none"):
        raise BadSetting(
            f"the test {test.name!r} allows for all pairs of systems itself; over {n_measures} measures it takes the "
            f"correction bonferroni or none, not {correction}"
        )
    return correction


def _allowed(correction: str, n_measures: int) -> str:
    """How a test of all systems at once is corrected: by itself, and over measures."""
    if correction == "none":
        return correction
    return "the test itself" + (f" and bonferroni over {n_measures} measures" if n_measures > 1 else "")


def _settings(test: Test, terms: Terms, given: Mapping[str, Any]) -> dict[str, Any]:
    if terms.alternative != "two-sided" and "alternative" not in test.settings:
        raise BadSetting(f"the test {test.name!r} is two-sided")
    return {name: value for name, value in vars(terms).items() if name in test.settings} | dict(given)


def _paired(samples: Samples, baseline: object, test: Test) -> Pairs:
    if len(samples) < 2:
        raise BadInput(
            f"{counted(len(samples), samples.kind)} only: how values vary, and so whether a difference could be "
            "chance, cannot be told from fewer than 2"
        )
    if baseline is None or isinstance(baseline, str):
        return samples.pairs(baseline)
    if not is_number(baseline):
        raise BadSetting(f"the baseline is the name of a system or a number, not {baseline!r}")
    if test.simultaneous:
        raise BadSetting(f"the test {test.name!r} is of systems that vary; a number as the baseline goes with 't'")
    samples = samples.with_constant(float(baseline))
    return samples.pairs(samples.systems[-1])


def _as_run(test: Test, baseline: object, found: Mapping[str, Outcome]) -> Test:
    """The test as it was run: on one sample if the baseline is a number, with the statistic of its form."""
    title = test.title.replace("paired", "one-sample") if is_number(baseline) else test.title
    symbol = next((outcome.symbol for outcome in found.values() if outcome.symbol), test.symbol)
    return replace(test, title=title, symbol=symbol)


def _together(test: Test, paired: Mapping[str, Pairs], settings: Mapping[str, Any]) -> dict[str, Outcome]:
    """What randomisation finds with p-values corrected by the greatest statistic of all pairs and measures."""
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
    parts = zip(paired.items(), np.split(both.p, ends), np.split(both.greatest, ends), strict=True)
    remark = both.remark(options["seed"])
    return {name: Outcome(pairs.mean, p, remark=remark, together=greatest) for (name, pairs), p, greatest in parts}


def _rows(paired: Mapping[str, Pairs], found: Mapping[str, Outcome], terms: Terms) -> Iterator[Compared]:
    for measure, pairs in paired.items():
        size = effects(pairs, level=terms.level, interval=terms.interval, seed=terms.seed)
        yield from _rows_of(measure, pairs, found[measure], size, terms)


def _rows_of(measure: str, pairs: Pairs, outcome: Outcome, size: Effects, terms: Terms) -> Iterator[Compared]:
    mean = pairs.samples.values.mean(axis=1)
    low, high = size.low, size.high
    if outcome.half_width is not None:
        centre = size.difference if outcome.centre is None else outcome.centre
        low, high = centre - outcome.half_width, centre + outcome.half_width
    detectable = _detectable(pairs, outcome, terms)
    for p, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        yield Compared(
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
            detectable=float(detectable[p]),
            statistic=float(outcome.statistic[p]),
            p=float(outcome.p[p]),
            corrected=float("nan"),
            significant=False,
            note=_note(pairs, p, outcome, bounded=bool(np.isfinite(low[p]))),
        )


def _detectable(pairs: Pairs, outcome: Outcome, terms: Terms) -> Floats:
    """The mean difference that the test would have shown four times in five; NaN where that is not known."""
    if outcome.error is None or terms.level >= POWER:
        return np.full(len(pairs), np.nan)
    of_one = smallest_difference(pairs.n_units, 1.0, power=POWER, level=terms.level, alternative=terms.alternative)
    return abs(of_one) * np.sqrt(pairs.n_units) * outcome.error


def _note(pairs: Pairs, p: int, outcome: Outcome, *, bounded: bool) -> str:
    kind = pairs.samples.kind
    if not pairs.difference[:, p].any():
        return f"the two have the same value on every {kind}: nothing tells them apart"
    if pairs.deviation[p] == 0:
        infinite = " and the statistic is infinite" if np.isinf(outcome.statistic[p]) else ""
        return f"the difference is the same on every {kind}: it does not vary{infinite}"
    if not bounded:
        return "the splits differ so much more than their halves that the test retains no mean difference: no interval"
    return ""


def _corrected(
    rows: list[Compared], found: Mapping[str, Outcome], test: Test, correction: str, level: float
) -> tuple[Compared, ...]:
    p = np.array([row.p for row in rows])
    if correction == "max-T":
        adjusted = np.concatenate([outcome.together for outcome in found.values()])
    elif test.simultaneous:
        adjusted = np.minimum(p * len(found), 1.0) if correction != "none" else p
    else:
        adjusted = corrected(p, correction)
    return tuple(
        replace(row, corrected=float(value), significant=bool(value < level))
        for row, value in zip(rows, adjusted, strict=True)
    )


def _notes(
    samples: Mapping[str, Samples], test: Test, rows: tuple[Compared, ...], correction: str, terms: Terms
) -> Iterator[str]:
    """What has to be said of the values, and of what the test can make of them."""
    for own in samples.values():
        yield from own.notes
    if any(own.overlap for own in samples.values()) and test.name not in ("corrected t", "5x2cv"):
        yield "folds share training data; this test takes them for independent and finds too much: use 'corrected t'"
    n_apart = max(row.wins + row.losses for row in rows)
    times = len(rows) if correction in ("holm", "bonferroni") else 1
    least = times * (1 if terms.alternative != "two-sided" else 2) / 2**n_apart
    if test.name in ("sign", "wilcoxon", "randomisation") and n_apart and least >= terms.level:
        after = f" after {correction} over {times} comparisons" if times > 1 else ""
        yield (
            f"{counted(n_apart, 'difference')} other than 0 leave this test no p below {least:g}{after}: "
            f"it can find nothing at the level {terms.level:g}"
        )
