"""Logarithmic errors, pinball loss and deviances: scikit-learn, decimals of sixty digits, values outside a domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext

import numpy as np
import pytest
from sklearn import metrics

from cranfield import regress
from cranfield.arrays import Floats

POWERS = (-2.5, -1, 0, 1, 1.2, 1.5, 1.9, 2, 2.5, 3)
SKLEARN: dict[str, Callable[..., float]] = {
    "MSLE": metrics.mean_squared_log_error,
    "RMSLE": metrics.root_mean_squared_log_error,
    "PoissonDeviance": metrics.mean_poisson_deviance,
    "GammaDeviance": metrics.mean_gamma_deviance,
    "D2AbsoluteError": metrics.d2_absolute_error_score,
}


def amounts(seed: int, zeros: bool) -> tuple[Floats, Floats, Floats]:
    """Rounded and repeated amounts of very different sizes, some predicted exactly; weights, some of them 0."""
    rng = np.random.default_rng(seed)
    actual = np.round(rng.gamma(0.7, 20, 23), 1) + (0 if zeros else 0.1)
    actual[:3] = 0 if zeros else 0.1
    predicted = np.round(actual * rng.choice([0.5, 1, 1, 1.1, 40], 23) + 0.1, 2)
    predicted[5] = actual[5] = 1234.5
    return actual, predicted, rng.integers(0, 4, 23) / 4


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SKLEARN)
def test_scikit_learn_has_the_same(name: str, weighted: bool) -> None:
    for seed in range(5):
        actual, predicted, weight = amounts(seed, zeros=name != "GammaDeviance")
        given = weight if weighted else None
        found = regress(actual, predicted, weight=given, measures=name)[name]
        assert found == pytest.approx(SKLEARN[name](actual, predicted, sample_weight=given), rel=1e-12)


@pytest.mark.parametrize("quantile", [0.05, 0.25, 0.5, 0.8, 0.99])
def test_scikit_learn_has_the_same_pinball_loss(quantile: float) -> None:
    for seed in range(10):
        actual, predicted, weight = amounts(seed, zeros=True)
        actual, predicted = actual - 20, predicted - 20
        names = [f"Pinball(quantile={quantile})", f"D2Pinball(alpha={quantile})"]
        found = regress(actual, predicted, weight=weight, measures=names)
        for name, theirs in zip(names, (metrics.mean_pinball_loss, metrics.d2_pinball_score)):
            expected = theirs(actual, predicted, sample_weight=weight, alpha=quantile)
            assert found[name.replace("alpha", "quantile")] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("power", POWERS)
def test_scikit_learn_has_the_same_tweedie_deviance(power: float) -> None:
    for seed in range(5):
        actual, predicted, weight = amounts(seed, zeros=power < 2)
        actual -= 5 * (power < 0)
        names = f"TweedieDeviance(power={power})", f"D2Tweedie(power={power})"
        for name, theirs in zip(names, (metrics.mean_tweedie_deviance, metrics.d2_tweedie_score)):
            found = regress(actual, predicted, weight=weight, measures=name)[name]
            assert found == pytest.approx(theirs(actual, predicted, sample_weight=weight, power=power), rel=1e-9)


def in_decimals(power: Decimal, actual: Sequence[float], predicted: Sequence[float], weight: Sequence[float]) -> float:
    """The mean Tweedie deviance from its textbook formula, which cancels, in sixty digits."""
    with localcontext() as context:
        context.prec = 60
        total = Decimal(0)
        for y, mean, own in zip(map(Decimal, actual), map(Decimal, predicted), map(Decimal, weight)):
            if power == 1:
                term = (y * (y / mean).ln() if y else Decimal(0)) - y + mean
            elif power == 2:
                term = (mean / y).ln() + y / mean - 1
            else:
                above = y ** (2 - power) / ((1 - power) * (2 - power)) if y > 0 else Decimal(0)
                term = above - y * mean ** (1 - power) / (1 - power) + mean ** (2 - power) / (2 - power)
            total += 2 * term * own
        return float(total / sum(map(Decimal, weight)))


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("nearly", [False, True])
def test_decimals_of_sixty_digits_give_the_same(power: float, nearly: bool) -> None:
    for seed in range(5):
        actual, predicted, weight = amounts(seed, zeros=power < 2 and not nearly)
        if nearly:
            predicted = actual * (1 + 1e-7)
        expected = in_decimals(Decimal(power), actual.tolist(), predicted.tolist(), weight.tolist())
        name = f"TweedieDeviance(power={power})"
        found = regress(actual, predicted, weight=weight, measures=name)[name]
        assert found == pytest.approx(expected, rel=1e-6 if nearly else 1e-12)


@pytest.mark.parametrize("power", [p for p in POWERS if p])
def test_a_perfect_prediction_has_no_deviance_whatever_its_size(power: float) -> None:
    for size in (1e-30, 0.1, 1e30):
        values = np.array([1, 1.1, 3, 7]) * size
        assert regress(values, values, measures=f"D2Tweedie(power={power})").result.values.item() == 1


@pytest.mark.parametrize(
    ("measure", "actual", "predicted", "why"),
    [
        ("MSLE", [0, -1, 2], [1, 1, 1], "an actual value is -1 or less"),
        ("RMSLE", [0, 1, 2], [1, -3, 1], "a predicted value is -1 or less"),
        ("PoissonDeviance", [0, 1, 2], [1, 0, 1], "a predicted value is 0 or less"),
        ("PoissonDeviance", [0, -1, 2], [1, 1, 1], "an actual value is negative"),
        ("GammaDeviance", [0, 1, 2], [1, 1, 1], "an actual value is 0 or less"),
        ("TweedieDeviance(power=1.5)", [-1, 1, 2], [1, 1, 1], "an actual value is negative"),
        ("TweedieDeviance(power=3)", [0, 1, 2], [1, 1, 1], "an actual value is 0 or less"),
        ("TweedieDeviance(power=-1)", [0, 1, 2], [1, -1, 1], "a predicted value is 0 or less"),
        ("D2Tweedie(power=-1)", [-3, 1, 2], [1, 1, 1], "the mean of the actual values is 0 or less"),
        ("D2Tweedie(power=1)", [0, 0, 0], [1, 1, 1], "all actual values are equal"),
        ("D2Pinball", [0.1, 0.1, 0.1], [1, 1, 1], "all actual values are equal"),
    ],
)
def test_values_outside_the_domain_leave_a_measure_undefined_for_a_reason(
    measure: str, actual: list[float], predicted: list[float], why: str
) -> None:
    found = regress(actual, predicted, measures=measure)
    assert np.isnan(found[measure])
    assert found.interval(measure).method == f"undefined: {why}"
