"""Rules about scores: whether they tell positives from negatives, and whether they can be taken at their word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.assessment.areas import area_interval
from cranfield.assessment.assessed import Assessed
from cranfield.assessment.classification import Classification
from cranfield.curves.calibration import Calibration, calibration
from cranfield.evidence.thresholds import Floats, Thresholds
from cranfield.findings.finding import Said, said
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import count, listed, number, numbers, share
from cranfield.registry import parse

_AREA, _PRECISION, _GAIN, _CALIBRATION = (parse(name, "binary") for name in ("AUC", "AP", "AUPRG", "ECE"))
_WITH_BASELINE = ("AP", "AUPR", "ElevenPoint", "InterpolatedPrecision")  # a random scorer gets the prevalence

_OF_THRESHOLDS = ("threshold-tie", "threshold-flat", "threshold-edge", "threshold-same-items")


def _area(scores: Thresholds, confidence: float) -> tuple[float, float, float]:
    """The area under the ROC curve and its bounds, those of items that count alike."""
    bounds = area_interval(Thresholds(scores.positive, scores.negative), confidence=confidence)
    return float(_AREA.values(scores)), bounds.low, bounds.high


@rule(
    "below-diagonal",
    title="A scorer that is better turned round",
    severity="serious",
    why="Negatives score higher than positives more often than not: the ROC curve lies below the diagonal, where "
    "guessing would be better. That is information, only the wrong way round.",
    action="Check which label is the positive one and whether low scores are the good ones; then negate the scores.",
    covers=("answers-reversed", "one-sided", "favoured-class", *_OF_THRESHOLDS),
)
def below_diagonal(scores: Thresholds, *, confidence: float = 0.95) -> Iterator[Said]:
    """The interval of the area under the ROC curve, with this `confidence`, lies below a half."""
    if scores.one_class:
        return
    area, low, high = _area(scores, confidence)
    if high < 0.5:
        turned = scores.inverted
        own, other, gain, other_gain = (
            float(measure.values(each)) for measure in (_AREA, _PRECISION) for each in (scores, turned)
        )
        shown = numbers(own, other), numbers(gain, other_gain)
        yield said(
            f"The area under the ROC curve is {shown[0][0]}, below the 0.5 of guessing ({share(confidence)} interval "
            f"from {number(low)} to {number(high)}); with the scores negated it would be {shown[0][1]}, and average "
            f"precision {shown[1][1]} instead of {shown[1][0]}.",
            {"auc": area, "low": low, "high": high, "auc_inverted": other, "ap": gain, "ap_inverted": other_gain},
        )


@rule(
    "chance-level",
    title="A scorer that may be no better than guessing",
    severity="caution",
    why="The interval of the area under the ROC curve holds 0.5, the area of scores that know nothing: that the "
    "scorer tells positives from negatives has not been shown.",
    action="Test on more items, above all of the rarer class, before using or comparing it.",
)
def chance_level(scores: Thresholds, *, confidence: float = 0.95) -> Iterator[Said]:
    """The interval of the area under the ROC curve, with this `confidence`, holds a half."""
    if scores.one_class:
        return
    area, low, high = _area(scores, confidence)
    if low <= 0.5 <= high:
        yield said(_like_guessing(scores, area, low, high, confidence), {"auc": area, "low": low, "high": high})


def _like_guessing(scores: Thresholds, area: float, low: float, high: float, confidence: float) -> str:
    if len(scores.every.score) == 1:
        return "Every item has the same score: the area under the ROC curve is 0.5, that of guessing."
    rarer, n_rarer = min(
        (("positive", len(scores.positive)), ("negative", len(scores.negative))), key=lambda pair: pair[1]
    )
    return (
        f"The area under the ROC curve is {number(area)}, with a {share(confidence)} interval from {number(low)} "
        f"to {number(high)}: it may be no better than guessing, at 0.5, given {count(n_rarer, rarer)}."
    )


@rule(
    "miscalibration",
    title="Probabilities that cannot be taken at their word",
    severity="caution",
    why="Of the items given a probability of 0.8, eight in ten should be positive. Where that is not so, costs, "
    "thresholds and expectations computed from the probabilities are wrong, however good the order is.",
    action="Recalibrate on held-out data (isotonic regression, or a logistic fit), and look at the calibration curve.",
)
def miscalibration(assessed: Assessed, *, error: float = 0.05, level: float = 0.01, bins: int = 10) -> Iterator[Said]:
    """Probabilities are off by at least `error` on average over `bins`, in some bin by more than chance.

    Chance is told by an exact binomial test of each bin, items counted alike, at the `level` divided by the number of
    bins: of systems whose probabilities are right, no larger share is accused.
    """
    scores = _probable(assessed)
    if scores is None:
        return
    overall = float(_CALIBRATION(bins=bins).values(scores))
    found = calibration(Thresholds(scores.positive, scores.negative), bins=bins)
    beyond = np.where(_by_chance(found) * len(found.n) < level, found.n * np.abs(found.given - found.share), 0.0)
    if reaches(overall, error) and beyond.any():
        given, came, n = (float(column[beyond.argmax()]) for column in (found.given, found.share, found.n))
        came_true = "came true" if assessed.probabilities is None else "were predicted right"
        noise = _noise(found)
        yield said(
            f"Where the probability is {number(given)} on average ({count(n, 'item')}), {share(came)} {came_true}; "
            f"over all items probabilities are off by {number(overall)} (ECE with {bins} bins; right ones would be "
            f"off by about {number(noise)}).",
            {"ece": overall, "by_chance": noise, "given": given, "share": came, "n": n},
        )


def _probable(assessed: Assessed) -> Thresholds | None:
    """The probabilities of the positive class, or of the class predicted, by whether it came true."""
    if not assessed.predictions.probable:
        return None
    return assessed.thresholds if assessed.probabilities is None else assessed.probabilities.top


def _by_chance(found: Calibration) -> Floats:
    """How often chance alone takes each bin as far from its mean probability, on either side.

    Probabilities that vary within a bin make its count vary less than a binomial one of their mean (Hoeffding 1956):
    it errs on the side of silence.
    """
    from scipy.special import bdtr, bdtrc

    n, positive = found.n.astype(np.int64), found.positive
    at_most, at_least = bdtr(positive, n, found.given), bdtrc(np.maximum(positive - 1, 0), n, found.given)
    return np.minimum(2 * np.minimum(at_most, np.where(positive == 0, 1.0, at_least)), 1.0)


def _noise(found: Calibration) -> float:
    """The mean distance of bins from their probabilities, were these right: that of a normal deviate."""
    return float(np.sqrt(2 / np.pi * found.n * found.given * (1 - found.given)).sum() / found.n.sum())


@rule(
    "precision-baseline",
    title="Areas under precision-recall curves with different baselines",
    severity="serious",
    why="A random scorer has an average precision equal to the share of positives. Where that share differs, so "
    "does what a value means: values of groups or classes cannot be compared or averaged.",
    action="Compare precision-recall-gain (AUPRG), where a random scorer always has 0, or the AUC.",
)
def precision_baseline(classification: Classification, *, times: float = 1.5) -> Iterator[Said]:
    """Average precision is given for groups or classes of which one has `times` the share of positives of another."""
    used = [str(measure) for measure in classification.measures if measure.name in _WITH_BASELINE]
    for each in classification.assessed if used else ():
        parts = {name: scores for name, scores in _parts(each).items() if not scores.one_class}
        if len(parts) < 2:
            continue
        base = {name: scores.n_positive / (scores.n_positive + scores.n_negative) for name, scores in parts.items()}
        low, high = (end(base, key=lambda name: base[name]) for end in (min, max))
        if reaches(base[high] / base[low], times):
            gains = [number(float(_GAIN.values(parts[name]))) for name in (high, low)]
            values = [number(float(_PRECISION.values(parts[name]))) for name in (high, low)]
            yield said(
                f"{listed(used)}: {share(base[high])} of {high} are positive, but {share(base[low])} of {low}, and so "
                f"much a random scorer would get: average precision of {values[0]} and {values[1]} cannot be compared; "
                f"as gains (AUPRG) it is {gains[0]} and {gains[1]}.",
                {"prevalence": {high: base[high], low: base[low]}, "n_parts": len(parts)},
                system=each.predictions.system,
            )


def _parts(assessed: Assessed) -> dict[str, Thresholds]:
    """The scores of each group, or of each class against the rest."""
    given = assessed.predictions
    if given.groups and given.binary:
        groups = {name: replace(assessed, predictions=given.part(place)) for place, name in enumerate(given.groups)}
        return {name: part.thresholds for name, part in groups.items() if part.thresholds is not None}
    if len(assessed.of_each_class) < 2:
        return {}
    return dict(zip(map(str, given.labels), assessed.of_each_class, strict=True))
