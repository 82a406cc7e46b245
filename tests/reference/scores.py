"""Scores in plain Python and exact fractions: curves, areas and thresholds, by going through all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from reference.labels import LOW_IS_GOOD, MEASURES, Cells, Value

Point = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Scored:
    """The items that count: whether each is positive, its score, which is that of a float, and its weight."""

    positive: list[bool]
    score: list[Fraction]
    weight: list[Fraction]

    @property
    def n_positive(self) -> Fraction:
        return sum((w for yes, w in zip(self.positive, self.weight, strict=True) if yes), Fraction(0))

    @property
    def n_negative(self) -> Fraction:
        return sum((w for yes, w in zip(self.positive, self.weight, strict=True) if not yes), Fraction(0))

    def at(self, threshold: Fraction | None) -> Cells:
        """The cells where scores from the threshold on are a yes; no threshold accepts nothing."""
        sums = {key: Fraction(0) for key in ((True, True), (False, True), (True, False), (False, False))}
        for yes, score, weight in zip(self.positive, self.score, self.weight, strict=True):
            sums[yes, threshold is not None and score >= threshold] += weight
        return Cells(*sums.values())

    def thresholds(self) -> list[Fraction | None]:
        """None, at which nothing is accepted, and every distinct score, the highest first."""
        return [None, *sorted(set(self.score), reverse=True)]

    def points(self) -> list[Point]:
        """False and true positives at every threshold, from nothing accepted to all."""
        return [(cells.fp, cells.tp) for cells in map(self.at, self.thresholds())]


def scored(rows: Sequence[dict[str, str]], actual: str, positive: str, score: str, weight: str | None = None) -> Scored:
    """The scores in rows; items of weight 0 are left out."""
    weights = [Fraction(1) if weight is None else Fraction(row[weight]) for row in rows]
    kept = [(row, own) for row, own in zip(rows, weights, strict=True) if own]
    return Scored(
        [row[actual] == positive for row, _ in kept],
        [Fraction(float(row[score])) for row, _ in kept],
        [own for _, own in kept],
    )


# areas


def auc(given: Scored) -> Fraction | None:
    """The probability that a positive scores higher than a negative, pair by pair."""
    items = list(zip(given.positive, given.score, given.weight, strict=True))
    won = Fraction(0)
    for yes, score, weight in items:
        for no, other, its in items:
            if yes and not no:
                won += weight * its * (Fraction(score > other) + Fraction(score == other, 2))
    pairs = given.n_positive * given.n_negative
    return won / pairs if pairs else None


def trapezoids(points: Sequence[Point]) -> Fraction:
    pairs = pairwise(points)
    return sum(((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in pairs), Fraction(0))


def hull(points: Sequence[Point]) -> list[Point]:
    """The upper convex hull: each corner is the end of the steepest way from the last."""
    corners = [points[0]]
    rest = sorted(set(points))
    while corners[-1] != points[-1]:
        x, y = corners[-1]
        ahead = [point for point in rest if point > corners[-1] and point[1] >= y]
        steepest = max(ahead, key=lambda p: ((p[1] - y) / (p[0] - x) if p[0] > x else math.inf, p))
        corners.append(steepest)
    return corners


def auch(given: Scored) -> Fraction | None:
    pairs = given.n_positive * given.n_negative
    return trapezoids(hull(given.points())) / pairs if pairs else None


def _rates(given: Scored) -> list[Point]:
    return [(fp / given.n_negative, tp / given.n_positive) for fp, tp in given.points()]


def _at(points: Sequence[Point], x: Fraction) -> Fraction:
    """The highest y on the straight ways between points where they reach x."""
    best = max((y for own, y in points if own == x), default=None)
    for (x1, y1), (x2, y2) in pairwise(points):
        if x1 < x < x2:
            best = y1 + (y2 - y1) * (x - x1) / (x2 - x1)
    assert best is not None
    return best


def partial_auc(given: Scored, fallout: Fraction) -> Fraction | None:
    """McClish's partial area, on the scale where chance is a half."""
    if not given.n_positive or not given.n_negative:
        return None
    inside = [point for point in _rates(given) if point[0] <= fallout]
    area = trapezoids([*inside, (fallout, _at(_rates(given), fallout))])
    least = fallout**2 / 2
    return (1 + (area - least) / (fallout - least)) / 2


def equal_error_rate(given: Scored) -> Fraction | None:
    """Where the ROC curve meets the line on which the false positive rate is the miss rate."""
    if not given.n_positive or not given.n_negative:
        return None
    points = _rates(given)
    for (x1, y1), (x2, y2) in pairwise(points):
        before, after = x1 + y1 - 1, x2 + y2 - 1
        if before <= 0 <= after and after > before:
            return x1 + (x2 - x1) * -before / (after - before)
    return None


def average_precision(given: Scored) -> Fraction | None:
    """The mean over positives of the precision at the score of each."""
    found = Fraction(0)
    for yes, score, weight in zip(given.positive, given.score, given.weight, strict=True):
        if yes:
            cells = given.at(score)
            found += weight * cells.tp / (cells.tp + cells.fp)
    return found / given.n_positive if given.n_positive else None


def _precision_recall(given: Scored) -> list[Point]:
    """Recall and precision at every score."""
    cells = [given.at(threshold) for threshold in given.thresholds()[1:]]
    return [(c.tp / given.n_positive, c.tp / (c.tp + c.fp)) for c in cells]


