"""How large is a difference over several collections?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.errors import BadSetting
from cranfield.inference.meta_analysis import Heterogeneity
from cranfield.measures.naming import Requested
from cranfield.measures.settings import CONFIDENCE
from cranfield.rankings.collections import evaluated_folders, same_judgments
from cranfield.results.meta_analysis import MetaAnalysis, analysed
from cranfield.results.provenance import NOTHING_READ, Caution, Provenance, combined, differing, warn
from cranfield.verbs.as_samples import Paired, paired


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
