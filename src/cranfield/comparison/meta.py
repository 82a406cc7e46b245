"""How large is a difference over several collections?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.errors import BadInput, BadSetting, require_one_of
from cranfield.evidence.samples import Pairs, Samples, scales
from cranfield.frozen import frozen
from cranfield.measures.naming import Requested
from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.rankings.collections import evaluated_folders, same_judgments
from cranfield.results.provenance import NOTHING_READ, Caution, Provenance, combined, differing, warn
from cranfield.results.samples import Paired, paired
from cranfield.results.verb_result import AnnotatedResult
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import require_confidence
from cranfield.statistics.effects import effects
from cranfield.statistics.meta_analysis import Heterogeneity, pooled
from cranfield.text import percent

# Meta-analyses: differences between systems over several collections


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


def meta_analysis(
    collections: Mapping[str, Any] | Sequence[str],
    baseline: str | None = None,
    *,
    measures: Requested = None,
    heterogeneity: Heterogeneity = "reml",
    confidence: float = CONFIDENCE,
    **settings: Any,
) -> MetaAnalysis:
    """The mean difference between systems over several collections, whose true differences may vary.

    Parameters
    ----------
    collections
        `{name: data}`, with data as for `compare`; or the paths of folders, each with one file `qrels` and
        runs (`*.run`) of the same systems.
    baseline
        The system that all others are compared with; by default, all pairs are compared.
    measures, settings
        For folders: as for `evaluate`.
    heterogeneity
        How the variance between collections is estimated: `"reml"` or `"dersimonian-laird"`.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    MetaAnalysis
        One row per pair and measure: the random-effects mean with its interval (Knapp and Hartung), the heterogeneity,
        and a prediction interval for another collection; and the difference on each collection with its weight.

    Examples
    --------
    >>> news = {"new": [0.4, 0.6, 0.7, 0.5], "old": [0.3, 0.5, 0.7, 0.3]}
    >>> web = {"new": [0.2, 0.3, 0.5, 0.4], "old": [0.1, 0.2, 0.3, 0.4]}
    >>> round(meta_analysis({"news": news, "web": web}, "old").rows[0].difference, 4)
    0.1
    """
    if isinstance(collections, Mapping) and (measures is not None or settings):
        names = [*(["measures"] if measures is not None else []), *settings]
        raise BadSetting(
            f"{', '.join(names)}: for folders only; evaluate the data of each collection with these settings"
        )
    results: Mapping[str, Any] = (
        collections if isinstance(collections, Mapping) else evaluated_folders(collections, measures, **settings)
    )
    by_collection = {str(name): paired(data) for name, data in results.items()}
    provenance, doubts = _provenance(by_collection)
    if isinstance(collections, Mapping):  # of folders, this was said when they were evaluated
        warn(doubts)
    return analysed(
        {name: data.tested for name, data in by_collection.items()},
        baseline,
        heterogeneity=heterogeneity,
        confidence=confidence,
        provenance=provenance,
    )


def _provenance(collections: Mapping[str, Paired]) -> tuple[Provenance, tuple[Caution, ...]]:
    """The provenance of all collections, and cautions that two are the same, or were evaluated differently."""
    if not collections:
        return NOTHING_READ, ()
    parts = {name: data.provenance for name, data in collections.items()}
    doubts = (*same_judgments(parts), *_same_values(collections), *differing(parts))
    whole = combined(parts)
    return replace(whole, warnings=(*whole.warnings, *doubts)), doubts


def _same_values(collections: Mapping[str, Paired]) -> Iterator[Caution]:
    """Cautions that two tables of values are the same."""
    first: dict[tuple[bytes, ...], str] = {}
    for name, data in collections.items():
        if data.result is None:
            key = tuple(samples.values.tobytes() for samples in data.samples.values())
            if first.setdefault(key, name) != name:
                message = f"{first[key]} and {name} have the same values: they count as two collections"
                yield Caution("same-content", message, (first[key], name))


# Meta-analyses as tables


_NAMES = ("measure", "system", "baseline")


def tables(analysis: MetaAnalysis, *, digits: int) -> list[Table]:
    """The mean differences over collections, and the differences on each."""
    over = (
        *map(Column, _NAMES),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("p", digits=digits, probability=True),
        *numbers("between", digits=digits),
        *numbers("I²", digits=2),
        *numbers("p of Q", digits=digits, probability=True),
        *numbers("new low", "new high", digits=digits),
    )
    confidence = percent(analysis.settings["confidence"])
    notes = (
        f"difference: random-effects mean over collections; heterogeneity by {analysis.settings['heterogeneity']}",
        f"low, high: {confidence} intervals of the mean (Knapp and Hartung); new low, new high: prediction of the "
        "difference on another collection",
        "between: standard deviation of the true differences; I²: proportion of the variance beyond sampling error",
        *analysis.notes,
    )
    on_each = (
        *map(Column, (*_NAMES, "collection")),
        *numbers("n", digits=0),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("weight", digits=2),
    )
    rows = rows_of(analysis.rows, over, {"I²": "inconsistency", "p of Q": "q_p"})
    return [
        Table(over, rows, title="Differences over collections", notes=notes),
        Table(on_each, rows_of(analysis.collections, on_each), title="Differences on each collection"),
    ]
