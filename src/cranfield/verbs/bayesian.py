"""How probable is it that a system is better, or practically equivalent?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cranfield.errors import BadSetting, require_one_of
from cranfield.inference.bayesian import Model
from cranfield.inference.resampling import RESAMPLES
from cranfield.measures.settings import CONFIDENCE
from cranfield.results.bayesian import BayesianComparison, compare_posteriors
from cranfield.results.result_samples import Lower
from cranfield.verbs.as_samples import paired


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
