"""Probabilities in plain Python and exact fractions: losses, bins and the best monotone recalibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from reference.labels import Value
from reference.scores import Scored

CLIP = 1e-15


def clipped(probability: Fraction) -> float:
    return min(max(float(probability), CLIP), 1 - CLIP)


def _mean(given: Scored, term: Callable[[bool, Fraction], Fraction | float]) -> Fraction | float:
    terms = [
        term(yes, p) * (w if isinstance(term(yes, p), Fraction) else float(w))
        for yes, p, w in zip(given.positive, given.score, given.weight, strict=True)
    ]
    if isinstance(terms[0], Fraction):
        return sum(terms) / sum(given.weight)
    return math.fsum(terms) / float(sum(given.weight))


def log_loss(given: Scored) -> float:
    return float(_mean(given, lambda yes, p: -math.log(clipped(p)) if yes else -math.log1p(-clipped(p))))


def brier(given: Scored) -> Fraction:
    return Fraction(_mean(given, lambda yes, p: (Fraction(yes) - p) ** 2))


@dataclass(frozen=True)
class Bin:
    """How much weight is in a bin, how much of it is positive, the sums of the probabilities and of squared weights."""

    n: Fraction
    positive: Fraction
    given: Fraction
    squared: Fraction

    @property
    def effective(self) -> Fraction:
        """How many items of one weight would be as good."""
        return self.n**2 / self.squared

    @property
    def variance(self) -> Fraction:
        """That of one outcome."""
        return self.positive / self.n * (1 - self.positive / self.n)


def bins(given: Scored, n_bins: int) -> list[Bin]:
    """The bins of equal width that hold anything: a probability on a bound is in the lower one."""
    sums: dict[int, list[Fraction]] = {}
    for yes, p, w in zip(given.positive, given.score, given.weight, strict=True):
        own = sums.setdefault(max(math.ceil(decimal(p) * n_bins), 1), [Fraction(0)] * 4)
        own[0] += w
        own[1] += w * yes
        own[2] += w * p
        own[3] += w * w
    return [Bin(*own) for own in sums.values()]


def decimal(number: Fraction) -> Fraction:
    """The decimal fraction that a float is written as: 0.3 is three tenths."""
    return Fraction(repr(float(number)))


def ece(given: Scored, n_bins: int = 10) -> Fraction:
    return sum((abs(own.positive - own.given) for own in bins(given, n_bins)), Fraction(0)) / sum(given.weight)


def reliability(given: Scored, n_bins: int = 10) -> Fraction:
    found = sum((own.n * (own.positive / own.n - own.given / own.n) ** 2 for own in bins(given, n_bins)), Fraction(0))
    return found / sum(given.weight)


def debiased_ece(given: Scored, n_bins: int = 10) -> float:
    """Twice the error less what it would be with normal noise on the frequencies, bin by bin (Kumar et al. 2019)."""
    terms = []
    for own in bins(given, n_bins):
        away, noise = float(abs(own.positive - own.given) / own.n), math.sqrt(own.variance / own.effective)
        noisy = away
        if noise:
            noisy = noise * math.sqrt(2 / math.pi) * math.exp(-((away / noise) ** 2) / 2)
            noisy += away * math.erf(away / noise / math.sqrt(2))
        terms.append(float(own.n) * (2 * away - noisy))
    return math.fsum(terms) / float(sum(given.weight))


def debiased_reliability(given: Scored, n_bins: int = 10) -> Fraction:
    found = Fraction(0)
    for own in bins(given, n_bins):
        if own.effective > 1:
            found += own.n * (((own.positive - own.given) / own.n) ** 2 - own.variance / (own.effective - 1))
    return found / sum(given.weight)


def intercept(given: Scored) -> Value:
    """What to add to all log-odds for their mean probability to be the prevalence, by halving."""
    if not all(0 < p < 1 for p in given.score) or not 0 < given.n_positive < sum(given.weight):
        return None
    odds = [math.log(float(p)) - math.log1p(-float(p)) for p in given.score]
    low, high = -2000.0, 2000.0
    for _ in range(200):
        middle = (low + high) / 2
        mean = sum(float(w) / (1 + math.exp(min(-middle - x, 700))) for x, w in zip(odds, given.weight, strict=True))
        low, high = (middle, high) if mean < given.n_positive else (low, middle)
    return low


def resolution(given: Scored, n_bins: int = 10) -> Fraction:
    base = given.n_positive / sum(given.weight)
    found = sum((own.n * (own.positive / own.n - base) ** 2 for own in bins(given, n_bins)), Fraction(0))
    return found / sum(given.weight)


def uncertainty(given: Scored) -> Fraction:
    base = given.n_positive / sum(given.weight)
    return base * (1 - base)


def recalibrated(given: Scored) -> Fraction:
    """The Brier score after isotonic regression: neighbours out of order are pooled until none are."""
    groups: list[tuple[Fraction, Fraction]] = []  # weight, positives
    for score in sorted(set(given.score)):
        tied = [(y, w) for y, s, w in zip(given.positive, given.score, given.weight, strict=True) if s == score]
        groups.append((sum((w for _, w in tied), Fraction(0)), sum((w for yes, w in tied if yes), Fraction(0))))
        while len(groups) > 1 and groups[-2][1] / groups[-2][0] >= groups[-1][1] / groups[-1][0]:
            (n, positive), (m, other) = groups.pop(), groups.pop()
            groups.append((n + m, positive + other))
    loss = sum(
        (positive * (1 - positive / n) ** 2 + (n - positive) * (positive / n) ** 2 for n, positive in groups),
        Fraction(0),
    )
    return loss / sum(given.weight)


OF_PROBABILITIES: dict[str, Callable[[Scored], Value]] = {
    "LogLoss": log_loss,
    "Brier": brier,
    "ECE": ece,
    "ECE(bins=15)": lambda given: ece(given, 15),
    "MCE": lambda given: max(abs(own.positive - own.given) / own.n for own in bins(given, 10)),
    "Uncertainty": uncertainty,
    "Reliability": reliability,
    "Resolution": resolution,
    "Miscalibration": lambda given: brier(given) - recalibrated(given),
    "Discrimination": lambda given: uncertainty(given) - recalibrated(given),
    "DebiasedECE": debiased_ece,
    "DebiasedReliability": debiased_reliability,
    "CalibrationIntercept": intercept,
}


# of several classes


@dataclass(frozen=True)
class Classes:
    """The items that count: the class of each, the probability given to each class, and its weight."""

    labels: list[str]
    actual: list[str]
    given: list[dict[str, Fraction]]
    weight: list[Fraction]

    def mean(self, term: Callable[[str, dict[str, Fraction]], float]) -> float:
        terms = [term(a, p) * float(w) for a, p, w in zip(self.actual, self.given, self.weight, strict=True)]
        return math.fsum(terms) / float(sum(self.weight))

    def against_the_rest(self, label: str) -> Scored:
        return Scored([own == label for own in self.actual], [each[label] for each in self.given], self.weight)

    @property
    def predicted(self) -> list[str]:
        """The most probable class of each item, the first of those that tie."""
        return [max(self.labels, key=lambda label: each[label]) for each in self.given]


def classes(rows: Sequence[dict[str, str]], actual: str, columns: dict[str, str], weight: str | None = None) -> Classes:
    """The probabilities in rows, by the columns of the classes; items of weight 0 are left out."""
    weights = [Fraction(1) if weight is None else Fraction(row[weight]) for row in rows]
    kept = [(row, own) for row, own in zip(rows, weights, strict=True) if own]
    given = [{label: Fraction(float(row[column])) for label, column in columns.items()} for row, _ in kept]
    return Classes(list(columns), [row[actual] for row, _ in kept], given, [own for _, own in kept])


def top(given: Classes) -> Scored:
    """The highest probability of each item, by whether its class came true."""
    right = [a == b for a, b in zip(given.actual, given.predicted, strict=True)]
    return Scored(right, [max(each.values()) for each in given.given], given.weight)


def one_against_one(given: Classes) -> Fraction | None:
    """Hand and Till's M: the mean over pairs of classes of how well each is told from the other by its probability."""
    present = [label for label in given.labels if label in given.actual]
    areas = []
    for one, other in combinations(present, 2):
        both = []
        for label, rival in ((one, other), (other, one)):
            items = list(zip(given.actual, given.given, given.weight, strict=True))
            own = [(each[label], w) for a, each, w in items if a == label]
            its = [(each[label], w) for a, each, w in items if a == rival]
            won = sum((w * v * (Fraction(p > q) + Fraction(p == q, 2)) for p, w in own for q, v in its), Fraction(0))
            both.append(won / (sum(w for _, w in own) * sum(v for _, v in its)))
        areas.append(sum(both, Fraction(0)) / 2)
    return sum(areas, Fraction(0)) / len(areas) if areas else None


