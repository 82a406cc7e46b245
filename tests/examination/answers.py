"""Labels and scores that make each rule speak, and the nearest that do not."""

from __future__ import annotations

import numpy as np

from cranfield.classification.classify import classify
from cranfield.classification.result import Classification
from cranfield.evidence.cells import cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import Thresholds
from cranfield.statistics.thresholds import choose
from examination.pictured import Case

CANCER = cells(tp=20, fp=180, fn=10, tn=1820)


def matrix(*rows: list[int]) -> Confusion:
    """A row for each class: what its items were taken for."""
    return Confusion.of(("cat", "dog", "fox")[: len(rows)], np.array(rows))


def scored(positive: list[float], negative: list[float]) -> Thresholds:
    """The scores of positives and of negatives."""
    return Thresholds(np.sort(np.array(positive, float)), np.sort(np.array(negative, float)))


def coin(given: float, n_true: int, n: int = 100) -> Classification:
    """Items that were all given one probability, of which so many came true."""
    return classify(np.arange(n) < n_true, probability=np.full(n, given), positive=True)


def in_groups(*n_positive: int) -> Classification:
    """Groups of 400 items with so many positives, which score highest."""
    actual = np.concatenate([np.arange(400) < n for n in n_positive])
    score = np.concatenate([np.arange(400, 0, -1)] * len(n_positive))
    group = np.repeat([f"g{place}" for place in range(1, len(n_positive) + 1)], 400)
    return classify(actual, score=score, by=group, positive=True, measures=["AP"])


def half_right(beta: float, **counts: int) -> Classification:
    """Answers of which as many are right and wrong as counted."""
    kinds = {"tp": (1, 1), "fp": (0, 1), "fn": (1, 0), "tn": (0, 0)}
    actual, predicted = np.array([kinds[kind] for kind, n in counts.items() for _ in range(n)]).T
    return classify(actual, predicted, measures=[f"F(beta={beta:g})"])


def mixed(n_between: int) -> Thresholds:
    """A hundred positives high up, a hundred negatives low down, and as many in turn between."""
    return scored([100.0] * 100 + list(range(2, n_between + 1, 2)), [0.0] * 100 + list(range(1, n_between + 1, 2)))


def two_scorers(weak_first: float) -> Classification:
    """Twenty items: one scorer ranks a single pair wrongly, the other more, and its best item as given."""
    actual = [1] * 10 + [0] * 10
    strong = [*range(30, 21, -1), 15, 16, *range(14, 5, -1)]
    weak = [weak_first, 28, 27, 26, 8, 7, 6, 5, 4, 3, 25, 24, 15, 14, 13, 12, 2, 1, 0, -1]
    return classify(actual, score={"strong": strong, "weak": weak}, positive=1)


def copied(times: int, once_more: int = 0) -> Classification:
    """Forty items, each so many times, and some of them once more."""
    rows = [*list(range(40)) * times, *range(once_more)]
    actual, score = np.arange(40) % 2, np.arange(40.0) + 9 * (np.arange(40) % 2)
    return classify(actual[rows], score=score[rows], threshold=25, positive=1)


def with_areas(*areas: float, n: int = 20) -> Classification:
    """Groups of so many positives and negatives, and the AUC in each."""
    positive = [np.where(np.arange(n) < round(area * n), 3.0, 1.0) for area in areas]
    score = np.concatenate([np.append(own, np.full(n, 2.0)) for own in positive])
    group = np.repeat([f"g{place}" for place in range(1, len(areas) + 1)], 2 * n)
    return classify(np.tile(np.arange(2 * n) < n, len(areas)), score=score, threshold=2.5, by=group, positive=True)


def two_sites(lead: float) -> Classification:
    """Two groups in which positives score higher by this much; the first has higher scores and more positives."""
    first, place = np.arange(160) < 80, np.arange(160) % 80
    actual = place < np.where(first, 60, 20)
    score = place % 10 + 20.0 * first + lead * actual
    return classify(actual, score=score, threshold=5, by=np.where(first, "a", "b"), positive=True)


