"""The stability of the ranking of the systems over topics, for each measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.shape import Columns, Field, Schema, texts
from cranfield.results.verb_result import Records, VerbResult
from cranfield.results.verb_result import number as known
from cranfield.settings import CONFIDENCE
from cranfield.statistics import latent
from cranfield.statistics import stability as query_selection
from cranfield.statistics.latent import Parameter
from cranfield.statistics.stability import Stability, Swaps
from cranfield.text import coefficient, counted, percent

MEASURES = Schema(
    "measures",
    "Reproducibility on other topics",
    (
        *texts("measure"),
        Field("n_systems", "systems", digits=0),
        Field("n_topics", "topics", digits=0),
        Field("discriminative_power", "significant"),  # proportion of system pairs
        Field("swap_rate", "swapped"),  # proportion of pairs that two halves of the topics rank in opposite order
        Field("swap_low", "low"),
        Field("swap_high", "high"),
        Field("difference"),  # smallest with an acceptable swap rate
        Field("tau"),  # between the rankings by half of the topics and by all
        *texts("note", in_tables=False),
    ),
)


@frozen(eq=False)
class Reproduction(VerbResult):
    """The figures for each measure, and the curves behind them."""

    kind = "stability"

    rows: Columns
    swaps: Mapping[str, Swaps]
    stability: Mapping[str, Stability]
    settings: Mapping[str, Any]
    provenance: Provenance = NOTHING_READ

    @property
    def answer(self) -> str:
        """How often the first measure separates systems, and how often other topics reverse their order."""
        one = self.rows[0]
        bounds = "" if one.swap_low is None else f" ({percent(one.swap_low)} to {percent(one.swap_high)})"
        return (
            f"On {counted(one.n_topics, 'topic')}, {one.measure} separates {percent(one.discriminative_power)} of the "
            f"pairs of {counted(one.n_systems, 'system')} significantly; two halves of the topics put "
            f"{percent(one.swap_rate)}{bounds} of the pairs in opposite order."
        )

    def records(self) -> Records:
        """One row per measure, and the points of the curves behind the figures."""
        return {"measures": self.rows.records(), "orders": self.orders(), "swaps": self.exchanges()}

    def orders(self) -> list[dict[str, Any]]:
        """One dict per measure and number of topics: the mean tau with the ranking by all, and its 5th percentile."""
        return [
            {"measure": measure, "topics": int(size), "tau": float(tau), "low": float(low)}
            for measure, curve in self.stability.items()
            for size, tau, low in zip(curve.size, curve.tau, curve.low, strict=True)
        ]

    def exchanges(self) -> list[dict[str, Any]]:
        """One dict per measure and range of differences that occurs: the swap rate of such pairs."""
        return [
            {"measure": measure, "from": float(low), "to": float(high), "pairs": int(count), "rate": float(rate)}
            for measure, swaps in self.swaps.items()
            for low, high, count, rate in zip(swaps.edge, swaps.edge[1:], swaps.n_pairs, swaps.rate, strict=False)
            if count
        ]


@frozen(eq=False)
class Latent(VerbResult, latent.Latent):
    """A fitted model of the values of one measure: abilities of systems, difficulties of queries."""

    kind = "latent"

    measure: str = ""
    provenance: Provenance = NOTHING_READ

    @property
    def answer(self) -> str:
        """The most able system, and the hardest and the most informative query."""
        able = self.systems[int(self.ability.argmax())]
        hard = self.queries[int(self.difficulty.argmax())]
        telling = self.queries[int(self.information.argmax())]
        return (
            f"By {self.measure}, {able} has the highest ability ({self.ability.max():.2f}); query {hard} is the "
            f"hardest, and query {telling} separates the systems best."
        )

    def records(self, *, confidence: float = CONFIDENCE) -> Records:
        """The parameters with their intervals and the information of queries; the fit; information over abilities."""
        return {
            "parameters": [*self._parameters(confidence), *self._information()],
            "fit": [*self.fit_rows()],
            "information": [*self._over_abilities()],
        }

    def fit_rows(self) -> Iterator[dict[str, Any]]:
        """One row per system and per query: infit and outfit, and l_z of systems."""
        fit = self.diagnostics()
        for name, infit, outfit, l_z in zip(self.systems, fit.system_infit, fit.system_outfit, fit.l_z, strict=True):
            yield {"of": "system", "name": name, "infit": known(infit), "outfit": known(outfit), "l_z": known(l_z)}
        for name, infit, outfit in zip(self.queries, fit.query_infit, fit.query_outfit, strict=True):
            yield {"of": "query", "name": name, "infit": known(infit), "outfit": known(outfit), "l_z": None}

    def _over_abilities(self) -> Iterator[dict[str, Any]]:
        fit = self.diagnostics()
        for ability, information in zip(fit.ability.tolist(), fit.information.tolist(), strict=True):
            error = information**-0.5 if information > 0 else None
            yield {"ability": ability, "information": information, "error": error}

    def about(self, *, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """The settings and the notes."""
        settings = {"measure": self.measure, "model": self.model, "confidence": confidence, "converged": self.converged}
        return {"settings": settings, "notes": list(self.notes)}

    def _parameters(self, confidence: float) -> Iterator[dict[str, Any]]:
        for what in get_args(Parameter):
            names = self.systems if what == "ability" else self.queries
            bounds = self.interval(what, confidence).tolist()
            for name, value, (low, high) in zip(names, getattr(self, what).tolist(), bounds, strict=True):
                yield {"parameter": what, "name": name, "value": value, "low": known(low), "high": known(high)}

    def _information(self) -> Iterator[dict[str, Any]]:
        for name, value in zip(self.queries, self.information.tolist(), strict=True):
            yield {"parameter": "information", "name": name, "value": value, "low": None, "high": None}


@frozen(eq=False)
class Selection(VerbResult, query_selection.Selection):
    """Queries in order of selection, with Kendall's tau between the rankings by the queries so far and by all."""

    kind = "selection"

    provenance: Provenance = NOTHING_READ

    @property
    def answer(self) -> str:
        """How well the selected queries keep the ranking of these systems and of others."""
        unseen, chance = float(self.unseen[-1]), float(self.chance[-1])
        others = "" if math.isnan(unseen) else f", {coefficient(unseen)} for systems not used in the selection"
        return (
            f"The ranking by {counted(len(self.queries), 'query')} has tau {coefficient(float(self.tau[-1]))} with "
            f"that by all queries{others}; as many random queries reach {coefficient(chance)}."
        )

    def records(self) -> Records:
        """One row per query in order of selection; None if a tau is unknown."""
        taus = zip(self.tau.tolist(), self.unseen.tolist(), self.chance.tolist(), strict=True)
        rows = [
            {"place": place, "query": query, "tau": tau, "unseen": known(unseen), "chance": chance}
            for place, (query, (tau, unseen, chance)) in enumerate(zip(self.queries, taus, strict=True), 1)
        ]
        return {"selected": rows}
