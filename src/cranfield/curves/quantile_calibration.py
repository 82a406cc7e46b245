"""Calibration of forecasts: the level of each predicted quantile against the observed proportion at or below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.forecasts import Forecasts


class QuantileCalibration(NamedTuple):
    """One row per level; `effective` is the number of items, or Kish's effective number if they are weighted."""

    level: Floats
    observed: Floats  # proportion of actual values at or below the quantile
    pinball: Floats
    effective: float

    @property
    def rows(self) -> list[dict[str, float]]:
        """One dict per level."""
        columns = {"level": self.level, "observed": self.observed, "pinball": self.pinball}
        return [dict(zip(columns, map(float, figures))) for figures in zip(*columns.values(), strict=True)]


def quantile_calibration(forecasts: Forecasts, levels: Sequence[float] = ()) -> QuantileCalibration:
    """The observed proportions at these levels; by default at those of the quantiles, or at a grid of levels."""
    chosen = levels or forecasts.checked_levels
    observed = [float(forecasts.mean(forecasts.observed(level))) for level in chosen]
    pinball = [float(forecasts.mean(forecasts.pinball(level))) for level in chosen]
    return QuantileCalibration(np.array(chosen), np.array(observed), np.array(pinball), forecasts.effective)
