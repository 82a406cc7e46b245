"""Zero-weight items, which are excluded as if they were not in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.tables.labels import Codes, Label
from cranfield.tables.predictions import Predictions


def nonzero_rows(weight: Floats | None) -> Ints | None:
    """The rows with a positive weight; None if all have one."""
    return None if weight is None or weight.all() else np.flatnonzero(weight)


def regrouped(group: Codes | None, groups: tuple[str, ...], rows: Ints) -> tuple[Codes | None, tuple[str, ...]]:
    """The groups of the items in these rows."""
    if group is None:
        return None, ()
    occurs, place = np.unique(group[rows], return_inverse=True)
    return place, tuple(groups[code] for code in occurs.tolist())


def without_zero_weights(several: Sequence[Predictions], *, listed: bool) -> list[Predictions]:
    """The predictions without zero-weight items; unless labels are listed, labels of only these are removed too."""
    rows = nonzero_rows(several[0].weight)
    if rows is None:
        return list(several)
    weighted = [system.take(rows, *regrouped(system.group, system.groups, rows)) for system in several]
    labels_matter = listed or any(
        system.positive is not None or system.multilabel or system.score is not None for system in weighted
    )
    return weighted if labels_matter else _relabelled(weighted)


def _relabelled(several: Sequence[Predictions]) -> list[Predictions]:
    """The same over the labels that occur."""
    predicted = [system.predicted for system in several if system.predicted is not None]
    occurs = np.unique(np.concatenate([several[0].actual, *predicted]))
    labels: tuple[Label, ...] = tuple(several[0].labels[code] for code in occurs.tolist())

    def coded(column: Codes) -> Codes:
        return np.searchsorted(occurs, column)

    return [
        replace(
            system,
            labels=labels,
            actual=coded(system.actual),
            predicted=None if system.predicted is None else coded(system.predicted),
        )
        for system in several
    ]
