"""Rules about yes-or-no answers: what accuracy hides, and what each answer is good for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cranfield.evidence.cells import Cells
from cranfield.findings.finding import Said, said
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import amount, count, number, numbers, share
from cranfield.inference.intervals import wilson

_SURE = 1.96  # standard errors from which on a difference is not put down to chance


class _Answers(NamedTuple):
    """The four cells of one decision, and the rates in them; NaN where there is nothing to take a share of."""

    tp: float
    fp: float
    fn: float
    tn: float
    recall: float
    fallout: float
    precision: float
    npv: float
    accuracy: float
    prevalence: float


def _answers(cells: Cells) -> _Answers:
    tp, fp, fn, tn = (float(cell[0]) for cell in cells.each)
    return _Answers(
        *(tp, fp, fn, tn),
        recall=_rate(tp, tp + fn),
        fallout=_rate(fp, fp + tn),
        precision=_rate(tp, tp + fp),
        npv=_rate(tn, tn + fn),
        accuracy=_rate(tp + tn, tp + fp + fn + tn),
        prevalence=_rate(tp + fn, tp + fp + fn + tn),
    )


def _rate(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _interval(part: float, whole: float) -> str:
    found = wilson(part, whole)
    low, high = numbers(float(found.low), float(found.high))
    return f"95 % interval from {low} to {high}"


def _sure(part: float, whole: float) -> float:
    """The share of a whole that is at least there, by the lower end of its interval; NaN if there is no whole."""
    return float(wilson(part, whole).low)


@rule(
    "extreme-prevalence",
    title="One of the two classes is rare",
    severity="caution",
    why="Where nearly all items are of one class, accuracy is high whatever is answered, and precision falls with "
    "the share of positives even if the method stays the same.",
    action="Report recall, specificity, precision and NPV apart, MCC or balanced accuracy in place of accuracy, and "
    "for scores precision-recall-gain (AUPRG).",
)
def extreme_prevalence(cells: Cells, *, low: float = 0.1, high: float = 0.9) -> Iterator[Said]:
    """Less than `low`, or more than `high`, of the items are positive."""
    found = _answers(cells)
    total = sum(found[:4])
    if found.prevalence < low or found.prevalence > high:
        class_ = "positive" if found.prevalence < low else "negative"
        n_rare = min(found.tp + found.fn, found.fp + found.tn)
        yield said(
            f"{amount(n_rare)} of {count(total, 'item')} ({share(n_rare / total)}) are {class_}: accuracy says little "
            "here.",
            {"prevalence": found.prevalence, "n_items": total},
        )


@rule(
    "low-precision",
    title="High accuracy, but a yes is mostly wrong",
    severity="serious",
    why="The accuracy comes from the many negatives that were rightly passed over. Whoever acts on a yes acts "
    "mostly on false alarms.",
    action="Do not act on a yes alone: confirm it by other means, raise the threshold, and report precision.",
    covers=("favoured-class",),
)
def low_precision(cells: Cells, *, accuracy: float = 0.85, precision: float = 0.5) -> Iterator[Said]:
    """Accuracy is at least `accuracy`, and precision below `precision`."""
    found = _answers(cells)
    if reaches(found.accuracy, accuracy) and found.precision < precision:
        n_yes = found.tp + found.fp
        yield said(
            f"Accuracy is {number(found.accuracy)}, but of {count(n_yes, 'yes answer')} only {amount(found.tp)} "
            f"{'is' if found.tp == 1 else 'are'} right: precision is {number(found.precision)} "
            f"({_interval(found.tp, n_yes)}).",
            {"accuracy": found.accuracy, "precision": found.precision, "tp": found.tp, "fp": found.fp},
        )


@rule(
    "rule-out",
    title="A no can be trusted: usable to rule out",
    severity="note",
    why="Nearly every no is right (a high negative predictive value), and a no makes a positive much less likely "
    "than it was before. A yes is not as good.",
    action="Use it as a first, cheap step that rules out; confirm every yes by other means. If nothing may be "
    "missed, look at recall too.",
)
def rule_out(cells: Cells, *, npv: float = 0.95, left: float = 0.5, precision: float = 0.95) -> Iterator[Said]:
    """At least `npv` of the no answers are right by the lower end of Wilson's interval, positives are at most `left`
    times as frequent among them as among all items, and precision is below `precision`.

    Nothing is said of so few answers that positives could be as frequent among them as among all.
    """
    found = _answers(cells)
    remains, sure = _rate(1 - found.npv, found.prevalence), _sure(found.tn, found.tn + found.fn)
    if sure >= max(npv, 1 - found.prevalence) and remains <= left and not found.precision >= precision:
        missed = "" if found.fn == 0 else f", though {share(1 - found.recall)} of the positives are missed"
        yield said(
            f"A no is right in {share(found.npv)} of {count(found.tn + found.fn, 'case')} "
            f"({_interval(found.tn, found.tn + found.fn)}), good enough to rule out{missed}; a yes is right in "
            f"{share(found.precision)}.",
            {"npv": found.npv, "recall": found.recall, "precision": found.precision, "prevalence": found.prevalence},
        )


@rule(
    "rule-in",
    title="A yes can be trusted: usable to rule in",
    severity="note",
    why="Nearly every yes is right (a high precision), and far more often than among all items. A no is not as good.",
    action="Act on a yes; do not take a no for an answer, and look at those items by other means.",
)
def rule_in(cells: Cells, *, precision: float = 0.95, left: float = 0.5, npv: float = 0.95) -> Iterator[Said]:
    """At least `precision` of the yes answers are right by the lower end of Wilson's interval, negatives are at most
    `left` times as frequent among them as among all items, and NPV is below `npv`.

    Nothing is said of so few answers that negatives could be as frequent among them as among all.
    """
    found = _answers(cells)
    remains, sure = _rate(1 - found.precision, 1 - found.prevalence), _sure(found.tp, found.tp + found.fp)
    if sure >= max(precision, found.prevalence) and remains <= left and not found.npv >= npv:
        yield said(
            f"A yes is right in {share(found.precision)} of {count(found.tp + found.fp, 'case')} "
            f"({_interval(found.tp, found.tp + found.fp)}), good enough to rule in, though "
            f"{share(1 - found.recall)} of the positives get no such answer; a no is right in {share(found.npv)}.",
            {"precision": found.precision, "recall": found.recall, "npv": found.npv, "prevalence": found.prevalence},
        )


@rule(
    "one-sided",
    title="Nearly always the same answer",
    severity="serious",
    why="Positives and negatives get the same answer almost alike. Recall or specificity near 1 is then no merit: a "
    "test that always says yes finds everything.",
    action="Move the threshold, or look for what makes the answer so one-sided; never report one of the two rates "
    "alone.",
    covers=("rule-in", "rule-out", "favoured-class"),
)
def one_sided(cells: Cells, *, near: float = 0.1) -> Iterator[Said]:
    """Positives and negatives alike are answered yes, or no, but for at most the share `near`."""
    found = _answers(cells)
    ends = (found.recall, found.fallout)
    if np.isnan(ends).any():
        return
    for answer, alike in (("no", reaches(near, max(ends))), ("yes", reaches(min(ends), 1 - near))):
        if alike:
            of_positives, of_negatives = ends if answer == "yes" else (1 - ends[0], 1 - ends[1])
            yield said(
                f"{share(of_positives)} of the positives and {share(of_negatives)} of the negatives are answered "
                f"{answer}: the answer hardly depends on the item.",
                {"recall": found.recall, "fallout": found.fallout, "answer": answer},
            )


@rule(
    "answers-reversed",
    title="The opposite answer would be better",
    severity="serious",
    why="Negatives are answered yes more often than positives: the point lies below the diagonal of the ROC plot, "
    "where guessing would be better. That is information, only the wrong way round.",
    action="Check which label is the positive one, and the sign of the score; then give the opposite of every answer.",
)
def answers_reversed(cells: Cells, *, sure: float = _SURE) -> Iterator[Said]:
    """Recall lies below fall-out by more than `sure` standard errors."""
    found = _answers(cells)
    n_positive, n_negative = found.tp + found.fn, found.fp + found.tn
    if not n_positive or not n_negative:
        return
    spread = found.recall * (1 - found.recall) / n_positive + found.fallout * (1 - found.fallout) / n_negative
    if found.fallout - found.recall > sure * float(np.sqrt(spread)):
        recall, fallout, turned, other = numbers(found.recall, found.fallout, 1 - found.recall, 1 - found.fallout)
        yield said(
            f"Recall is {recall} and fall-out {fallout}: more negatives than positives are answered yes. With every "
            f"answer reversed, recall would be {turned} and fall-out {other}.",
            {"recall": found.recall, "fallout": found.fallout, "recall_reversed": 1 - found.recall},
        )