def among_the_highest(given: Classes, k: int) -> float:
    """How many items have their class among the first k by score, those that tie in the order of the classes."""
    return given.mean(lambda a, p: float(a in sorted(given.labels, key=lambda label: -p[label])[:k]))


def hinge(given: Classes) -> float:
    """Crammer and Singer's loss."""
    return given.mean(
        lambda a, p: float(max(1 - p[a] + max(score for label, score in p.items() if label != a), Fraction(0)))
    )


OF_CLASS_SCORES: dict[str, Callable[[Classes], Value]] = {
    "TopKAccuracy": lambda given: among_the_highest(given, 2),
    "TopKAccuracy@1": lambda given: among_the_highest(given, 1),
    "TopKAccuracy@3": lambda given: among_the_highest(given, 3),
    "HingeLoss": hinge,
    "OneVsOneAUC": one_against_one,
}
OF_CLASSES: dict[str, Callable[[Classes], Value]] = {
    "LogLoss": lambda given: given.mean(lambda a, p: -math.log(clipped(p[a]))),
    "OneVsRestLoss": lambda given: given.mean(
        lambda a, p: math.fsum(
            -math.log(clipped(q)) if label == a else -math.log1p(-clipped(q)) for label, q in p.items()
        )
    ),
    "Brier": lambda given: given.mean(
        lambda a, p: float(sum(((Fraction(label == a) - q) ** 2 for label, q in p.items()), Fraction(0)))
    ),
    "ECE": lambda given: ece(top(given)),
    "DebiasedECE": lambda given: debiased_ece(top(given)),
    **OF_CLASS_SCORES,
}
