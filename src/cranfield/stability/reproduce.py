"""Would other queries give the same ranking of the systems, and which queries discriminate between them?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from cranfield.evidence.samples import Samples
from cranfield.measures.registry import Measure
from cranfield.rankings.evaluate import Progress
from cranfield.results.samples import Lower, one_measure, paired
from cranfield.results.verb_result import fields_of
from cranfield.settings import Count, Means, Proportion, Seed, Significance
from cranfield.stability.result import MEASURES, Latent, Reproduction, Selection
from cranfield.statistics import stability as query_selection
from cranfield.statistics.latent import SQUEEZE, Model, fit
from cranfield.statistics.resampling import COSTLY_RESAMPLES
from cranfield.statistics.stability import discriminative_power, stability, swap_interval, swap_rate
from cranfield.verb import verb


@verb
def reproduce(
    data: Any,
    *,
    level: Annotated[
        Significance,
        Means(
            "Significance level of the discriminative power; the interval of the swap rate has confidence 1 - level."
        ),
    ] = 0.05,
    test: Annotated[str, Means("Significance test for the discriminative power.")] = "randomised tukey",
    rate: Annotated[
        Proportion, Means("Highest acceptable swap rate, for computing the smallest reliable difference.")
    ] = 0.05,
    resamples: Annotated[Count, Means("Number of random subsets of the topics.")] = COSTLY_RESAMPLES,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> Reproduction:
    """Whether other topics would give the same ranking of systems, for each measure.

    Parameters
    ----------
    data
        A result, samples, or `{system: values}`.
    progress
        Called with the measure, the steps done and the number of steps.

    Returns
    -------
    Reproduction
        One row per measure: discriminative power, swap rate with its interval over other topics, the smallest
        difference with a low swap rate, and Kendall's tau between the rankings by half of the topics and by all.

    Examples
    --------
    >>> stable = reproduce({"a": [0.4, 0.6, 0.7, 0.5], "b": [0.3, 0.5, 0.6, 0.4]}, resamples=50)
    >>> stable.rows[0].swap_rate, stable.rows[0].tau
    (0.0, 1.0)
    """
    step = progress or (lambda _measure, _done, _steps: None)
    source, rows, swaps, curves = paired(data), [], {}, {}
    for measure, samples in source.tested.items():
        step(measure, 0, 3)
        swaps[measure] = swap_rate(samples, resamples=resamples, seed=seed)
        step(measure, 1, 3)
        curves[measure] = stability(samples, resamples=resamples, seed=seed)
        half = stability(samples, sizes=[max(1, len(samples) // 2)], resamples=resamples, seed=seed)
        step(measure, 2, 3)
        power = discriminative_power(samples, level=level, test=test, seed=seed)
        step(measure, 3, 3)
        overall = swaps[measure].overall
        low, high, _ = swap_interval(samples, overall, 1 - level, seed=seed).of_one
        figures = (power, overall, low, high, swaps[measure].needed(rate), float(half.tau[0]))
        rows.append((measure, len(samples.systems), len(samples), *figures, _note(samples)))
    settings = {"level": level, "test": test, "rate": rate, "resamples": resamples, "seed": seed}
    return Reproduction(MEASURES.of(rows), swaps, curves, settings, source.provenance)


def _note(samples: Samples) -> str:
    same = "all systems have the same mean, so there is no ranking to reproduce"
    return "; ".join([*samples.notes, *([] if samples.pairs().mean.any() else [same])])


def select_queries(
    data: Any, k: int, measure: Measure | str | None = None, *, seed: int = 0, lower_is_better: Lower = ()
) -> Selection:
    """The k queries whose ranking of the systems is most similar to that by all queries.

    Parameters
    ----------
    data
        A result, samples, or `{system: values}`.
    k
        Number of queries to select.
    measure
        The measure, if a result has several.
    seed
        Random seed for the halves of the systems and the random queries that the selection is compared with.
    lower_is_better
        For plain values, as for `compare`.

    Returns
    -------
    Selection
        The queries in order of selection, each with Kendall's tau between the rankings so far and by all.

    Examples
    --------
    >>> values = {"a": [0.9, 0.1, 0.5], "b": [0.5, 0.3, 0.5], "c": [0.1, 0.2, 0.5]}
    >>> select_queries(values, 1).queries
    ('1',)
    """
    _, samples, provenance = one_measure(data, measure, lower_is_better=lower_is_better)
    return Selection(**fields_of(query_selection.select_queries(samples, k, seed=seed)), provenance=provenance)


@verb
def latent(
    data: Any,
    measure: Measure | str | None = None,
    *,
    model: Annotated[
        Model | None,
        Means(
            "`success`, the two-parameter logistic model of values 0 and 1, or `beta` for values between them.",
            default="chosen by the values",
        ),
    ] = None,
    squeeze: Annotated[
        float, Means("Beta model: values closer to 0 or 1 than this are moved to this distance.")
    ] = SQUEEZE,
    lower_is_better: Lower = (),
) -> Latent:
    """Latent ability of systems, and difficulty and discrimination of queries (item response theory).

    Parameters
    ----------
    data
        A result, samples, or `{system: values}`, with values from 0 to 1. They are not transformed, even if the measure
        is averaged geometrically.
    measure
        The measure, if a result has several.
    lower_is_better
        For plain values, as for `compare`. One minus the value is modelled, so higher ability is still better.

    Returns
    -------
    Latent
        Arrays of abilities, difficulties and discriminations with their standard errors; `interval` gives bounds.

    Examples
    --------
    >>> values = {"a": [1, 1, 1, 0], "b": [1, 1, 0, 0], "c": [1, 0, 0, 1]}
    >>> latent(values).ability.round(1).tolist()
    [1.4, -0.6, -0.8]
    """
    name, samples, provenance = one_measure(data, measure, transformed=False, lower_is_better=lower_is_better)
    if samples.lower_is_better and 0 <= np.nanmin(samples.values) <= np.nanmax(samples.values) <= 1:  # else refused
        note = "lower is better: 1 minus the value is modelled"
        samples = replace(samples, values=1 - samples.values, notes=(*samples.notes, note))
    default: Model = "success" if np.isin(samples.values, (0, 1)).all() else "beta"
    fitted = fit(samples.values, samples.systems, samples.units, model=model or default, squeeze=squeeze)
    return Latent(**fields_of(fitted) | {"remarks": samples.notes}, measure=name, provenance=provenance)
