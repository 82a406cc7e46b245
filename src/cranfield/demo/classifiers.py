"""The classifiers of the demonstration, cross-validated on data sets included in scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.frozen import frozen
from cranfield.statistics.splits import k_fold

FOLDS = 5
DATA = {"breast-cancer": "malignant", "digits": None}  # with the positive class if there are only two
DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]  # not numbers


@frozen
class Predicted:
    """Out-of-fold predictions of each classifier."""

    actual: list[str]
    labels: list[str]
    fold: Ints
    probability: Mapping[str, Floats]  # by classifier: one row per item, one column per label

    def labelled(self, system: str) -> list[str]:
        """The most probable label of each item."""
        return [self.labels[place] for place in self.probability[system].argmax(axis=1)]


def classifiers() -> dict[str, Callable[[], Any]]:
    """Functions that create an untrained classifier, by name."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000)),
        "forest": lambda: RandomForestClassifier(50, random_state=0),
        "bayes": GaussianNB,
    }


def cross_validated(name: str) -> Predicted:
    """The out-of-fold predictions of each classifier on one data set, with stratified folds."""
    from sklearn import datasets

    data = {"breast-cancer": datasets.load_breast_cancer, "digits": datasets.load_digits}[name]()
    n_items, n_labels = len(data.target), len(data.target_names)
    fold = np.zeros(n_items, dtype=np.int64)
    probability = {system: np.zeros((n_items, n_labels)) for system in classifiers()}
    for number, split in enumerate(k_fold(n_items, FOLDS, strata=data.target.tolist())):
        fold[split.test] = number
        for system, make in classifiers().items():
            model = make().fit(data.data[split.train], data.target[split.train])
            probability[system][split.test] = model.predict_proba(data.data[split.test])
    labels = DIGITS if name == "digits" else list(map(str, data.target_names))
    return Predicted([labels[place] for place in data.target], labels, fold, probability)
