"""Laws of tied documents: what is expected, and what is best and worst."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue import RANKING, measures
from cranfield.engines.expected_ties import expected
from pictures import evidence, hits_of, rankings
from reference.ranking import Ranking

every = pytest.mark.parametrize("name", RANKING)


def orders(ranking: Ranking) -> list[Ranking]:
    """The ranking with its tied documents in every order, and no ties left."""
    starts = np.cumsum([0, *ranking.ties])
    groups = [ranking.grades[start:end] for start, end in pairwise(starts)]
    ways = product(*(set(permutations(group)) for group in groups))
    return [Ranking(tuple(grade for group in way for grade in group), ranking.missed) for way in ways]


@every
@given(data=st.data(), ranking=rankings(longest=5))
@settings(max_examples=8)
def test_the_expected_value_is_the_mean_over_all_orders(name: str, data: st.DataObject, ranking: Ranking) -> None:
    measure = data.draw(measures(name))
    mean = measure.values(evidence(orders(ranking))).mean()
    value = expected(measure, hits_of(ranking)).values[0]
    assert value == pytest.approx(mean, rel=1e-9, abs=1e-12, nan_ok=True), str(measure)