def certain(probability: float) -> Classification:
    """Twenty items, of which three got the wrong one of 0 and this probability."""
    given = [probability] * 8 + [0] * 11 + [probability]
    return classify([1] * 10 + [0] * 10, probability=given, positive=1)


LABELS = {
    "repeated-rows": Case(
        copied(3),
        copied(3, once_more=3),
        "Every row occurs 3 times (or a multiple): 120 items, but no more than 40 without copies.",
    ),
    "pooled-groups": Case(
        two_sites(-4),
        two_sites(4),
        "The pooled AUC is 0.63, but the mean AUC within groups is 0.18 (0.18 in group a and 0.18 in group b): "
        "Simpson's paradox.",
    ),
    "weak-group": Case(
        with_areas(0.9, 0.9, 0.9, 0.5),
        with_areas(0.9, 0.9, 0.9, 0.7),
        "AUC is 0.50 in group g4 (95 % CI [0.29, 0.71]), no better than random guessing, but 0.90 in the other groups.",
    ),
    "shifted-classes": Case(
        matrix([2, 18, 0], [0, 2, 18], [18, 0, 2]),
        matrix([10, 10, 0], [0, 10, 10], [10, 0, 10]),
        "Predictions are mostly the class after the actual one (cat for fox, dog for cat and fox for dog): with labels "
        "replaced accordingly, accuracy would be 0.90 instead of 0.10.",
    ),
    "hard-probabilities": Case(
        certain(1.0),
        certain(0.99),
        "All probabilities are 0 or 1, as if they were predicted labels, and those of 3 of 20 items are wrong.",
    ),
    "frequent-confusion": Case(
        matrix([190, 10, 0], [0, 198, 2], [1, 1, 198]),
        matrix([194, 6, 0], [2, 195, 3], [3, 3, 194]),
        "10 of the 14 errors (71 %) are items of class cat predicted as dog, 5 % of that class.",
    ),
    "dominated": Case(
        two_scorers(29),
        classify([1] * 4 + [0] * 4, score={"a": [9, 8, 7, 1, 6, 5, 4, 3], "b": [5, 4, 3, 2, 9, 1, 1, 1]}, positive=1),
        "weak: strong is better at every threshold (AUC 0.99, against 0.64).",
    ),
    "accuracy-below-constant": Case(
        CANCER,
        cells(tp=20, fp=9, fn=10, tn=1991),
        "Accuracy is 0.91, below the 0.99 of always predicting “no”.",
    ),
    "extreme-prevalence": Case(
        cells(tp=9, fp=1, fn=0, tn=90),
        cells(tp=10, fp=0, fn=0, tn=90),
        "9 of 100 items (9 %) are positive: accuracy is not informative here.",
    ),
    "low-precision": Case(
        CANCER,
        cells(tp=20, fp=20, fn=10, tn=1980),
        "Accuracy is 0.91, but only 20 of 200 positive predictions are correct: precision is 0.10 (95 % CI [0.06, "
        "0.15]).",
    ),
    "rule-out": Case(
        CANCER,
        cells(tp=10, fp=180, fn=20, tn=1820),
        "99.5 % of 1,830 negative predictions are correct (95 % CI [0.990, 0.997]), good enough to rule out, though "
        "33 % of the positives are missed; precision is 10 %.",
    ),
    "rule-in": Case(
        cells(tp=180, fp=2, fn=120, tn=298),
        cells(tp=60, fp=2, fn=40, tn=98),
        "98.9 % of 182 positive predictions are correct (95 % CI [0.961, 0.999]), good enough to rule in, though 40 % "
        "of the positives are missed; 71 % of the negative predictions are correct.",
    ),
    "one-sided": Case(
        cells(tp=95, fp=90, fn=5, tn=10),
        cells(tp=95, fp=89, fn=5, tn=11),
        "95 % of the positives and 90 % of the negatives are predicted positive: the prediction hardly depends on the "
        "item.",
    ),
    "answers-reversed": Case(
        cells(tp=40, fp=80, fn=60, tn=20),
        cells(tp=2, fp=4, fn=3, tn=1),
        "Recall is 0.40, below the false positive rate of 0.80. With every prediction inverted, recall would be 0.60 "
        "and the false positive rate 0.20.",
    ),
    "confused-classes": Case(
        matrix([16, 4, 0], [2, 18, 0], [0, 0, 20]),
        matrix([18, 2, 0], [2, 18, 0], [0, 0, 20]),
        "4 of the 20 items of class cat (20 %) were predicted as dog, and 2 of the 20 of class dog as cat.",
    ),
    "flattered-class": Case(
        matrix([6, 4, 0], [2, 38, 0], [0, 0, 50]),
        matrix([7, 3, 0], [2, 38, 0], [0, 0, 50]),
        "Class cat against the rest has an accuracy of 0.94, but precision is 0.75 and recall is 0.60; only 10 % of "
        "the items are of this class.",
    ),
    "macro-micro-classes": Case(
        matrix([2, 8, 0], [0, 45, 0], [0, 0, 45]),
        matrix([8, 2, 0], [0, 45, 0], [0, 0, 45]),
        "Recall is 0.92 over all items pooled (micro), but 0.73 as a mean over classes (macro), because of cat (0.20, "
        "10 items).",
    ),
    "favoured-class": Case(
        matrix([20, 0, 0], [11, 9, 0], [0, 0, 20]),
        matrix([19, 1, 0], [6, 14, 0], [0, 0, 20]),
        "Class cat is predicted for 31 of 60 items but occurs in 20.",
    ),
    "below-diagonal": Case(
        scored([1, 2, 3, 4, 5, 6] * 2, [4.5, 5.5, 6.5, 7, 8, 9] * 2),
        scored([1, 2, 3, 4, 5, 6], [4.5, 5.5, 6.5, 7, 8, 9]),  # too few items for an interval
        "The AUC is 0.08, below the 0.5 of random guessing (95 % CI [0.02, 0.29]); with the scores negated it would "
        "be 0.92, and average precision 0.93 instead of 0.36.",
    ),
    "chance-level": Case(
        scored(list(range(1, 21, 2)), list(range(2, 31, 2))),
        scored(list(range(1, 200, 2)), list(range(-20, 180, 2))),
        "The AUC is 0.30 (95 % CI [0.14, 0.54]): with 10 positives, not significantly different from random guessing "
        "(0.5).",
    ),
    "miscalibration": Case(
        coin(0.8, 60),
        coin(0.8, 76),
        "Of 100 items with a mean predicted probability of 0.80, 60 % are positive; the expected calibration error is "
        "0.20 (10 bins; 0.03 on average if perfectly calibrated).",
    ),
    "precision-baseline": Case(
        in_groups(120, 80),
        in_groups(120, 90),
        "AP: the prevalence, and so the baseline of a random scorer, is 30 % in g1 but 20 % in g2: average precision "
        "1.00 and 1.00 are not comparable; AUPRG is 1.00 and 1.00.",
    ),
    "threshold-tie": Case(
        choose(scored([0.9, 0.5], [0.7, 0.1]), "Accuracy"),
        choose(scored([0.9, 0.8], [0.7, 0.1]), "Accuracy"),
        "The thresholds 0.90 and 0.50 give the same best Accuracy (0.75); the first is used, which predicts 1 of 4 "
        "items positive (the last: 3).",
    ),
    "threshold-flat": Case(
        choose(mixed(40), "Accuracy"),
        choose(mixed(18), "Accuracy"),
        "All thresholds from 1.00 to 100.00 are within 0.01 of the best Accuracy (0.92 at 40.00), although 17 % of "
        "the predictions change in that range.",
    ),
    "threshold-edge": Case(
        choose(scored([1, 1], [0] + [2] * 20), "Accuracy"),
        choose(scored([1, 3], [0] + [2] * 20), "Accuracy"),
        "The best threshold for Accuracy (above every score) predicts 0 of 23 items positive, although 2 are: it lies "
        "at the edge of the scores.",
    ),
    "threshold-same-items": Case(
        choose(mixed(40), "Accuracy"),
        choose(scored([6, 7, 8, 9] * 5, [1, 2, 3, 4] * 5), "Accuracy"),
        "Accuracy is 0.92 at the threshold chosen on these items (40.00), but 0.89 in 10-fold cross-validation.",
    ),
}
