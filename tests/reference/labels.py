"""Labels in plain Python and exact fractions: from the rows of a file to counts, rates and averages over classes."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Value = Fraction | float | None  # None where a measure is undefined


def read(data: bytes, delimiter: str = ",") -> list[dict[str, str]]:
    """The rows of a file, by the names of its columns."""
    return list(csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter=delimiter))


@dataclass(frozen=True)
class Answers:
    """The items that count, each with its label, the label it was given and its weight."""

    actual: list[str]
    predicted: list[str]
    weight: list[Fraction]

    @property
    def labels(self) -> list[str]:
        return sorted({*self.actual, *self.predicted})

    def counts(self) -> dict[tuple[str, str], Fraction]:
        """How many items, or how much weight, each pair of an actual and a predicted label has."""
        found: dict[tuple[str, str], Fraction] = {}
        for actual, predicted, weight in zip(self.actual, self.predicted, self.weight, strict=True):
            found[actual, predicted] = found.get((actual, predicted), Fraction(0)) + weight
        return found

    def part(self, rows: Sequence[int]) -> Answers:
        return Answers(
            [self.actual[row] for row in rows],
            [self.predicted[row] for row in rows],
            [self.weight[row] for row in rows],
        )


def answers(rows: Sequence[dict[str, str]], actual: str, predicted: str, weight: str | None = None) -> Answers:
    """The answers in rows; items of weight 0 are left out."""
    weights = [Fraction(1) if weight is None else Fraction(row[weight]) for row in rows]
    kept = [(row, own) for row, own in zip(rows, weights, strict=True) if own]
    return Answers([row[actual] for row, _ in kept], [row[predicted] for row, _ in kept], [own for _, own in kept])


@dataclass(frozen=True)
class Cells:
    """True and false positives, false and true negatives."""

    tp: Fraction
    fp: Fraction
    fn: Fraction
    tn: Fraction


def against_the_rest(given: Answers, label: str) -> Cells:
    """One label against all others."""
    sums: Counter[tuple[bool, bool]] = Counter()
    for actual, predicted, weight in zip(given.actual, given.predicted, given.weight, strict=True):
        sums[actual == label, predicted == label] += weight  # type: ignore[assignment]
    tp, fp, fn, tn = (Fraction(sums[key]) for key in ((True, True), (False, True), (True, False), (False, False)))
    return Cells(tp, fp, fn, tn)


def share(part: Fraction, whole: Fraction) -> Fraction | None:
    return part / whole if whole else None


def _mean(*values: Fraction | None) -> Fraction | None:
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if len(known) == len(values) else None


def recall(c: Cells) -> Fraction | None:
    return share(c.tp, c.tp + c.fn)


def specificity(c: Cells) -> Fraction | None:
    return share(c.tn, c.tn + c.fp)


def precision(c: Cells) -> Fraction | None:
    return share(c.tp, c.tp + c.fp)


def npv(c: Cells) -> Fraction | None:
    return share(c.tn, c.tn + c.fn)


def total(c: Cells) -> Fraction:
    return c.tp + c.fp + c.fn + c.tn


def _less_one(*values: Fraction | None) -> Fraction | None:
    mean = _mean(*values)
    return None if mean is None else 2 * mean - 1


def _rest(value: Fraction | None) -> Fraction | None:
    return None if value is None else 1 - value


def _ratio(over: Fraction | None, under: Fraction | None) -> Fraction | None:
    return None if over is None or not under else over / under


def _f(beta: Fraction) -> Callable[[Cells], Value]:
    square = beta * beta
    return lambda c: share((1 + square) * c.tp, (1 + square) * c.tp + square * c.fn + c.fp)


def _phi(c: Cells) -> Value:
    """Pearson's correlation of two columns of 0 and 1."""
    n = total(c)
    across = c.tp / n - (c.tp + c.fn) / n * (c.tp + c.fp) / n
    spread = (c.tp + c.fn) * (c.fp + c.tn) * (c.tp + c.fp) * (c.fn + c.tn) / n**4
    return float(across) / math.sqrt(spread) if spread else None


def _kappa(c: Cells) -> Value:
    n = total(c)
    seen = (c.tp + c.tn) / n
    chance = ((c.tp + c.fn) * (c.tp + c.fp) + (c.fp + c.tn) * (c.fn + c.tn)) / n**2
    return share(seen - chance, 1 - chance)


def _gain(rate: Callable[[Cells], Fraction | None]) -> Callable[[Cells], Fraction | None]:
    """A rate on the harmonic scale on which the prevalence is 0 and 1 is 1."""

    def gain(c: Cells) -> Fraction | None:
        value, prevalence = rate(c), (c.tp + c.fn) / total(c)
        return (value - prevalence) / ((1 - prevalence) * value) if value and prevalence < 1 else None

    return gain


def _root(value: Fraction | None) -> float | None:
    return None if value is None else math.sqrt(value)


def _squared_distance(c: Cells) -> Fraction | None:
    one, other = recall(c), specificity(c)
    return None if one is None or other is None else (1 - one) ** 2 + (1 - other) ** 2


def _gap(c: Cells) -> Fraction | None:
    one, other = recall(c), specificity(c)
    return None if one is None or other is None else abs((1 - one) - (1 - other))


