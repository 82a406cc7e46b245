"""Results from pictures of rankings, as in `pictures`: a list of queries for each system."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cranfield.measures.naming import parse
from cranfield.results.provenance import Provenance
from cranfield.results.values import Result
from pictures import several


class Case(NamedTuple):
    """What makes a rule speak, the nearest thing that does not, and what it says."""

    speaks: Any
    silent: Any
    sentence: str


def pictured(measures: str, settings: dict[str, Any] | None = None, /, **systems: list[str]) -> Result:
    """The result of measures, separated by blanks, for systems whose rankings are pictures."""
    wanted = tuple(parse(name) for name in measures.split())
    queries = tuple(f"q{place}" for place in range(1, len(next(iter(systems.values()))) + 1))
    evidence = {name: replace(several(*each), queries=queries) for name, each in systems.items()}
    usual = {"ties": "trec", "missing": "zero", "undefined": "zero"}
    return Result(
        systems=tuple(systems),
        measures=wanted,
        units=queries,
        values=np.array([[measure.values(hits) for measure in wanted] for hits in evidence.values()]),
        counted=np.ones((len(systems), len(queries)), np.bool_),
        micro=np.array([[_micro(measure, hits) for measure in wanted] for hits in evidence.values()]),
        provenance=Provenance((), usual | (settings or {}), (), {}),
        evidence=evidence,
    )


def _micro(measure: Any, hits: Any) -> float:
    return measure.micro(hits) if measure.declaration.pools else float("nan")
