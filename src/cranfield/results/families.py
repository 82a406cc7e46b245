"""Families of comparisons, whose p-values are corrected together and whose intervals are simultaneous."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadSetting
from cranfield.evidence.samples import Pairs, counted
from cranfield.inference.effects import Bounds
from cranfield.inference.multiplicity import corrected, require_correction
from cranfield.inference.randomisation import randomised
from cranfield.inference.significance import arrangements
from cranfield.inference.test_catalogue import Outcome, Test
from cranfield.results.comparison import Compared, Family


@dataclass(frozen=True, eq=False)
class Families:
    """The pairs on each measure, and the correction of p-values within each measure or over all."""

    correction: str
    family: Family
    test: Test
    paired: Mapping[str, Pairs]

    @property
    def n_measures(self) -> int:
        """The number of measures in a family."""
        return len(self.paired) if self.family == "all" else 1

    @property
    def n_comparisons(self) -> int:
        """The number of comparisons in a family: every measure has the same pairs."""
        return self.n_measures * len(next(iter(self.paired.values())))

    def level_of_each(self, level: float) -> float:
        """The level of each interval; Bonferroni's correction makes those of a family simultaneous."""
        if self.correction != "bonferroni":
            return level
        return level / (self.n_measures if self.test.simultaneous else self.n_comparisons)

    def outcomes(self, settings: Mapping[str, Any], level: float) -> dict[str, Outcome]:
        """The outcome of the test on each measure."""
        if self.correction == "max-T":
            families = [self.paired] if self.family == "all" else [{name: pairs} for name, pairs in self.paired.items()]
            return {k: v for pairs in families for k, v in _together(self.test, pairs, settings).items()}
        of_test = {"level": self.level_of_each(level)} if "level" in self.test.settings else {}
        return {name: self.test(pairs, **{**settings, **of_test}) for name, pairs in self.paired.items()}

    def corrected(self, rows: list[Compared], outcomes: Mapping[str, Outcome], level: float) -> tuple[Compared, ...]:
        """The rows with corrected p-values and decisions."""
        families = (
            [rows] if self.family == "all" else [[row for row in rows if row.measure == name] for name in outcomes]
        )
        return tuple(
            replace(row, corrected=float(p), significant=bool(p < level), correction=self.words)
            for together in families
            for row, p in zip(together, self._adjusted(together, outcomes), strict=True)
        )

    def _adjusted(self, rows: list[Compared], outcomes: Mapping[str, Outcome]) -> Floats:
        p = np.array([row.p for row in rows])
        if self.correction == "max-T":
            return np.concatenate([outcomes[name].together for name in dict.fromkeys(row.measure for row in rows)])
        if self.test.simultaneous:
            return np.minimum(p * self.n_measures, 1.0) if self.correction == "bonferroni" else p
        return corrected(p, self.correction)

    @property
    def named(self) -> str:
        """The correction; a simultaneous test has its own, perhaps with another over measures."""
        if not self.test.simultaneous:
            return self.correction
        return "the test itself" + f" and bonferroni over {self.n_measures} measures" * (self.correction != "none")

    @property
    def words(self) -> str:
        """What p-values are corrected for, in words."""
        if self.correction == "none" and not self.test.simultaneous:
            return "none"
        if self.test.simultaneous:
            words = self.named.replace("itself", "itself, over all pairs of systems", 1)
        else:
            words = f"{self.correction} over {counted(self.n_comparisons, 'comparison')}"
        if len(self.paired) == 1 or " measures" in words:
            return words
        return words + (f" on all {self.n_measures} measures" if self.family == "all" else " within each measure")

    def bounds(self, level: float, interval: Bounds, outcome: Outcome) -> str:
        """The intervals of differences in words: confidence, method, and whether they are simultaneous."""
        confidence = f"{100 * (1 - level * (1 + self.test.equivalence)):.4g} %"
        has_interval = outcome.half_width is not None and not self.test.equivalence
        how = self.test.name.capitalize() if has_interval else {"t": "t", "bca": "BCa"}[interval]
        if self.test.name == "tukey" or self.level_of_each(level) < level:
            return f"{confidence} {how}, simultaneous"
        return f"{confidence} {how}" + ", each difference alone, not corrected" * (self.n_comparisons > 1)


def chosen_correction(test: Test, correction: str | None, family: Family, n_measures: int) -> str:
    """The requested correction, if the test allows it, or the default."""
    if correction == "max-T" and test.name != "randomisation":
        raise BadSetting("the correction max-T needs the test 'randomisation'")
    if correction is not None and correction != "max-T":
        require_correction(correction)
    if not test.simultaneous:
        return correction or "holm"
    if correction not in (None, "bonferroni", "none"):
        raise BadSetting(
            f"the test {test.name!r} corrects for all pairs of systems itself; over measures (family='all'), its "
            f"correction may be bonferroni or none, not {correction}"
        )
    return (correction or "bonferroni") if family == "all" and n_measures > 1 else "none"


def _together(test: Test, paired: Mapping[str, Pairs], settings: Mapping[str, Any]) -> dict[str, Outcome]:
    """The outcomes of randomisation, with p-values corrected by the greatest statistic over all pairs and measures."""
    units = {
        unit: place for place, unit in enumerate(dict.fromkeys(u for p in paired.values() for u in p.samples.units))
    }
    tables = []
    for pairs in paired.values():
        table = np.zeros((2, len(units), len(pairs)))  # units without a value of a measure have no effect
        table[:, [units[unit] for unit in pairs.samples.units]] = pairs.difference, pairs.magnitude
        tables.append(table)
    options = {**test.settings, **settings}
    difference, magnitude = np.concatenate(tables, axis=2)
    both = randomised(difference, options["resamples"], options["seed"], options["alternative"], magnitude=magnitude)
    ends = np.cumsum([len(pairs) for pairs in paired.values()])[:-1]
    parts = zip(paired.items(), np.split(both.p, ends), np.split(both.greatest, ends), strict=True)
    remark, working = both.remark(options["seed"]), iter(arrangements(both))
    return {
        name: Outcome(pairs.mean, p, remark=remark, together=greatest, working=[next(working) for _ in p])
        for (name, pairs), p, greatest in parts
    }
