"""Rules about classes: those mistaken for each other, those that accuracy flatters, those answered too often."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.evidence.confusion import Confusion
from cranfield.evidence.exact import ratio
from cranfield.findings.finding import Said, said
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import amount, count, listed, number, numbers, share


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
    if len(confusion.labels) < 3:
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
def flattered_class(confusion: Confusion, *, accuracy: float = 0.85, low: float = 0.7) -> Iterator[Said]:
    """A class of several has at least `accuracy` against the rest, but precision or recall below `low`."""
    if len(confusion.labels) < 3:
        return
    cells = confusion.cells
    own, precision, recall = (
        ratio(part, whole)
        for part, whole in (
            (cells.tp + cells.tn, cells.total),
            (cells.tp, cells.accepted),
            (cells.tp, cells.positive),
        )
    )
    worst = np.fmin(precision, recall)
    for k in np.argsort(worst, kind="stable"):
        if own[k] >= accuracy and worst[k] < low and cells.positive[k]:
            name = str(confusion.labels[k])
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
def macro_micro_classes(confusion: Confusion, *, apart: float = 0.1) -> Iterator[Said]:
    """The share of all items that is right and its mean over three or more classes differ by at least `apart`."""
    occurs = confusion.actual > 0
    recall = ratio(confusion.right, confusion.actual)
    if occurs.sum() < 3:
        return
    micro, macro = float(confusion.right.sum() / confusion.counts.sum()), float(recall[occurs].mean())
    if reaches(abs(micro - macro), apart):
        away = np.where(occurs, (recall - micro) * np.sign(macro - micro), -np.inf)
        causes = [k for k in np.argsort(-away, kind="stable")[:2] if away[k] > 0]
        each = [
            f"{confusion.labels[k]} ({number(float(recall[k]))}, {count(float(confusion.actual[k]), 'item')})"
            for k in causes
        ]
        one, other = numbers(micro, macro)
        yield said(
            f"Of all items {one} are right (micro), but {other} as a mean over classes (macro), because of "
            f"{listed(each)}.",
            {"micro": micro, "macro": macro, "classes": [str(confusion.labels[k]) for k in causes]},
        )


@rule(
    "favoured-class",
    title="One class is answered far more often than it occurs",
    severity="caution",
    why="A bias towards one answer raises the recall of that class at the cost of all others.",
    action="Look at class weights, priors and thresholds; compare the share answered with the share that occurs.",
)
def favoured_class(confusion: Confusion, *, times: float = 1.5, sure: float = 3.0) -> Iterator[Said]:
    """A class of several is answered at least `times` as often as it occurs, by `sure` standard errors more."""
    if len(confusion.labels) < 3:
        return
    too_many, too_few = confusion.predicted - confusion.right, confusion.actual - confusion.right
    for k in np.argsort(too_few - too_many, kind="stable"):
        surplus = float(too_many[k] - too_few[k])
        spread = float(np.sqrt(too_many[k] + too_few[k]))
        if surplus > sure * spread and confusion.predicted[k] >= times * confusion.actual[k]:
            name = str(confusion.labels[k])
            yield said(
                f"{name} is answered {amount(confusion.predicted[k])} times but occurs {amount(confusion.actual[k])} "
                "times.",
                {"answered": float(confusion.predicted[k]), "occurs": float(confusion.actual[k])},
                **{"class": name},
            )
