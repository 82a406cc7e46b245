"""Would other queries have shown the same, and which of these tell systems apart?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.certainty.subjects import by_measure, one_measure
from cranfield.inference import selection
from cranfield.inference.latent import SQUEEZE, Latent, Model, fit
from cranfield.inference.selection import Selection
from cranfield.registry import Measure
from cranfield.results.reproduction import Progress, Reproduction, reproduction


def reproduce(
    data: Any,
    *,
    level: float = 0.05,
    test: str = "randomised tukey",
    rate: float = 0.05,
    draws: int = 1_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Reproduction:
    """Whether other topics would have given the same order of the systems, measure by measure.

    Parameters
    ----------
    data
        A result, samples, or `{system: values}`.
    level, test
        By which two systems are told apart, for the discriminative power.
    rate
        How often a pair may swap, for the difference that hardly ever does.
    draws, seed
        How many subsets of the topics are drawn, and from which seed.
    progress
        Called with the measure, the steps done and the number of steps, as the work goes on.

    Examples
    --------
    >>> found = reproduce({"a": [0.4, 0.6, 0.7, 0.5], "b": [0.3, 0.5, 0.6, 0.4]}, draws=50)
    >>> found.rows[0].swap_rate, found.rows[0].tau
    (0.0, 1.0)
    """
    drawn = {"draws": draws, "seed": seed}
    return reproduction(by_measure(data), level=level, test=test, rate=rate, progress=progress, **drawn)


def select_queries(data: Any, k: int, measure: Measure | str | None = None, *, seed: int = 0) -> Selection:
    """The k queries that would have given the order of the systems most like that of all.

    Parameters
    ----------
    data
        A result, samples, or `{system: values}`.
    k
        How many queries to choose.
    measure
        By which one, where a result has several.
    seed
        For the halves of the systems, and the random queries, that the choice is held against.

    Examples
    --------
    >>> values = {"a": [0.9, 0.1, 0.5], "b": [0.5, 0.3, 0.5], "c": [0.1, 0.2, 0.5]}
    >>> select_queries(values, 1).queries
    ('1',)
    """
    return selection.select_queries(one_measure(data, measure), k, seed=seed)


def latent(
    data: Any, measure: Measure | str | None = None, *, model: Model | None = None, squeeze: float = SQUEEZE
) -> Latent:
    """The ability of systems, and the difficulty and discrimination of queries, with intervals.

    Parameters
    ----------
    data
        A result, samples, or `{system: values}`, the values being from 0 to 1, and taken as they are, also those
        whose geometric mean a measure has.
    measure
        By which one, where a result has several.
    model
        `"success"`, the two-parameter logistic model of values 0 and 1, or `"beta"` for values between them; told by
        the values if not given.
    squeeze
        How near to 0 and 1 values may be in the beta model.

    Examples
    --------
    >>> values = {"a": [1, 1, 1, 0], "b": [1, 1, 0, 0], "c": [1, 0, 0, 1]}
    >>> latent(values).ability.round(1).tolist()
    [1.4, -0.6, -0.8]
    """
    own = one_measure(data, measure, as_given=True)
    told: Model = "success" if np.isin(own.values, (0, 1)).all() else "beta"
    found = fit(own.values, own.systems, own.units, model=model or told, squeeze=squeeze)
    return replace(found, remarks=own.notes)
