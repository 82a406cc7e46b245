"""Every measure agrees with its oracle, whatever its settings."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from catalogue import RANKING, measures
from cranfield.measures.registry import declarations
from oracles.declared import MICRO, ORACLES, expected
from pictures import evidence, lists_of_rankings
from reference.ranking import Ranking

for found in pkgutil.iter_modules(oracles.__path__):
    if not found.name.startswith("test_"):
        importlib.import_module(f"oracles.{found.name}")

with_oracle = pytest.mark.parametrize("name", [name for name in RANKING if name in ORACLES])
with_micro = pytest.mark.parametrize("name", [name for name in RANKING if name in MICRO])


def test_every_measure_has_an_oracle() -> None:
    assert [name for name in RANKING if name not in ORACLES] == []


def test_every_measure_that_pools_has_an_oracle_for_its_micro_average() -> None:
    assert [name for name in RANKING if declarations()[name].pools and name not in MICRO] == []


@with_oracle
@given(data=st.data(), rankings=lists_of_rankings(most=6))
def test_a_measure_is_what_its_definition_says(name: str, data: st.DataObject, rankings: list[Ranking]) -> None:
    measure = data.draw(measures(name))
    values = measure.values(evidence(rankings))
    wanted = [expected(name, ranking, measure.options) for ranking in rankings]
    np.testing.assert_allclose(values, wanted, rtol=1e-12, atol=1e-12, err_msg=str(measure))


@with_micro
@given(data=st.data(), rankings=lists_of_rankings(most=6))
def test_a_micro_average_is_that_of_the_counts_added_up(
    name: str, data: st.DataObject, rankings: list[Ranking]
) -> None:
    measure = data.draw(measures(name))
    wanted = MICRO[name](rankings, measure.options)
    np.testing.assert_allclose(measure.micro(evidence(rankings)), wanted, rtol=1e-12, atol=1e-12, err_msg=str(measure))
