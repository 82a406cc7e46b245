"""Corrections for many comparisons at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.errors import BadSetting

Correction = Literal["holm", "bonferroni", "benjamini-hochberg", "max-T", "step-down max-T", "none"]
DEFAULT_CORRECTION: Correction = "holm"
FAMILYWISE = ("holm", "bonferroni")  # bound the probability of any false discovery by the number of comparisons
BY_RANDOMISATION = ("max-T", "step-down max-T")  # from the joint distribution of all statistics under random swaps


def bonferroni(p: Floats) -> Floats:
    """Each p-value times their number."""
    return np.minimum(p * len(p), 1.0)


def holm(p: Floats) -> Floats:
    """Each p-value times the number of p-values not smaller, and at least the adjusted ones before it."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _back(np.minimum(stepped, 1.0), order)


def benjamini_hochberg(p: Floats) -> Floats:
    """Each p-value times their number over its rank, and at most the adjusted ones after it."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.maximum(_back(stepped, order), p)  # rounding may have made it smaller


def _back(values: Floats, order: NDArray[np.intp]) -> Floats:
    back = np.empty_like(values)
    back[order] = values
    return back


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "benjamini-hochberg": benjamini_hochberg,
    "none": lambda p: p,
}


def title(correction: str) -> str:
    """The name of a correction for use in a sentence."""
    return correction if correction in (*BY_RANDOMISATION, "none") else correction.title()


def require_correction(correction: str) -> None:
    """Refuse an unknown correction, and one that needs more than p-values."""
    if correction in BY_RANDOMISATION:
        raise BadSetting(
            f"{correction} needs the values of every unit and a randomisation test; available here: "
            + ", ".join(CORRECTIONS)
        )
    if correction not in CORRECTIONS:
        known = ", ".join((*CORRECTIONS, *BY_RANDOMISATION))
        raise BadSetting(f"there is no correction {correction!r}; available: {known}")


def adjusted(p: Floats, correction: str) -> Floats:
    """The p-values adjusted by the correction, in the same order; untested ones stay NaN and count as 1."""
    require_correction(correction)
    untested = np.isnan(p)
    return np.where(untested, np.nan, CORRECTIONS[correction](np.where(untested, 1.0, p)))
