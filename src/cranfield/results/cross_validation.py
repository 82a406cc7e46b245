"""Cross-validation: the score of each learner on each fold, as the verb returns it."""

from __future__ import annotations

from typing import Any

from cranfield.arrays import Ints
from cranfield.evidence.samples import Samples
from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.values_by_name import Key, by_name
from cranfield.results.verb_result import Records, VerbResult
from cranfield.tables.values import UNNAMED


@frozen(eq=False)
class CrossValidation(VerbResult, Samples):
    """Samples whose units are folds."""

    kind = "cross-validation"

    provenance: Provenance = NOTHING_READ
    splits: tuple[tuple[Ints, Ints], ...] = ()  # the items of each training and test set

    def __getitem__(self, key: Key) -> Any:
        """The mean score of a learner over the folds, or a dict as for `Result`; the measure is called `value`."""
        return by_name(key, self.values.mean(axis=1, keepdims=True), self.systems, (UNNAMED,))

    def steps(self) -> list[dict[str, Any]]:
        """The training and test set of each fold, with the score of each learner."""
        return [
            {
                "fold": fold,
                "n_train": len(train),
                "n_test": len(test),
                **dict(zip(self.systems, values, strict=True)),
                "train": train.tolist(),
                "test": test.tolist(),
            }
            for fold, (train, test), values in zip(self.units, self.splits, self.values.T.tolist(), strict=True)
        ]

    def records(self, *, steps: bool = False) -> Records:
        """One row per learner and fold; with `steps`, first the training and test sets."""
        rows = [
            {"system": system, "fold": fold, "value": value}
            for system, values in zip(self.systems, self.values.tolist(), strict=True)
            for fold, value in zip(self.units, values, strict=True)
        ]
        return ({"steps": self.steps()} if steps else {}) | {"folds": rows}

    @property
    def settings(self) -> dict[str, Any]:
        """The size of a test fold over that of its training set, for the corrected t-test."""
        return {"overlap": self.overlap}
