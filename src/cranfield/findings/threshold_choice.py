"""Rules about the chosen threshold: whether it is stable, and whether it is optimistic."""

from __future__ import annotations

import numpy as np

from cranfield.findings.finding import Observations, observation
from cranfield.findings.rules import reaches, rule
from cranfield.inference.held_out import held_out
from cranfield.inference.threshold_choice import Choice
from cranfield.text import amount, count, listed, number, numbers, percent


def _n_items(choice: Choice) -> float:
    return float(choice.scores.n_positive + choice.scores.n_negative)


@rule(
    "threshold-tie",
    about="the chosen threshold",
    title="Several thresholds are equally good",
    severity="note",
    why="The goal does not determine which of them to use, although they give different predictions; the highest is "
    "used.",
    action="Decide whether missed positives or false alarms matter more, and choose the threshold accordingly.",
)
def threshold_tie(choice: Choice, *, least: int = 2) -> Observations:
    """At least `least` thresholds reach exactly the best value of the goal."""
    if len(choice.thresholds) >= least:
        accepted = choice.cells.accepted
        finite = numbers(*(threshold for threshold in choice.thresholds if np.isfinite(threshold)))
        infinite = ["above every score"] if np.isinf(choice.threshold) else []
        yield observation(
            f"The thresholds {listed([*infinite, *finite])} give the same best {choice.goal} "
            f"({number(choice.value)}); the first is used, which predicts {amount(accepted[0])} of "
            f"{count(_n_items(choice), 'item')} positive (the last: {amount(accepted[-1])}).",
            {"thresholds": list(choice.thresholds), "value": choice.value},
        )


@rule(
    "threshold-flat",
    about="the chosen threshold",
    title="The best threshold is barely better than many others",
    severity="caution",
    why="If the goal is flat around its optimum, the best threshold depends on the sample: on other items a distant "
    "threshold would be best, which changes many predictions.",
    action="Do not over-interpret the threshold. Choose one within the flat range by cost or convention, and report "
    "its bootstrap confidence interval.",
)
def threshold_flat(choice: Choice, *, within: float = 0.01, proportion: float = 0.1) -> Observations:
    """Thresholds within `within` of the best value change at least a proportion `proportion` of the predictions."""
    if not choice.thresholds or not np.isfinite(choice.threshold):
        return
    flat = choice.flatness(within)
    if flat.proportion >= proportion:
        low, high = numbers(flat.low, flat.high) if np.isfinite(flat.high) else (number(flat.low), "above every score")
        yield observation(
            f"All thresholds from {low} to {high} are within {within:g} of the best {choice.goal} "
            f"({number(choice.value)} at {number(choice.threshold)}), although {percent(flat.proportion)} of the "
            "predictions change in that range.",
            {"low": flat.low, "high": flat.high, "proportion": flat.proportion, "threshold": choice.threshold},
        )


@rule(
    "threshold-edge",
    about="the chosen threshold",
    title="The best threshold gives nearly all items the same prediction",
    severity="caution",
    why="If the goal is best when nearly all items get the same prediction, the scores are not used: either they are "
    "uninformative, or the goal ignores the rarer class.",
    action="Choose another goal (Informedness, F, costs, or recall at a given specificity), or improve the scores.",
)
def threshold_edge(choice: Choice, *, near: float = 0.1) -> Observations:
    """At the best threshold, at most `near` times as many items are predicted positive as are positive, or the same for
    negatives."""
    if not choice.thresholds:
        return
    cells = choice.cells
    for label, predicted, actual in (
        ("positive", float(cells.accepted[0]), float(cells.positive[0])),
        ("negative", float(cells.rejected[0]), float(cells.negative[0])),
    ):
        if predicted <= near * actual:
            yield observation(
                f"The best threshold for {choice.goal} ({_shown(choice.threshold)}) predicts {amount(predicted)} of "
                f"{count(_n_items(choice), 'item')} {label}, although {amount(actual)} are: it lies at the edge of the "
                "scores.",
                {"threshold": choice.threshold, "predicted": predicted, "actual": actual, "label": label},
            )


@rule(
    "threshold-same-items",
    about="the chosen threshold",
    title="The threshold was chosen on the evaluation items",
    severity="caution",
    why="The best threshold overfits the items on which it was chosen: values at it, with their confidence intervals "
    "and tests, are too optimistic for new items.",
    action="Choose the threshold on other items, such as a development set, and pass it (threshold=, --threshold); or "
    "report the cross-validated value.",
)
def threshold_same_items(choice: Choice, *, difference: float = 0.02, folds: int = 10) -> Observations:
    """In cross-validation with `folds` folds, the goal is worse by at least `difference`.

    Not reported when the threshold was passed or hardly depends on the items. Folds are random with a fixed seed;
    constraints of the goal apply to the choice of the threshold, not to the held-out predictions.
    """
    (held,) = held_out(choice.scores, [choice.goal], folds=folds)
    if held.reason or not choice.thresholds:
        return
    value, other = float(choice.goal.measure.values(choice.cells)[0]), held.value
    if reaches(choice.goal.sign * (value - other), difference):
        now, then = numbers(value, other)
        yield observation(
            f"{choice.goal.measure} is {now} at the threshold chosen on these items ({_shown(choice.threshold)}), but "
            f"{then} in {folds}-fold cross-validation.",
            {"value": value, "held_out": other, "threshold": choice.threshold},
        )


def _shown(threshold: float) -> str:
    return "above every score" if np.isinf(threshold) else number(threshold)
