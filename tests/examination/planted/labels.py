"""Labels, scores and probabilities, binary and of several classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cranfield import classify
from examination.planted.catalogue import clean, problem

Column = NDArray[Any]


def truth(rng: Generator, n: int, prevalence: float = 0.4) -> Column:
    """Labels 1 and 0."""
    return (rng.random(n) < prevalence).astype(int)


def mistaken(rng: Generator, actual: Column, rate: float, n_classes: int = 2) -> Column:
    """Labels of which a proportion is replaced by another one."""
    other = (actual + rng.integers(1, n_classes, len(actual))) % n_classes
    return np.where(rng.random(len(actual)) < rate, other, actual)


def scores(rng: Generator, actual: Column, apart: float = 1.5) -> Column:
    """Normal scores that are higher for positives by this many standard deviations."""
    return rng.normal(size=len(actual)) + apart * actual


def chances(rng: Generator, n: int, prevalence: float = 0.4, spread: float = 1.8) -> Column:
    """Probabilities whose logits are normal around that of the prevalence."""
    return 1 / (1 + np.exp(-(np.log(prevalence / (1 - prevalence)) + spread * rng.normal(size=n))))


def odds_to(probability: Column, power: float) -> Column:
    """Probabilities with odds to a power: above 1 overconfident, below 1 underconfident."""
    odds = (probability / (1 - probability)) ** power
    return odds / (1 + odds)


def come_true(rng: Generator, probability: Column) -> Column:
    """Labels that are 1 with these probabilities."""
    return (rng.random(len(probability)) < probability).astype(int)


# clean


@clean({"n": 200}, {"n": 1000}, {"n": 300, "prevalence": 0.25, "rate": 0.08}, {"n": 500, "prevalence": 0.6})
def binary_labels(rng: Generator, n: int, prevalence: float = 0.4, rate: float = 0.12) -> Any:
    actual = truth(rng, n, prevalence)
    return classify(actual, mistaken(rng, actual, rate), positive=1)


@clean({"n": 300, "k": 3}, {"n": 500, "k": 5}, {"n": 1000, "k": 8}, {"n": 2000, "k": 10})
def class_labels(rng: Generator, n: int, k: int) -> Any:
    actual = rng.integers(0, k, n)
    return classify(actual, mistaken(rng, actual, 0.12, k))


@clean({"n": 100}, {"n": 400}, {"n": 400, "prevalence": 0.2}, {"n": 2000, "apart": 1.0})
def good_scores(rng: Generator, n: int, prevalence: float = 0.4, apart: float = 1.7) -> Any:
    actual = truth(rng, n, prevalence)
    best = apart / 2 + np.log(1 / prevalence - 1) / apart
    return classify(actual, score=scores(rng, actual, apart), threshold=best, positive=1)


@clean({"n": 300}, {"n": 1000}, {"n": 500, "prevalence": 0.25}, {"n": 500, "prevalence": 0.7}, {"n": 2000, "spread": 3})
def calibrated_probabilities(rng: Generator, n: int, prevalence: float = 0.4, spread: float = 1.8) -> Any:
    given = chances(rng, n, prevalence, spread)
    return classify(come_true(rng, given), probability=given, positive=1)


@clean({"n": 500, "k": 3}, {"n": 1000, "k": 4}, {"n": 1000, "k": 5})
def calibrated_class_probabilities(rng: Generator, n: int, k: int) -> Any:
    given = rng.dirichlet(np.full(k, 0.08), n)
    return classify([rng.choice(k, p=row) for row in given], probability=given, labels=range(k))


@clean({"groups": 3}, {"groups": 5}, {"groups": 10})
def scores_in_folds(rng: Generator, groups: int) -> Any:
    actual = truth(rng, 120 * groups)
    return classify(actual, score=scores(rng, actual), threshold=0.9, by=np.arange(len(actual)) % groups, positive=1)


@clean({"groups": 3}, {"groups": 5})
def probabilities_in_folds(rng: Generator, groups: int) -> Any:
    given = chances(rng, 200 * groups)
    return classify(come_true(rng, given), probability=given, by=np.arange(len(given)) % groups, positive=1)


@clean({"groups": 4}, {"groups": 5})
def class_labels_in_folds(rng: Generator, groups: int) -> Any:
    actual = rng.integers(0, 4, 150 * groups)
    return classify(actual, mistaken(rng, actual, 0.12, 4), by=np.arange(len(actual)) % groups)


@clean({"n": 400}, {"n": 1000})
def two_classifiers(rng: Generator, n: int) -> Any:
    actual = truth(rng, n)
    return classify(actual, {"old": mistaken(rng, actual, 0.25), "new": mistaken(rng, actual, 0.1)}, positive=1)


@clean({"n": 300}, {"n": 1000})
def labels_of_calibrated_probabilities(rng: Generator, n: int) -> Any:
    given = chances(rng, n, 0.3, 2.5)
    return classify(come_true(rng, given), (given > 0.5).astype(int), positive=1)


@clean({"n": 300}, {"n": 1000})
def rounded_scores(rng: Generator, n: int) -> Any:
    actual = truth(rng, n)
    return classify(actual, score=scores(rng, actual, 2.0).round(1), threshold=1.2, positive=1)


@clean({"n": 500}, {"n": 1500})
def weighted_items(rng: Generator, n: int) -> Any:
    given, names = chances(rng, n), np.array(["ham", "spam"])
    actual = names[come_true(rng, given)]
    return classify(actual, probability=given, weight=rng.integers(1, 5, n), positive="spam")


@clean({"n": 900}, {"n": 2000})
def sites_of_unequal_size_and_prevalence(rng: Generator, n: int) -> Any:
    site = rng.choice(4, n, p=[0.55, 0.25, 0.15, 0.05])
    actual = (rng.random(n) < 0.35 + 0.08 * site).astype(int)
    return classify(actual, score=scores(rng, actual, 2.0), threshold=1, by=site, positive=1, measures=["AUC", "MCC"])


# labels


@problem("accuracy-below-constant", "one-sided")
def always_no(rng: Generator) -> Any:
    actual = truth(rng, 500, 0.1)
    return classify(actual, np.where(rng.random(500) < 0.01, 1, 0), positive=1)


@problem("low-precision", "accuracy-below-constant")
def rare_disease(rng: Generator) -> Any:
    actual = truth(rng, 3000, 0.02)
    return classify(actual, mistaken(rng, actual, 0.09), positive=1)


@problem("answers-reversed", "below-diagonal")
def exchanged_labels(rng: Generator) -> Any:
    actual = truth(rng, 300, 0.5)
    return classify(actual, 1 - mistaken(rng, actual, 0.2), positive=1)


@problem("favoured-class")
def biased_towards_one_class(rng: Generator) -> Any:
    actual = rng.integers(0, 4, 600)
    predicted = np.where((actual != 2) & (rng.random(600) < 0.35), 2, mistaken(rng, actual, 0.05, 4))
    return classify(actual, predicted)


@problem("extreme-prevalence")
def rare_class(rng: Generator) -> Any:
    actual = truth(rng, 2000, 0.04)
    return classify(actual, np.where(actual == 1, rng.random(2000) < 0.9, rng.random(2000) < 0.005), positive=1)


@problem("confused-classes")
def two_classes_confused(rng: Generator) -> Any:
    actual = rng.integers(0, 6, 900)
    predicted = mistaken(rng, actual, 0.06, 6)
    return classify(actual, np.where((actual == 1) & (rng.random(900) < 0.35), 4, predicted))


@problem("macro-micro-classes", "flattered-class")
def a_small_class_that_is_missed(rng: Generator) -> Any:
    actual = rng.choice(5, 1000, p=[0.4, 0.3, 0.2, 0.05, 0.05])
    predicted = mistaken(rng, actual, 0.04, 5)
    return classify(actual, np.where((actual > 2) & (rng.random(1000) < 0.7), rng.integers(0, 3, 1000), predicted))


@problem("shifted-classes")
def classes_shifted_by_one(rng: Generator) -> Any:
    actual = rng.integers(0, 5, 400)
    return classify(actual, mistaken(rng, actual, 0.2, 5) + 1)


@problem("shifted-classes")
def classes_in_another_order(rng: Generator) -> Any:
    actual, names = rng.integers(0, 5, 400), np.array(["ant", "bee", "cat", "dog", "emu"])
    return classify(names[actual], names[[1, 0, 3, 4, 2]][mistaken(rng, actual, 0.2, 5)])


@problem("shifted-classes")
def columns_of_probabilities_exchanged(rng: Generator) -> Any:
    given = rng.dirichlet(np.full(4, 0.2), 500)
    actual = [rng.choice(4, p=row) for row in given]
    return classify(actual, probability=given[:, [1, 2, 3, 0]], labels=range(4))


# scores


@problem("below-diagonal")
def negated_scores(rng: Generator) -> Any:
    actual = truth(rng, 300)
    return classify(actual, score=-scores(rng, actual), positive=1)


@problem("below-diagonal")
def probabilities_of_the_other_class(rng: Generator) -> Any:
    given = chances(rng, 400, 0.25)
    return classify(come_true(rng, given), probability=1 - given, positive=1)


@problem("chance-level")
def noise_as_scores(rng: Generator) -> Any:
    return classify(np.arange(200) % 2, score=rng.normal(size=200), threshold=0, positive=1)


@problem("chance-level")
def constant_scores(rng: Generator) -> Any:
    return classify(truth(rng, 200), score=np.ones(200), threshold=1, positive=1)


@problem("repeated-rows")
def scores_repeated_five_times(rng: Generator) -> Any:
    actual = truth(rng, 200)
    return classify(np.tile(actual, 5), score=np.tile(scores(rng, actual), 5), threshold=0.75, positive=1)


@problem("repeated-rows")
def calibrated_probabilities_repeated_ten_times(rng: Generator) -> Any:
    given = chances(rng, 150)
    return classify(np.repeat(come_true(rng, given), 10), probability=np.repeat(given, 10), positive=1)


@problem("repeated-rows")
def a_file_appended_to_itself_but_for_a_few_rows(rng: Generator) -> Any:
    actual, rows = truth(rng, 300), [*range(300), *range(7, 300)]
    return classify(actual[rows], score=scores(rng, actual)[rows], threshold=0.75, positive=1)


@problem("dominated")
def one_scorer_is_better_everywhere(rng: Generator) -> Any:
    actual = truth(rng, 500)
    good = scores(rng, actual, 2.0)
    return classify(actual, score={"good": good, "noisy": good + rng.normal(0, 3, 500)}, threshold=1, positive=1)


# probabilities


@problem("miscalibration")
def overconfident_probabilities(rng: Generator) -> Any:
    given = chances(rng, 600)
    return classify(come_true(rng, given), probability=odds_to(given, 3), positive=1)


@problem("miscalibration")
def underconfident_probabilities(rng: Generator) -> Any:
    given = chances(rng, 1000, spread=2.5)
    return classify(come_true(rng, given), probability=odds_to(given, 0.3), positive=1)


@problem("miscalibration")
def underestimated_probabilities(rng: Generator) -> Any:
    given = chances(rng, 600, 0.5, 1.2)
    return classify(come_true(rng, given), probability=given / 4, positive=1)


@problem("miscalibration")
def underconfident_class_probabilities(rng: Generator) -> Any:
    given = rng.dirichlet(np.full(4, 0.12), 800)
    return classify([rng.choice(4, p=row) for row in given], probability=0.5 * given + 0.125, labels=range(4))


@problem("hard-probabilities")
def labels_as_probabilities(rng: Generator) -> Any:
    actual = truth(rng, 300)
    return classify(actual, probability=mistaken(rng, actual, 0.15), positive=1)


@problem("too-perfect")
def leaked_label(rng: Generator) -> Any:
    actual = truth(rng, 300)
    return classify(actual, probability=np.where(actual == 1, 0.97, 0.03) + rng.uniform(-0.02, 0.02, 300), positive=1)


# groups and folds


@problem("weak-group")
def one_fold_at_chance(rng: Generator) -> Any:
    actual, fold = truth(rng, 500), np.arange(500) % 5
    score = np.where(fold == 3, rng.normal(size=500) + 0.75, scores(rng, actual, 2.0))
    return classify(actual, score=score, threshold=1, by=fold, positive=1)


@problem("weak-group")
def one_sex_ranked_at_random(rng: Generator) -> Any:
    actual, sex = truth(rng, 600), np.where(rng.random(600) < 0.5, "f", "m")
    score = scores(rng, actual, 1.0) - 0.9 * actual * (sex == "f")
    return classify(actual, score=score, threshold=0.5, by=sex, positive=1)


@problem("weak-group")
def labels_of_one_site_guessed(rng: Generator) -> Any:
    actual, site = truth(rng, 800, 0.5), np.arange(800) % 4
    predicted = np.where(site == 0, truth(rng, 800, 0.5), mistaken(rng, actual, 0.12))
    return classify(actual, predicted, by=site, positive=1)


@problem("weak-group")
def classes_of_one_fold_guessed(rng: Generator) -> Any:
    actual, fold = rng.integers(0, 4, 1000), np.arange(1000) % 5
    predicted = np.where(fold == 2, rng.integers(0, 4, 1000), mistaken(rng, actual, 0.12, 4))
    return classify(actual, predicted, by=fold)


@problem("pooled-groups")
def simpsons_paradox(rng: Generator) -> Any:
    site = np.arange(800) % 2
    actual = (rng.random(800) < np.where(site == 1, 0.8, 0.2)).astype(int)
    score = rng.normal(size=800) - 0.5 * actual + 3 * site
    return classify(actual, score=score, threshold=1, by=site, positive=1)


@problem("pooled-groups")
def folds_with_scores_on_other_scales(rng: Generator) -> Any:
    actual, fold = truth(rng, 500), np.arange(500) % 5
    return classify(actual, score=scores(rng, actual) + 4 * fold, threshold=8, by=fold, positive=1)
