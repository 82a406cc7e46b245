"""Every quantile and root that is searched for has a limit, and an answer beyond it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import cranfield
from cranfield.evidence.samples import Samples
from cranfield.statistics.distributions import least, many_to_one_quantile, range_quantile, t_quantile
from cranfield.statistics.effects import d_z_interval
from cranfield.statistics.meta_analysis import _reml
from cranfield.statistics.power import deviation_interval, kappa_power, power, smallest_difference


def tail(t: float, freedom: int, shift: float) -> float:
    """Probability of a noncentral t of at least t, integrated over its denominator."""
    chi = stats.chi(freedom)
    low, high = (chi.ppf(p) / math.sqrt(freedom) for p in (1e-15, 1 - 1e-15))

    def at(s: float) -> float:
        return float(chi.pdf(s * math.sqrt(freedom)) * math.sqrt(freedom) * stats.norm.sf(t * s - shift))

    steep = sorted(min(max((shift + z) / t, low), high) for z in (-9, -4, -2, 0, 2, 4, 9))
    parts = zip([low, *steep], [*steep, high], strict=True)
    return sum(integrate.quad(at, a, b, limit=200)[0] for a, b in parts)


@pytest.mark.parametrize("d_z", [0.1, 0.99, 1.01, 3, 40, 1e3, 1e5, 1e8, -1e5])
@pytest.mark.parametrize("n", [2, 5, 30, 10_000])
def test_the_interval_of_d_z_has_its_tails_at_any_size(d_z: float, n: int) -> None:
    shape = np.random.default_rng(1).normal(size=n)
    shape = (shape - shape.mean()) / shape.std(ddof=1)
    values = np.stack([shape / abs(d_z) + np.sign(d_z), np.zeros(n)])
    pairs = Samples(("a", "b"), tuple(map(str, range(n))), values).pairs()
    (low,), (high,) = d_z_interval(pairs)
    size = abs(float(pairs.mean[0] / pairs.deviation[0])) * math.sqrt(n)
    near, far = sorted((abs(low), abs(high))) if low * high > 0 else (low, high) if d_z > 0 else (-high, -low)
    assert tail(size, n - 1, near * math.sqrt(n)) == pytest.approx(0.025, rel=1e-3)
    assert tail(size, n - 1, far * math.sqrt(n)) == pytest.approx(0.975, rel=1e-3)


def test_values_without_a_limit_are_compared() -> None:
    large = {"a": [100_000.0 + i % 3 for i in range(30)], "b": [1.0 + i % 2 for i in range(30)]}
    row = cranfield.compare(large).rows[0]
    assert row.d_z_low < row.d_z < row.d_z_high
    row = cranfield.compare({"a": [1e60 * (1 + 1e-12 * (i % 3)) for i in range(9)], "b": [1.0] * 9}).rows[0]
    assert np.isfinite([row.d_z, row.d_z_low, row.d_z_high]).all()


def test_the_smallest_number_that_does_not_exist_is_infinite() -> None:
    assert least(lambda _: False) == math.inf
    assert least(lambda x: x >= 1e250) == pytest.approx(1e250)


@pytest.mark.parametrize("freedom", [1, 2, 1000, math.inf])
@pytest.mark.parametrize("groups", [2, 3000])
def test_quantiles_beyond_what_is_computed_are_infinite_or_large(groups: int, freedom: float) -> None:
    assert range_quantile(1 - 1e-16, groups, freedom) > 7
    assert many_to_one_quantile(1 - 1e-16, groups, freedom) > 7


@pytest.mark.parametrize("freedom", [1, 2, 3, 30, 10_000_000])
def test_quantiles_of_t_far_out_are_those_of_scipy(freedom: int) -> None:
    assert t_quantile(1 - 1e-9, freedom) == pytest.approx(stats.t.isf(1 - (1 - 1e-9), freedom), rel=1e-6)
    assert t_quantile(1 - 1e-16, freedom) > 7


def test_power_far_out_is_a_probability() -> None:
    values = [power(n, d, 1.0, level=p) for n in (2, 30, 10**6) for d in (1e-300, 1e6, 1e300) for p in (1e-9, 0.5)]
    assert all(0 <= one <= 1 for one in values)
    critical = stats.t.isf(5e-10, 1)
    assert power(2, 2e8, 1.0, level=1e-9) == pytest.approx(tail(critical, 1, 2e8 * math.sqrt(2)), rel=1e-3)


def test_plans_and_variances_far_out_have_an_answer() -> None:
    assert smallest_difference(2, 1.0, power=0.999999, level=1e-9) > 1e8
    assert all(np.isfinite(deviation_interval(1e-300, 10_000_000, 0.999999)))
    assert kappa_power(1e9, 0.5) == 1
    assert _reml(np.array([-1e70, 1e70]), np.array([1e-20, 1e-20])) > 0
