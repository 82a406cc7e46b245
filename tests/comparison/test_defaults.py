"""What holds unless something else is asked for: 95 % confidence, a level of 5 %, seed 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, is_dataclass
from typing import Any

import numpy as np
import pytest

from counted_ratings import from_table
from cranfield.evidence.samples import samples
from cranfield.evidence.thresholds import thresholds
from cranfield.measures.naming import parse
from cranfield.statistics.agreement import agreement_intervals
from cranfield.statistics.areas import area_interval, compare_areas
from cranfield.statistics.bayesian import posterior
from cranfield.statistics.effects import effects
from cranfield.statistics.intervals import (
    bootstrap,
    bounded_interval,
    jackknife,
    mean_interval,
    median_interval,
    t_interval,
    wilson,
)
from cranfield.statistics.latent import fit
from cranfield.statistics.meta_analysis import pooled
from cranfield.statistics.power import deviation_interval, power, smallest_difference, units_needed
from cranfield.statistics.rank_correlation import least_overlap, overlap_residual, rank_biased_overlap
from cranfield.statistics.sampling import powered_mean
from cranfield.statistics.splits import halves, holdout, k_fold
from cranfield.statistics.stability import discriminative_power, stability, swap_rate
from cranfield.statistics.tests import find
from cranfield.statistics.thresholds import choose

VALUES = np.array([0.1, 0.4, 0.35, 0.8, 0.6, 0.55, 0.2, 0.9, 0.3, 0.45])
COLUMN, OTHERS = VALUES[:, None], VALUES[::-1] ** 2
PAIRS = samples({"a": VALUES, "b": OTHERS, "c": VALUES * OTHERS}).pairs("c")
SYSTEMS = samples({"a": VALUES, "b": OTHERS, "c": VALUES * OTHERS, "d": VALUES**3})
ACTUAL = np.arange(24) % 3 == 0
SCORE = np.sin(np.arange(24.0)) + ACTUAL
RATED = from_table([[6, 2, 1], [1, 5, 2], [0, 3, 8]])
ONE, OTHER = {"a": 3.0, "b": 2.0, "c": 1.0}, {"b": 3.0, "d": 2.0, "a": 1.0, "e": 0.5}
SUCCESSES = (np.random.default_rng(2).random((4, 12)) < np.array([[0.2], [0.4], [0.6], [0.9]])).astype(float)

DEFAULTS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (lambda **s: t_interval(COLUMN, **s), {"confidence": 0.95}),
    (lambda **s: bounded_interval(COLUMN, (0, 1), **s), {"confidence": 0.95}),
    (lambda **s: wilson(3.0, 10.0, **s), {"confidence": 0.95}),
    (lambda **s: bootstrap(COLUMN, **s), {"confidence": 0.95, "resamples": 10_000, "seed": 0, "corrected": True}),
    (lambda **s: median_interval(VALUES, **s), {"confidence": 0.95}),
    (lambda **s: jackknife(0.5, VALUES, **s), {"confidence": 0.95}),
    (lambda **s: mean_interval(VALUES, **s), {"confidence": 0.95, "binary": False}),
    (lambda **s: mean_interval(VALUES, method="bca", **s), {"resamples": 10_000, "seed": 0}),
    (lambda **s: area_interval(thresholds(ACTUAL, SCORE), **s), {"confidence": 0.95}),
    (lambda **s: compare_areas(ACTUAL, SCORE, np.cos(SCORE), **s), {"confidence": 0.95}),
    (lambda **s: deviation_interval(0.2, 9, **s), {"confidence": 0.95}),
    (lambda **s: powered_mean(VALUES[:6], OTHERS[:6] + VALUES[:6], OTHERS, **s), {"confidence": 0.95}),
    (lambda **s: pooled(VALUES, OTHERS + 0.1, **s), {"confidence": 0.95, "method": "reml"}),
    (lambda **s: fit(SUCCESSES).interval("ability", **s), {"confidence": 0.95}),
    (lambda **s: posterior(PAIRS, 0.01, **s), {"credibility": 0.95, "model": "t"}),
    (lambda **s: posterior(PAIRS, 0.01, "signed-rank", **s), {"resamples": 10_000, "seed": 0}),
    (
        lambda **s: agreement_intervals([parse("Kappa", "ratings")], RATED, **s)[0],
        {"confidence": 0.95, "resamples": 1_000, "seed": 0},
    ),
    (lambda **s: choose(thresholds(ACTUAL, SCORE), "F").intervals(resamples=50, **s), {"confidence": 0.95, "seed": 0}),
    (lambda **s: choose(thresholds(ACTUAL, SCORE), "F").intervals(**s), {"resamples": 1_000}),
    (lambda **s: effects(PAIRS, **s), {"level": 0.05, "interval": "t"}),
    (lambda **s: effects(PAIRS, interval="bca", **s), {"seed": 0}),
    (lambda **s: power(12, 0.1, 0.2, **s), {"level": 0.05, "alternative": "two-sided"}),
    (lambda **s: units_needed(0.1, 0.2, **s), {"power": 0.8, "level": 0.05, "alternative": "two-sided"}),
    (lambda **s: smallest_difference(12, 0.2, **s), {"power": 0.8, "level": 0.05, "alternative": "two-sided"}),
    (lambda **s: find("tukey")(SYSTEMS.pairs(), **s).half_width, {"level": 0.05}),
    (lambda **s: find("dunnett")(PAIRS, **s).half_width, {"level": 0.05}),
    (lambda **s: find("nemenyi")(SYSTEMS.pairs(), **s).remark, {"level": 0.05}),
    (lambda **s: find("corrected t")(PAIRS, overlap=0.1, **s).half_width, {"level": 0.05}),
    (lambda **s: find("5x2cv")(PAIRS, **s).working, {"level": 0.05, "variant": "F"}),
    (lambda **s: find("tost")(PAIRS, margin=0.1, **s).half_width, {"level": 0.05}),
    (lambda **s: find("wilcoxon")(PAIRS, **s).working, {"level": 0.05, "variant": "wilcox"}),
    (lambda **s: find("sign")(PAIRS, **s).working, {"level": 0.05}),
    (lambda **s: rank_biased_overlap(ONE, OTHER, **s), {"p": 0.9, "ties": "expected"}),
    (lambda **s: least_overlap(ONE, OTHER, **s), {"p": 0.9}),
    (lambda **s: overlap_residual(ONE, OTHER, **s), {"p": 0.9}),
    (
        lambda **s: discriminative_power(SYSTEMS, **s),
        {"level": 0.05, "test": "randomised tukey", "seed": 0},
    ),
    (lambda **s: swap_rate(SYSTEMS, **s), {"resamples": 1_000, "n_bins": 20, "seed": 0}),
    (lambda **s: swap_rate(SYSTEMS).needed(**s), {"rate": 0.05}),
    (lambda **s: stability(SYSTEMS, sizes=[3], **s), {"resamples": 1_000, "seed": 0}),
    (lambda **s: stability(SYSTEMS).topics_needed(**s), {"tau": 0.9}),
    (lambda **s: np.concatenate([split.test for split in k_fold(9, 3, **s)]), {"seed": 0}),
    (lambda **s: np.concatenate([split.test for split in halves(9, **s)]), {"repeats": 5, "seed": 0}),
    (lambda **s: holdout(50, **s).test, {"proportion": 0.2, "seed": 0}),
]


def plain(found: Any) -> Any:
    parts = astuple(found) if is_dataclass(found) else found
    return np.concatenate([np.ravel(part) for part in parts]).tolist() if isinstance(parts, tuple) else parts


@pytest.mark.parametrize(("call", "defaults"), DEFAULTS)
def test_the_defaults_are_these(call: Callable[..., Any], defaults: dict[str, Any]) -> None:
    assert str(plain(call())) == str(plain(call(**defaults)))
    for name, value in defaults.items():  # and each of them matters
        if isinstance(value, float):
            assert str(plain(call(**{name: 0.4}))) != str(plain(call()))
