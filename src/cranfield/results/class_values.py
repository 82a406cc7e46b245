"""Values of classes: one class against the rest, and means over classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.tables.labels import Label
from cranfield.tables.predictions import Predictions


def two_by_two(cells: Cells, predictions: Predictions) -> Confusion:
    """The confusion matrix of the positive class and the rest."""
    tp, fp, fn, tn = (cell[0] for cell in cells.counts)
    counts = np.array([[tn, fp], [fn, tp]])
    if predictions.weight is None:
        counts = counts.astype(np.int64)
    if len(predictions.labels) == 2:
        return Confusion.of(predictions.labels, counts if predictions.positive == 1 else counts[::-1, ::-1])
    positive = predictions.labels[predictions.positive or 0]
    return Confusion.of((f"not {positive}", positive), counts)


def against_rest(predictions: Predictions, label: Label, actual: Mask, predicted: Mask | None) -> Predictions:
    """The predictions as a binary decision between a label and the rest."""
    codes = None if predicted is None else predicted.view(np.int8)
    labels = (f"not {label}", label)
    return replace(predictions, labels=labels, positive=1, actual=actual.view(np.int8), predicted=codes)


def with_decisions(predictions: Predictions, actual: Mask, predicted: Mask) -> Predictions:
    """The predictions with decisions about the positive class; several other classes become the rest."""
    positive = predictions.positive or 0
    if len(predictions.labels) != 2:
        return against_rest(predictions, predictions.labels[positive], actual, predicted)
    return replace(predictions, predicted=np.where(predicted, positive, 1 - positive).astype(np.int8))


def weighted_mean(values: Floats, weight: Floats | None) -> float:
    """The mean of the defined values; NaN if none has a weight."""
    weights = np.where(np.isnan(values), 0.0, 1.0 if weight is None else weight)
    return float((np.nan_to_num(values) * weights).sum() / weights.sum()) if weights.any() else float("nan")
