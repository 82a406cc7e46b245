"""How probable is it that a system is better, or practically equivalent?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from cranfield.errors import BadSetting, require_between, require_one_of
from cranfield.evidence.samples import Samples
from cranfield.frozen import frozen
from cranfield.present.table import Column, Table, numbers, rows_of
from cranfield.results.samples import Lower, paired, require_below_range
from cranfield.results.verb_result import AnnotatedResult, number
from cranfield.settings import CONFIDENCE
from cranfield.statistics.bayesian import Model, posterior
from cranfield.statistics.resampling import RESAMPLES
from cranfield.text import percent

# Bayesian comparisons: the probabilities that systems are better, equivalent or worse


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


def compare_bayesian(
    data: Any,
    baseline: str | None = None,
    *,
    rope: float = 0.01,
    model: Model = "t",
    credibility: float = CONFIDENCE,
    overlap: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    lower_is_better: Lower = (),
    topic: Mapping[str, str] | None = None,
) -> BayesianComparison:
    """Posterior probabilities that systems are better, practically equivalent or worse.

    A significance test asks how surprising the data are if systems do not differ; a posterior tells how probable it is
    that they differ by more than a negligible amount. Unlike a test of no difference, it can conclude that systems are
    practically equivalent.

    Parameters
    ----------
    data
        As for `compare`: a result, a table of values, or `{system: values}`.
    baseline
        The system that all others are compared with; by default, all pairs are compared.
    rope
        Region of practical equivalence: mean differences between -rope and rope are negligible.
    model
        `"t"`: differences are normal (the posterior of their mean is a t distribution); `"correlated t"`: the same for
        folds, whose training sets overlap; `"signed-rank"`: no distribution is assumed, for few or skewed values, or
        for one value per collection.
    credibility
        Probability at which a pair is called better, equivalent or worse, and that of the credible interval.
    overlap
        For the correlated t model: the size of a test fold divided by that of its training set; known to
        `cross_validate`.
    resamples
        Number of random draws of the signed-rank model.
    seed
        Random seed of the signed-rank model.
    lower_is_better
        For plain values: True, or the names of the measures for which lower is better.
    topic
        The topic of each query, if queries are variants of topics: means of topics are then compared.

    Returns
    -------
    BayesianComparison
        One row per pair and measure. The probabilities add up to 1; there is no correction for multiple comparisons,
        since each is a statement about one pair.

    Examples
    --------
    >>> values = {"new": [0.4, 0.6, 0.7, 0.5, 0.6], "old": [0.3, 0.5, 0.7, 0.3, 0.4]}
    >>> row = compare_bayesian(values, "old", rope=0.02).rows[0]
    >>> round(row.better, 3), round(row.equivalent, 3), round(row.worse, 3), row.decision
    (0.972, 0.018, 0.01, 'better')
    """
    require_one_of("model", model, Model)
    _require_used(model, overlap, resamples, seed)
    source = paired(data, lower_is_better, topic)
    settings: dict[str, Any] = {"signed-rank": {"resamples": resamples, "seed": seed}}.get(model, {})
    if model == "correlated t":
        settings = {"overlap": overlap}
    compared = compare_posteriors(source.tested, baseline, rope=rope, model=model, credibility=credibility, **settings)
    return replace(compared, provenance=source.provenance)


def _require_used(model: Model, overlap: float | None, resamples: int, seed: int) -> None:
    """Refuse settings that the model does not use."""
    if overlap is not None and model != "correlated t":
        raise BadSetting(f"overlap is a setting of the correlated t model; the {model} model does not use it")
    if model != "signed-rank" and (resamples != RESAMPLES or seed != 0):
        name = "resamples" if resamples != RESAMPLES else "seed"
        raise BadSetting(f"{name} is a setting of the signed-rank model; the {model} model draws no random numbers")


# Bayesian comparisons as tables


def tables(compared: BayesianComparison, *, digits: int) -> list[Table]:
    """One row per pair and measure."""
    columns = (
        *map(Column, ("measure", "system", "baseline")),
        *numbers("difference", "low", "high", digits=digits),
        *numbers("P(better)", "P(equivalent)", "P(worse)", digits=3, probability=True),
        Column("decision"),
    )
    fields = {f"P({outcome})": outcome for outcome in ("better", "equivalent", "worse")}
    rope, model = compared.settings["rope"], compared.settings["model"]
    credibility = compared.settings["credibility"]
    bounds = f"low, high: {percent(credibility)} credible interval of the mean difference"
    notes = (
        f"model: {model}; practically equivalent: mean differences from {-rope:g} to {rope:g}",
        f"decision: an event with a probability of at least {credibility:g}",
        *([] if model == "signed-rank" else [bounds]),
        *compared.notes,
    )
    return [Table(columns, rows_of(compared.rows, columns, fields), title="Posterior probabilities", notes=notes)]
