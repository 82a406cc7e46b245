"""Laws that hold for every measure of rankings, whatever its settings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from catalogue import NOT_BEST, RANKING, SEES_BELOW, UNDEFINED, measures
from cranfield.evidence.hits import Hits, sum_of
from cranfield.measures.registry import Measure, declarations
from pictures import evidence, hits_of, lists_of_hits, lists_of_rankings, rankings
from reference.ranking import Ranking

every = pytest.mark.parametrize("name", RANKING)
with_cut_off = pytest.mark.parametrize("name", [name for name in RANKING if "k" in declarations()[name].settings])
that_pools = pytest.mark.parametrize("name", [name for name in RANKING if declarations()[name].pools])
with_ideal = pytest.mark.parametrize(
    "name", [name for name in RANKING if declarations()[name].higher_is_better and name not in NOT_BEST]
)
defined = pytest.mark.parametrize("name", [name for name in RANKING if name not in UNDEFINED])


def same(one: object, other: object) -> bool:
    """Whether two lots of numbers are the same to the last bit, undefined ones included."""
    return np.array_equal(np.asarray(one, float), np.asarray(other, float), equal_nan=True)


@every
@given(data=st.data(), hits=lists_of_hits(least=2))
def test_a_query_is_scored_alone(name: str, data: st.DataObject, hits: list[Hits]) -> None:
    measure = data.draw(measures(name))
    assert same(measure.values(sum_of(hits)), np.concatenate([measure.values(query) for query in hits]))


@every
@given(data=st.data(), hits=lists_of_hits())
def test_measuring_changes_nothing(name: str, data: st.DataObject, hits: list[Hits]) -> None:
    measure, total = data.draw(measures(name)), sum_of(hits)
    fields = ("n_retrieved", "unit", "rank", "grade", "pool_unit", "pool_grade", "tie_start", "tie_size", "size")
    before = {field: getattr(total, field).copy() for field in fields}
    first = measure.values(total)
    assert same(first, measure.values(total))
    assert all(np.array_equal(before[field], getattr(total, field)) for field in fields)


@with_cut_off
@given(data=st.data(), ranking=rankings(), k=st.integers(1, 6))
def test_nothing_below_the_cut_off_matters(name: str, data: st.DataObject, ranking: Ranking, k: int) -> None:
    measure = data.draw(measures(name, without=("k", "unjudged")))(k=k)
    assume(not SEES_BELOW & set(measure.settings))
    below = tuple(grade for grade in ranking.grades[k:] if grade is not None)
    cut = Ranking(ranking.grades[:k], ranking.missed + below)
    assert same(measure.values(hits_of(ranking)), measure.values(hits_of(cut)))


@every
@given(data=st.data(), queries=lists_of_rankings())
def test_values_stay_within_the_declared_bounds(name: str, data: st.DataObject, queries: list[Ranking]) -> None:
    measure = data.draw(measures(name))
    low, high = declarations()[name].bounds
    values = measure.values(evidence(queries))
    assert not np.isinf(values).any()
    known = values[~np.isnan(values)]
    assert (known >= low - 1e-12).all(), f"{measure}: {known}"
    assert (known <= high + 1e-12).all(), f"{measure}: {known}"


@pytest.mark.parametrize("name", [name for name in RANKING if declarations()[name].binary is not None])
@given(data=st.data(), queries=lists_of_rankings())
def test_a_binary_measure_is_0_or_1_for_each_query(name: str, data: st.DataObject, queries: list[Ranking]) -> None:
    measure = data.draw(measures(name))(**(declarations()[name].binary or {}))
    assert measure.binary
    values = measure.values(evidence(queries))
    assert np.isin(values[~np.isnan(values)], (0, 1)).all()


@with_ideal
@given(data=st.data(), ranking=rankings())
def test_no_ranking_beats_the_ideal_one(name: str, data: st.DataObject, ranking: Ranking) -> None:
    measure = data.draw(measures(name, without=("unjudged",), tables=False))
    value = measure.values(hits_of(ranking))[0]
    best = np.array([measure.values(hits_of(ideal))[0] for ideal in ideals(ranking, measure)])
    assume(not np.isnan(value) and not np.isnan(best).all())
    assert np.nanmax(best) >= value - 1e-5, str(measure)  # infAP takes a hundred-thousandth off what is certain


def ideals(ranking: Ranking, measure: Measure) -> list[Ranking]:
    """The best ranking of all that is worth something, and that of what counts as relevant alone."""
    worth = sorted((grade for grade in ranking.pool if grade > 0), reverse=True)
    level = measure.options.get("rel")
    relevant = sorted((grade for grade in ranking.pool if grade >= (level or 0)), reverse=True)
    return [
        Ranking(tuple(chosen), tuple(grade for grade in ranking.pool if grade not in chosen))
        for chosen in (worth, relevant)
    ]


@defined
@given(data=st.data(), ranking=rankings(longest=6))
def test_a_measure_is_defined_where_there_is_all_it_needs(name: str, data: st.DataObject, ranking: Ranking) -> None:
    measure = data.draw(measures(name, without=("unjudged",), tables=False))
    rich = Ranking((*ranking.grades, 3.0, 0.0, None), ())
    assert np.isfinite(measure.values(hits_of(rich))).all(), str(measure)


@every
@given(data=st.data(), queries=lists_of_rankings())
def test_skipping_the_unjudged_is_evaluating_the_condensed_ranking(
    name: str, data: st.DataObject, queries: list[Ranking]
) -> None:
    measure = data.draw(measures(name, without=("unjudged",)))
    condensed = evidence([query.condensed() for query in queries])
    assert same(measure(unjudged="skip").values(evidence(queries)), measure.values(condensed))


@that_pools
@given(data=st.data(), ranking=rankings())
def test_one_query_pooled_is_that_query(name: str, data: st.DataObject, ranking: Ranking) -> None:
    measure = data.draw(measures(name))
    assert same(measure.micro(hits_of(ranking)), measure.values(hits_of(ranking))[0])


@given(queries=st.lists(rankings(), min_size=3, max_size=3))
def test_evidence_may_be_added_in_any_grouping(queries: list[Ranking]) -> None:
    a, b, c = (hits_of(query, b"q%d" % place) for place, query in enumerate(queries))
    left, right = (a + b) + c, a + (b + c)
    assert left.queries == right.queries
    for field in ("n_retrieved", "unit", "rank", "grade", "pool_unit", "pool_grade", "tie_start", "tie_size", "size"):
        assert np.array_equal(getattr(left, field), getattr(right, field)), field