MEASURES: dict[str, Callable[[Cells], Value]] = {
    "Recall": recall,
    "MissRate": lambda c: _rest(recall(c)),
    "Specificity": specificity,
    "Fallout": lambda c: _rest(specificity(c)),
    "Precision": precision,
    "FDR": lambda c: _rest(precision(c)),
    "NPV": npv,
    "FOR": lambda c: _rest(npv(c)),
    "Accuracy": lambda c: share(c.tp + c.tn, total(c)),
    "ErrorRate": lambda c: share(c.fp + c.fn, total(c)),
    "Prevalence": lambda c: share(c.tp + c.fn, total(c)),
    "AcceptedRate": lambda c: share(c.tp + c.fp, total(c)),
    "NoInformationRate": lambda c: share(max(c.tp + c.fn, c.fp + c.tn), total(c)),
    "BalancedAccuracy": lambda c: _mean(recall(c), specificity(c)),
    "F": _f(Fraction(1)),
    "F(beta=2)": _f(Fraction(2)),
    "F(beta=0.5)": _f(Fraction(1, 2)),
    "GMeasure": lambda c: _root(_ratio(c.tp**2, (c.tp + c.fp) * (c.tp + c.fn))),
    "Jaccard": lambda c: share(c.tp, c.tp + c.fp + c.fn),
    "Dice": lambda c: share(2 * c.tp, 2 * c.tp + c.fp + c.fn),
    "MCC": _phi,
    "Kappa": _kappa,
    "Informedness": lambda c: _less_one(recall(c), specificity(c)),
    "Markedness": lambda c: _less_one(precision(c), npv(c)),
    "LRplus": lambda c: _ratio(recall(c), _rest(specificity(c))),
    "LRminus": lambda c: _ratio(_rest(recall(c)), specificity(c)),
    "DOR": lambda c: share(c.tp * c.tn, c.fp * c.fn),
    "PrecisionGain": _gain(precision),
    "RecallGain": _gain(recall),
    "FGain": lambda c: _mean(_gain(precision)(c), _gain(recall)(c)),
    "WeightedRates": lambda c: _mean(recall(c), specificity(c)),
    "CornerDistance": lambda c: _root(_squared_distance(c)),
    "RateGap": _gap,
    "CostAccuracy(c=0.25)": lambda c: (Fraction(3, 2) * c.tp + Fraction(1, 2) * c.tn) / total(c),
    "ExpectedCost(fp=3, fn=2)": lambda c: (3 * c.fp + 2 * c.fn) / total(c),
    "NetBenefit(threshold=0.2)": lambda c: (c.tp - c.fp * Fraction(1, 4)) / total(c),
    "Lift": lambda c: share(c.tp * total(c), (c.tp + c.fp) * (c.tp + c.fn)),
}
LOW_IS_GOOD = ("MissRate", "Fallout", "FDR", "FOR", "ErrorRate", "LRminus", "CornerDistance", "RateGap", "ExpectedCost")


def averages(given: Answers, labels: Sequence[str], name: str, how: str, undefined: str = "skip") -> Value:
    """The value of a measure of each label against the rest, averaged."""
    return averages_of([against_the_rest(given, label) for label in labels], name, how, undefined)


def averages_of(cells: Sequence[Cells], name: str, how: str, undefined: str = "skip") -> Value:
    """The value of a measure for the cells of each label, averaged; that of a single label as it is."""
    if len(cells) == 1:
        return MEASURES[name](cells[0])
    if how == "micro":
        sums = [sum((getattr(each, kind) for each in cells), Fraction(0)) for kind in ("tp", "fp", "fn", "tn")]
        return MEASURES[name](Cells(*sums))
    values = [MEASURES[name](each) for each in cells]
    sizes = [each.tp + each.fn if how == "weighted" else Fraction(1) for each in cells]
    kept = [
        (Fraction(0) if value is None else value, size)
        for value, size in zip(values, sizes, strict=True)
        if value is not None or undefined == "zero"
    ]
    weight = sum(size for _, size in kept)
    return sum(value * size for value, size in kept) / weight if weight else None


# measures of the whole matrix


def accuracy(given: Answers) -> Fraction:
    return sum(n for (a, b), n in given.counts().items() if a == b) / sum(given.weight)


def balanced_accuracy(given: Answers) -> Fraction:
    present = sorted(set(given.actual))
    return sum(recall(against_the_rest(given, label)) or Fraction(0) for label in present) / len(present)


def no_information_rate(given: Answers) -> Fraction:
    sizes = Counter[str]()
    for label, weight in zip(given.actual, given.weight, strict=True):
        sizes[label] += weight  # type: ignore[assignment]
    return Fraction(max(sizes.values())) / sum(given.weight)


def kappa(given: Answers, labels: Sequence[str], power: int = 0) -> Fraction | None:
    """Cohen's kappa; by the power 1 or 2, of the places between labels, disagreements are weighted."""
    place = {label: code for code, label in enumerate(labels)}

    def apart(one: str, other: str) -> int:
        return int(one != other) if not power else abs(place[one] - place[other]) ** power

    seen = sum(apart(a, b) * n for (a, b), n in given.counts().items())
    by_chance = sum(
        apart(a, b) * v * w
        for a, v in zip(given.actual, given.weight, strict=True)
        for b, w in zip(given.predicted, given.weight, strict=True)
    ) / sum(given.weight)
    return 1 - seen / by_chance if by_chance else None


def matthews(given: Answers) -> float | None:
    """Gorodkin's correlation: Pearson's of the indicators of all labels, added up."""
    n = sum(given.weight)

    def covariance(one: list[str], other: list[str]) -> Fraction:
        found = Fraction(0)
        for label in given.labels:
            x, y = ([Fraction(own == label) for own in side] for side in (one, other))
            mean_x, mean_y = (sum(v * w for v, w in zip(side, given.weight, strict=True)) / n for side in (x, y))
            found += sum((a - mean_x) * (b - mean_y) * w for a, b, w in zip(x, y, given.weight, strict=True))
        return found

    spread = covariance(given.actual, given.actual) * covariance(given.predicted, given.predicted)
    return float(covariance(given.actual, given.predicted)) / math.sqrt(spread) if spread else None
