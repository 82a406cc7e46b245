"""Rules about classes: which are confused, which look better than they are, which are predicted too often."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.present.findings.rules import Observations, observation, reaches, rule
from cranfield.rounding import LONG_SUMS
from cranfield.tables.labels import Label
from cranfield.text import amount, count, listed, number, numbers, percent, verb

_SEVERAL = 3  # classes; with two, each is the complement of the other


class EachClass(NamedTuple):
    """The 2x2 table of each class against the rest; with multilabel data an item may have several classes."""

    labels: tuple[Label, ...]
    cells: Cells
    multilabel: bool = False
    derived: bool = False  # whether predictions follow from probabilities or from the best threshold for a goal
    squared: Cells | None = None  # of squared weights, if items are weighted

    @property
    def several(self) -> bool:
        """Whether this is more than a single binary decision."""
        return self.multilabel or len(self.labels) >= _SEVERAL

    @property
    def next_largest(self) -> Floats:
        """The size of the largest other class; with multilabel data, the number of items without the label."""
        size = self.cells.positive
        if self.multilabel:
            return self.cells.total - size
        first, second = np.argsort(-size, kind="stable")[:2]
        return np.where(np.arange(len(size)) == first, size[second], size[first])


@rule(
    "accuracy-below-constant",
    about="classes",
    title="Always predicting the most frequent class would be as accurate",
    severity="serious",
    why="Accuracy is high whenever one class is frequent. If always predicting that class is as accurate, the "
    "accuracy is no evidence that the classifier has learnt anything.",
    action="Report the accuracy of the majority-class baseline next to it, and use MCC, balanced accuracy, or "
    "precision and recall.",
)
def accuracy_below_constant(confusion: Confusion, *, above: float = 0.0) -> Observations:
    """Accuracy exceeds that of always predicting the most frequent class by no more than `above`."""
    total, right, often = confusion.total, confusion.right.sum(), confusion.actual.max()
    if total and right - often <= above * total:
        answer = confusion.labels[int(confusion.actual.argmax())]
        accuracy, constant = float(right / total), float(often / total)
        shown = numbers(accuracy, constant)
        than = "below" if accuracy < constant else "not above" if accuracy == constant else "barely above"
        yield observation(
            f"Accuracy is {shown[0]}, {than} the {shown[1]} of always predicting “{answer}”.",
            {"accuracy": accuracy, "constant": constant, "answer": str(answer)},
        )


@rule(
    "confused-classes",
    about="classes",
    title="Two classes are often confused",
    severity="caution",
    why="With many classes, most errors fall on a few pairs of classes. A single accuracy figure does not show which.",
    action="Compare items of the two classes: merge the classes, define them better, or collect features and examples "
    "that distinguish them.",
)
def confused_classes(confusion: Confusion, *, proportion: float = 0.15, least: float = 3) -> Observations:
    """With three or more classes, at least `proportion` of one class and at least `least` items were predicted as one
    other class."""
    if len(confusion.labels) < _SEVERAL:
        return
    row, column, counts = confusion.wrong
    count_of = dict(zip(zip(row.tolist(), column.tolist(), strict=True), counts.tolist(), strict=True))
    size = confusion.actual.tolist()
    often = [pair for pair, n in count_of.items() if n >= least and n / size[pair[0]] >= proportion]
    pairs = sorted({(min(pair), max(pair)) for pair in often})
    for i, j in sorted(pairs, key=lambda pair: -(count_of.get(pair, 0) + count_of.get(pair[::-1], 0))):
        there, back = count_of.get((i, j), 0), count_of.get((j, i), 0)
        if back and back / size[j] > (there / size[i] if there else 0):
            i, j, there, back = j, i, back, there
        first, second, rate = str(confusion.labels[i]), str(confusion.labels[j]), there / size[i]
        return_ = f", and {amount(back)} of the {amount(size[j])} of class {second} as {first}" if back else ""
        yield observation(
            f"{amount(there)} of the {count(size[i], 'item')} of class {first} ({percent(rate)}) "
            f"{verb(there, 'was', 'were')} predicted as {second}{return_}.",
            {"there": float(there), "back": float(back), "proportion": rate},
            **{"class": first, "other": second},
        )


@rule(
    "shifted-classes",
    about="classes",
    title="The classes are permuted",
    severity="serious",
    why="Most predictions would be right under other labels: the classes are numbered from 0 on one side and from 1 on "
    "the other, or the columns of a table of scores are in another order than the classes.",
    action="Compare how both sides code the classes (the order of the columns, labels=); then evaluate again.",
    covers=(
        *("accuracy-below-constant", "confused-classes", "frequent-confusion", "flattered-class"),
        *("macro-micro-classes", "favoured-class", "miscalibration"),
    ),
)
def shifted_classes(
    confusion: Confusion, *, difference: float = 0.2, standard_errors: float = 5.0, most: int = 500
) -> Observations:
    """With three to `most` classes, accuracy would be higher by at least `difference` if the predicted labels were
    replaced one by one, by more than `standard_errors` standard errors."""
    n_classes, total = len(confusion.labels), float(confusion.total)
    row, column, counts = confusion.row, confusion.column, confusion.count.astype(np.float64)
    largest = np.zeros(n_classes)
    np.maximum.at(largest, column, counts)
    right, limit = float(confusion.right.sum()), difference * total
    if not total or not _SEVERAL <= n_classes <= most or largest.sum() - right < limit:  # which no assignment exceeds
        return
    matrix = np.zeros((n_classes, n_classes))
    matrix[row, column] = counts
    meant = _assigned(matrix)
    replaced = matrix[meant, np.arange(n_classes)]
    better = float(replaced.sum())
    if better - right < max(limit, standard_errors * float(np.sqrt(better + right))):
        return
    moved = [k for k in np.argsort(-replaced, kind="stable") if meant[k] != k and replaced[k]]
    steps = {int(k - meant[k]) % n_classes for k in moved}
    neighbour = {1: "the class after", n_classes - 1: "the class before"}
    which = neighbour.get(steps.pop(), "another class than") if len(steps) == 1 else "another class than"
    pairs = listed([f"{confusion.labels[k]} for {confusion.labels[meant[k]]}" for k in moved])
    now, then = numbers(right / total, better / total)
    yield observation(
        f"Predictions are mostly {which} the actual one ({pairs}): with labels replaced accordingly, accuracy would be "
        f"{then} instead of {now}.",
        {
            "accuracy": right / total,
            "accuracy_replaced": better / total,
            "meant": {str(confusion.labels[k]): str(confusion.labels[meant[k]]) for k in moved},
        },
    )


def _assigned(matrix: Floats) -> Ints:
    """The actual class that each predicted one is assigned to, one to one, so that most items are right."""
    from scipy.optimize import linear_sum_assignment

    actual, predicted = linear_sum_assignment(matrix, maximize=True)
    return np.asarray(actual[np.argsort(predicted)])


@rule(
    "frequent-confusion",
    about="classes",
    title="Most errors are of one kind",
    severity="note",
    why="A classifier with many classes and few errors often has one predominant confusion left. It should be "
    "corrected first.",
    action="Inspect these items: the two classes may need better features, more examples or clearer definitions.",
)
def frequent_confusion(
    confusion: Confusion, *, proportion: float = 0.1, times: float = 4.0, least: float = 5, rare: float = 0.15
) -> Observations:
    """With three or more classes, one confusion makes up at least `proportion` of all errors, `least` items and `times`
    the mean of all confusions, but less than a proportion `rare` of its class."""
    n_classes = len(confusion.labels)
    row, column, counts = confusion.wrong
    if n_classes < _SEVERAL or not len(counts):
        return
    n_errors, place = float(counts.sum()), int(counts.argmax())
    n, i, j = float(counts[place]), int(row[place]), int(column[place])
    often = n >= least and reaches(n / n_errors, proportion)
    if often and reaches(n, times * n_errors / (n_classes * (n_classes - 1))) and n / confusion.actual[i] < rare:
        first, second = str(confusion.labels[i]), str(confusion.labels[j])
        yield observation(
            f"{amount(n)} of the {count(n_errors, 'error')} ({percent(n / n_errors)}) are items of class {first} "
            f"predicted as {second}, {percent(n / float(confusion.actual[i]))} of that class.",
            {"n": n, "n_errors": n_errors, "proportion": n / n_errors},
            **{"class": first, "other": second},
        )


@rule(
    "flattered-class",
    about="classes",
    title="A class whose accuracy is due to the other classes",
    severity="caution",
    why="The accuracy of one class against the rest also counts the true negatives, items of the other classes not "
    "predicted as this class. For a rare class these are nearly all items.",
    action="Evaluate each class by precision and recall, not by accuracy or specificity.",
)
def flattered_class(classes: EachClass, *, accuracy: float = 0.85, low: float = 0.7) -> Observations:
    """One of three or more classes has an accuracy of at least `accuracy` against the rest, but precision or recall
    below `low`."""
    if not classes.several:
        return
    cells = classes.cells
    correct = ratio(cells.tp + cells.tn, cells.total)
    precision, recall = ratio(cells.tp, cells.accepted), ratio(cells.tp, cells.positive)
    worst = np.fmin(precision, recall)
    flattered = np.flatnonzero((correct >= accuracy) & (worst < low) & (cells.positive > 0))
    if len(flattered):
        k, *others = flattered[np.argsort(worst[flattered], kind="stable")].tolist()
        name = str(classes.labels[k])
        precise = "it was never predicted" if np.isnan(precision[k]) else f"precision is {number(precision[k])}"
        also = f"; the same applies to {count(len(others), 'other class')}" if others else ""
        yield observation(
            f"Class {name} against the rest has an accuracy of {number(correct[k])}, but {precise} and recall is "
            f"{number(recall[k])}; only {percent(cells.positive[k] / cells.total[k])} of the items are of this "
            f"class{also}.",
            {"accuracy": float(correct[k]), "precision": float(precision[k]), "recall": float(recall[k])}
            | {"classes": [str(classes.labels[one]) for one in (k, *others)]},
            **{"class": name},
        )


@rule(
    "macro-micro-classes",
    about="classes",
    title="Large classes hide small ones",
    severity="caution",
    why="Accuracy gives every item the same weight, so large classes dominate; the mean recall (macro recall, or "
    "balanced accuracy) gives every class the same weight. When they differ, some classes do much worse or better.",
    action="Report both, and the recall of the classes named.",
    explains=("flattered-class", "confused-classes"),
)
def macro_micro_classes(classes: EachClass, *, difference: float = 0.1) -> Observations:
    """Micro-averaged recall and its mean over three or more classes differ by at least `difference`."""
    cells = classes.cells
    occurs, recall = cells.positive > 0, ratio(cells.tp, cells.positive)
    if occurs.sum() < _SEVERAL:
        return
    micro, macro = float(cells.tp.sum() / cells.positive.sum()), float(recall[occurs].mean())
    if reaches(abs(micro - macro), difference):
        away = np.where(occurs, (recall - micro) * np.sign(macro - micro), -np.inf)
        causes = [k for k in np.argsort(-away, kind="stable")[:2] if away[k] > 0]
        described = [
            f"{classes.labels[k]} ({number(float(recall[k]))}, {count(float(cells.positive[k]), 'item')})"
            for k in causes
        ]
        one, other = numbers(micro, macro)
        yield observation(
            f"Recall is {one} over all items pooled (micro), but {other} as a mean over classes (macro), because of "
            f"{listed(described)}.",
            {"micro": micro, "macro": macro, "classes": [str(classes.labels[k]) for k in causes]},
        )


@rule(
    "favoured-class",
    about="classes",
    title="One class is predicted far more often than it occurs",
    severity="caution",
    why="A bias towards one class raises its recall at the expense of all other classes.",
    action="Check class weights, priors and thresholds; compare predicted with actual class frequencies.",
    explains=("confused-classes", "flattered-class", "macro-micro-classes"),
)
def favoured_class(
    classes: EachClass,
    *,
    times: float = 1.5,
    difference: float = 0.1,
    standard_errors: float = 3.0,
    dominant: float = 1.2,
) -> Observations:
    """A class is predicted at least `times` as often as it occurs, or its predicted frequency exceeds its actual one by
    `difference`, by more than `standard_errors` standard errors.

    Not reported for a class that occurs `dominant` times as often as any other, which every accurate classifier
    favours when it is unsure; nor for predictions from probabilities, or at a threshold chosen for a goal: their
    frequencies depend on the threshold.
    """
    if classes.derived:
        return
    cells = classes.cells
    squares = cells if classes.squared is None else classes.squared  # their sum is the variance of the sum of weights
    surplus, deviation = cells.fp - cells.fn, np.sqrt(squares.fp + squares.fn)
    often = (cells.accepted >= times * cells.positive) | (surplus >= (difference - LONG_SUMS) * cells.total)
    often &= cells.positive < dominant * classes.next_largest
    for k in np.argsort(-surplus, kind="stable"):
        if often[k] and surplus[k] > standard_errors * deviation[k]:
            predicted, occurs = float(cells.accepted[k]), float(cells.positive[k])
            yield observation(
                f"Class {classes.labels[k]} is predicted for {amount(predicted)} of "
                f"{count(float(cells.total[k]), 'item')} but occurs in {amount(occurs)}.",
                {"predicted": predicted, "occurs": occurs, "n_items": float(cells.total[k])},
                **{"class": str(classes.labels[k])},
            )
