"""Bayesian comparisons: the probabilities that systems are better, equivalent or worse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from cranfield.errors import require_between
from cranfield.evidence.samples import Samples
from cranfield.frozen import frozen
from cranfield.inference.bayesian import Model, posterior
from cranfield.results.records import number
from cranfield.results.settings_on_scale import require_below_range
from cranfield.results.verb_result import AnnotatedResult

Decision = Literal["better", "equivalent", "worse", "undecided"]


@frozen
class Judged:
    """A system compared with a baseline: the mean difference, its credible interval and three probabilities."""

    measure: str
    system: str
    baseline: str
    difference: float
    low: float | None
    high: float | None
    better: float | None  # None if the model cannot describe the differences
    equivalent: float | None
    worse: float | None
    decision: Decision


@frozen(eq=False)
class BayesianComparison(AnnotatedResult):
    """The posterior probabilities for every pair of systems."""

    kind = "bayesian"
    record_fields = (("pairs", "rows"),)

    rows: tuple[Judged, ...]


def compare_posteriors(
    by_measure: Mapping[str, Samples],
    baseline: str | None,
    *,
    rope: float,
    model: Model,
    credibility: float,
    **settings: Any,
) -> BayesianComparison:
    """The posterior of every pair of systems, for each measure."""
    require_between("credibility", credibility, 0.5, 1)
    rows: list[Judged] = []
    notes: dict[str, None] = {}
    for measure, samples in by_measure.items():
        samples.require_variance()
        notes |= dict.fromkeys(samples.notes)
        require_below_range("rope", rope, measure, samples)
        pairs = samples.pairs(baseline)
        beliefs = posterior(pairs, rope, model, credibility=credibility, **settings)
        notes |= dict.fromkeys(filter(None, (beliefs.prior, beliefs.reason)))
        better, worse = (beliefs.lower, beliefs.higher) if samples.lower_is_better else (beliefs.higher, beliefs.lower)
        columns = (pairs.mean, beliefs.low, beliefs.high, better, beliefs.equivalent, worse)
        figures = [[*map(number, column)] for column in columns]
        for (system, other), difference, low, high, higher, equivalent, lower in zip(
            pairs.names, *figures, strict=True
        ):
            decision = _decision([higher, equivalent, lower], credibility)
            rows.append(
                Judged(measure, system, other, difference or 0.0, low, high, higher, equivalent, lower, decision)
            )
    shown = {"model": model, "rope": rope, "credibility": credibility} | settings
    return BayesianComparison(tuple(rows), settings=shown, notes=tuple(notes))


def _decision(probabilities: list[float | None], credibility: float) -> Decision:
    names: tuple[Decision, ...] = ("better", "equivalent", "worse")
    likely: Iterator[Decision] = (
        name for name, one in zip(names, probabilities, strict=True) if one is not None and one >= credibility
    )
    return next(likely, "undecided")
