"""Warnings about classifiers and scorers: labels, thresholds and groups that may mislead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cranfield.classification.evaluated import Evaluated
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.registry import Measure
from cranfield.results.provenance import Caution
from cranfield.settings import CONFIDENCE
from cranfield.statistics.areas import AREA, supported_interval
from cranfield.tables.columns import listed
from cranfield.tables.labels import Label
from cranfield.tables.number_columns import TOLERANCE
from cranfield.tables.predictions import Predictions
from cranfield.tables.readers.cells import MISSING, alike
from cranfield.text import counted

_SHOWN = 3  # labels listed on each side
_BY_LABEL = ("Accuracy", "ErrorRate")  # have another value for one-hot tables than for single labels, as losses have


def cautions(systems: Sequence[Evaluated], measures: Sequence[Measure], threshold: float | None) -> Iterator[Caution]:
    """What may mislead in the results of these systems; `threshold` is None if none was passed."""
    yield from _spellings(systems[0].labels)
    clusters = all(measure.declaration.function.__module__.endswith(".clusters") for measure in measures)
    by_label = any(measure.name in _BY_LABEL or measure.declaration.needs_probability for measure in measures)
    areas = any(measure.declaration.evidence is Thresholds for measure in measures)
    for evaluated in systems:
        predictions = evaluated.predictions
        if not clusters:
            yield from _unshared(predictions)
        if by_label:
            yield from _one_hot(predictions)
        if threshold is not None:
            yield from _out_of_range(evaluated, threshold)
        yield from _one_class_groups(predictions, areas)
        yield from _worse_than_chance(evaluated)
        if evaluated.not_validated:
            message = f"{predictions.system}: no decisions are evaluated: {evaluated.not_validated}"
            yield Caution("threshold-not-validated", message, (predictions.system,))


def _spellings(labels: Sequence[Label]) -> Iterator[Caution]:
    """Labels that are spelled alike, and labels that may stand for a missing one."""
    pairs = alike(labels)
    if pairs:
        more = f" (and {len(pairs) - 1} more)" if len(pairs) > 1 else ""
        message = (
            f"the labels {pairs[0][0]!r} and {pairs[0][1]!r}{more} count as different classes, although they differ "
            "only in case, in blanks or in the spelling of a character or number"
        )
        yield Caution("lookalike-labels", message, tuple(map(str, pairs[0])))
    missing = tuple(label for label in map(str, labels) if label in MISSING or not label.strip())
    if missing:
        named = f"the label{'s' * (len(missing) > 1)} {listed(missing)} {'counts' if len(missing) == 1 else 'count'}"
        yield Caution("missing-labels", f"{named} as a class; leave such items out if their label is missing", missing)


def _unshared(predictions: Predictions) -> Iterator[Caution]:
    """Predicted labels none of which is an actual one, such as 1 and 0 for yes and no."""
    if predictions.predicted is None or predictions.multilabel:
        return
    actual, predicted = np.unique(predictions.actual), np.unique(predictions.predicted)
    if min(len(actual), len(predicted)) > 1 and not np.isin(predicted, actual).any():
        labels = predictions.labels
        message = (
            f"{predictions.system}: no predicted label ({_some(labels, predicted)}) is an actual one "
            f"({_some(labels, actual)}), so every prediction is wrong; write both in the same "
            "way, or request measures of clusters, such as ARI"
        )
        yield Caution("unshared-labels", message, (predictions.system,))


def _some(labels: Sequence[Label], codes: Any) -> str:
    shown = [repr(labels[code]) for code in codes[:_SHOWN].tolist()]
    return ", ".join(shown + ["…"] * (len(codes) > _SHOWN))


def _one_hot(predictions: Predictions) -> Iterator[Caution]:
    """Multilabel data in which every item has exactly one actual and one predicted label."""
    if not predictions.multilabel or not _is_one_each(predictions.actual):
        return
    predicted, score = predictions.predicted, predictions.score
    allowed = TOLERANCE * len(predictions.labels)
    of_one = _is_one_each(predicted) if predicted is not None else False
    if of_one or (score is not None and predictions.is_probability and bool((abs(score.sum(1) - 1) <= allowed).all())):
        message = (
            f"{predictions.system}: every item has exactly one label, so these seem to be single labels in one-hot "
            "form, which are evaluated as multilabel data: accuracy and losses are then those of decisions about "
            "labels, not of items; pass the class of each item, as with table.argmax(axis=1)"
        )
        yield Caution("one-hot-labels", message, (predictions.system,))


def _is_one_each(table: Any) -> bool:
    """Whether every item has exactly one of several labels."""
    return table.shape[1] > 1 and bool((table.sum(axis=1) == 1).all())


def _out_of_range(evaluated: Evaluated, threshold: float) -> Iterator[Caution]:
    """A threshold that lies above or below every score."""
    predictions = evaluated.predictions
    if predictions.score is None or predictions.predicted is not None or evaluated.class_scores is not None:
        return
    low, high = float(predictions.score.min()), float(predictions.score.max())
    if low <= threshold <= high:
        return
    which, answer = ("above", "no item") if threshold > high else ("below", "every item")
    message = (
        f"{predictions.system}: the threshold {threshold:.6g} is {which} every score ({low:.6g} to {high:.6g}), so "
        f"{answer} is predicted positive"
    )
    yield Caution("threshold-out-of-range", message, (predictions.system,))


def _one_class_groups(predictions: Predictions, areas: bool) -> Iterator[Caution]:
    """Groups in which areas are undefined."""
    n_groups = len(predictions.groups) if areas and not predictions.multilabel else 0
    alone = sum(_one_sided(predictions.part(group)) for group in range(n_groups))
    if alone:
        which = f"{alone} of {counted(n_groups, 'group')} {'has' if alone == 1 else 'have'}"
        message = f"{predictions.system}: {which} items of only one class: areas are undefined"
        yield Caution("one-class-groups", message, (predictions.system,))


def _one_sided(predictions: Predictions) -> bool:
    """Whether all items with a weight are of one class, or all positive or all negative."""
    actual = predictions.actual if predictions.weight is None else predictions.actual[predictions.weight > 0]
    sides = actual if predictions.positive is None else actual == predictions.positive
    return len(np.unique(sides)) < 2


def _worse_than_chance(evaluated: Evaluated) -> Iterator[Caution]:
    """Scores whose area is significantly below one half."""
    scores = evaluated.thresholds
    if scores is None or not (area := evaluated.value(AREA)) < 0.5:
        return
    bounds = supported_interval(scores, confidence=CONFIDENCE, method=evaluated.auc_interval)
    if bounds.high < 0.5:
        system, probability = evaluated.predictions.system, evaluated.predictions.is_probability
        doubt = "are these probabilities of the other class" if probability else "do low scores mean positive"
        message = (
            f"{system}: the AUC of {area:.3g} ({100 * CONFIDENCE:g} % CI [{bounds.low:.3g}, {bounds.high:.3g}]) "
            f"is below 0.5; {doubt}? "
            f"Inverted, it would be {1 - area:.3g} (see invert)"
        )
        yield Caution("worse-than-chance", message, (system,))
