"""The data of the interactive table of items: actual and predicted labels, and scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, Ints, Mask
from cranfield.classification.evaluated import Evaluated
from cranfield.classification.result import Classification
from cranfield.inference.item_resampling import ONE_BY_ONE
from cranfield.present.table import visible
from cranfield.results.records import plain

MOST = 5_000  # maximum number of items in a page
DIGITS = 6  # significant digits of a score


def items(classification: Classification, names: Sequence[Any] | None = None) -> dict[str, Any] | None:
    """Compact data for JSON, limited to the most informative items if there are too many; None without predictions.

    Items without names are named by row number.
    """
    if not all(evaluated.decides for evaluated in classification.evaluated):
        return None
    if classification.evaluated[0].predictions.count is not None:
        if len(classification.evaluated[0].predictions) > ONE_BY_ONE:
            return None
        classification = replace(classification, evaluated=tuple(map(_each_item, classification.evaluated)))
    n_items = len(classification.evaluated[0].predictions)
    predicted = [_predicted(evaluated) for evaluated in classification.evaluated]
    correct = [
        _correct(evaluated, labels) for evaluated, labels in zip(classification.evaluated, predicted, strict=True)
    ]
    listed = _chosen_items(classification.evaluated, correct)
    answers: dict[tuple[int, ...], int] = {}
    return {
        "systems": [*map(visible, classification.systems)],
        "classes": [visible(str(label)) for label in classification.evaluated[0].labels],
        "positive": classification.evaluated[0].predictions.positive,
        "items": [str(place + 1) if names is None else visible(str(names[place])) for place in listed.tolist()],
        "actual": [*_places(classification.evaluated[0].predictions.actual[listed], answers)],
        "predicted": [[*_places(labels[listed], answers)] for labels in predicted],
        "score": [_scores(evaluated, listed) for evaluated in classification.evaluated],
        "threshold": [None if one.thresholds is None else plain(one.threshold) for one in classification.evaluated],
        "wrong": [int((~mask).sum()) for mask in correct],
        "total": n_items,
        "answers": [list(answer) for answer in answers],
    }


def _each_item(evaluated: Evaluated) -> Evaluated:
    return replace(evaluated, predictions=evaluated.predictions.each_item, cut=evaluated.threshold)


def _predicted(evaluated: Evaluated) -> NDArray[Any]:
    """The predicted class, -1 for an unspecified negative class; for multilabel data, an indicator matrix."""
    predictions = evaluated.predictions
    if predictions.predicted is not None:
        return predictions.predicted
    if evaluated.class_scores is not None:
        return evaluated.class_scores.predicted
    positive = np.asarray(predictions.score) >= evaluated.threshold
    if predictions.multilabel:
        return positive
    other = 1 - int(predictions.positive or 0) if len(predictions.labels) == 2 else -1
    return np.where(positive, int(predictions.positive or 0), other)


def _correct(evaluated: Evaluated, predicted: NDArray[Any]) -> Mask:
    predictions = evaluated.predictions
    if predictions.multilabel:
        return np.asarray((predictions.actual.astype(np.bool_) == predicted.astype(np.bool_)).all(axis=1))
    if (predicted == -1).any():
        return np.asarray((predictions.actual == predictions.positive) == (predicted == predictions.positive))
    return np.asarray(predictions.actual == predicted)


def _chosen_items(evaluated: Sequence[Evaluated], correct: Sequence[Mask]) -> Ints:
    """All items or, if too many, the most confident errors, items on which systems differ, and a systematic sample."""
    n_items = len(correct[0])
    if n_items <= MOST:
        return np.arange(n_items)
    n_errors = MOST // (2 * len(evaluated))
    errors = [_confident_errors(one, mask)[:n_errors] for one, mask in zip(evaluated, correct, strict=True)]
    different = np.flatnonzero(np.ptp(np.array(correct, np.int8), axis=0))[: MOST // 4]
    chosen = np.unique(np.concatenate([*errors, different]))
    rest = np.setdiff1d(np.arange(n_items), chosen)
    sample = rest[np.linspace(0, len(rest) - 1, min(len(rest), MOST - len(chosen)), dtype=np.int64)]
    return np.sort(np.concatenate([chosen, sample]))


def _confident_errors(evaluated: Evaluated, correct: Mask) -> Ints:
    """The incorrect predictions, the most confident first."""
    wrong = np.flatnonzero(~correct)
    score = _score(evaluated)
    if score is None:
        return wrong
    confidence = score if evaluated.thresholds is None else np.abs(score - float(evaluated.threshold or 0))
    return np.asarray(wrong[np.argsort(-confidence[wrong], kind="stable")])


def _score(evaluated: Evaluated) -> Floats | None:
    """The score of each item, or the highest score of a class."""
    if evaluated.class_scores is not None:
        return np.asarray(evaluated.class_scores.score.max(axis=1))
    return evaluated.predictions.score if evaluated.thresholds is not None else None


def _scores(evaluated: Evaluated, listed: Ints) -> list[float | None] | None:
    score = _score(evaluated)
    return None if score is None else [plain(float(f"{value:.{DIGITS}g}")) for value in score[listed].tolist()]


def _places(codes: NDArray[Any], answers: dict[tuple[int, ...], int]) -> Iterator[int]:
    """The index of each item's classes in the list of answers; new ones are added."""
    for code in codes:
        classes = tuple(map(int, np.flatnonzero(code))) if codes.ndim == 2 else (int(code),)
        yield answers.setdefault(classes, len(answers))
