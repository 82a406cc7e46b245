"""Steps: true and false positives at thresholds, highest first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats

Counts = NDArray[Any]  # integers, or sums of weights


class Steps(NamedTuple):
    """True and false positives at thresholds, highest first: scores at or above a threshold are predicted positive."""

    score: Floats
    tp: Counts
    fp: Counts

    @property
    def from_nothing(self) -> Steps:
        """The same, preceded by an infinite threshold, at which nothing is predicted positive."""
        return Steps(np.append(np.inf, self.score), *(np.append(np.zeros(1, n.dtype), n) for n in (self.tp, self.fp)))
