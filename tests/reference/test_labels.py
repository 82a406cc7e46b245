"""The reference for labels, scores and probabilities: alone in the world, and of one mind with scikit-learn."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from sklearn import metrics

from reference import labels, probabilities, scores

ROWS = [
    {"actual": source.choice("abc"), "predicted": source.choice("abc"), "score": f"{source.randrange(12) / 10}",
     "weight": str(source.randrange(4))}
    for source in [random.Random(4)]
    for _ in range(60)
]  # fmt: skip
WEIGHT = [float(row["weight"]) for row in ROWS]
ACTUAL, SAID = [row["actual"] for row in ROWS], [row["predicted"] for row in ROWS]


def test_labels_are_as_in_scikit_learn() -> None:
    given = labels.answers(ROWS, "actual", "predicted", "weight")
    settings = {"sample_weight": WEIGHT}
    assert float(labels.accuracy(given)) == pytest.approx(metrics.accuracy_score(ACTUAL, SAID, **settings))
    assert labels.matthews(given) == pytest.approx(metrics.matthews_corrcoef(ACTUAL, SAID, **settings))
    for power, weights in ((0, None), (1, "linear"), (2, "quadratic")):
        theirs = metrics.cohen_kappa_score(ACTUAL, SAID, weights=weights, **settings)
        assert float(labels.kappa(given, given.labels, power) or 0) == pytest.approx(theirs)
    for how in ("macro", "micro", "weighted"):
        theirs = metrics.f1_score(ACTUAL, SAID, average=how, **settings)
        assert float(labels.averages(given, given.labels, "F", how) or 0) == pytest.approx(theirs)


def test_scores_are_as_in_scikit_learn() -> None:
    given = scores.scored(ROWS, "actual", "a", "score", "weight")
    truth, score = [own == "a" for own in ACTUAL], [float(row["score"]) for row in ROWS]
    for ours, theirs in (
        (scores.auc(given), metrics.roc_auc_score(truth, score, sample_weight=WEIGHT)),
        (scores.average_precision(given), metrics.average_precision_score(truth, score, sample_weight=WEIGHT)),
        (
            scores.partial_auc(given, Fraction(3, 10)),
            metrics.roc_auc_score(truth, score, sample_weight=WEIGHT, max_fpr=0.3),
        ),
    ):
        assert float(ours or 0) == pytest.approx(theirs)


def test_losses_are_as_in_scikit_learn() -> None:
    chance = [{**row, "score": f"{min(float(row['score']), 1.0)}"} for row in ROWS]
    given = scores.scored(chance, "actual", "a", "score", "weight")
    truth, score = [own == "a" for own in ACTUAL], [float(row["score"]) for row in chance]
    assert float(probabilities.brier(given)) == pytest.approx(
        metrics.brier_score_loss(truth, score, sample_weight=WEIGHT)
    )
    inside = [{**row, "score": f"{0.05 + 0.9 * float(row['score'])}"} for row in chance]
    given = scores.scored(inside, "actual", "a", "score", "weight")
    loss = metrics.log_loss(truth, [float(row["score"]) for row in inside], sample_weight=WEIGHT)
    assert probabilities.log_loss(given) == pytest.approx(loss)
