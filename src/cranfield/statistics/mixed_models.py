"""Linear mixed models with crossed random intercepts, by restricted maximum likelihood (REML)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.rounding import zero_within_rounding
from cranfield.statistics.distributions import f_tail

MOST_LEVELS = 3_000  # levels of all random factors: a matrix of this size is factorised a few hundred times
ABSENT = 1e-4  # ratio of standard deviations below which a component counts as zero


@frozen(eq=False)
class CrossedDesign:
    """Cross-products of the levels of random factors, the fixed effects and the values, which the likelihood needs."""

    products: Floats  # of [random levels, fixed effects, values]
    n_levels: tuple[int, ...]  # of each random factor
    n_fixed: int
    n_values: int

    @staticmethod
    def of(values: Floats, fixed: Floats, factors: list[Ints]) -> CrossedDesign:
        """The design of values with a matrix of fixed effects and the level of each random factor."""
        n_levels = tuple(int(factor.max()) + 1 for factor in factors)
        if sum(n_levels) > MOST_LEVELS:
            raise BadInput(
                f"{sum(n_levels):,} levels of random factors are too many; at most {MOST_LEVELS:,} are supported"
            )
        levels = [np.eye(n)[factor] for n, factor in zip(n_levels, factors, strict=True)]
        table = np.column_stack([*levels, fixed, values])
        return CrossedDesign(table.T @ table, n_levels, fixed.shape[1], len(values))

    def scaled(self, ratio: Floats) -> tuple[Floats, float]:
        """Cross-products of fixed effects and values after the random effects, and log-determinant of their variance.

        `ratio` is the standard deviation of each factor divided by that of the residuals.
        """
        q = sum(self.n_levels)
        scale = np.repeat(ratio, self.n_levels)
        inner = np.eye(q) + scale[:, None] * self.products[:q, :q] * scale
        factor = np.linalg.cholesky(inner)
        half = np.linalg.solve(factor, scale[:, None] * self.products[:q, q:])
        return self.products[q:, q:] - half.T @ half, float(2 * np.log(np.diag(factor)).sum())

    def deviance(self, ratio: Floats, variance: float | None = None) -> float:
        """Minus twice the restricted log-likelihood up to a constant, by default at the best residual variance."""
        left, log_determinant = self.scaled(ratio)
        p, freedom = self.n_fixed, self.n_values - self.n_fixed
        information = left[:p, :p]
        rest = float(left[p, p] - left[p, :p] @ np.linalg.solve(information, left[:p, p]))
        _, of_fixed = np.linalg.slogdet(information)
        chosen = rest / freedom if variance is None else variance
        return float(log_determinant + of_fixed + freedom * np.log(chosen) + rest / chosen)


@frozen(eq=False)
class Fit:
    """The fixed effects with their covariance, and the variances of the random factors and of the residuals."""

    design: CrossedDesign
    ratio: Floats

    @cached_property
    def _left(self) -> Floats:
        return self.design.scaled(self.ratio)[0]

    @cached_property
    def fixed(self) -> Floats:
        """The fixed effects."""
        p = self.design.n_fixed
        return np.asarray(np.linalg.solve(self._left[:p, :p], self._left[:p, p]), np.float64)

    @cached_property
    def residual(self) -> float:
        """The variance of the residuals."""
        p = self.design.n_fixed
        rest = self._left[p, p] - self._left[p, :p] @ self.fixed
        return float(rest / (self.design.n_values - p))

    @property
    def variances(self) -> Floats:
        """The variance of each random factor."""
        return self.ratio**2 * self.residual

    def variance_of(self, contrast: Floats) -> float:
        """The variance of a contrast of the fixed effects."""
        return self._variance(contrast, self.ratio, self.residual)

    def _variance(self, contrast: Floats, ratio: Floats, residual: float) -> float:
        p = self.design.n_fixed
        left = self.design.scaled(ratio)[0][:p, :p]
        return float(residual * contrast @ np.linalg.solve(left, contrast))

    def freedom_of(self, contrast: Floats) -> float:
        """Satterthwaite's degrees of freedom of a contrast: exact for balanced designs."""
        present = self.ratio > 0
        variances = np.concatenate([self.variances[present], [self.residual]])

        def split(values: Floats) -> tuple[Floats, float]:
            ratio = np.zeros(len(self.ratio))
            ratio[present] = np.sqrt(values[:-1] / values[-1])
            return ratio, float(values[-1])

        steps = np.diag(1e-3 * variances)
        slope = np.array([self._variance(contrast, *split(variances + s)) for s in steps]) - np.array(
            [self._variance(contrast, *split(variances - s)) for s in steps]
        )
        slope /= 2 * np.diag(steps)
        spread = 2 * np.linalg.inv(self._curvature(variances, steps, split))
        return float(2 * self.variance_of(contrast) ** 2 / (slope @ spread @ slope))

    def _curvature(self, variances: Floats, steps: Floats, split) -> Floats:  # type: ignore[no-untyped-def]
        """The second derivatives of the deviance by the variances."""

        def at(moved: Floats) -> float:
            return self.design.deviance(*split(moved))

        n, size = len(variances), np.diag(steps)
        table = np.empty((n, n))
        for i, one in enumerate(steps):
            for j, other in enumerate(steps):
                signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
                total = sum(a * b * at(variances + a * one + b * other) for a, b in signs)
                table[i, j] = total / (4 * size[i] * size[j])
        return table


