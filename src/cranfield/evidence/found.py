"""What a run found, seen from the judgments: the rank of every judged document."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Found:
    """For each judged document its rank, 0 if it was not retrieved, and the group of tied documents it stands in.

    A group of `tied` documents with one score takes up the ranks from `tie` on.
    """

    n_retrieved: Ints
    rank: Ints
    tie: Ints
    tied: Ints
    answered: NDArray[np.bool_]
    n_unjudged_queries: int = 0
    n_disordered_queries: int = 0
    n_tied_queries: int = 0

    def truncated(self, k: int) -> Found:
        """What would have been found had every ranking ended after k documents."""
        kept = self.rank <= k
        return replace(
            self,
            n_retrieved=np.minimum(self.n_retrieved, k),
            rank=np.where(kept, self.rank, 0),
            tie=np.where(kept, self.tie, 0),
            tied=np.where(kept, np.minimum(self.tied, k + 1 - self.tie), 0),
        )
