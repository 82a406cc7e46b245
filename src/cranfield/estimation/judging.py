"""Judging plans: which documents people should judge for estimates of the desired precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput
from cranfield.estimation.documents import Labelled, contribution
from cranfield.frozen import frozen
from cranfield.measures.registry import Measure
from cranfield.present.table import Table, listed
from cranfield.results.shape import Columns, Field, Schema, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.results.writing import decoded
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import normal_critical_value
from cranfield.statistics.resampling import generator
from cranfield.statistics.sampling import neyman_allocation
from cranfield.tables.names import decode
from cranfield.text import counted

_CLASSES = 4  # of documents with similar weights, for each grade of the machine
_PRIOR = 2.0  # weight of the prior variance, in documents of a pilot


DOCUMENTS = Schema(
    "documents",
    "Documents to judge",
    (
        *texts("query", "document"),
        Field("stratum", digits=0),
        Field("probability"),  # of being chosen
        Field("judged", kind="flag", in_tables=False),  # already in the pilot
    ),
)
STRATA = Schema(
    "strata",
    "Strata",
    (
        Field("stratum", digits=0),
        Field("machine_grade", "machine grade", digits=1),
        Field("weight"),  # the largest contribution of a document to any of the estimates
        Field("deviation"),  # expected standard deviation of the human gain
        Field("documents", digits=0),
        Field("to_judge", "to judge", digits=0),
    ),
)


@frozen(eq=False)
class JudgingPlan(AnnotatedResult):
    """The documents that people should judge: a stratified random sample with optimal (Neyman) allocation."""

    kind = "judging plan"

    rows: Columns
    strata: Columns

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def answer(self) -> str:
        """The number of documents to judge, and those that are judged already."""
        pilot = sum(self.rows["judged"])
        done = f"; {pilot:,} of them are judged already" if pilot else ""
        n_all = sum(self.strata["documents"])
        half_width = self.settings["half_width"]
        return f"Judge {len(self):,} of {counted(n_all, 'document')} for intervals of ±{half_width:g}{done}."


def planned(
    labels: Labelled,
    measures: Sequence[Measure],
    baseline: str | None,
    *,
    half_width: float,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> JudgingPlan:
    """The documents to judge so that every estimate has an interval of ± the half-width."""
    weight, deviation = _spread(labels, measures, baseline)
    largest = np.abs(weight).max(axis=1)
    if not largest.any():
        raise BadInput("no system retrieved a machine-judged document at a rank that counts")
    stratum, names = _strata(largest, labels.machine.grade)
    size = np.bincount(stratum[stratum >= 0], minlength=len(names))
    inside = [np.flatnonzero(stratum == h) for h in range(len(names))]
    spread = np.array([np.sqrt((weight[rows] ** 2 * deviation[rows] ** 2).mean(axis=0)) for rows in inside])
    target = np.full(weight.shape[1], (half_width / normal_critical_value(confidence)) ** 2)
    chosen = neyman_allocation(size, spread, target)
    rng = generator(seed)
    drawn = [np.sort(rng.choice(rows, n, replace=False)) for rows, n in zip(inside, chosen.tolist(), strict=True)]
    settings = {
        "measures": [*map(str, measures)], "baseline": baseline, "half_width": half_width, "confidence": confidence,
        "seed": seed,
    }  # fmt: skip
    strata = [
        (h, names[h][0], largest[rows].max(), deviation[rows].max(), len(rows), n)
        for h, (rows, n) in enumerate(zip(inside, chosen.tolist(), strict=True))
    ]
    rows = DOCUMENTS.of(_documents(labels, drawn, size))
    notes = (f"for intervals of ±{half_width:g}, judge these {counted(len(rows), 'document')}", *_notes(labels, rows))
    return JudgingPlan(rows, STRATA.of(strata), settings=settings, notes=notes)


def _spread(labels: Labelled, measures: Sequence[Measure], baseline: str | None) -> tuple[Floats, Floats]:
    """The weight of each document in each estimate, and the expected deviation of its human gain: `[document, q]`."""
    columns, deviations = [], []
    for measure in measures:
        if contribution(measure).relative:
            raise BadInput(f"{measure} cannot be planned: its precision depends on relevant documents not yet known")
        weights = [labels.weights(measure, *pair) for pair in labels.quantities(baseline)]
        columns += weights
        deviations += [_deviation(labels, measure)] * len(weights)
    return np.stack(columns, axis=1), np.stack(deviations, axis=1)


def _deviation(labels: Labelled, measure: Measure) -> Floats:
    """The standard deviation of the human gain given the machine's grade: from a pilot, or the largest possible.

    Without a pilot, gains may be anything between the smallest and the largest gain of the machine's grades: the
    standard deviation is at most half of that range. This counts as two documents of a pilot.
    """
    gain = contribution(measure).gain
    grade = labels.machine.grade
    gains = gain(grade)
    widest = (max(float(np.ptp(gains)), 1.0) / 2) ** 2
    known = [(labels.row[key], value) for key, value in labels.grade.items()]
    row = np.array([place for place, _ in known], np.int64)
    human = gain(np.array([value for _, value in known], np.float64))
    variance = np.empty(len(grade))
    for level in np.unique(grade):
        pilot = human[grade[row] == level]
        seen = float(((pilot - pilot.mean()) ** 2).sum()) if len(pilot) else 0.0
        variance[grade == level] = (seen + _PRIOR * widest) / (len(pilot) + _PRIOR)
    return np.sqrt(variance)


def _strata(largest: Floats, grade: Floats) -> tuple[Ints, list[tuple[float, int]]]:
    """The stratum of each document, -1 for documents that count in no estimate, and its grade and class of weights."""
    positive = np.unique(largest[largest > 0])
    edges = np.unique(np.quantile(positive, np.arange(1, _CLASSES) / _CLASSES)) if len(positive) > 1 else positive[:0]
    group = np.searchsorted(edges, largest, side="left")
    keys = list(zip(grade.tolist(), group.tolist(), strict=True))
    names = sorted({key for key, weight in zip(keys, largest.tolist(), strict=True) if weight > 0})
    place = {name: h for h, name in enumerate(names)}
    stratum = [place[key] if weight > 0 else -1 for key, weight in zip(keys, largest.tolist(), strict=True)]
    return np.array(stratum, np.int64), names


def _documents(labels: Labelled, drawn: Sequence[Ints], size: Ints) -> Iterator[tuple[Any, ...]]:
    chosen = [(row, h) for h, rows in enumerate(drawn) for row in rows.tolist()]
    for row, h in sorted(chosen):
        query, document = (decoded(decode(name)) for name in labels.key[row])
        probability = len(drawn[h]) / int(size[h])
        yield query, document, h, probability, labels.key[row] in labels.grade


def _notes(labels: Labelled, rows: Columns) -> list[str]:
    n_judged = sum(rows["judged"])
    notes = ["a stratified random sample by the machine's grades and the weights of the documents (Neyman allocation)"]
    if labels.grade:
        notes.append(f"the variance of human judgments is estimated from {counted(len(labels.grade), 'document')}")
        notes.append(f"{counted(n_judged, 'document')} of the sample already judged by people")
    else:
        notes.append(
            "without human judgments, the largest possible variance is assumed; with a pilot, fewer are needed"
        )
    return notes


_SHOWN = 20  # documents shown; files contain all


def tables(plan: JudgingPlan, *, digits: int) -> list[Table]:
    """The number of documents to judge in each stratum, and the first of them."""
    note = "weight: largest contribution of a document; deviation: expected, of the human gain"
    more = len(plan) - _SHOWN
    notes = (f"and {more:,} more: -f csv, or -o judge.csv, lists all of them",) if more > 0 else ()
    return [
        listed(plan.strata, digits=digits, notes=(*plan.notes, note)),
        listed(DOCUMENTS.of(plan.rows[:_SHOWN]), digits=digits, notes=notes),
    ]