def fit(values: Floats, fixed: Floats, factors: list[Ints]) -> Fit:
    """The model that fits best by REML."""
    from scipy.optimize import minimize

    design = CrossedDesign.of(values, fixed, factors)
    best = minimize(
        design.deviance,
        np.ones(len(factors)),
        method="Nelder-Mead",
        bounds=[(0, 1e4)] * len(factors),
        options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 2_000},
    )
    return Fit(design, np.where(best.x < ABSENT, 0.0, best.x))


# Analysis of variance of complete tables: every combination of levels has one value


RESIDUAL = "residual"


class VarianceSource(NamedTuple):
    """A source of variation; F and p compare it with the residuals, which have none."""

    source: str
    freedom: int
    squares: float
    mean_square: float
    f: float | None
    p: float | None


def variance_table(values: Floats, names: Sequence[str]) -> list[VarianceSource]:
    """The analysis of variance of an array with one axis per factor; the highest interaction is the residual."""
    axes = range(values.ndim)
    terms = [term for size in range(1, values.ndim + 1) for term in combinations(axes, size)]
    effects = {term: _effect(values, term) for term in terms}
    rows = []
    for term in terms:
        freedom = int(np.prod([values.shape[axis] - 1 for axis in term]))
        spread = np.asarray((effects[term] ** 2).sum() * values.size / effects[term].size)
        rows.append((term, freedom, float(zero_within_rounding(spread, float((values**2).sum())))))
    *others, (_, below, rest) = rows
    error = rest / below
    table = []
    for term, freedom, squares in others:
        f = squares / freedom / error if error > 0 else None
        p = None if f is None else float(f_tail(f, freedom, below))
        table.append(
            VarianceSource(" × ".join(names[axis] for axis in term), freedom, squares, squares / freedom, f, p)
        )
    return [*table, VarianceSource(RESIDUAL, below, rest, error, None, None)]


def _effect(values: Floats, term: tuple[int, ...]) -> Floats:
    """The means over all other axes minus the effects of fewer factors; all effects add up to the values."""
    total = np.zeros([n if axis in term else 1 for axis, n in enumerate(values.shape)])
    for size in range(len(term) + 1):
        for factors in combinations(term, size):
            others = tuple(axis for axis in range(values.ndim) if axis not in factors)
            total = total + (-1) ** (len(term) - size) * values.mean(axis=others, keepdims=True)
    return total
