"""Cross-entropy of predicted and actual distributions over classes (soft labels), with its intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.frozen import frozen
from cranfield.inference.intervals import t_interval
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.records import number, records
from cranfield.results.values_by_name import Key, by_name
from cranfield.results.verb_result import Records, VerbResult

MEASURES = {
    "CrossEntropy": "H(p, q), the cross-entropy of the actual and the predicted distribution",
    "Entropy": "H(p), the entropy of the actual distribution: the least cross-entropy possible",
    "KLDivergence": "H(p, q) - H(p), the Kullback–Leibler divergence",
}


@frozen
class MeanEntropy:
    """The mean of a measure over items, for one system, with its confidence interval."""

    system: str
    measure: str
    value: float
    low: float
    high: float
    items: int


@frozen(eq=False)
class CrossEntropy(VerbResult):
    """Cross-entropy, entropy and divergence of each system: `values[system, measure, item]`."""

    kind = "cross-entropy"

    systems: tuple[str, ...]
    items: Sequence[str]
    values: Floats
    settings: Mapping[str, Any]
    provenance: Provenance = NOTHING_READ

    def __getitem__(self, key: Key) -> Any:
        """The mean of a measure for a system, or a dict as for `Result`."""
        return by_name(key, self.values.mean(axis=2), self.systems, list(MEASURES))

    @property
    def rows(self) -> list[MeanEntropy]:
        """One row per system and measure; a single item has no interval."""
        return [
            _mean(system, measure, self.values[s, m])
            for s, system in enumerate(self.systems)
            for m, measure in enumerate(MEASURES)
        ]

    def steps(self) -> list[dict[str, Any]]:
        """The values of each item, which `compare --values` reads."""
        return [
            {"system": system, "item": item, "measure": measure, "value": number(self.values[s, m, i])}
            for s, system in enumerate(self.systems)
            for i, item in enumerate(self.items)
            for m, measure in enumerate(MEASURES)
        ]

    def records(self, *, steps: bool = False) -> Records:
        """One row per system and measure; with `steps`, first the values of each item."""
        return ({"steps": self.steps()} if steps else {}) | {"entropies": records(self.rows)}


def _mean(system: str, measure: str, values: Floats) -> MeanEntropy:
    low = high = float("nan")
    if len(values) > 1:
        interval = t_interval(values[:, None])
        low, high = max(float(interval.low[0]), 0.0), float(interval.high[0])  # none of the three can be negative
    return MeanEntropy(system, measure, float(np.mean(values)), low, high, len(values))
