"""Rules about scores: whether they separate positives from negatives, and whether they are calibrated."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.classification.evaluated import Evaluated
from cranfield.classification.findings.groups import scores_by_group
from cranfield.classification.result import Classification
from cranfield.evidence.curves import Calibration, calibration
from cranfield.evidence.probabilities import BINS
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.naming import parse
from cranfield.present.findings.rules import Observations, observation, reaches, rule
from cranfield.settings import CONFIDENCE
from cranfield.statistics.areas import AreaMethod, supported_interval
from cranfield.statistics.calibration import usual_test
from cranfield.statistics.distributions import chi_square_tail
from cranfield.statistics.thresholds import Choice, held_out
from cranfield.tables.disk import blocks
from cranfield.text import amount, count, listed, number, numbers, percent

_AREA, _PRECISION, _GAIN, _CALIBRATION = (parse(name, "binary") for name in ("AUC", "AP", "AUPRG", "ECE"))
_WITH_BASELINE = ("AP", "AUPR", "ElevenPoint", "InterpolatedPrecision")  # a random scorer gets the prevalence

_OF_THRESHOLDS = ("threshold-tie", "threshold-flat", "threshold-edge", "threshold-same-items")


class Area(NamedTuple):
    """Scores of positives and negatives, and the method for the confidence interval of their AUC."""

    scores: Thresholds
    method: AreaMethod = "auto"

    def bounds(self, confidence: float) -> tuple[float, float, float]:
        """The AUC and its confidence interval, as in the result tables."""
        interval = supported_interval(self.scores, confidence=confidence, method=self.method)
        return interval.value, interval.low, interval.high


@rule(
    "below-diagonal",
    about="scores",
    title="The scores are inverted",
    severity="serious",
    why="Negatives tend to score higher than positives: the ROC curve lies below the diagonal, so guessing would be "
    "better. The scores do carry information, but inverted.",
    action="Check which label is the positive one, whether these are probabilities of the other class, and whether low "
    "scores mean positive; then invert them (invert=True, --invert).",
    covers=("answers-reversed", "one-sided", "favoured-class", *_OF_THRESHOLDS),
    explains=("accuracy-below-constant", "low-precision", "miscalibration"),
)
def below_diagonal(roc: Area, *, confidence: float = CONFIDENCE) -> Observations:
    """The confidence interval of the AUC, at level `confidence`, lies below 0.5."""
    scores = roc.scores
    if scores.one_class:
        return
    area, low, high = roc.bounds(confidence)
    if high < 0.5:
        inverted = scores.inverted
        auc, auc_inverted, ap, ap_inverted = (
            float(measure.values(thresholds)) for measure in (_AREA, _PRECISION) for thresholds in (scores, inverted)
        )
        (auc_text, inverted_text), (ap_text, inverted_ap) = numbers(auc, auc_inverted), numbers(ap, ap_inverted)
        yield observation(
            f"The AUC is {auc_text}, below the 0.5 of random guessing ({percent(confidence)} CI [{number(low)}, "
            f"{number(high)}]); with the scores negated it would be {inverted_text}, and average precision "
            f"{inverted_ap} instead of {ap_text}.",
            {"auc": area, "low": low, "high": high, "auc_inverted": auc_inverted, "ap": ap, "ap_inverted": ap_inverted},
        )


@rule(
    "chance-level",
    about="scores",
    title="Scores may be no better than random guessing",
    severity="caution",
    why="The confidence interval of the AUC includes 0.5, the AUC of random scores: it has not been shown that the "
    "scores separate positives from negatives.",
    action="Test on more items, especially of the rarer class, before using or comparing these scores.",
    explains=("accuracy-below-constant", "one-sided", "low-precision"),
)
def chance_level(roc: Area, *, confidence: float = CONFIDENCE) -> Observations:
    """The confidence interval of the AUC, at level `confidence`, includes 0.5."""
    scores = roc.scores
    if scores.one_class:
        return
    area, low, high = roc.bounds(confidence)
    if low <= 0.5 <= high:
        yield observation(_like_guessing(scores, area, low, high, confidence), {"auc": area, "low": low, "high": high})


def _like_guessing(scores: Thresholds, area: float, low: float, high: float, confidence: float) -> str:
    if len({side[end] for side in (scores.positive, scores.negative) for end in (0, -1)}) == 1:
        return "Every item has the same score: the AUC is 0.5, that of random guessing."
    n_positive, n_negative = scores.n_items
    rarer, n_rarer = min((("positive", n_positive), ("negative", n_negative)), key=lambda pair: pair[1])
    return (
        f"The AUC is {number(area)} ({percent(confidence)} CI [{number(low)}, {number(high)}]): with "
        f"{count(n_rarer, rarer)}, not significantly different from random guessing (0.5)."
    )


@rule(
    "miscalibration",
    about="scores",
    title="Probabilities are poorly calibrated",
    severity="caution",
    why="Of the items with a predicted probability of 0.8, 80 % should be positive. If not, costs, thresholds and "
    "expected values computed from the probabilities are wrong, however well the items are ranked.",
    action="Recalibrate on held-out data (isotonic regression or Platt scaling), and inspect the calibration curve.",
    explains=("accuracy-below-constant", "one-sided", "low-precision"),
)
def miscalibration(evaluated: Evaluated, *, error: float = 0.05, level: float = 0.01, bins: int = BINS) -> Observations:
    """The expected calibration error with `bins` bins is at least `error`, and some bin deviates by more than chance.

    Each bin is tested with an exact binomial test, ignoring weights, at `level` divided by the number of bins: at most
    a proportion `level` of perfectly calibrated systems is reported.
    """
    scores = _probabilities(evaluated)
    if scores is None:
        return
    overall = float(_CALIBRATION(bins=bins).values(scores))
    curve = calibration(replace(scores, positive_weight=None, negative_weight=None), bins=bins)
    difference = np.abs(curve.mean_predicted - curve.observed)
    excess = np.where(_p_values(curve) * len(curve.n) < level, curve.n * difference, 0.0)
    if reaches(overall, error) and excess.any():
        columns = (curve.mean_predicted, curve.observed, curve.n)
        predicted, observed, n = (float(column[excess.argmax()]) for column in columns)
        outcome = "are positive" if evaluated.class_scores is None else "are predicted correctly"
        test = usual_test(scores, _CALIBRATION(bins=bins))
        by_chance = "" if test is None else f"; {number(test.expected)} on average if perfectly calibrated"
        figures = {"ece": overall} | ({} if test is None else {"by_chance": test.expected})
        yield observation(
            f"Of {count(n, 'item')} with a mean predicted probability of {number(predicted)}, {percent(observed)} "
            f"{outcome}; the expected calibration error is {number(overall)} ({bins} bins{by_chance}).",
            figures | {"predicted": predicted, "observed": observed, "n": n},
        )


def _probabilities(evaluated: Evaluated) -> Thresholds | None:
    """The probabilities of the positive class, or of the predicted class, by outcome."""
    if not evaluated.predictions.is_probability:
        return None
    return evaluated.thresholds if evaluated.class_scores is None else evaluated.class_scores.top


def _p_values(curve: Calibration) -> Floats:
    """The two-sided p-value of an exact binomial test of each bin.

    If probabilities vary within a bin, the variance of its count is below that of a binomial with their mean
    (Hoeffding 1956), so the test is conservative.
    """
    from scipy.special import bdtr, bdtrc

    n, positive, p = curve.n.astype(np.int64), curve.positive, curve.mean_predicted
    at_most, at_least = bdtr(positive, n, p), bdtrc(np.maximum(positive - 1, 0), n, p)
    return np.minimum(2 * np.minimum(at_most, np.where(positive == 0, 1.0, at_least)), 1.0)


@rule(
    "hard-probabilities",
    about="scores",
    title="Probabilities that are only 0 and 1",
    severity="serious",
    why="A probability of 0 or 1 claims certainty, and a single error then makes the log loss infinite. These are "
    "usually predicted labels passed as probabilities: ROC curve, AUC and calibration describe one threshold only.",
    action="Pass predicted probabilities (predict_proba, not predict), or pass these as predicted labels.",
    covers=("miscalibration", *_OF_THRESHOLDS),
)
def hard_probabilities(evaluated: Evaluated, *, least: int = 10) -> Observations:
    """All probabilities of at least `least` items are 0 or 1, and some of them are wrong."""
    predictions, score = evaluated.predictions, evaluated.predictions.score
    if not predictions.is_probability or predictions.multilabel or score is None or len(predictions) < least:
        return
    if not all(bool(((score[rows] == 0) | (score[rows] == 1)).all()) for rows in blocks(len(score))):
        return
    predicted = score == 1 if evaluated.class_scores is None else evaluated.class_scores.predicted
    actual = predictions.actual == predictions.positive if predictions.binary else predictions.actual
    wrong = predicted != actual
    n_wrong = int(wrong.sum() if predictions.count is None else predictions.count[wrong].sum())
    if n_wrong:
        yield observation(
            "All probabilities are 0 or 1, as if they were predicted labels, and those of "
            f"{amount(n_wrong)} of {count(len(predictions), 'item')} are wrong.",
            {"n_wrong": n_wrong, "n_items": len(predictions)},
        )


@rule(
    "precision-baseline",
    about="scores",
    title="Average precision with different baselines",
    severity="serious",
    why="The average precision of a random scorer equals the prevalence. When the prevalence differs between groups "
    "or classes, their values cannot be compared or averaged.",
    action="Compare the area under the precision-recall-gain curve (AUPRG; 0 for a random scorer), or the AUC.",
)
def precision_baseline(classification: Classification, *, times: float = 1.5, level: float = 0.01) -> Observations:
    """Average precision is reported for groups or classes, one has `times` the prevalence of another, and a chi-square
    test that all have the same prevalence is significant at `level`."""
    used = [str(measure) for measure in classification.measures if measure.name in _WITH_BASELINE]
    for evaluated in classification.evaluated if used else ():
        parts = {name: scores for name, scores in _parts(evaluated).items() if not scores.one_class}
        if len(parts) < 2:
            continue
        base = {name: scores.prevalence for name, scores in parts.items()}
        low, high = (end(base, key=lambda name: base[name]) for end in (min, max))
        if reaches(base[high] / base[low], times) and _homogeneity([*parts.values()]) < level:
            gains = [number(float(_GAIN.values(parts[name]))) for name in (high, low)]
            values = [number(float(_PRECISION.values(parts[name]))) for name in (high, low)]
            yield observation(
                f"{listed(used)}: the prevalence, and so the baseline of a random scorer, is {percent(base[high])} in "
                f"{high} but {percent(base[low])} in {low}: average precision {values[0]} and {values[1]} are not "
                f"comparable; AUPRG is {gains[0]} and {gains[1]}.",
                {"prevalence": {high: base[high], low: base[low]}, "n_parts": len(parts)},
                system=evaluated.predictions.system,
            )


def _homogeneity(parts: list[Thresholds]) -> float:
    """The p-value of the hypothesis that all parts have the same prevalence, ignoring weights."""
    counts = np.array([scores.n_items for scores in parts], np.float64)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return float(chi_square_tail(((counts - expected) ** 2 / expected).sum(), len(parts) - 1))


def _parts(evaluated: Evaluated) -> dict[str, Thresholds]:
    """The scores of every group, or of every class against the rest."""
    predictions = evaluated.predictions
    if predictions.groups and predictions.binary:
        return scores_by_group(evaluated)
    if len(evaluated.of_each_class) < 2:
        return {}
    return dict(zip(map(str, predictions.labels), evaluated.of_each_class, strict=True))


# Rules about curves: a classifier that another one dominates


_CURVE_AREA = parse("AUC", "binary")


@rule(
    "dominated",
    about="curves",
    title="A classifier is dominated at every threshold",
    severity="note",
    why="Whatever the costs and the prevalence, some threshold of the other classifier has at least as high a true "
    "positive rate at the same false positive rate.",
    action="Leave the dominated classifier out, unless it is cheaper to run or easier to explain.",
)
def dominated(classification: Classification, *, difference: float = 0.01) -> Observations:
    """The ROC curve of another classifier lies nowhere below, and its AUC is higher by at least `difference`."""
    scored = {
        evaluated.predictions.system: evaluated.thresholds
        for evaluated in classification.evaluated
        if evaluated.thresholds is not None and not evaluated.thresholds.one_class
    }
    area = {system: float(_CURVE_AREA.values(scores)) for system, scores in scored.items()}
    best = max(area, key=lambda system: area[system], default="")
    for system, scores in scored.items():
        if reaches(area[best] - area[system], difference) and _nowhere_below(scored[best], scores):
            yield observation(
                f"{best} is better at every threshold (AUC {number(area[best])}, against {number(area[system])}).",
                {"auc": area[system], "better": area[best]},
                system=system,
                other=best,
            )


def _nowhere_below(one: Thresholds, other: Thresholds) -> bool:
    """Whether the first has at least as many true positives as the other, with at most its false positives."""
    higher, lower = one.every.from_nothing, other.every.from_nothing
    reached = higher.tp[np.searchsorted(higher.fp, lower.fp, side="right") - 1]
    return bool((reached >= lower.tp).all())


# Rules about the chosen threshold: whether it is stable, and whether it is optimistic


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
