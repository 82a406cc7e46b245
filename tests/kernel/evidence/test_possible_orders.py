"""Orders of tied documents: all of them, or some drawn at random, and rankings as they would be in another."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest

from cranfield.evidence.arithmetic import changes
from cranfield.evidence.counterfactual import filled, only, reordered
from cranfield.evidence.hits import Hits
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.possible_orders import Spread, n_orders, orders
from pictures import evidence, ranked, ranking, several

PICTURES = ["(+-)", "(+?)-(2+)", "(+-2)", "(??+)", "+-", "(++--)2(~+)", "?(-2)", "(2?2+)"]


def placed(hits: Hits) -> tuple[tuple[int, float], ...]:
    """The rank and the grade of each hit."""
    return tuple(zip(hits.rank.tolist(), hits.grade.tolist(), strict=True))


def every_order(picture: str) -> set[tuple[tuple[int, float], ...]]:
    """Where the grades stand in each order of the tied documents, by permuting the characters."""
    groups: list[str] = []
    inside = False
    for character in picture:
        if character in "()":
            inside = character == "("
            groups += [""] * inside
        elif inside:
            groups[-1] += character
        else:
            groups.append(character)
    ways = [{"".join(way) for way in permutations(group)} for group in groups]
    return {placed(ranked("".join(chosen))) for chosen in product(*ways)}


@pytest.mark.parametrize("picture", PICTURES)
def test_every_order_comes_once(picture: str) -> None:
    hits, wanted = ranked(picture), every_order(picture)
    assert n_orders(hits) == len(wanted)
    made, query, complete = orders(hits, len(wanted), seed=0)
    units = [only(made, np.arange(len(made)) == unit) for unit in range(len(made))]
    assert Counter(map(placed, units)) == Counter(wanted)
    assert (query.tolist(), complete.tolist()) == ([0] * len(wanted), [True])
    assert (made.tie_size == 1).all()
    assert np.array_equal(made.tie_start, made.rank)


@pytest.mark.parametrize("picture", [picture for picture in PICTURES if "(" in picture])
def test_too_many_orders_are_drawn_each_as_often_as_any_other(picture: str) -> None:
    hits = ranked(picture)
    n = n_orders(hits)
    made, query, complete = orders(hits, n - 1, seed=0)
    assert (len(made), query.tolist(), complete.tolist()) == (n - 1, [0] * (n - 1), [False])
    if n > 6:
        return
    same = only(hits, np.array([True]))
    drawn = Counter()
    for seed in range(300):
        one, _, _ = orders(same, 1, seed)
        drawn[placed(one)] += 1
    assert {*drawn} == every_order(picture)
    assert min(drawn.values()) > 300 / n / 2


def test_queries_are_drawn_apart_from_each_other() -> None:
    hits = several("(+-2)", "+", "(+-2)?(+-2)", "(+-2)")
    made, query, complete = orders(hits, 5, seed=3)
    assert Counter(query.tolist()) == {0: 5, 1: 1, 2: 5, 3: 5}
    assert complete.tolist() == [False, True, False, False]
    alone, _, _ = orders(only(hits, np.arange(4) == 2), 5, seed=3)
    assert placed(only(made, query == 2)) == placed(alone)
    assert placed(only(made, query == 0)) != placed(only(made, query == 3))  # the draw depends on the query


@pytest.mark.parametrize("picture", PICTURES)
def test_a_spread_document_is_at_each_rank_of_its_tie_in_part(picture: str) -> None:
    spread = Spread(ranked(picture))
    wanted = every_order(picture)
    for rel in (0, 1, 2):
        for k in (None, 1, 2, 3):
            hit = [sum(grade >= rel and (k is None or rank <= k) for rank, grade in order) for order in wanted]
            assert spread.count(spread.relevant(rel) & spread.top(k))[0] == pytest.approx(np.mean(hit))
    discounted = [sum(grade / rank for rank, grade in order) for order in wanted]
    assert spread.sum(spread.grade / spread.rank)[0] == pytest.approx(np.mean(discounted))
    first = [next((1 / rank for rank, grade in order if grade >= 1), 0) for order in wanted]
    assert spread.at_first(spread.relevant(), 1 / spread.rank)[0] == pytest.approx(np.mean(first))
    both = Spread(several(picture, "+(-+)")).pooled
    assert (len(both), len(both.sum(both.grade)), both.size.tolist()) == (1, 1, [2])


def test_what_has_no_expected_value_is_refused() -> None:
    with pytest.raises(AttributeError, match="condensed has no expected value over the orders of tied documents"):
        _ = Spread(ranked("(+-)")).condensed


@pytest.mark.parametrize("picture", PICTURES)
def test_the_best_order_has_high_grades_first_and_the_worst_last(picture: str) -> None:
    wanted = every_order(picture)
    for best, choose in ((True, max), (False, min)):
        made = placed(reordered(ranked(picture), best=best))
        assert made in wanted
        for k in range(1, 8):
            total = {order: sum(grade + 2 for rank, grade in order if rank <= k) for order in wanted}
            assert total[made] == choose(total.values())


@pytest.mark.parametrize("k", [None, 1, 2, 3, 5, 9])
def test_filled_rankings_keep_their_ties(k: int | None) -> None:
    pictures = ["(+?-)?2", "?(?+)(-?)", "+", "", "(~?)+"]
    made = filled(several(*pictures), 2, k)
    whole = several(*(picture.replace("?", "2").replace("~", "2") for picture in pictures))
    for unit in range(5):
        inside = made.unit == unit
        ranks = made.rank[inside]
        wanted = whole.unit == unit
        tie = dict(zip(whole.rank[wanted].tolist(), whole.tie_start[wanted].tolist(), strict=True))
        tied = dict(zip(whole.rank[wanted].tolist(), whole.tie_size[wanted].tolist(), strict=True))
        assert made.tie_start[inside].tolist() == [tie[rank] for rank in ranks.tolist()]
        assert made.tie_size[inside].tolist() == [tied[rank] for rank in ranks.tolist()]


def test_what_would_be_found_in_shorter_rankings() -> None:
    columns = (np.array([4, 2]), np.array([1, 3, 0, 4, 2]), np.array([1, 2, 0, 2, 2]), np.array([1, 3, 0, 3, 1]))
    found = JudgedRanks(*columns, np.array([True, True]))
    cut = found.truncated(3)
    assert cut.n_retrieved.tolist() == [3, 2]
    assert cut.rank.tolist() == [1, 3, 0, 0, 2]
    assert cut.tie_start.tolist() == [1, 2, 0, 0, 2]
    assert cut.tie_size.tolist() == [1, 2, 0, 0, 1]
    assert (cut.n_unjudged_queries, cut.n_disordered_queries, cut.n_tied_queries) == (0, 0, 0)
    assert (cut.strangers, cut.sample, cut.graded) == ((), (), False)


def test_rows_that_differ_from_the_row_before() -> None:
    assert changes(np.array([1, 1, 2, 2, 2, 1])).tolist() == [True, False, True, False, False, True]
    assert changes(np.array([1, 1, 2, 2]), np.array([1, 2, 2, 2])).tolist() == [True, True, True, False]
    assert changes(np.zeros(0, np.int64)).tolist() == []


def test_what_is_counted_of_whole_queries() -> None:
    hits = several("+-2?~", "", "??|3-", "2(+-)")
    assert hits.greatest(hits.grade).tolist() == [2, 0, 0, 2]
    assert hits.sum(hits.grade).tolist() == [2, 0, 0, 3]
    assert hits.count(hits.judged).tolist() == [3, 0, 0, 3]
    assert hits.positions(None).tolist() == hits.depth(None).tolist() == [5, 0, 2, 3]
    assert (hits.positions(3).tolist(), hits.depth(3).tolist()) == ([3] * 4, [3, 0, 2, 3])
    assert hits.top(None).all()
    assert hits.top(2).tolist() == [True, True, False, False, True, True, False]
    assert hits.pooled.depth(None).tolist() == [10]
    assert hits.pooled.depth(2).tolist() == [6]
    assert hits.pooled.positions(2).tolist() == [8]
    assert hits.sorted_by(hits.grade).grade.tolist() == [2, 1, 0, -1, 2, 1, 0]
    assert hits.bounds.tolist() == [0, 4, 4, 4, 7]
    assert (evidence([ranking("+")]) + evidence([ranking("-+")])).unit.tolist() == [0, 1, 1]
