"""Rules about classes: those mistaken for each other, those that accuracy flatters, those answered too often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cranfield.evidence.cells import Cells
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.exact import ratio
from cranfield.findings.finding import Said, said
from cranfield.findings.rules import ROUNDING, reaches, rule
from cranfield.findings.words import amount, count, listed, number, numbers, share
from cranfield.tables.labels import Label

_SEVERAL = 3  # classes from which on one of them is not merely what the other is not


class EachClass(NamedTuple):
    """Right and wrong answers for each class against the rest; an item may be of several classes at once."""

    labels: tuple[Label, ...]
    cells: Cells
    many: bool = False  # whether items are of several

    @property
    def several(self) -> bool:
        """Whether there is more to say than of one yes-or-no decision."""
        return self.many or len(self.labels) >= _SEVERAL


@rule(
    "accuracy-below-constant",
    title="Always giving the same answer would be as accurate",
    severity="serious",
    why="Accuracy is high wherever one class is frequent. If giving that class as the answer every time is as "
    "accurate, the accuracy is no evidence that anything was learnt.",
    action="Report the accuracy of the constant answer beside it, and judge by MCC, balanced accuracy, or precision "
    "and recall.",
)
def accuracy_below_constant(confusion: Confusion, *, above: float = 0.0) -> Iterator[Said]:
    """Accuracy is no more than `above` over what always giving the most frequent class would get."""
    total, right, often = confusion.counts.sum(), confusion.right.sum(), confusion.actual.max()
    if total and right - often <= above * total:
        answer = confusion.labels[int(confusion.actual.argmax())]
        accuracy, constant = float(right / total), float(often / total)
        shown = numbers(accuracy, constant)
        than = "below" if accuracy < constant else "not above" if accuracy == constant else "hardly above"
        yield said(
            f"Accuracy is {shown[0]}, {than} the {shown[1]} that always answering “{answer}” would get.",
            {"accuracy": accuracy, "constant": constant, "answer": str(answer)},
        )


@rule(
    "confused-classes",
    title="Two classes taken for each other",
    severity="caution",
    why="Most mistakes between many classes are made within a few pairs. Accuracy, one figure for all, does not "
    "show which.",
    action="Look at items of the two classes side by side: merge them, define them better, or collect features and "
    "examples that tell them apart.",
)
def confused_classes(confusion: Confusion, *, taken: float = 0.15, least: float = 3) -> Iterator[Said]:
    """At least the share `taken` of a class, and at least `least` items, was taken for one other class of several."""
    if len(confusion.labels) < _SEVERAL:
        return
    share_taken = np.nan_to_num(ratio(confusion.counts, confusion.actual[:, None]))
    often = (share_taken >= taken) & (confusion.counts >= least)
    np.fill_diagonal(often, False)
    pairs = {(min(i, j), max(i, j)) for i, j in np.argwhere(often).tolist()}
    for i, j in sorted(pairs, key=lambda pair: -(confusion.counts[pair] + confusion.counts[pair[::-1]])):
        if share_taken[j, i] > share_taken[i, j]:
            i, j = j, i
        first, second = str(confusion.labels[i]), str(confusion.labels[j])
        back = confusion.counts[j, i]
        return_ = f", and {amount(back)} of {amount(confusion.actual[j])} {second} for {first}" if back else ""
        yield said(
            f"{amount(confusion.counts[i, j])} of {amount(confusion.actual[i])} {first} ({share(share_taken[i, j])}) "
            f"were taken for {second}{return_}.",
            {"there": float(confusion.counts[i, j]), "back": float(back), "share": float(share_taken[i, j])},
            **{"class": first, "other": second},
        )


@rule(
    "flattered-class",
    title="A class whose accuracy comes from the other classes",
    severity="caution",
    why="The accuracy of one class against the rest counts every item of the other classes that was not taken for "
    "it. For a rare class these are nearly all there is.",
    action="Judge each class by precision and recall, not by accuracy or specificity.",
)
def flattered_class(classes: EachClass, *, accuracy: float = 0.85, low: float = 0.7) -> Iterator[Said]:
    """A class of several has at least `accuracy` against the rest, but precision or recall below `low`."""
    if not classes.several:
        return
    cells = classes.cells
    own = ratio(cells.tp + cells.tn, cells.total)
    precision, recall = ratio(cells.tp, cells.accepted), ratio(cells.tp, cells.positive)
    worst = np.fmin(precision, recall)
    for k in np.argsort(worst, kind="stable"):
        if own[k] >= accuracy and worst[k] < low and cells.positive[k]:
            name = str(classes.labels[k])
            accepted = "nothing was taken for it" if np.isnan(precision[k]) else f"precision is {number(precision[k])}"
            yield said(
                f"{name} against the rest has an accuracy of {number(own[k])}, but {accepted} and recall is "
                f"{number(recall[k])}; only {share(cells.positive[k] / cells.total[k])} of the items are {name}.",
                {"accuracy": float(own[k]), "precision": float(precision[k]), "recall": float(recall[k])},
                **{"class": name},
            )


@rule(
    "macro-micro-classes",
    title="Large classes hide small ones",
    severity="caution",
    why="Accuracy counts items, so large classes decide it; the mean of the recalls (macro, or balanced, accuracy) "
    "counts classes alike. Where they differ, some classes do far worse or better than the average item.",
    action="Report both, and the recall of the classes named.",
)
def macro_micro_classes(classes: EachClass, *, apart: float = 0.1) -> Iterator[Said]:
    """Recall over all items pooled and its mean over three or more classes differ by at least `apart`."""
    cells = classes.cells
    occurs, recall = cells.positive > 0, ratio(cells.tp, cells.positive)
    if occurs.sum() < _SEVERAL:
        return
    micro, macro = float(cells.tp.sum() / cells.positive.sum()), float(recall[occurs].mean())
    if reaches(abs(micro - macro), apart):
        away = np.where(occurs, (recall - micro) * np.sign(macro - micro), -np.inf)
        causes = [k for k in np.argsort(-away, kind="stable")[:2] if away[k] > 0]
        each = [
            f"{classes.labels[k]} ({number(float(recall[k]))}, {count(float(cells.positive[k]), 'item')})"
            for k in causes
        ]
        one, other = numbers(micro, macro)
        yield said(
            f"Recall is {one} over all items pooled (micro), but {other} as a mean over classes (macro), because of "
            f"{listed(each)}.",
            {"micro": micro, "macro": macro, "classes": [str(classes.labels[k]) for k in causes]},
        )


@rule(
    "favoured-class",
    title="One class is answered far more often than it occurs",
    severity="caution",
    why="A bias towards one answer raises the recall of that class at the cost of all others.",
    action="Look at class weights, priors and thresholds; compare the share answered with the share that occurs.",
)
def favoured_class(classes: EachClass, *, times: float = 1.5, apart: float = 0.1, sure: float = 3.0) -> Iterator[Said]:
    """A class is answered at least `times` as often as it occurs, or for the share `apart` of all items more often,
    by `sure` standard errors."""
    cells = classes.cells
    surplus, spread = cells.fp - cells.fn, np.sqrt(cells.fp + cells.fn)
    often = (cells.accepted >= times * cells.positive) | (surplus >= (apart - ROUNDING) * cells.total)
    for k in np.argsort(-surplus, kind="stable"):
        if often[k] and surplus[k] > sure * spread[k]:
            answered, occurs = float(cells.accepted[k]), float(cells.positive[k])
            yield said(
                f"{classes.labels[k]} is answered for {amount(answered)} of {count(float(cells.total[k]), 'item')} "
                f"but occurs in {amount(occurs)}.",
                {"answered": answered, "occurs": occurs, "n_items": float(cells.total[k])},
                **{"class": str(classes.labels[k])},
            )
