"""The difference estimator: sums over documents from machine labels of all and human labels of a random sample.

The machine's labels of all documents are corrected by the differences in the sample, each weighted by the inverse of
its inclusion probability. The coefficients of the machine's labels and of the weights of the documents minimise the
variance (Särndal, Swensson and Wretman 1992, chapter 6), so useless labels get no weight. Variances are Deville's for
samples of fixed size, within strata.
"""

from __future__ import annotations

import math

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.frozen import frozen
from cranfield.inference.distributions import normal_critical_value, t_quantile
from cranfield.inference.prediction_powered import CombinedEstimate
from cranfield.measures.settings import CONFIDENCE

UNSEEN = 1.5  # documents on which people and the machine differ as much as labels can, added to the variance


@frozen(eq=False)
class LabelledSample:
    """The documents that people judged: their rows among all, inclusion probabilities and strata."""

    row: Ints
    probability: Floats
    stratum: Ints

    @property
    def strata(self) -> list[Ints]:
        """The documents of each stratum; strata with one uncertain document are joined, as they show no variance."""
        groups = [np.flatnonzero(self.stratum == name) for name in np.unique(self.stratum)]
        uncertain = [rows[self.probability[rows] < 1] for rows in groups]
        single = [rows for rows in uncertain if len(rows) == 1]
        joined = [np.concatenate(single)] if single else []
        return [rows for rows in uncertain if len(rows) > 1] + joined

    def scattered(self, values: Floats) -> Floats:
        """The columns of `values[document, c]`, centred and scaled: the sum of squares is the variance of the total."""
        weighted, scattered = values / self.probability[:, None], np.zeros_like(values)
        for rows in self.strata:
            if len(rows) > 1:
                part = (1 - self.probability[rows])[:, None]
                centre = (part * weighted[rows]).sum(axis=0) / part.sum()
                scattered[rows] = np.sqrt(len(rows) / (len(rows) - 1) * part) * (weighted[rows] - centre)
        return scattered

    def expanded(self, values: Floats) -> float:
        """The estimated total over all documents of values that are known in the sample."""
        return float((values / self.probability).sum())


@frozen
class _Estimate:
    value: float
    variance: float
    half: float
    weight: float = 0.0


def sampled_total(
    human: Floats,
    machine: Floats,
    scale: Floats,
    sample: LabelledSample,
    confidence: float = CONFIDENCE,
    half_width: float | None = None,
    offset: float = 0.0,
) -> CombinedEstimate:
    """The total of the contributions of all documents: `human[i]` of the sampled ones, `machine[u]` of all.

    `scale[u]` is what a document contributes if it has a gain of 1. The offset is added to all totals.
    """
    unseen = UNSEEN * _largest_difference(human, machine, scale, sample)
    alone = _regressed(human, scale[:, None], sample, confidence, unseen)
    both = _regressed(human, np.stack([scale, machine], axis=1), sample, confidence, unseen)
    best = both if both.half <= alone.half else alone
    total = float(machine.sum())
    return CombinedEstimate(
        best.value + offset,
        best.value + offset - best.half,
        best.value + offset + best.half,
        best.weight,
        alone.value + offset,
        alone.value + offset - alone.half,
        alone.value + offset + alone.half,
        total + offset,
        sample.expanded(machine[sample.row] - human),
        _worth(best.variance / alone.variance, len(human), len(machine)) if best.variance else math.nan,
        None if half_width is None else _needed(best, len(human), len(machine), half_width, confidence),
    )


def _largest_difference(human: Floats, machine: Floats, scale: Floats, sample: LabelledSample) -> float:
    """The mean square of what a sampled document would add to the variance if its two labels were furthest apart.

    Without it, an interval from a sample in which people and the machine happen to agree would have no width.
    """
    counting, used = scale != 0, scale[sample.row] != 0
    if not used.any():
        return 0.0
    gains = np.append(machine[counting] / scale[counting], human[used] / scale[sample.row][used])
    part = np.sqrt(1 - sample.probability) / sample.probability
    return float(np.mean(np.square(scale[sample.row] * part * np.ptp(gains))[used]))


def _regressed(human: Floats, known: Floats, sample: LabelledSample, confidence: float, unseen: float) -> _Estimate:
    """The total, corrected by columns whose totals are known: `known[u, c]`, the last one the machine's if several."""
    scattered = sample.scattered(np.column_stack([human, known[sample.row]]))
    coefficient = np.linalg.lstsq(scattered[:, 1:], scattered[:, 0], rcond=1e-9)[0]
    left = (scattered[:, 0] - scattered[:, 1:] @ coefficient) / (1 - _leverage(scattered[:, 1:]))
    variance = float((left**2).sum())
    n_used = int(np.count_nonzero(known[sample.row, 0]))  # the others contribute nothing
    freedom = max(min(sum(len(rows) - 1 for rows in sample.strata), n_used - 1) - known.shape[1] + 1, 1)
    value = float(known.sum(axis=0) @ coefficient) + sample.expanded(human - known[sample.row] @ coefficient)
    weight = float(coefficient[-1]) if known.shape[1] > 1 else 0.0
    half = float(t_quantile((1 + confidence) / 2, freedom)) * math.sqrt(variance + unseen)
    return _Estimate(value, variance, half, weight)


def _leverage(columns: Floats) -> Floats:
    """The leverage of each row on its own fitted value; residuals of rows with high leverage are too small."""
    orthogonal, size, _ = np.linalg.svd(columns, full_matrices=False)
    leverage = (orthogonal[:, size > 1e-9 * max(size.max(), 1e-300)] ** 2).sum(axis=1)
    return np.minimum(leverage, 0.9)


def _worth(remaining: float, n_sampled: int, n_documents: int) -> float:
    """The size of a sample of the same kind that leaves this part of the variance; at most all documents.

    The variance of a sample of n of N documents is proportional to 1/n - 1/N.
    """
    return 1 / (1 / n_documents + remaining * (1 / n_sampled - 1 / n_documents))


def _needed(best: _Estimate, n_sampled: int, n_documents: int, half_width: float, confidence: float) -> int | None:
    """The size of a sample of the same kind with this half-width, allowing for the finite number of documents."""
    if n_sampled == n_documents or not best.variance:
        return None
    spread = best.variance / (1 / n_sampled - 1 / n_documents)
    return math.ceil(1 / ((half_width / normal_critical_value(confidence)) ** 2 / spread + 1 / n_documents))


def neyman_allocation(size: Ints, spread: Floats, target: Floats) -> Ints:
    """The number of documents of each stratum to label so that each variance is at most its target.

    `size[h]` documents are in stratum h, in which a contribution to quantity q has the standard deviation
    `spread[h, q]`. Labels go where size times the largest spread is largest, with at least two in each stratum.
    """
    worst = (spread / np.sqrt(target)).max(axis=1)
    least = np.minimum(size, np.where(worst > 0, 2, 0))

    def allocated(n: int) -> Ints:
        ideal = n * size * worst / max(float((size * worst).sum()), 1e-300)
        return np.clip(np.ceil(ideal - 1e-9).astype(np.int64), least, size)

    def enough(n: int) -> bool:
        chosen = allocated(n)
        part = (size**2 / np.maximum(chosen, 1) - size)[:, None] * np.where(chosen[:, None] > 0, spread**2, 0)
        return bool((part.sum(axis=0) <= target * (1 + 1e-12)).all())

    few, many = 0, 1
    while not enough(many) and (allocated(many) < size)[worst > 0].any():
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return allocated(many)
