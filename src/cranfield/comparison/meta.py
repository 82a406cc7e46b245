"""Is a system better on average over several collections?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Pairs, Samples, scales
from cranfield.frozen import frozen
from cranfield.measures.naming import Requested
from cranfield.rankings.collections import evaluated_folders, same_judgments
from cranfield.results.provenance import NOTHING_READ, Caution, Provenance, combined, differing, warn
from cranfield.results.samples import Paired, paired
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.settings import CONFIDENCE, Baseline, Confidence, Means
from cranfield.statistics.effects import effects
from cranfield.statistics.meta_analysis import Heterogeneity, pooled
from cranfield.text import counted, interval, listed, percent, probability, signed
from cranfield.verb import verb

_NAMES = texts("measure", "system", "baseline")
OVER = Schema(
    "differences",
    "Differences over collections",
    (
        *_NAMES,
        Field("collections", in_tables=False),
        *figures("difference", "low", "high"),
        Field("p", probability=True),
        Field("between"),  # standard deviation of the true differences
        Field("inconsistency", "I²", digits=2),
        Field("q", in_tables=False),
        Field("q_p", "p of Q", probability=True),
        *(Field(f"new_{end}", f"new {end}") for end in ("low", "high")),  # the difference on another collection
    ),
)
ON_EACH = Schema(
    "collections",
    "Differences on each collection",
    (
        *_NAMES,
        *texts("collection"),
        Field("n", digits=0),
        *figures("difference", "low", "high"),
        Field("weight", digits=2),
    ),
)


@frozen(eq=False)
class MetaAnalysis(AnnotatedResult):
    """Random-effects means of the differences over several collections (`rows`), and on each (`collections`)."""

    kind = "meta-analysis"

    rows: Columns
    collections: Columns

    @property
    def answer(self) -> str:
        """The mean difference of each pair on the first measure, and what to expect on another collection."""
        first = [row for row in self.rows if row.measure == self.rows[0].measure]
        confidence = self.settings["confidence"]
        told = [
            f"{row.system} minus {row.baseline} is {signed(row.difference)} ({interval(row.low, row.high)}, "
            f"{probability(row.p)})"
            for row in first
        ]
        text = (
            f"Over {counted(first[0].collections, 'collection')}, the mean difference in {first[0].measure}, with its "
            f"{percent(confidence)} interval: {listed(told)}."
        )
        if len(first) == 1 and first[0].new_low is not None:
            text += f" On another collection, expect {interval(first[0].new_low, first[0].new_high)}."
        return text

    @property
    def explanations(self) -> tuple[str, ...]:
        """What the columns mean."""
        heterogeneity, confidence = self.settings["heterogeneity"], percent(self.settings["confidence"])
        return (
            f"difference: random-effects mean over collections; heterogeneity by {heterogeneity}",
            f"low, high: {confidence} intervals of the mean (Knapp and Hartung); new low, new high: prediction of the "
            "difference on another collection",
            "between: standard deviation of the true differences; I²: proportion of the variance beyond sampling error",
        )


@verb
def meta_analysis(
    collections: Mapping[str, Any] | Sequence[str],
    baseline: Baseline = None,
    *,
    measures: Requested = None,
    heterogeneity: Annotated[
        Heterogeneity, Means("Estimate of the variance between collections: `reml` or `dersimonian-laird`.")
    ] = "reml",
    confidence: Confidence = CONFIDENCE,
    **settings: Any,
) -> MetaAnalysis:
    """The mean difference between systems over several collections, whose true differences may vary.

    Parameters
    ----------
    collections
        `{name: data}`, with data as for `compare`; or the paths of folders, each with one file `qrels` and
        runs (`*.run`) of the same systems.
    measures, settings
        For folders: as for `evaluate`.

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
    if len(by_collection) < 2:
        raise BadInput(f"a meta-analysis needs at least 2 collections; got {len(by_collection)}")
    tested = {name: data.tested for name, data in by_collection.items()}
    over: list[tuple[Any, ...]] = []
    on_each: list[tuple[Any, ...]] = []
    for measure, reference in next(iter(tested.values())).items():
        compared = {name: _pairs(name, measure, data, reference, baseline) for name, data in tested.items()}
        size = {name: effects(pairs, level=1 - confidence) for name, pairs in compared.items()}
        for place, pair in enumerate(reference.pairs(baseline).names):
            whole = pooled(*_estimates(measure, compared, place), heterogeneity, confidence)
            bounds = (whole.effect, whole.low, whole.high, whole.p, whole.between)
            spread = (whole.inconsistency, whole.q, whole.q_p, whole.new_low, whole.new_high)
            over.append((measure, *pair, len(compared), *bounds, *spread))
            for weight, (name, pairs) in zip(whole.weight, compared.items(), strict=True):
                one = size[name]
                difference = (one.difference[place], one.low[place], one.high[place])
                on_each.append((measure, *pair, name, pairs.n_units, *difference, weight))
    return MetaAnalysis(
        OVER.of(over),
        ON_EACH.of(on_each),
        settings={"baseline": baseline, "heterogeneity": heterogeneity, "confidence": confidence},
        notes=tuple(_notes(tested)),
        provenance=provenance,
    )


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


def _estimates(measure: str, compared: Mapping[str, Pairs], place: int) -> tuple[Floats, Floats]:
    """The difference of a pair on each collection, and its standard error."""
    mean, error = (np.array([getattr(pairs, name)[place] for pairs in compared.values()]) for name in ("mean", "error"))
    if (error == 0).any():
        system, baseline = next(iter(compared.values())).names[place]
        name = list(compared)[int(np.argmin(error))]
        raise BadInput(
            f"{measure}: {system} and {baseline} differ by a constant on {name}: there is no standard "
            "error; leave the collection out"
        )
    return mean, error


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
