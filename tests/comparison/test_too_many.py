"""What would take minutes without a word is refused with words: what, how many, what would do."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield
from cranfield.agreement.result import MOST_PAIRS
from cranfield.comparison.compare import MOST_COMPARISONS
from cranfield.errors import BadInput


def ratings(n_raters: int) -> list[tuple[str, str, int]]:
    drawn = np.random.default_rng(1).integers(0, 3, (5, n_raters)).tolist()
    return [(f"item {i}", f"rater {j}", grade) for i, row in enumerate(drawn) for j, grade in enumerate(row)]


def systems(n: int) -> dict[str, list[float]]:
    return {f"system {j}": row for j, row in enumerate(np.random.default_rng(1).random((n, 3)).tolist())}


@pytest.mark.parametrize("measures", [None, "Kappa"])
def test_pairs_of_very_many_raters_are_refused(measures: str | None) -> None:
    words = r"2,000 raters make 1,999,000 pairs, of which at most 4,000 are compared: choose fewer raters, or .* Fleiss"
    with pytest.raises(BadInput, match=words):
        cranfield.agree(ratings(2000), measures)
    with pytest.raises(BadInput, match=words):
        cranfield.agree(ratings(2000), measures or "Fleiss", per=["pair"])
    assert MOST_PAIRS == 4000


def test_coefficients_of_very_many_raters_at_once_are_computed() -> None:
    agreed = cranfield.agree(ratings(2000), ["Fleiss", "Alpha"], per=["all"])
    assert abs(agreed["Fleiss"]) < 0.1
    assert "Alpha" in str(agreed)


def test_pairs_of_very_many_systems_are_refused() -> None:
    words = r"all pairs of 3,000 systems are 4,498,500 comparisons, more than 100,000: name a baseline"
    with pytest.raises(BadInput, match=words):
        cranfield.compare(systems(3000))
    assert MOST_COMPARISONS == 100_000


def test_very_many_systems_are_compared_with_a_baseline() -> None:
    assert len(cranfield.compare(systems(3000), baseline="system 7").rows) == 2999


def test_the_comparisons_of_all_measures_count() -> None:
    runs = {f"run {j}": {"q": {"a": 1.0}, "r": {"b": 1.0}} for j in range(260)}
    result = cranfield.evaluate({"q": {"a": 1}, "r": {"b": 1}}, runs, ["AP", "RR", "P@1"])
    with pytest.raises(BadInput, match="all pairs of 260 systems on 3 measures are 101,010 comparisons"):
        cranfield.compare(result)
