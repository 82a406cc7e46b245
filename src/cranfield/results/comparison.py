"""Comparisons: how far apart systems are, whether that could be chance, and the steps that lead to the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.evidence.samples import counted
from cranfield.inference.catalogue import Test
from cranfield.inference.distributions import Alternative
from cranfield.results.records import arrow_table, csv_text, records
from cranfield.results.views import View
from cranfield.results.writing import json_text


@dataclass(frozen=True)
class Compared:
    """One pair of systems on one measure."""

    measure: str
    system: str
    baseline: str
    n: int
    mean: float
    baseline_mean: float
    difference: float
    low: float
    high: float
    d_z: float
    wins: int
    ties: int
    losses: int
    detectable: float
    statistic: float
    p: float
    corrected: float
    significant: bool
    note: str = ""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Every pair of systems on every measure, the p-values corrected for all of them together."""

    rows: tuple[Compared, ...]
    test: Test
    correction: str
    level: float
    alternative: Alternative
    interval: str
    kind: str
    freedom: Mapping[str, str]  # by measure, as are the two below
    omnibus: Mapping[str, str]
    remarks: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, system: str, baseline: str | None = None, measure: str | None = None) -> Compared:
        """The comparison of a system, with a baseline and on a measure where there are several."""
        found = [
            row
            for row in self.rows
            if row.system == system and baseline in (None, row.baseline) and measure in (None, row.measure)
        ]
        if len(found) != 1:
            raise BadSetting(f"{len(found)} comparisons fit {system!r}: say which system, baseline and measure")
        return found[0]

    @property
    def units(self) -> str:
        """What systems are compared on: queries, folds, items."""
        return counted(0, self.kind).removeprefix("0 ")

    @property
    def settings(self) -> dict[str, Any]:
        """The conventions behind the figures."""
        return {
            "test": self.test.name,
            "correction": self.correction,
            "level": self.level,
            "alternative": self.alternative,
            "interval": f"{self.interval}, for each difference on its own",
            "units": self.kind,
            "remarks": dict(self.remarks),
        }

    def steps(self, row: Compared) -> str:
        """The steps of the test in words: hypotheses, level, statistic, p-value, decision."""
        what = f"{row.measure} over {self.units} like these {row.n}"
        freedom = f" with {self.freedom[row.measure]}" if self.freedom[row.measure] else ""
        lines = [
            f"{self.test.title}: {row.system} and {row.baseline}, {row.measure}",
            f"H0: {self._null(row)} in {what}",
            f"H1: {self._other(row)}",
            f"level: {self.level:g}",
            f"statistic: {self.test.symbol} = {row.statistic:.4g}{freedom}",
            f"p = {row.p:.4g}" + (f", {row.corrected:.4g} after {self._corrected}" if self._corrected else ""),
            f"decision: {self._decision(row)}",
        ]
        return "\n".join(lines + ([f"note: {row.note}"] if row.note else []))

    def words(self) -> str:
        """The steps of every test."""
        return "\n\n".join(map(self.steps, self.rows))

    def _null(self, row: Compared) -> str:
        if self.test.name == "tost":
            return f"the means of {row.system} and {row.baseline} lie at least the margin apart"
        return f"{row.system} and {row.baseline} have {self.test.null}"

    def _other(self, row: Compared) -> str:
        if self.test.name == "tost":
            return "they lie closer together than the margin"
        return {
            "two-sided": "they differ",
            "greater": f"{row.system} has more than {row.baseline}",
            "less": f"{row.system} has less than {row.baseline}",
        }[self.alternative]

    @property
    def _corrected(self) -> str:
        return "" if self.correction == "none" else f"{self.correction} over {counted(len(self), 'comparison')}"

    def _decision(self, row: Compared) -> str:
        p = "the corrected p" if self._corrected else "p"
        if row.significant:
            return f"{p} is below {self.level:g}: H0 is rejected"
        unseen = f"; a mean difference under {row.detectable:.3g} would have been missed more than once in five"
        missed = unseen if row.detectable > 0 and self.test.name != "tost" else ""
        return f"{p} is not below {self.level:g}: H0 is retained as possible, which does not show it to be true{missed}"

    _repr_html_ = View()  # for notebooks

    # the same as tables

    def table(self) -> pa.Table:
        """The comparisons as one tidy Arrow table."""
        return arrow_table(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict a comparison; None where a number is not finite."""
        return records(self.rows)

    def to_json(self) -> str:
        """The comparisons and the settings, as JSON."""
        content = {"comparisons": self.to_dicts(), "settings": self.settings, "omnibus": dict(self.omnibus)}
        return json_text(content | {"notes": list(self.notes)})

    def to_csv(self) -> str:
        """The comparisons as CSV."""
        return csv_text(self.rows)
