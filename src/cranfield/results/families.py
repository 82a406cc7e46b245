"""Families of comparisons, whose p-values are adjusted together and whose intervals are simultaneous.

Decided here: which p-values are adjusted together, and which differences are significant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadSetting
from cranfield.evidence.samples import Pairs
from cranfield.frozen import frozen
from cranfield.inference.corrections import (
    BY_RANDOMISATION,
    DEFAULT_CORRECTION,
    FAMILYWISE,
    adjusted,
    require_correction,
    title,
)
from cranfield.inference.effects import DifferenceInterval
from cranfield.inference.randomisation import randomised, simultaneous_critical_value
from cranfield.inference.significance import arrangements
from cranfield.inference.test_catalogue import Outcome, Test
from cranfield.results.comparison import Compared, Family
from cranfield.text import counted


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
