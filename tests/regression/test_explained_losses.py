"""D² of log-loss and Brier score: scikit-learn, and the losses of constant predictions in plain Python."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn import metrics

from cranfield import classify

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")  # AUC below 0.5, one class
THEIRS = {"D2LogLoss": metrics.d2_log_loss_score, "D2Brier": metrics.d2_brier_score}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", THEIRS)
def test_scikit_learn_has_the_same(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 9, 40) / 4
    for n_classes in (2, 3, 5):
        actual = np.append(np.arange(n_classes), rng.integers(0, n_classes, 40 - n_classes))
        table = np.round(rng.dirichlet(np.ones(n_classes), 40), 2) + 0.01
        table /= table.sum(axis=1, keepdims=True)
        given = table[:, 1] if n_classes == 2 else table
        labels = None if n_classes == 2 else list(range(n_classes))
        found = classify(actual, probability=given, weight=weight, measures=name, labels=labels)[name]
        assert found == pytest.approx(THEIRS[name](actual, given, sample_weight=weight), rel=1e-12)


def test_a_constant_does_as_well_as_itself() -> None:
    actual, given = [1, 1, 1, 0], [Fraction(7, 8), Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)]
    found = classify(actual, probability=[float(p) for p in given], measures=["D2Brier", "D2LogLoss"])
    squares = sum((y - p) ** 2 for y, p in zip(actual, given))
    assert found["D2Brier"] == pytest.approx(float(1 - squares / (4 * Fraction(3, 4) * Fraction(1, 4))))
    losses = -sum(math.log(p if y else 1 - p) for y, p in zip(actual, given))
    assert found["D2LogLoss"] == pytest.approx(1 - losses / -(3 * math.log(0.75) + math.log(0.25)))
    constant = classify(actual, probability=[0.75] * 4, measures=["D2Brier", "D2LogLoss"])
    assert (constant["D2Brier"], constant["D2LogLoss"]) == pytest.approx((0, 0), abs=1e-12)


@pytest.mark.parametrize("name", THEIRS)
def test_one_class_leaves_nothing_to_explain(name: str) -> None:
    found = classify([0, 0, 0], probability=[[0.5, 0.3, 0.2]] * 3, labels=[0, 1, 2], measures=name)
    assert np.isnan(found[name])
