"""Errors of predicted values in plain Python and exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Predicted:
    """The items that count: actual and predicted value of each, which are those of floats, and its weight."""

    actual: list[Fraction]
    predicted: list[Fraction]
    weight: list[Fraction]

    @property
    def errors(self) -> list[Fraction]:
        return [p - a for a, p in zip(self.actual, self.predicted, strict=True)]

    def mean(self, values: Sequence[Fraction]) -> Fraction:
        return sum((v * w for v, w in zip(values, self.weight, strict=True)), Fraction(0)) / sum(self.weight)

    def covariance(self, one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
        x, y = self.mean(one), self.mean(other)
        return self.mean([(a - x) * (b - y) for a, b in zip(one, other, strict=True)])

    def pinball(self, predicted: Sequence[Fraction], quantile: Fraction) -> Fraction:
        """Mean pinball loss of any predictions."""
        pairs = zip(self.actual, predicted, strict=True)
        return self.mean([quantile * (a - p) if p < a else (1 - quantile) * (p - a) for a, p in pairs])

    def explained_pinball(self, quantile: Fraction) -> Fraction | None:
        """Against the constant that does best, which is one of the actual values."""
        least = min(self.pinball([value] * len(self.actual), quantile) for value in self.actual)
        return _share(self.pinball(self.predicted, quantile), least)

    def median(self, values: Sequence[Fraction]) -> Fraction:
        """The value that half of the weight lies below; the mean of two where it falls between them."""
        ordered = sorted(zip(values, self.weight, strict=True))
        half, below = sum(self.weight) / 2, Fraction(0)
        for place, (value, weight) in enumerate(ordered):
            below += weight
            if below == half:
                return (value + ordered[place + 1][0]) / 2
            if below > half:
                return value
        raise AssertionError("no value has half of the weight below")


def predicted(rows: Sequence[dict[str, str]], weight: str | None = None) -> Predicted:
    """The values in rows; items of weight 0 are left out."""
    weights = [Fraction(1) if weight is None else Fraction(row[weight]) for row in rows]
    kept = [(row, own) for row, own in zip(rows, weights, strict=True) if own]
    actual, said = ([Fraction(float(row[name])) for row, _ in kept] for name in ("actual", "predicted"))
    return Predicted(actual, said, [own for _, own in kept])


def root(value: Fraction) -> Fraction:
    """The square root of a fraction to some sixty binary digits, however small or large it is."""
    if not value:
        return Fraction(0)
    shift = 2 * (80 + value.denominator.bit_length())
    return Fraction(math.isqrt((value.numerator << shift) // value.denominator), 1 << (shift // 2))


def _share(part: Fraction, whole: Fraction) -> Fraction | None:
    return 1 - part / whole if whole else None


def _correlation(given: Predicted) -> Fraction | None:
    across = given.covariance(given.actual, given.predicted)
    spread = given.covariance(given.actual, given.actual) * given.covariance(given.predicted, given.predicted)
    return (1 if across > 0 else -1) * root(across**2 / spread) if spread else None


MEASURES: dict[str, Callable[[Predicted], Fraction | None]] = {
    "MSE": lambda given: given.mean([error**2 for error in given.errors]),
    "RMSE": lambda given: root(given.mean([error**2 for error in given.errors])),
    "MAE": lambda given: given.mean([abs(error) for error in given.errors]),
    "MedianAE": lambda given: given.median([abs(error) for error in given.errors]),
    "MaxError": lambda given: max(map(abs, given.errors)),
    "Bias": lambda given: given.mean(given.errors),
    "MAPE": lambda given: (
        given.mean([abs(error / actual) for error, actual in zip(given.errors, given.actual, strict=True)])
        if all(given.actual)
        else None
    ),
    "R2": lambda given: _share(
        given.mean([error**2 for error in given.errors]), given.covariance(given.actual, given.actual)
    ),
    "ExplainedVariance": lambda given: _share(
        given.covariance(given.errors, given.errors), given.covariance(given.actual, given.actual)
    ),
    "Correlation": _correlation,
    "Pinball": lambda given: given.pinball(given.predicted, Fraction(1, 2)),
    "Pinball(quantile=0.9)": lambda given: given.pinball(given.predicted, Fraction(9, 10)),
    "D2Pinball": lambda given: given.explained_pinball(Fraction(1, 2)),
    "D2Pinball(quantile=0.9)": lambda given: given.explained_pinball(Fraction(9, 10)),
}
