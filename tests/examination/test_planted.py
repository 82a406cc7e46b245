"""Planted problems are found, by the right rule and among the first three findings; clean data raise no alarm."""

from __future__ import annotations

import pytest

from cranfield.present.findings.rules import known_rules
from examination.planted.catalogue import Examined, every, examined, table

PROBLEMS = [one for one in every() if one.rules]
CLEAN = [one for one in every() if not one.rules]
SEEDS = 10


def proportion_right(results: list[Examined]) -> float:
    return sum(result.as_it_should for result in results) / len(results)


def test_there_are_enough_problems_and_clean_sets() -> None:
    assert len(PROBLEMS) >= 40
    assert len(CLEAN) >= 60
    assert {rule for one in PROBLEMS for rule in one.rules} <= set(known_rules())


def test_planted_problems_are_found_among_the_first_findings() -> None:
    results = [examined(one, seed=0) for one in PROBLEMS]
    assert proportion_right(results) >= 0.9, table(results)


def test_clean_data_raise_no_alarm() -> None:
    results = [examined(one, seed=0) for one in CLEAN]
    assert proportion_right(results) >= 0.98, table(results)


@pytest.mark.simulation
def test_planted_problems_are_found_with_many_seeds() -> None:
    results = [examined(one, seed) for one in PROBLEMS for seed in range(1, SEEDS + 1)]
    assert proportion_right(results) >= 0.9, table(results)
    for one in PROBLEMS:
        own = [result for result in results if result.planted == one]
        assert proportion_right(own) >= 0.5, table(own)


@pytest.mark.simulation
def test_clean_data_raise_no_alarm_with_many_seeds() -> None:
    results = [examined(one, seed) for one in CLEAN for seed in range(1, SEEDS + 1)]
    assert proportion_right(results) >= 0.98, table(results)
