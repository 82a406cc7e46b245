"""Latent models and choices of queries as records: plain values for tables, CSV and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, get_args

from cranfield.inference.latent import Latent, Parameter
from cranfield.inference.selection import Selection


def parameters(model: Latent, confidence: float = 0.95) -> list[dict[str, Any]]:
    """A dict for each ability, difficulty and discrimination, with its bounds, and for what each query tells."""
    return [*_parameters(model, confidence), *_information(model)]


def _parameters(model: Latent, confidence: float) -> Iterator[dict[str, Any]]:
    for what in get_args(Parameter):
        names = model.systems if what == "ability" else model.queries
        bounds = model.interval(what, confidence).tolist()
        for name, value, (low, high) in zip(names, getattr(model, what).tolist(), bounds, strict=True):
            yield {"parameter": what, "name": name, "value": value, "low": _known(low), "high": _known(high)}


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _information(model: Latent) -> Iterator[dict[str, Any]]:
    for name, value in zip(model.queries, model.information.tolist(), strict=True):
        yield {"parameter": "information", "name": name, "value": value, "low": None, "high": None}


def selected(selection: Selection) -> list[dict[str, Any]]:
    """A dict for each query in the order chosen, with the taus of the order by all so far; None where unknown."""
    taus = zip(selection.tau.tolist(), selection.unseen.tolist(), selection.chance.tolist(), strict=True)
    return [
        {"place": place, "query": query, "tau": tau, "unseen": _known(unseen), "chance": chance}
        for place, (query, (tau, unseen, chance)) in enumerate(zip(selection.queries, taus, strict=True), 1)
    ]