def aupr(given: Scored) -> Fraction | None:
    if not given.n_positive:
        return None
    return trapezoids([(Fraction(0), Fraction(1)), *_precision_recall(given)])


def interpolated(given: Scored, recall: Fraction) -> Fraction | None:
    if not given.n_positive:
        return None
    return max(precision for own, precision in _precision_recall(given) if own >= recall)


def eleven_points(given: Scored) -> Fraction | None:
    values = [interpolated(given, Fraction(level, 10)) for level in range(11)]
    return None if values[0] is None else sum((value or Fraction(0) for value in values), Fraction(0)) / 11


def accepted(given: Scored, n: Fraction) -> Fraction:
    """The positives to expect among the n highest scores, those that tie in any order."""
    found = Fraction(0)
    for score in given.thresholds()[1:]:
        tied = [(y, w) for y, s, w in zip(given.positive, given.score, given.weight, strict=True) if s == score]
        size = sum(w for _, w in tied)
        positives = sum((w for yes, w in tied if yes), Fraction(0))
        taken = min(size, n)
        found, n = found + positives * taken / size, n - taken
        if not n:
            break
    return found


def gain(given: Scored, share: Fraction) -> Fraction | None:
    n = given.n_positive + given.n_negative
    return accepted(given, share * n) / given.n_positive if given.n_positive else None


def lift_at(given: Scored, proportion: Fraction) -> Fraction | None:
    own = gain(given, proportion)
    return None if own is None else own / proportion


def auprg(given: Scored) -> Fraction | None:
    """The area under precision gain by recall gain, from recall gain 0 to 1."""
    positives, negatives = given.n_positive, given.n_negative
    if not positives or not negatives:
        return None
    prevalence = positives / (positives + negatives)
    start = positives * prevalence  # the true positives at which recall gain is 0
    points: list[Point] = []
    ways = given.points()
    for (fp1, tp1), (fp2, tp2) in pairwise(ways):
        if tp1 < start < tp2:
            points.append((fp1 + (fp2 - fp1) * (start - tp1) / (tp2 - tp1), start))
        if tp2 >= start:
            points.append((fp2, tp2))
    odds = positives / negatives
    return trapezoids([(1 - odds * (positives - tp) / tp, 1 - odds * fp / tp) for fp, tp in points])


MEASURES_OF_SCORES: dict[str, Callable[[Scored], Value]] = {
    "AUC": auc,
    "Gini": lambda given: None if (area := auc(given)) is None else 2 * area - 1,
    "PartialAUC(fallout=0.3)": lambda given: partial_auc(given, Fraction(0.3)),
    "AUCH": auch,
    "EER": equal_error_rate,
    "KS": lambda given: max(abs(y - x) for x, y in _rates(given)),
    "ExpectedAccuracy": lambda given: (
        None
        if (area := auc(given)) is None
        else 2
        * given.n_positive
        * given.n_negative
        / (given.n_positive + given.n_negative) ** 2
        * (area - Fraction(1, 2))
        + Fraction(1, 2)
    ),
    "RecallAtFallout(fallout=0.2)": lambda given: max(y for x, y in _rates(given) if x <= Fraction(1, 5)),
    "AP": average_precision,
    "AUPR": aupr,
    "InterpolatedPrecision(recall=0.3)": lambda given: interpolated(given, Fraction(3, 10)),
    "ElevenPoint": eleven_points,
    "BreakEven": lambda given: accepted(given, given.n_positive) / given.n_positive,
    "Gain(proportion=0.3)": lambda given: gain(given, Fraction(3, 10)),
    "LiftAt(proportion=0.3)": lambda given: (
        None if (own := gain(given, Fraction(3, 10))) is None else own / Fraction(3, 10)
    ),
    "AUPRG": auprg,
}


# thresholds


def best_thresholds(
    given: Scored, name: str, limits: Sequence[tuple[str, str, Fraction]] = ()
) -> list[Fraction | None]:
    """Every threshold with exactly the best value of a measure among those that meet the limits."""
    sign = -1 if name.partition("(")[0] in LOW_IS_GOOD else 1
    known: list[tuple[Value, Fraction | None]] = []
    for threshold in given.thresholds():
        cells = given.at(threshold)
        value = comparable(name, cells)
        if value is not None and all(_met(cells, *limit) for limit in limits):
            known.append((sign * value, threshold))
    best = max((value for value, _ in known), default=None)
    return [threshold for value, threshold in known if value == best]


def comparable(name: str, cells: Cells) -> Fraction | None:
    """A number in the order of the measure, without roots, so that what ties does so exactly."""
    if name in ("GMeasure", "CornerDistance", "MCC"):
        tp, fp, fn, tn = cells.tp, cells.fp, cells.fn, cells.tn
        positive, negative, yes, no = tp + fn, fp + tn, tp + fp, fn + tn
        if name == "CornerDistance":
            return (fn / positive) ** 2 + (fp / negative) ** 2 if positive and negative else None
        if name == "GMeasure":
            return tp * tp / (yes * positive) if yes and positive else None
        across = tp * tn - fp * fn
        return across * abs(across) / (positive * negative * yes * no) if positive and negative and yes and no else None
    value = MEASURES[name](cells)
    assert value is None or isinstance(value, Fraction), name
    return value


def _met(cells: Cells, name: str, relation: str, bound: Fraction) -> bool:
    value = MEASURES[name](cells)
    if value is None:
        return False
    return value >= bound if relation == ">=" else value <= bound
