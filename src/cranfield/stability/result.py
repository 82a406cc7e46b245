"""The stability of the ranking of the systems over topics, for each measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.verb_result import Records, VerbResult, number, records
from cranfield.settings import CONFIDENCE
from cranfield.statistics import latent
from cranfield.statistics import stability as query_selection
from cranfield.statistics.latent import Parameter
from cranfield.statistics.stability import Stability, Swaps


@frozen
class Reproduced:
    """The stability of the ranking of the systems by one measure.

    `discriminative_power` is the proportion of system pairs that differ significantly, `swap_rate` the proportion that
    two halves of the topics rank in opposite order, `swap_low` and `swap_high` its interval for other sets of as many
    topics, `difference` the smallest difference with an acceptable swap rate (NaN if none), and `tau` Kendall's tau
    between the rankings by half of the topics and by all.
    """

    measure: str
    n_systems: int
    n_topics: int
    discriminative_power: float
    swap_rate: float
    swap_low: float
    swap_high: float
    difference: float
    tau: float
    note: str = ""


@frozen(eq=False)
class Reproduction(VerbResult):
    """The figures for each measure, and the curves behind them."""

    kind = "stability"

    rows: tuple[Reproduced, ...]
    swaps: Mapping[str, Swaps]
    stability: Mapping[str, Stability]
    settings: Mapping[str, Any]
    provenance: Provenance = NOTHING_READ

    def records(self) -> Records:
        """One row per measure, and the points of the curves behind the figures."""
        return {"measures": records(self.rows), "orders": self.orders(), "swaps": self.exchanges()}

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


# Latent models and selections of queries, as verbs return them


@frozen(eq=False)
class Latent(VerbResult, latent.Latent):
    """A fitted model of the values of one measure: abilities of systems, difficulties of queries."""

    kind = "latent"

    measure: str = ""
    provenance: Provenance = NOTHING_READ

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
            yield {"of": "system", "name": name, "infit": number(infit), "outfit": number(outfit), "l_z": number(l_z)}
        for name, infit, outfit in zip(self.queries, fit.query_infit, fit.query_outfit, strict=True):
            yield {"of": "query", "name": name, "infit": number(infit), "outfit": number(outfit), "l_z": None}

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
                yield {"parameter": what, "name": name, "value": value, "low": number(low), "high": number(high)}

    def _information(self) -> Iterator[dict[str, Any]]:
        for name, value in zip(self.queries, self.information.tolist(), strict=True):
            yield {"parameter": "information", "name": name, "value": value, "low": None, "high": None}


@frozen(eq=False)
class Selection(VerbResult, query_selection.Selection):
    """Queries in order of selection, with Kendall's tau between the rankings by the queries so far and by all."""

    kind = "selection"

    provenance: Provenance = NOTHING_READ

    def records(self) -> Records:
        """One row per query in order of selection; None if a tau is unknown."""
        taus = zip(self.tau.tolist(), self.unseen.tolist(), self.chance.tolist(), strict=True)
        rows = [
            {"place": place, "query": query, "tau": tau, "unseen": number(unseen), "chance": chance}
            for place, (query, (tau, unseen, chance)) in enumerate(zip(self.queries, taus, strict=True), 1)
        ]
        return {"selected": rows}
