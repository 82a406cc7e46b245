"""Which learner predicts unseen data better?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cranfield.inference.cross_validation import Learner, Score, scores_on_folds
from cranfield.inference.splits import Pair, Split
from cranfield.results.cross_validation import CrossValidation
from cranfield.results.records import fields_of


def cross_validate(
    learners: Mapping[str, Learner],
    examples: Any,
    answers: Any,
    splits: Iterable[Split | Pair],
    score: Score,
) -> CrossValidation:
    """The score of each learner on each fold: paired values, ready for a test.

    Parameters
    ----------
    learners
        By name, two functions: `fit(examples, answers)` returns a model, `predict(model, examples)` its answers.
    examples, answers
        Arrays, lists, data frames or sparse matrices; their rows are passed to the learner unchanged.
    splits
        From `k_fold`, `halves` or `leave_one_out`; or pairs of row numbers or masks, for training and testing.
    score
        A function of the true and the predicted answers of a fold.

    Returns
    -------
    CrossValidation
        Samples whose units are folds. The overlap of the training sets is stored for the corrected t-test.

    Examples
    --------
    >>> from cranfield import compare, k_fold
    >>> learners = {
    ...     "mean": (lambda x, y: y.mean(), lambda model, x: [model] * len(x)),
    ...     "zero": (lambda x, y: 0.0, lambda model, x: [model] * len(x)),
    ... }
    >>> folds = cross_validate(learners, range(6), [1, 2, 3, 1, 2, 3], k_fold(6, 3), lambda y, p: max(abs(y - p)))
    >>> folds.values.shape
    (2, 3)
    >>> compare(folds, test="corrected t").rows[0].n
    3
    """
    samples, folds = scores_on_folds(learners, examples, answers, splits, score)
    return CrossValidation(**fields_of(samples), splits=tuple((split.train, split.test) for split in folds))
