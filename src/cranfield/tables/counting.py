"""Items of weight 0: they are as though they were not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranfield.tables.labels import Codes, Label
from cranfield.tables.predictions import Floats, Predictions

Ints = NDArray[np.int64]


def counting_rows(weight: Floats | None) -> Ints | None:
    """The rows that count for something; None if all do."""
    return None if weight is None or weight.all() else np.flatnonzero(weight)


def regrouped(group: Codes | None, groups: tuple[str, ...], rows: Ints) -> tuple[Codes | None, tuple[str, ...]]:
    """The groups that items in these rows are of."""
    if group is None:
        return None, ()
    occurs, place = np.unique(group[rows], return_inverse=True)
    return place, tuple(groups[own] for own in occurs.tolist())


def counting(several: Sequence[Predictions], *, listed: bool) -> list[Predictions]:
    """The predictions of the items that count; unless labels are listed, those that no such item has go too."""
    rows = counting_rows(several[0].weight)
    if rows is None:
        return list(several)
    kept = [_taken(each, rows) for each in several]
    asked_for = listed or any(each.positive is not None or each.many or each.score is not None for each in kept)
    return kept if asked_for else _relabelled(kept)


def _taken(given: Predictions, rows: Ints) -> Predictions:
    group, groups = regrouped(given.group, given.groups, rows)
    return replace(
        given,
        actual=given.actual[rows],
        predicted=None if given.predicted is None else given.predicted[rows],
        score=None if given.score is None else given.score[rows],
        weight=None if given.weight is None else given.weight[rows],
        group=group,
        groups=groups,
    )


def _relabelled(several: Sequence[Predictions]) -> list[Predictions]:
    """The same over the labels that occur."""
    said = [each.predicted for each in several if each.predicted is not None]
    occurs = np.unique(np.concatenate([several[0].actual, *said]))
    labels: tuple[Label, ...] = tuple(several[0].labels[own] for own in occurs.tolist())

    def coded(column: Codes) -> Codes:
        return np.searchsorted(occurs, column)

    return [
        replace(
            each,
            labels=labels,
            actual=coded(each.actual),
            predicted=None if each.predicted is None else coded(each.predicted),
        )
        for each in several
    ]
