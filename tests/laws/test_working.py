"""The working ends at the value, of agreement and of significance; that of rankings is in cli/test_ranking_steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cranfield
from cranfield.statistics.tests import known_tests


def ratings(seed: int, n_raters: int) -> list[tuple[str, str, str, int]]:
    """Grades from 0 to 3 for items of two topics; a fifth is missing."""
    random = np.random.default_rng(seed)
    return [
        (f"topic {item % 2}", f"item {item}", f"rater {rater}", int(random.choice([0, 0, 1, 2, 3])))
        for item in range(25)
        for rater in range(n_raters)
        if random.random() < 0.8
    ]


KAPPAS = ["Kappa", "Kappa(weights='linear')", "Kappa(weights='quadratic')"]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("n_raters", [2, 4])
def test_the_working_of_agreement_ends_at_the_coefficient(seed: int, n_raters: int) -> None:
    agreed = cranfield.agree(ratings(seed, n_raters), [*KAPPAS, "Fleiss"], resamples=0)
    last = {(row["measure"], row["raters"]): row["value"] for row in agreed.steps() if row["quantity"] == "kappa"}
    assert len(last) == 1 + 3 * math.comb(n_raters, 2)
    for (measure, raters), value in last.items():
        assert value == pytest.approx(agreed.row(measure, raters).value, abs=1e-12)


def samples(seed: int) -> dict[str, list[float]]:
    """Rounded and repeated values of three systems."""
    random = np.random.default_rng(seed)
    return {name: np.round(random.beta(2, 3, 20) + shift, 1).tolist() for name, shift in zip("abc", (0, 0.1, 0.3))}


TESTS = [name for name in known_tests() if name not in ("5x2cv", "corrected t")]  # which need folds


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")
def test_the_working_of_a_test_ends_at_its_p_value_and_decision(name: str) -> None:
    settings: dict[str, Any] = {"margin": 0.1} if name == "tost" else {}
    settings |= {"baseline": "a"} if name == "dunnett" else {}
    data = {k: [float(v > 0.5) for v in each] for k, each in samples(3).items()} if name == "mcnemar" else samples(3)
    compared = cranfield.compare(data, test=name, **settings)
    for row in compared.rows:
        *_, p, decision = compared.steps(row).splitlines()[: -1 if row.note else None]
        assert p.startswith(f"p = {row.p:.4g}")
        assert f"adjusted p = {row.adjusted_p:.4g}" in p or not compared.allowance
        assert decision.startswith("decision: ")
        assert ("H0 is rejected" in decision) == row.significant


@pytest.mark.parametrize("seed", [3, 4])
def test_the_working_of_a_t_test_is_its_arithmetic(seed: int) -> None:
    compared = cranfield.compare(samples(seed))
    for row in compared.rows:
        shown = compared.working(row)
        assert row.difference / float(shown["error"] or 0) == pytest.approx(row.statistic)
        assert float(shown["deviation"] or 0) / math.sqrt(row.n) == pytest.approx(float(shown["error"] or 0))


def test_the_signed_ranks_add_up_to_the_statistic() -> None:
    compared = cranfield.compare(samples(5), test="wilcoxon")
    ranks = compared.records(steps=True)["ranks"]
    for row in compared.rows:
        own = [
            one["signed_rank"] or 0 for one in ranks if (one["system"], one["baseline"]) == (row.system, row.baseline)
        ]
        positive, negative = sum(r for r in own if r > 0), -sum(r for r in own if r < 0)
        assert row.statistic in (positive, negative, min(positive, negative))
