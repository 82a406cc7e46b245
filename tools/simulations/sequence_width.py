"""How much wider confidence sequences are than t intervals: `python -m tools.simulations.sequence_width`."""

from __future__ import annotations

import numpy as np

from cranfield.statistics.intervals import t_interval
from cranfield.statistics.sequences import confidence_sequence

N_COLLECTIONS = 200
SIZES = (50, 200)
DEVIATION = 0.16
SEED = 0


def ratios(n_collections: int = N_COLLECTIONS) -> dict[int, float]:
    """The mean ratio of the widths by number of topics, for paired differences of measures from 0 to 1."""
    random = np.random.default_rng(SEED)
    found: dict[int, list[float]] = {n_topics: [] for n_topics in SIZES}
    for _ in range(n_collections):
        differences = np.clip(random.normal(0.02, DEVIATION, max(SIZES)), -1, 1)
        sequence = confidence_sequence(differences, (-1, 1), 0.05, 0.0)
        for n_topics in SIZES:
            interval = t_interval(differences[:n_topics, None])
            width = sequence.high[n_topics - 1] - sequence.low[n_topics - 1]
            found[n_topics].append(float(width / (interval.high[0] - interval.low[0])))
    return {n_topics: float(np.mean(each)) for n_topics, each in found.items()}


if __name__ == "__main__":
    for n_topics, ratio in ratios().items():
        print(f"{n_topics} topics: {ratio:.1f} times as wide as a t interval")
