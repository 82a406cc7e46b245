"""Latent models as tables: the ability of systems, what queries ask of them, and the few that would do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.inference.latent import Floats, Latent
from cranfield.inference.selection import Selection
from cranfield.present.table import Column, Table, row
from cranfield.results.latents import selected

_CURVE = {
    "success": "the chance of success is σ(discrimination · (ability − difficulty)), σ being the logistic curve",
    "beta": "the mean value is σ(discrimination · (ability − difficulty)), σ being the logistic curve",
}


def abilities(model: Latent, measure: str, confidence: float, digits: int) -> Table:
    """A row for each system, the most able first."""
    bounds = model.interval("ability", confidence)
    rows = tuple(
        row(model.systems[place], float(model.ability[place]), *_known(bounds[place]))
        for place in np.argsort(-model.ability, kind="stable")
    )
    columns = (Column("system"), *_numbers(digits, "ability", "low", "high"))
    return Table(columns, rows, title=f"How able the systems are, by {measure}", notes=tuple(_notes(model, confidence)))


def _notes(model: Latent, confidence: float) -> Iterator[str]:
    yield f"{_CURVE[model.model]}; abilities have mean 0 and deviation 1"
    if model.model == "beta":
        yield f"beta model with precision {model.precision:.3g}, the same for all"
    yield f"intervals with {confidence:.0%} confidence"
    yield from model.notes


def _known(bounds: Floats) -> Iterator[float | None]:
    return (None if np.isnan(bound) else float(bound) for bound in bounds)


def difficulties(model: Latent, confidence: float, digits: int) -> Table:
    """A row for each query, those first that tell the systems apart best."""
    hard, steep = (model.interval(what, confidence) for what in ("difficulty", "discrimination"))
    rows = tuple(
        row(
            model.queries[place],
            float(model.difficulty[place]),
            *map(float, hard[place]),
            float(model.discrimination[place]),
            *map(float, steep[place]),
            float(model.information[place]),
        )
        for place in np.argsort(-model.information, kind="stable")
    )
    numbers = ("difficulty", "low", "high", "discrimination", "from", "to", "information")
    notes = (
        "difficulty: the ability that does half well; discrimination: how steeply values rise with ability",
        "information: what the query tells about the abilities of these systems; the most telling come first",
    )
    return Table((Column("query"), *_numbers(digits, *numbers)), rows, title="What the queries ask", notes=notes)


def choices(selection: Selection, digits: int) -> Table:
    """A row for each query in the order chosen, with what the order by all so far has in common with that by all."""
    columns = (Column("", numeric=True, digits=0), Column("query"), *_numbers(digits, "tau", "unseen", "chance"))
    rows = tuple(row(*record.values()) for record in selected(selection))
    notes = (
        "tau: Kendall's, between the order of the systems by the queries so far and that by all",
        "unseen: the same for systems that had no part in the choice, which is what to expect of new ones",
        "chance: the same for as many queries at random",
    )
    return Table(columns, rows, title=f"{len(rows)} queries that keep the order of the systems", notes=notes)


def _numbers(digits: int, *names: str) -> Iterator[Column]:
    return (Column(name, numeric=True, digits=digits) for name in names)
