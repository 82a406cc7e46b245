"""Forecasts: predicted distributions of numbers, given by quantiles, samples, or mean and standard deviation."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.items import WeightedItems
from cranfield.evidence.residuals import Residuals
from cranfield.frozen import cached_property, frozen
from cranfield.tables.forecasts import SAME_LEVEL, Form, ends

GRID = tuple(np.round(np.arange(0.05, 0.96, 0.05), 2).tolist())  # levels at which whole distributions are checked
_INVERSE_ROOT_PI = 1 / np.sqrt(np.pi)


@frozen(eq=False)
class Forecasts(WeightedItems):
    """One row per item: its actual value, and what describes its predicted distribution.

    `values` has one column per quantile (at `levels`, in ascending order), one per sample, or the two columns mean and
    standard deviation. `point` is the prediction of a single number, if there is one.
    """

    kind: ClassVar[str] = "forecasts"

    actual: Floats
    values: Floats
    form: Form
    levels: tuple[float, ...] = ()
    point: Floats | None = None
    weight: Floats | None = None

    @property
    def by_output(self) -> tuple[Self]:
        """The only output."""
        return (self,)

    @cached_property
    def residuals(self) -> Residuals | None:
        """The residuals of the point predictions, if there are some."""
        return None if self.point is None else Residuals(self.actual, self.point, self.weight)

    @cached_property
    def n_crossing(self) -> int:
        """The number of items whose quantiles cross: one at a higher level is lower."""
        return int((np.diff(self.values, axis=1) < 0).any(axis=1).sum()) if self.form == "quantiles" else 0

    @property
    def checked_levels(self) -> tuple[float, ...]:
        """The levels of the quantiles or, for whole distributions, those of a grid that their samples reach."""
        return self.levels if self.form == "quantiles" else tuple(filter(self.reaches, GRID))

    def reaches(self, level: float) -> bool:
        """Whether the quantile at this level lies among the samples, not beyond the lowest or highest."""
        outermost = 1 / (self.values.shape[1] + 1) if self.form == "samples" else 0.0
        return outermost - SAME_LEVEL < level < 1 - outermost + SAME_LEVEL

    @property
    def interval_levels(self) -> tuple[float, ...]:
        """The levels of the central intervals among predicted quantiles, from narrow to wide."""
        levels = [round(1 - 2 * level, 12) for level in reversed(self.levels) if level < 0.5]
        return tuple(level for level in levels if self.has_interval(level))

    def place(self, level: float) -> int | None:
        """The column of the quantile at this level."""
        near = [place for place, known in enumerate(self.levels) if abs(known - level) < SAME_LEVEL]
        return near[0] if near else None

    def has_quantile(self, level: float) -> bool:
        """Whether the quantile at this level is known."""
        return self.form != "quantiles" or self.place(level) is not None

    def has_interval(self, level: float) -> bool:
        """Whether the central interval at this level is known."""
        return all(map(self.has_quantile, ends(level)))

    def quantile(self, level: float) -> Floats:
        """The predicted quantile of each item, NaN if it is not known.

        Of n samples, the i-th lowest is the quantile at i / (n + 1), with interpolation between them: an actual value
        from the same distribution is then below it with that probability.
        """
        if self.form == "samples":
            return np.asarray(np.quantile(self.values, level, axis=1, method="weibull"))
        if self.form == "normal":
            from scipy.special import ndtri

            mean, deviation = self.values.T
            return np.asarray(mean + deviation * ndtri(level))
        place = self.place(level)
        return np.full(len(self), np.nan) if place is None else self.values[:, place]

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The lower and upper bound of the central interval of each item."""
        low, high = ends(level)
        return self.quantile(low), self.quantile(high)

    @cached_property
    def transform(self) -> Floats | None:
        """The probability integral transform: the predicted probability of a value at or below the actual one.

        Samples that equal the actual value count half. Quantiles do not determine it.
        """
        if self.form == "quantiles":
            return None
        if self.form == "samples":
            actual = self.actual[:, None]
            return np.asarray(((self.values < actual).mean(axis=1) + (self.values <= actual).mean(axis=1)) / 2)
        from scipy.special import ndtr

        return np.asarray(ndtr(self._standardised))

    @property
    def _standardised(self) -> Floats:
        """Actual minus mean, in standard deviations; infinite, or 0, where the standard deviation is 0."""
        mean, deviation = self.values.T
        error = self.actual - mean
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where((deviation == 0) & (error == 0), 0.0, error / deviation)

    def observed(self, level: float) -> Floats:
        """Whether the actual value of each item is at or below the predicted quantile; NaN if that is not known."""
        quantile = self.quantile(level)
        return np.where(np.isnan(quantile), np.nan, self.actual <= quantile)

    # the loss of each item

    def pinball(self, level: float) -> Floats:
        """The pinball loss of the predicted quantile."""
        return _pinball(self.quantile(level) - self.actual, level)

    @property
    def pinballs(self) -> Floats:
        """The pinball loss of every predicted quantile, one column per level."""
        return _pinball(self.values - self.actual[:, None], np.array(self.levels))

    def crps(self, *, fair: bool) -> Floats:
        """The continuous ranked probability score; from quantiles, twice the pinball loss integrated over levels."""
        if self.form == "samples":
            return self._crps_of_samples(fair)
        if self.form == "normal":
            return self._crps_of_normal()
        level = np.array(self.levels)
        edge = np.concatenate([[0.0], (level[1:] + level[:-1]) / 2, [1.0]])
        return np.asarray((2 * self.pinballs * np.diff(edge)).sum(axis=1))

    def _crps_of_samples(self, fair: bool) -> Floats:
        error = np.sort(self.values, axis=1) - self.actual[:, None]
        n = error.shape[1]
        place = np.arange(1, n + 1)
        score = np.asarray((error * (n * (error > 0) - place + 0.5)).sum(axis=1) * 2 / n**2)  # no term is negative
        if not fair:
            return score
        if n == 1:
            return np.full(len(self), np.nan)
        return score - (error * (2 * place - n - 1)).sum(axis=1) / (n**2 * (n - 1))

    def _crps_of_normal(self) -> Floats:
        from scipy.special import ndtr

        mean, deviation = self.values.T
        z = self._standardised
        with np.errstate(over="ignore"):
            density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        return np.asarray((self.actual - mean) * (2 * ndtr(z) - 1) + deviation * (2 * density - _INVERSE_ROOT_PI))


def _pinball(error: Floats, level: Floats | float) -> Floats:
    return np.where(error < 0, -level * error, (1 - level) * error)
