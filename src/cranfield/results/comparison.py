"""Comparisons: how far apart systems are, whether that could be chance, and the steps that lead to the answer."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args

import pyarrow as pa

from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.evidence.samples import counted
from cranfield.inference.catalogue import Test
from cranfield.inference.distributions import Alternative
from cranfield.registry import Kind, parse
from cranfield.results.records import arrow_table, csv_text, records
from cranfield.results.views import View
from cranfield.results.writing import json_text

_NAMED = 6  # comparisons listed where none, or several, fit


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
    detectable: float  # the mean difference that a t-test sees four times in five, uncorrected; NaN for other tests
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
    baseline: str | None
    level: float
    alternative: Alternative
    interval: str
    seed: int
    kind: str
    freedom: Mapping[str, str]  # by measure, as are the two below
    omnibus: Mapping[str, str]
    remarks: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, system: str, baseline: str | None = None, measure: str | None = None) -> Compared:
        """The comparison of a system, with a baseline and on a measure where there are several."""
        name = self._measure(measure)
        found = [
            row
            for row in self.rows
            if row.system == system and baseline in (None, row.baseline) and name in (None, row.measure)
        ]
        if len(found) == 1:
            return found[0]
        pairs = [f"{row.system} with {row.baseline} on {row.measure}" for row in found or self.rows]
        more = f" and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
        said = "several comparisons fit: say which of" if found else f"there is no such comparison of {system!r}, but"
        raise BadSetting(f"{said} {', '.join(pairs[:_NAMED])}{more}")

    def _measure(self, name: str | None) -> str | None:
        """The name as it stands in the rows, where another is given that the measure goes by."""
        known = {row.measure for row in self.rows}
        if name is None or name in known:
            return name
        for kind in get_args(Kind):
            with suppress(UnknownMeasure, BadSetting):
                if (own := str(parse(name, kind))) in known:
                    return own
        return name

    @property
    def units(self) -> str:
        """What systems are compared on: queries, folds, items."""
        return counted(0, self.kind).removeprefix("0 ")

    @property
    def settings(self) -> dict[str, Any]:
        """The conventions behind the figures."""
        return {
            "test": self.test.name,
            "baseline": self.baseline,
            "correction": self.correction,
            "level": self.level,
            "alternative": self.alternative,
            "interval": f"{self.interval}, two-sided, for each difference on its own",
            "seed": self.seed,
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
            f"p = {row.p:.4g}" + (f", {row.corrected:.4g} after {self.allowance}" if self.allowance else ""),
            f"decision: {self._decision(row)}",
        ]
        return "\n".join(lines + ([f"note: {row.note}"] if row.note else []))

    def words(self) -> str:
        """The steps of every test."""
        return "\n\n".join(map(self.steps, self.rows))

    def _null(self, row: Compared) -> str:
        if self.test.equivalence:
            return f"the means of {row.system} and {row.baseline} lie at least the margin apart"
        return f"{row.system} and {row.baseline} have {self.test.null}"

    def _other(self, row: Compared) -> str:
        if self.test.equivalence:
            return "they lie closer together than the margin"
        return {
            "two-sided": "they differ",
            "greater": f"{row.system} has more than {row.baseline}",
            "less": f"{row.system} has less than {row.baseline}",
        }[self.alternative]

    @property
    def allowance(self) -> str:
        """What the corrected p-values allow for, in words; nothing if they are not corrected."""
        if self.correction == "none":
            return ""
        if self.test.simultaneous:
            return self.correction.replace("itself", "itself, over all pairs of systems", 1)
        return f"{self.correction} over {counted(len(self), 'comparison')}"

    def _decision(self, row: Compared) -> str:
        p = "the corrected p" if self.allowance else "p"
        if row.significant:
            return f"{p} is below {self.level:g}: H0 is rejected"
        retained = f"{p} is not below {self.level:g}: H0 is retained as possible, which does not show it to be true"
        return retained + (self._missed(row) if row.detectable > 0 else "")

    def _missed(self, row: Compared) -> str:
        """What would have been missed, at the level as it is before any correction, which makes it no smaller."""
        nearer = f"above -{row.detectable:.3g}" if self.alternative == "less" else f"under {row.detectable:.3g}"
        even = " even without the correction" if self.allowance and len(self) > 1 else ""
        return f"; a mean difference {nearer} would have been missed more than once in five{even}"

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
