"""Rules about the threshold that was chosen: whether another would do as well, and whether it chooses at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.assessment.choices import Choice, choose
from cranfield.evidence.cells import Cells
from cranfield.evidence.thresholds import Floats, Mask, Thresholds
from cranfield.findings.finding import Said, said
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import amount, count, listed, number, numbers, share


def _n_items(choice: Choice) -> float:
    return float(choice.scores.n_positive + choice.scores.n_negative)


@rule(
    "threshold-tie",
    title="Several thresholds are equally good",
    severity="note",
    why="The goal does not say which of them to take, though they answer differently; the highest was taken.",
    action="Say what matters beyond the goal, missed positives or false alarms, and take the threshold that serves it.",
)
def threshold_tie(choice: Choice, *, least: int = 2) -> Iterator[Said]:
    """At least `least` thresholds have exactly the best value of the goal."""
    if len(choice.thresholds) >= least:
        accepted = choice.cells.accepted
        finite = numbers(*(threshold for threshold in choice.thresholds if np.isfinite(threshold)))
        none = ["above every score"] if np.isinf(choice.threshold) else []
        shown = [*none, *(f"of {threshold}" for threshold in finite)]
        yield said(
            f"Thresholds {listed(shown)} serve {choice.goal} equally well ({number(choice.value)}); the first was "
            f"taken, which says yes to {amount(accepted[0])} of {count(_n_items(choice), 'item')}, the last to "
            f"{amount(accepted[-1])}.",
            {"thresholds": list(choice.thresholds), "value": choice.value},
        )


@rule(
    "threshold-flat",
    title="The best threshold is hardly better than many others",
    severity="caution",
    why="Where the goal is flat around its best value, the threshold is an accident of these items; on others a "
    "distant one would be best, and it changes many answers.",
    action="Do not read much into the threshold. Choose within the flat stretch by costs or by what comes "
    "naturally, and report its interval (bootstrap).",
)
def threshold_flat(choice: Choice, *, within: float = 0.01, answers: float = 0.1) -> Iterator[Said]:
    """Thresholds within `within` of the best value change the answer for at least the share `answers` of the items."""
    if not choice.thresholds or not np.isfinite(choice.threshold):
        return
    flat = choice.flatness(within)
    if flat.share >= answers:
        low, high = numbers(flat.low, flat.high) if np.isfinite(flat.high) else (number(flat.low), "above every score")
        yield said(
            f"Every threshold from {low} to {high} comes within {within:g} of the best {choice.goal} "
            f"({number(choice.value)} at {number(choice.threshold)}), though it changes the answer for "
            f"{share(flat.share)} of the items.",
            {"low": flat.low, "high": flat.high, "share": flat.share, "threshold": choice.threshold},
        )


@rule(
    "threshold-edge",
    title="The best threshold answers nearly everything alike",
    severity="caution",
    why="A goal that is served best by saying yes, or no, to nearly all items does not use the scores: either they "
    "know too little, or the goal does not care for the rarer class.",
    action="Choose another goal (Informedness, F, costs, or recall within a limit of specificity), or improve the "
    "scores.",
)
def threshold_edge(choice: Choice, *, near: float = 0.1) -> Iterator[Said]:
    """At the best threshold, yes is said to at most `near` times as many items as are positive, or no likewise."""
    if not choice.thresholds:
        return
    cells = choice.cells
    for answer, said_so, are_so in (
        ("yes", float(cells.accepted[0]), float(cells.positive[0])),
        ("no", float(cells.rejected[0]), float(cells.negative[0])),
    ):
        if said_so <= near * are_so:
            so = "positive" if answer == "yes" else "negative"
            yield said(
                f"The best threshold for {choice.goal}, one {_shown(choice.threshold)}, says {answer} to "
                f"{amount(said_so)} of {count(_n_items(choice), 'item')}, of which {amount(are_so)} are {so}: "
                "it lies at the edge of the scores.",
                {"threshold": choice.threshold, "answered": said_so, "are": are_so, "answer": answer},
            )


@rule(
    "threshold-same-items",
    title="The threshold was chosen on the items it is judged by",
    severity="caution",
    why="The best threshold fits the accidents of the items it was chosen on. So every figure at it, with its interval "
    "and its tests, is better than it will be on other items.",
    action="Choose the threshold on other items, such as a development set, and give it (threshold=, --threshold); or "
    "report the value of the threshold chosen on the rest, fold by fold.",
)
def threshold_same_items(choice: Choice, *, apart: float = 0.02, folds: int = 10) -> Iterator[Said]:
    """Where each of `folds` parts is answered at the threshold chosen on the rest, the goal is worse by `apart`.

    Nothing is said where the threshold was given, or hardly depends on the items. Items are dealt at random, always in
    the same way; limits of the goal bind the choice, and are not asked of the answers.
    """
    held_out = _held_out(choice, folds)
    if held_out is None:
        return
    value, other = (float(choice.goal.measure.values(cells)[0]) for cells in (choice.cells, held_out))
    if reaches(choice.goal.sign * (value - other), apart):
        now, then = numbers(value, other)
        yield said(
            f"{choice.goal.measure} is {now} at the threshold {_shown(choice.threshold)} that was chosen on these same "
            f"items; with the threshold chosen on the others, part by part of {folds}, it is {then}.",
            {"value": value, "held_out": other, "threshold": choice.threshold},
        )


def _held_out(choice: Choice, folds: int) -> Cells | None:
    """The cells of all parts, each at the best threshold of the rest; None if some rest has none."""
    scores, deal = choice.scores, np.random.default_rng(0)
    if not choice.thresholds or min(len(scores.positive), len(scores.negative)) < 2:
        return None
    fold = [deal.permutation(len(side)) % folds for side in (scores.positive, scores.negative)]
    parts = []
    for place in range(folds):
        rest = choose(_only(scores, *(own != place for own in fold)), choice.goal)
        if not rest.thresholds:
            return None
        parts.append(_only(scores, *(own == place for own in fold)).at(np.array([rest.threshold])))
    return Cells(*(np.sum([part.each[kind] for part in parts], axis=0) for kind in range(4)))


def _only(scores: Thresholds, positive: Mask, negative: Mask) -> Thresholds:
    """Some of the scores."""

    def kept(weight: Floats | None, own: Mask) -> Floats | None:
        return None if weight is None else weight[own]

    weights = kept(scores.positive_weight, positive), kept(scores.negative_weight, negative)
    return Thresholds(scores.positive[positive], scores.negative[negative], *weights)


def _shown(threshold: float) -> str:
    return "above every score" if np.isinf(threshold) else f"of {number(threshold)}"
