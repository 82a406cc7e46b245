"""How probable is it that a system is better, or practically equivalent?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from cranfield.frozen import frozen
from cranfield.results.samples import Lower, paired, require_below_range
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.settings import CONFIDENCE, Count, Means, NonNegative, Only, Positive, Range
from cranfield.statistics.bayesian import Model, posterior
from cranfield.statistics.resampling import RESAMPLES
from cranfield.text import counted, listed, percent
from cranfield.verb import in_effect, verb

OUTCOMES = ("better", "equivalent", "worse")
PAIRS = Schema(
    "pairs",
    "Posterior probabilities",
    (
        *texts("measure", "system", "baseline"),
        *figures("difference", "low", "high"),
        *(Field(name, f"P({name})", digits=3, probability=True) for name in OUTCOMES),
        *texts("decision"),
    ),
)

_SAID = {"better": "better than", "equivalent": "practically equivalent to", "worse": "worse than"}


@frozen(eq=False)
class BayesianComparison(AnnotatedResult):
    """The posterior probabilities that systems are better, equivalent or worse, for every pair of systems."""

    kind = "bayesian"

    rows: Columns

    @property
    def answer(self) -> str:
        """Which systems are probably better, equivalent or worse on the first measure."""
        first = [row for row in self.rows if row.measure == self.rows[0].measure]
        decided = [(getattr(row, row.decision), row) for row in first if row.decision in OUTCOMES]
        if not decided:
            return f"No comparison on {first[0].measure} reaches a probability of {self.settings['credibility']:g}."
        told = [
            f"{row.system} is {_SAID[row.decision]} {row.baseline} (probability {likely:.2f})"
            for likely, row in sorted(decided, key=lambda one: -one[0])
        ]
        open_ = len(first) - len(decided)
        rest = f"; {open_} of {counted(len(first), 'comparison')} undecided" if open_ else ""
        return f"On {first[0].measure}, {listed(told)}{rest}."

    @property
    def explanations(self) -> tuple[str, ...]:
        """The model, the region of equivalence, and when a decision is made."""
        rope, model, credibility = (self.settings[name] for name in ("rope", "model", "credibility"))
        bounds = f"low, high: {percent(credibility)} credible interval of the mean difference"
        return (
            f"model: {model}; practically equivalent: mean differences from {-rope:g} to {rope:g}",
            f"decision: an event with a probability of at least {credibility:g}",
            *([] if model == "signed-rank" else [bounds]),
        )


@verb
def compare_bayesian(
    data: Any,
    baseline: Annotated[
        str | None,
        Means("The system that all others are compared with; by default, every pair is compared.", "SYSTEM", "-b"),
    ] = None,
    *,
    rope: Annotated[
        NonNegative,
        Means("Region of practical equivalence: mean differences between -rope and rope are negligible."),
    ] = 0.01,
    model: Annotated[
        Model,
        Means(
            '`"t"`: differences are normal (the posterior of their mean is a t distribution); `"correlated t"`: the '
            'same for folds, whose training sets overlap; `"signed-rank"`: no distribution is assumed, for few or '
            "skewed values, or for one value per collection."
        ),
    ] = "t",
    credibility: Annotated[
        float,
        Range("a number from 0.5 to 1", low=0.5, high=1),
        Means("Probability at which a pair is called better, equivalent or worse, and that of the credible interval."),
    ] = CONFIDENCE,
    overlap: Annotated[
        Positive | None,
        Only("model", ("correlated t",)),
        Means(
            "Size of a test fold divided by that of its training set.",
            default="known for cross_validate's folds",
        ),
    ] = None,
    resamples: Annotated[Count, Only("model", ("signed-rank",)), Means("Number of random draws.")] = RESAMPLES,
    seed: Annotated[
        int, Range("a non-negative integer", low=0, whole=True), Only("model", ("signed-rank",)), Means("Random seed.")
    ] = 0,
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
    settings = in_effect(compare_bayesian, locals())
    source = paired(data, lower_is_better, topic)
    special = {name: settings[name] for name in ("overlap", "resamples", "seed") if name in settings}
    rows: list[tuple[Any, ...]] = []
    notes: dict[str, None] = {}
    for measure, samples in source.tested.items():
        samples.require_variance()
        require_below_range("rope", rope, measure, samples)
        pairs = samples.pairs(baseline)
        beliefs = posterior(pairs, rope, model, credibility=credibility, **special)
        notes |= dict.fromkeys(filter(None, (*samples.notes, beliefs.prior, beliefs.reason)))
        better, worse = (beliefs.lower, beliefs.higher) if samples.lower_is_better else (beliefs.higher, beliefs.lower)
        likely = np.array([better, beliefs.equivalent, worse])
        decision = np.where((likely >= credibility).any(axis=0), np.array(OUTCOMES)[likely.argmax(axis=0)], "undecided")
        names = [(measure, *pair) for pair in pairs.names]
        figures_of = zip(pairs.mean + 0.0, beliefs.low, beliefs.high, *likely, decision, strict=True)
        rows += [(*name, *figure) for name, figure in zip(names, figures_of, strict=True)]
    shown = {name: value for name, value in settings.items() if name != "baseline"}
    return BayesianComparison(PAIRS.of(rows), settings=shown, notes=tuple(notes), provenance=source.provenance)
