"""Meta-analyses: differences between systems over several collections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from cranfield.errors import BadInput, require_one_of
from cranfield.evidence.samples import Pairs, Samples, scales
from cranfield.frozen import frozen
from cranfield.inference.distributions import require_confidence
from cranfield.inference.effects import effects
from cranfield.inference.meta_analysis import Heterogeneity, pooled
from cranfield.results.provenance import Provenance
from cranfield.results.verb_result import AnnotatedResult


@frozen
class OnCollection:
    """The difference of a pair on one collection, and its weight in the mean."""

    measure: str
    system: str
    baseline: str
    collection: str
    n: int
    difference: float
    low: float
    high: float
    weight: float


@frozen
class OverCollections:
    """The mean difference of a pair over collections, and how much the differences vary between them."""

    measure: str
    system: str
    baseline: str
    collections: int
    difference: float
    low: float
    high: float
    p: float
    between: float
    inconsistency: float
    q: float
    q_p: float
    new_low: float | None
    new_high: float | None


@frozen(eq=False)
class MetaAnalysis(AnnotatedResult):
    """Random-effects means of the differences on several collections."""

    kind = "meta-analysis"
    record_fields = (("differences", "rows"), ("collections", "collections"))

    rows: tuple[OverCollections, ...]
    collections: tuple[OnCollection, ...]


def analysed(
    by_collection: Mapping[str, Mapping[str, Samples]],
    baseline: str | None,
    *,
    heterogeneity: Heterogeneity,
    confidence: float,
    provenance: Provenance,
) -> MetaAnalysis:
    """The mean difference of every pair over the collections, for each measure."""
    require_confidence(confidence)
    require_one_of("heterogeneity", heterogeneity, Heterogeneity)
    if len(by_collection) < 2:
        raise BadInput(f"a meta-analysis needs at least 2 collections; got {len(by_collection)}")
    first = next(iter(by_collection.values()))
    rows, single = [], []
    for measure in first:
        compared = {name: _pairs(name, measure, data, first[measure], baseline) for name, data in by_collection.items()}
        for place in range(len(next(iter(compared.values())))):
            over, on = _pooled(measure, compared, place, heterogeneity, confidence)
            rows.append(over)
            single += on
    settings = {"baseline": baseline, "heterogeneity": heterogeneity, "confidence": confidence}
    notes = tuple(_notes(by_collection))
    return MetaAnalysis(tuple(rows), tuple(single), settings=settings, notes=notes, provenance=provenance)


def _pairs(
    name: str, measure: str, by_measure: Mapping[str, Samples], reference: Samples, baseline: str | None
) -> Pairs:
    """The pairs of systems on a collection, in the order of the first one."""
    if measure not in by_measure or set(by_measure[measure].systems) != set(reference.systems):
        raise BadInput(f"{name}: all collections need the same measures and systems: {', '.join(reference.systems)}")
    samples = by_measure[measure]
    samples.require_variance(f"{name}: ")
    order = reference.pairs(baseline)
    first, second = (
        np.array([samples.system(reference.systems[place]) for place in places])
        for places in (order.first, order.second)
    )
    return Pairs(samples, first, second)


def _pooled(
    measure: str, compared: Mapping[str, Pairs], place: int, heterogeneity: Heterogeneity, confidence: float
) -> tuple[OverCollections, list[OnCollection]]:
    system, baseline = next(iter(compared.values())).names[place]
    mean = np.array([pairs.mean[place] for pairs in compared.values()])
    error = np.array([pairs.error[place] for pairs in compared.values()])
    if (error == 0).any():
        name = list(compared)[int(np.argmin(error))]
        raise BadInput(
            f"{measure}: {system} and {baseline} differ by a constant on {name}: there is no standard "
            "error; leave the collection out"
        )
    whole = pooled(mean, error, heterogeneity, confidence)
    on = [
        OnCollection(measure, system, baseline, name, pairs.n_units, *_bounds(pairs, place, confidence), float(weight))
        for (name, pairs), weight in zip(compared.items(), whole.weight, strict=True)
    ]
    new = (None, None) if np.isnan(whole.new_low) else (float(whole.new_low), float(whole.new_high))
    figures = (whole.effect, whole.low, whole.high, whole.p, whole.between, whole.inconsistency, whole.q, whole.q_p)
    return OverCollections(measure, system, baseline, len(compared), *map(float, figures), *new), on


def _bounds(pairs: Pairs, place: int, confidence: float) -> tuple[float, float, float]:
    size = effects(pairs, level=1 - confidence)
    return float(size.difference[place]), float(size.low[place]), float(size.high[place])


def _notes(by_collection: Mapping[str, Mapping[str, Samples]]) -> Iterator[str]:
    """How reliable the variance is, and the notes on the samples, with the collection unless they apply to all."""
    if len(by_collection) < 5:
        yield f"with only {len(by_collection)} collections, the variance between collections is poorly estimated"
    notes = {name: [note for one in data.values() for note in one.notes] for name, data in by_collection.items()}
    for measure in next(iter(by_collection.values())):
        yield from scales({name: data[measure].values.ravel() for name, data in by_collection.items()})
    for note in dict.fromkeys(note for of_one in notes.values() for note in of_one):
        of = [name for name, of_one in notes.items() if note in of_one]
        yield note if len(of) == len(notes) else f"{', '.join(of)}: {note}"
