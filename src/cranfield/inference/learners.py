"""Learners: two functions, or estimators of scikit-learn, as a function that fits and one that answers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting
from cranfield.measures.scikit_learn import Response

Learner = tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]] | Any  # `fit` and `predict`, or an estimator
Fitting = tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]


class Needs(NamedTuple):
    """What a measure needs of a learner: labels, or scores or probabilities of the positive class or of each class."""

    response: Response
    classes: Sequence[Any] = ()  # all classes, in order
    positive: Any = None


def fitting(learners: Mapping[str, Learner], needs: Needs) -> dict[str, Fitting]:
    """Each learner as two functions: `fit(examples, answers)` gives a model, `answer(model, examples)` its answers."""
    if not learners:
        raise BadInput("there are no learners; pass {name: (fit, predict)}, or estimators by name")
    return {name: _functions(name, learner, needs) for name, learner in learners.items()}


def _functions(name: str, learner: Any, needs: Needs) -> Fitting:
    if isinstance(learner, tuple | list) and len(learner) == 2 and all(map(callable, learner)):
        return learner[0], learner[1]
    if isinstance(learner, type) or not callable(getattr(learner, "fit", None)):
        raise BadInput(
            f"{name}: a learner must be two functions, (fit, predict), or an estimator with fit and predict, such as "
            f"one of scikit-learn, not {learner!r:.40}"
        )
    return lambda x, y: _unfitted(learner).fit(x, y), lambda model, x: _answers(name, model, x, needs)


def _unfitted(estimator: Any) -> Any:
    """A copy that has not seen any example."""
    if not hasattr(estimator, "get_params"):
        return copy.deepcopy(estimator)
    from sklearn.base import clone

    return clone(estimator)


def _answers(name: str, model: Any, examples: Any, needs: Needs) -> Any:
    """The answers of a fitted estimator, as a measure needs them."""
    scores = ("decision_function", "predict_proba")
    methods: tuple[str, ...] = ("predict",) if needs.response == "labels" else ("predict_proba",)
    if needs.response == "scores":  # margins of several classes cannot be compared as their probabilities can
        methods = scores[::-1] if needs.positive is None else scores
    method = next((method for method in methods if hasattr(model, method)), None)
    if method is None:
        raise BadSetting(
            f"{name}: {needs.response} are needed, but {type(model).__name__} has no {' and no '.join(methods)}"
        )
    answers = getattr(model, method)(examples)
    if method == "predict":
        return answers
    return _of_classes(name, np.asarray(answers, np.float64), list(model.classes_), needs)


def _of_classes(name: str, answers: Floats, known: list[Any], needs: Needs) -> Floats:
    """The scores of the positive class, or of each class in order."""
    missing = [label for label in needs.classes if label not in known]
    if missing:
        raise BadInput(
            f"{name}: a training set has no example of the class {missing[0]!r}; divide the examples with strata=, so "
            "that every fold has all classes"
        )
    if needs.positive is None:
        return answers if answers.ndim == 1 else answers[:, [known.index(label) for label in needs.classes]]
    place = known.index(needs.positive)
    if answers.ndim == 2:
        return answers[:, place]
    return answers if place == 1 else -answers  # a margin is that of the second class
