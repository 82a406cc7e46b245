"""What a reader can look through item by item: what is true, what each system said, and how sure it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.assessment.assessed import Assessed
from cranfield.assessment.classification import Classification
from cranfield.present.table import visible

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST = 5_000  # items that stand in a page
DIGITS = 6  # of a score


def items(given: Classification, names: Sequence[Any] | None = None) -> dict[str, Any] | None:
    """All of it, small and ready for JSON; of very many items, those that tell most. None where nothing was answered.

    Items are called by their rows unless they have names.
    """
    if not all(answered(each) for each in given.assessed):
        return None
    n_items = len(given.assessed[0].predictions)
    said = [_said(each) for each in given.assessed]
    right = [_right(each, own) for each, own in zip(given.assessed, said, strict=True)]
    kept = _kept(given.assessed, right)
    answers: dict[tuple[int, ...], int] = {}
    return {
        "systems": [*map(visible, given.systems)],
        "classes": [visible(str(label)) for label in given.assessed[0].labels],
        "positive": given.assessed[0].predictions.positive,
        "items": [str(place + 1) if names is None else visible(str(names[place])) for place in kept.tolist()],
        "actual": [*_places(given.assessed[0].predictions.actual[kept], answers)],
        "said": [[*_places(own[kept], answers)] for own in said],
        "score": [_scores(each, kept) for each in given.assessed],
        "threshold": [None if each.thresholds is None else _finite(each.threshold) for each in given.assessed],
        "wrong": [int((~own).sum()) for own in right],
        "total": n_items,
        "answers": [list(answer) for answer in answers],
    }


def answered(assessed: Assessed) -> bool:
    """Whether there is an answer to every item: a label, the most probable class, or a score and its threshold."""
    given = assessed.predictions
    known = (given.predicted, assessed.probabilities, assessed.cut, assessed.choice)
    return any(answer is not None for answer in known)


def _said(assessed: Assessed) -> NDArray[Any]:
    """The class that was answered, -1 for any but the positive one; or, of several classes, a table of them."""
    given = assessed.predictions
    if given.predicted is not None:
        return given.predicted
    if assessed.probabilities is not None:
        return assessed.probabilities.predicted
    yes = np.asarray(given.score) >= assessed.threshold
    if given.many:
        return yes
    other = 1 - int(given.positive or 0) if len(given.labels) == 2 else -1
    return np.where(yes, int(given.positive or 0), other)


def _right(assessed: Assessed, said: NDArray[Any]) -> Mask:
    given = assessed.predictions
    if given.many:
        return np.asarray((given.actual.astype(np.bool_) == said.astype(np.bool_)).all(axis=1))
    if (said == -1).any():
        return np.asarray((given.actual == given.positive) == (said == given.positive))
    return np.asarray(given.actual == said)


def _kept(assessed: Sequence[Assessed], right: Sequence[Mask]) -> Ints:
    """All items, or of too many: the surest mistakes, those that systems answer differently, and others between."""
    n_items = len(right[0])
    if n_items <= MOST:
        return np.arange(n_items)
    share = MOST // (2 * len(assessed))
    mistakes = [_surest(each, own)[:share] for each, own in zip(assessed, right, strict=True)]
    apart = np.flatnonzero(np.ptp(np.array(right, np.int8), axis=0))[: MOST // 4]
    known = np.unique(np.concatenate([*mistakes, apart]))
    rest = np.setdiff1d(np.arange(n_items), known)
    between = rest[np.linspace(0, len(rest) - 1, min(len(rest), MOST - len(known)), dtype=np.int64)]
    return np.sort(np.concatenate([known, between]))


def _surest(assessed: Assessed, right: Mask) -> Ints:
    """The wrong answers, that of which a system was surest first."""
    wrong = np.flatnonzero(~right)
    score = _score(assessed)
    if score is None:
        return wrong
    sure = score if assessed.thresholds is None else np.abs(score - float(assessed.threshold or 0))
    return np.asarray(wrong[np.argsort(-sure[wrong], kind="stable")])


def _score(assessed: Assessed) -> Floats | None:
    """The score of each item, or the probability of the class that is the most probable."""
    if assessed.probabilities is not None:
        return np.asarray(assessed.probabilities.given.max(axis=1))
    return assessed.predictions.score if assessed.thresholds is not None else None


def _scores(assessed: Assessed, kept: Ints) -> list[float | None] | None:
    score = _score(assessed)
    return None if score is None else [_finite(float(f"{value:.{DIGITS}g}")) for value in score[kept].tolist()]


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else value


def _places(codes: NDArray[Any], answers: dict[tuple[int, ...], int]) -> Iterator[int]:
    """The place of each item's classes among the answers there are; new ones are added."""
    for code in codes:
        own = tuple(map(int, np.flatnonzero(code))) if codes.ndim == 2 else (int(code),)
        yield answers.setdefault(own, len(answers))
