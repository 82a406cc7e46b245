"""Are systems different? Compare them.

Decided here: which p-values are adjusted together, and which differences are significant.

Decided here: whether a baseline such as 0.31 is a number or the name of a system, and when there is no test.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.comparison.result import OF_LOGARITHMS, Compared, Comparison, Family
from cranfield.errors import BadInput, BadSetting, require_one_of
from cranfield.evidence.samples import Pairs, Samples, is_number
from cranfield.frozen import frozen
from cranfield.measures.naming import known_measure
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.samples import (
    RIGHT,
    Lower,
    is_geometric,
    on_tested_scale,
    paired,
    require_below_range,
    require_in_range,
)
from cranfield.results.values import Result
from cranfield.statistics.distributions import Alternative, require_level
from cranfield.statistics.effects import (
    BY_RANDOMISATION,
    DEFAULT_CORRECTION,
    FAMILYWISE,
    DifferenceInterval,
    Effects,
    adjusted,
    d_z_interval,
    effects,
    require_correction,
    title,
)
from cranfield.statistics.pairs import arrangements, randomised, simultaneous_critical_value
from cranfield.statistics.power import smallest_difference
from cranfield.statistics.resampling import generator
from cranfield.statistics.tests import Outcome, Test, find
from cranfield.tables.numbers import number
from cranfield.text import counted, plural

# Families of comparisons, whose p-values are adjusted together and whose intervals are simultaneous


@frozen(eq=False)
class Families:
    """The pairs on each measure, and the correction of p-values within each measure or over all."""

    correction: str
    family: Family
    test: Test
    paired: Mapping[str, Pairs]
    simultaneous: bool = False  # whether intervals hold for all differences of a family at once

    @property
    def n_measures(self) -> int:
        """The number of measures in a family."""
        return len(self.paired) if self.family == "all" else 1

    @property
    def n_comparisons(self) -> int:
        """The number of comparisons in a family: every measure has the same pairs."""
        return self.n_measures * len(next(iter(self.paired.values())))

    def level_of_each(self, level: float) -> float:
        """The level of each interval; Bonferroni's correction makes those of a family simultaneous.

        Holm's correction rejects more, but its two-sided intervals are Bonferroni's.
        """
        if self.correction != "bonferroni" and not (self.simultaneous and self.correction == "holm"):
            return level
        return level / (self.n_measures if self.test.simultaneous else self.n_comparisons)

    def outcomes(self, settings: Mapping[str, Any], level: float) -> dict[str, Outcome]:
        """The outcome of the test on each measure."""
        if self.correction in BY_RANDOMISATION:
            families = [self.paired] if self.family == "all" else [{name: pairs} for name, pairs in self.paired.items()]
            return {k: v for pairs in families for k, v in self._together(pairs, settings, level).items()}
        of_test = {"level": self.level_of_each(level)} if "level" in self.test.settings else {}
        return {name: self.test(pairs, **{**settings, **of_test}) for name, pairs in self.paired.items()}

    def adjusted(self, rows: list[Compared], outcomes: Mapping[str, Outcome], level: float) -> tuple[Compared, ...]:
        """The rows with adjusted p-values and decisions."""
        families = (
            [rows] if self.family == "all" else [[row for row in rows if row.measure == name] for name in outcomes]
        )
        return tuple(
            replace(row, adjusted_p=float(p), significant=bool(p < level), correction=self.words)
            for together in families
            for row, p in zip(together, self._adjusted(together, outcomes), strict=True)
        )

    def _adjusted(self, rows: list[Compared], outcomes: Mapping[str, Outcome]) -> Floats:
        p = np.array([row.p for row in rows])
        if self.correction in BY_RANDOMISATION:
            return np.concatenate([outcomes[name].together for name in dict.fromkeys(row.measure for row in rows)])
        if self.test.simultaneous:
            return np.minimum(p * self.n_measures, 1.0) if self.correction == "bonferroni" else p
        return adjusted(p, self.correction)

    def _together(self, paired: Mapping[str, Pairs], settings: Mapping[str, Any], level: float) -> dict[str, Outcome]:
        """The outcomes of randomisation, with p-values adjusted by the maximum statistic over pairs and measures."""
        options = {**self.test.settings, **settings}
        drawn = {"resamples": options["resamples"], "seed": options["seed"]}
        difference, magnitude = _side_by_side(paired)
        both = randomised(difference, alternative=options["alternative"], magnitude=magnitude, **drawn)
        joint = both.greatest if self.correction == "max-T" else both.stepped
        reach = simultaneous_critical_value(difference, level=level, **drawn) if self.simultaneous else None
        ends = np.cumsum([len(pairs) for pairs in paired.values()])[:-1]
        parts = zip(paired.items(), np.split(both.p, ends), np.split(joint, ends), strict=True)
        remark, working = both.remark(options["seed"]), iter(arrangements(both))
        return {
            name: Outcome(
                pairs.mean,
                p,
                half_width=None if reach is None else _half_width(pairs, reach),
                remark=remark,
                together=together,
                working=[next(working) for _ in p],
            )
            for (name, pairs), p, together in parts
        }

    @property
    def named(self) -> str:
        """The correction; a simultaneous test has its own, perhaps with another over measures."""
        if not self.test.simultaneous:
            return self.correction
        over_measures = f" and {title(self.correction)} over {self.n_measures} measures" * (self.correction != "none")
        return f"the test itself{over_measures}"

    @property
    def words(self) -> str:
        """A description of how p-values are adjusted."""
        if self.correction == "none" and not self.test.simultaneous:
            return "none"
        if self.test.simultaneous:
            over = "all pairs of systems" if self.test.name != "dunnett" else "all comparisons with the baseline"
            words = self.named.replace("itself", f"itself, over {over}", 1)
        else:
            words = f"{title(self.correction)} over {counted(self.n_comparisons, 'comparison')}"
        if len(self.paired) == 1 or " measures" in words:
            return words
        return words + (f" on all {self.n_measures} measures" if self.family == "all" else " within each measure")

    def bounds(self, level: float, interval: DifferenceInterval, outcome: Outcome) -> str:
        """A description of the intervals of differences: confidence, method, and whether they are simultaneous."""
        confidence = f"{100 * (1 - level * (1 + self.test.equivalence)):.4g} %"
        has_interval = outcome.half_width is not None and not self.test.equivalence
        how = self.test.name.capitalize() if has_interval else {"t": "t", "bca": "BCa"}[interval]
        if self.simultaneous and self.correction in BY_RANDOMISATION:
            return f"{confidence} max-T, simultaneous"
        if self.test.name in ("tukey", "dunnett") or self.level_of_each(level) < level:
            return f"{confidence} {how}, simultaneous"
        return f"{confidence} {how}" + ", for single differences, not adjusted" * (self.n_comparisons > 1)


def chosen_correction(test: Test, correction: str | None, family: Family, n_measures: int) -> str:
    """The requested correction, if the test allows it, or the default."""
    if correction in BY_RANDOMISATION and test.name != "randomisation":
        raise BadSetting(f"the correction {correction} needs the test 'randomisation'")
    if correction is not None and correction not in BY_RANDOMISATION:
        require_correction(correction)
    if not test.simultaneous:
        return correction or DEFAULT_CORRECTION
    if correction == "bonferroni" and family != "all":
        raise BadSetting(
            f"the test {test.name!r} corrects for all pairs of systems itself, so {correction} would have no effect; "
            "with family='all' it corrects over measures"
        )
    if correction not in (None, "bonferroni", "none"):
        raise BadSetting(
            f"the test {test.name!r} corrects for all pairs of systems itself; over measures (family='all'), its "
            f"correction may be bonferroni or none, not {correction}"
        )
    return (correction or "bonferroni") if family == "all" and n_measures > 1 else "none"


def require_simultaneous(test: Test, correction: str, interval: DifferenceInterval) -> None:
    """Refuse simultaneous intervals if there is no method for them."""
    if test.simultaneous and test.name not in ("tukey", "dunnett"):
        raise BadSetting(f"the test {test.name!r} has no simultaneous intervals; use 'tukey' or 'dunnett'")
    if not test.simultaneous and correction not in (*FAMILYWISE, *BY_RANDOMISATION):
        raise BadSetting(f"simultaneous intervals need the correction holm, bonferroni or max-T, not {correction}")
    if correction in BY_RANDOMISATION and interval != "t":
        raise BadSetting("simultaneous intervals of max-T are t intervals with their own critical value, not BCa")


def _half_width(pairs: Pairs, reach: float) -> Floats:
    half = reach * pairs.deviation / np.sqrt(pairs.n_units)
    return np.where((pairs.deviation > 0) & np.isfinite(reach), half, np.nan)


def _side_by_side(paired: Mapping[str, Pairs]) -> tuple[Floats, Floats]:
    """The differences of all measures side by side, and their magnitudes; units without a value have no effect."""
    units = {
        unit: place for place, unit in enumerate(dict.fromkeys(u for p in paired.values() for u in p.samples.units))
    }
    tables = []
    for pairs in paired.values():
        table = np.zeros((2, len(units), len(pairs)))
        table[:, [units[unit] for unit in pairs.samples.units]] = pairs.difference, pairs.magnitude
        tables.append(table)
    difference, magnitude = np.concatenate(tables, axis=2)
    return difference, magnitude


# Pairwise comparisons: every pair of systems tested on every measure, with adjusted p-values


MOST_COMPARISONS = 100_000  # which take about ten seconds
POWER = 0.8  # power at which a difference counts as detectable


@frozen
class Terms:
    """The settings of a comparison that do not depend on the test."""

    level: float
    alternative: Alternative
    interval: DifferenceInterval
    seed: int
    simultaneous: bool = False

    def __post_init__(self) -> None:
        require_level(self.level)
        require_one_of("alternative", self.alternative, Alternative)
        generator(self.seed)


def compare_samples(
    samples: Mapping[str, Samples],
    *,
    baseline: str | float | None = None,
    test: str = "t",
    correction: str | None = None,
    family: Family = "measure",
    level: float = 0.05,
    alternative: Alternative = "two-sided",
    interval: DifferenceInterval = "t",
    simultaneous: bool = False,
    seed: int = 0,
    provenance: Provenance = NOTHING_READ,
    result: Result | None = None,
    **settings: Any,
) -> Comparison:
    """Systems compared on each measure of `{measure: samples}`, p-values adjusted within each measure or over all."""
    terms, chosen = Terms(level, alternative, interval, seed, simultaneous), find(test)
    require_one_of("family", family, Family)
    baseline = name_or_number(baseline, [system for one in samples.values() for system in one.systems])
    _require_few(samples, baseline)
    for measure, one in samples.items():
        require_in_range("the baseline", baseline, measure, one)
        require_below_range("the margin", settings.get("margin"), measure, one)
    tested = on_tested_scale({name: _with_baseline(one, baseline, chosen) for name, one in samples.items()})
    paired = {
        name: measured.pairs(baseline if baseline is None or isinstance(baseline, str) else measured.systems[-1])
        for name, measured in tested.items()
    }
    correction = chosen_correction(chosen, correction, family, len(samples))
    if simultaneous:
        require_simultaneous(chosen, correction, interval)
    families = Families(correction, family, chosen, paired, simultaneous)
    settings = _settings(chosen, terms, settings)
    outcomes = families.outcomes(settings, level)
    rows = families.adjusted([*_rows(families, outcomes, terms)], outcomes, level)
    if is_number(baseline):
        rows = tuple(replace(row, d_anova=math.nan) for row in rows)  # a number is no system
    return Comparison(
        rows=rows,
        test=_as_run(chosen, baseline, outcomes),
        correction=families.named,
        family=family,
        baseline=None if baseline is None else rows[0].baseline,
        unit=next(iter(samples.values())).unit,
        freedom={name: outcome.freedom for name, outcome in outcomes.items()},
        omnibus={name: str(outcome.omnibus) for name, outcome in outcomes.items() if outcome.omnibus},
        remarks={name: outcome.remark for name, outcome in outcomes.items() if outcome.remark},
        worked={name: tuple(outcome.working) for name, outcome in outcomes.items() if outcome.working},
        samples=samples,
        provenance=provenance,
        result=result,
        variant=str({**chosen.settings, **settings}.get("variant", "")),
        notes=tuple(dict.fromkeys(_notes(tested, chosen, rows, families, terms))),
        **vars(terms),
    )


def _require_few(samples: Mapping[str, Samples], baseline: object) -> None:
    """Refuse more comparisons than can be computed and read."""
    n_systems = [len(one.systems) for one in samples.values()]
    if baseline is None and (n_comparisons := sum(math.comb(n, 2) for n in n_systems)) > MOST_COMPARISONS:
        on = f" on {len(samples)} measures" * (len(samples) > 1)
        raise BadInput(
            f"all pairs of {max(n_systems):,} systems{on} are {n_comparisons:,} comparisons, more than "
            f"{MOST_COMPARISONS:,}: name a baseline to compare the others with, or choose fewer systems"
        )


def _settings(test: Test, terms: Terms, settings: Mapping[str, Any]) -> dict[str, Any]:
    if terms.alternative != "two-sided" and "alternative" not in test.settings:
        raise BadSetting(f"the test {test.name!r} is two-sided")
    return {name: value for name, value in vars(terms).items() if name in test.settings} | dict(settings)


def name_or_number(baseline: str | float | None, systems: Sequence[str]) -> str | float | None:
    """The baseline as a number if it is the text of one and not the name of a system."""
    if not isinstance(baseline, str) or not systems or baseline in systems:
        return baseline
    try:
        return number(baseline)
    except ValueError:
        return baseline


def _with_baseline(samples: Samples, baseline: object, test: Test) -> Samples:
    """The samples; a baseline that is a number is one more system."""
    if len(samples) < 2:
        raise BadInput(f"at least 2 {plural(samples.unit)} are needed to test a difference; got {len(samples)}")
    if baseline is None or isinstance(baseline, str):
        return samples
    if not is_number(baseline):
        raise BadSetting(f"baseline must be a system name or a number, not {baseline!r}")
    if test.simultaneous:
        raise BadSetting(f"the test {test.name!r} needs a system as baseline, not a number; use the test 't'")
    return samples.with_constant(float(baseline))


def _as_run(test: Test, baseline: object, outcomes: Mapping[str, Outcome]) -> Test:
    """The test as run: one-sample if the baseline is a number, with the statistic of its variant."""
    title = test.title.replace("paired", "one-sample") if is_number(baseline) else test.title
    symbol = next((outcome.symbol for outcome in outcomes.values() if outcome.symbol), test.symbol)
    return replace(test, title=title, symbol=symbol)


def _rows(families: Families, outcomes: Mapping[str, Outcome], terms: Terms) -> Iterator[Compared]:
    level = families.level_of_each(terms.level)
    for measure, pairs in families.paired.items():
        size = effects(pairs, level=level, interval=terms.interval, seed=terms.seed)
        yield from _rows_of(measure, families, outcomes[measure], size, terms)


def _bounded(size: Effects, outcome: Outcome, test: Test) -> tuple[Floats, Floats]:
    """The bounds of each difference: those of the test if it has any; none if it does not test differences."""
    if test.name == "nemenyi":  # of mean ranks
        return np.full_like(size.low, np.nan), np.full_like(size.high, np.nan)
    if outcome.half_width is None:
        return size.low, size.high
    centre = size.difference if outcome.centre is None else outcome.centre
    return centre - outcome.half_width, centre + outcome.half_width


def _rows_of(measure: str, families: Families, outcome: Outcome, size: Effects, terms: Terms) -> Iterator[Compared]:
    pairs = families.paired[measure]
    mean = pairs.samples.values.mean(axis=1)
    mean, scale = (np.exp(mean), OF_LOGARITHMS) if is_geometric(measure) else (mean, "")
    low, high = _bounded(size, outcome, families.test)
    interval = families.bounds(terms.level, terms.interval, outcome)
    detectable = _detectable(pairs, outcome, terms)
    d_z_low, d_z_high = d_z_interval(pairs, terms.level)
    for p, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        yield Compared(
            measure=measure,
            system=pairs.samples.systems[first],
            baseline=pairs.samples.systems[second],
            n=pairs.n_units,
            left_out=pairs.samples.left_out,
            mean=float(mean[first]),
            baseline_mean=float(mean[second]),
            difference=float(size.difference[p]),
            low=float(low[p]),
            high=float(high[p]),
            d_z=float(size.d_z[p]),
            d_anova=float(size.d_anova[p]),
            d_z_low=float(d_z_low[p]),
            d_z_high=float(d_z_high[p]),
            wins=int(size.wins[p]),
            ties=int(size.ties[p]),
            losses=int(size.losses[p]),
            detectable=float(detectable[p]),
            statistic=float(outcome.statistic[p]),
            p=float(outcome.p[p]),
            adjusted_p=float("nan"),
            significant=False,
            interval=f"{interval}{scale}" if np.isfinite(low[p]) else "",
            note=_note(pairs, p, outcome, families.test, bool(np.isfinite(low[p]))),
            lower_is_better=pairs.samples.lower_is_better,
        )


def _detectable(pairs: Pairs, outcome: Outcome, terms: Terms) -> Floats:
    """The mean difference that the test detects with power 0.8; NaN if unknown."""
    if outcome.error is None or terms.level >= POWER:
        return np.full(len(pairs), np.nan)
    of_one = smallest_difference(pairs.n_units, 1.0, power=POWER, level=terms.level, alternative=terms.alternative)
    return abs(of_one) * np.sqrt(pairs.n_units) * outcome.error


def _note(pairs: Pairs, p: int, outcome: Outcome, test: Test, bounded: bool) -> str:
    """Why there is no test or interval, and remarks on the differences."""
    unit, untested = pairs.samples.unit, bool(np.isnan(outcome.p[p]))
    lost = "no test and no interval: " if untested else "no interval: "
    if bounded and pairs.deviation[p] == 0:  # in a simultaneous test
        return f"the difference is the same on every {unit}; test and interval use the variance of all systems"
    if not pairs.difference[:, p].any():
        return f"{lost}the two have the same value on every {unit}"
    if pairs.deviation[p] == 0:
        return f"{lost}the difference is the same on every {unit}, so it has no variance"
    if untested:  # with varying differences, this happens only in the 5x2cv test
        return f"{lost}both halves of every split give the same difference, so there is no variance within splits"
    if test.name == "5x2cv" and np.isnan(outcome.half_width[p]):  # type: ignore[index]
        return "no interval: the variance within splits is so small that the test rejects every mean difference"
    return ""


def _notes(
    samples: Mapping[str, Samples], test: Test, rows: tuple[Compared, ...], families: Families, terms: Terms
) -> Iterator[str]:
    """Notes on the values, and on whether the test suits them."""
    for measured in samples.values():
        yield from measured.notes
    if test.name not in ("corrected t", "5x2cv"):
        yield from _dependent(next(iter(samples.values())))
    if test.name in ("sign", "wilcoxon", "randomisation"):
        for measure in samples:
            yield from _too_few_differences(measure, [row for row in rows if row.measure == measure], families, terms)
    if test.null == "the same mean" and test.name not in ("corrected t", "5x2cv"):
        yield from _scales(samples)


def _scales(samples: Mapping[str, Samples]) -> Iterator[str]:
    """A note on measures whose differences may not be worth the same all along their scale, and tests of ranks."""
    measures = ((name, known_measure(name)) for name in samples)
    disputed = [name for name, one in measures if one is not None and one.kind == "ranking" and not one.interval_scaled]
    if disputed:
        yield (
            f"means and this test take equal differences of {', '.join(disputed)} to be worth the same, which is "
            "disputed; the tests wilcoxon (ranks of differences) and sign (their signs) do not"
        )


def _dependent(samples: Samples) -> Iterator[str]:
    """A note that folds share training data, if known."""
    if samples.overlap or samples.unit == "fold":
        yield "folds share training data, but this test assumes independence and rejects too often: use 'corrected t'"
    elif samples.unit == "group":
        yield "if the groups are folds, they share training data and this test rejects too often: use 'corrected t'"


def _too_few_differences(measure: str, rows: list[Compared], families: Families, terms: Terms) -> Iterator[str]:
    """A note that a measure has too few differences for any p-value below the level."""
    n_apart = max(row.wins + row.losses for row in rows)
    times = families.n_comparisons if families.correction in FAMILYWISE else 1
    least = times * (1 if terms.alternative != "two-sided" else 2) / 2**n_apart
    if n_apart and least >= terms.level:
        after = f" after {families.words}" if times > 1 else ""
        which = f"{measure}: " if len(families.paired) > 1 else ""
        few = f"with {counted(n_apart, 'nonzero difference')}"
        verdict = f"nothing can be significant at level {terms.level:g}"
        yield f"{which}{few}, this test cannot give a p-value below {least:g}{after}: {verdict}"


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
