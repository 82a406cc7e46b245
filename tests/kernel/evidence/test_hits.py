"""Hits, and the hits made from them, on pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from cranfield.arrays import Floats
from cranfield.evidence.counterfactual import filled, only, parts, reordered, with_missed
from cranfield.evidence.hits import Hits, hits, sum_of
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Names
from pictures import each, evidence, hits_of, lists_of_rankings, ranked, ranking, rankings, several
from reference.ranking import Ranking


def picture(hits: Hits) -> list[tuple[int, float]]:
    """Rank and grade of each hit."""
    return list(zip(hits.rank.tolist(), hits.grade.tolist(), strict=True))


def same(one: Hits, other: Hits) -> bool:
    """Whether two lots of evidence say the same."""
    fields = ("n_retrieved", "unit", "rank", "grade", "pool_unit", "pool_grade", "tie_start", "tie_size", "size")
    return one.queries == other.queries and all(np.array_equal(getattr(one, f), getattr(other, f)) for f in fields)


def test_hits_hold_judged_documents_and_count_the_others() -> None:
    hits = ranked("?+-?2~", missed="3-")
    assert picture(hits) == [(2, 1), (3, 0), (5, 2), (6, -1)]
    assert hits.n_retrieved.tolist() == [6]
    assert hits.pool_grade.tolist() == [3, 2, 1, 0, 0, -1]
    assert (hits.n_relevant(1), hits.n_relevant(2), hits.n_nonrelevant(2), hits.n_judged()) == (3, 2, 3, 5)
    assert (hits.n_relevant(), hits.n_nonrelevant()) == (3, 2)
    assert hits.judged.tolist() == [True, True, True, False]


def test_queries_are_added_one_after_another() -> None:
    both = sum_of([hits_of(ranking("+?"), b"a"), hits_of(ranking("", "+"), b"b"), hits_of(ranking("?-", "2"), b"c")])
    assert both.queries == (b"a", b"b", b"c")
    assert both.unit.tolist() == [0, 2]
    assert both.pool_unit.tolist() == [0, 1, 2, 2]
    assert both.n_retrieved.tolist() == [2, 0, 2]


def test_millions_of_queries_keep_their_order() -> None:
    """Two to the power of 23 times 2 to the power of 40 is more than 64 bits hold."""
    n = (1 << 23) + 2
    names = [f"d{place}" for place in range(n - 3, n)]
    starts = np.maximum(np.arange(n + 1) - (n - 3), 0)  # the last three queries have one judged document each
    judged = Judgments(Names.of(["q"] * n), starts, Names.of(names), np.arange(3), np.array([3.0, 2.0, 1.0]))
    ones = np.ones(3, np.int64)
    found = JudgedRanks(np.broadcast_to(np.int64(1), (n,)), ones, ones, ones, np.broadcast_to(np.True_, (n,)))
    made = hits(judged, found)
    assert made.unit.tolist() == [n - 3, n - 2, n - 1]
    assert picture(made) == [(1, 3), (1, 2), (1, 1)]
    assert made.at_rank(made.grade, made).tolist() == [3, 2, 1]


@given(queries=lists_of_rankings(most=8))
def test_parts_are_the_hits_of_some_queries_each(queries: list[Ranking]) -> None:
    whole = evidence(queries)
    for size in (1, 2, 3, len(whole) + 1):
        cut = list(parts(whole, size))
        assert [len(part) for part in cut[:-1]] == [size] * (len(cut) - 1)
        assert same(sum_of(cut), whole)
        for n, part in enumerate(cut):
            assert same(part, only(whole, np.arange(len(whole)) // size == n))


def test_running_counts_start_anew_with_each_query() -> None:
    hits = several("+-+", "", "++")
    assert hits.running(hits.relevant()).tolist() == [1, 1, 2, 1, 2]
    assert several("-+2", "", "-", "3+").at_first(np.array([0, 1, 1, 0, 1, 1], bool), np.arange(6)).tolist() == [
        1,
        0,
        0,
        4,
    ]


def test_sums_products_and_maxima_along_a_ranking_start_anew_with_each_query() -> None:
    hits = several("321", "", "21", "5")
    assert hits.accumulated(hits.grade).tolist() == [3, 5, 6, 2, 3, 5]
    assert hits.product_above(hits.grade).tolist() == [1, 3, 6, 1, 2, 1]
    assert several("132", "21").greatest_below(several("132", "21").grade).tolist() == [3, 3, 2, 2, 1]


def one_by_one(hits: Hits, value: Floats) -> tuple[Floats, Floats]:
    """Sums and products along each query, in a plain loop."""
    sums, products = np.empty(len(value)), np.empty(len(value))
    for row in range(len(value)):
        start = hits.bounds[hits.unit[row]]
        sums[row], products[row] = 0.0, 1.0
        for above in range(start, row):
            sums[row] += value[above]
            products[row] *= value[above]
        sums[row] += value[row]
    return sums, products


@given(queries=lists_of_rankings(most=8))
def test_sums_and_products_have_the_bits_of_a_plain_loop(queries: list[Ranking]) -> None:
    hits = evidence(queries)
    value = np.sqrt(hits.rank + 0.1) / 3
    sums, products = one_by_one(hits, value)
    assert np.array_equal(hits.accumulated(value), sums)
    assert np.array_equal(hits.product_above(value), products)


def test_nothing_goes_along_no_hits() -> None:
    hits = several("??", "")
    nothing = np.zeros(0)
    assert len(hits.accumulated(nothing)) == len(hits.product_above(nothing)) == len(hits.greatest_below(nothing)) == 0


def test_at_the_rank_of_another_hit_counts_what_was_reached_by_then() -> None:
    hits, other = several("3-1", "?2"), several("??+?+", "+?+")
    assert hits.at_rank(hits.accumulated(hits.grade), other).tolist() == [4, 4, 0, 2]
    assert several("?", "?").at_rank(np.zeros(0), other).tolist() == [0, 0, 0, 0]


def test_levels_are_the_distinct_grades_of_each_query_and_how_far_apart_they_are() -> None:
    hits = several("13~", "-", "0|22")
    levels = [(level.tolist(), step.tolist()) for level, step in hits.levels]
    assert levels == [([1, np.inf, 2], [1, 0, 2]), ([3, np.inf, np.inf], [2, 0, 0])]
    assert several("-", "?").levels == []


def test_the_ideal_ranking_holds_every_judged_document_best_first() -> None:
    hits = ranked("?-+", missed="3~").ideal
    assert picture(hits) == [(1, 3), (2, 1), (3, 0), (4, -1)]
    assert hits.n_retrieved.tolist() == [4]


@given(queries=lists_of_rankings())
def test_the_top_of_the_ideal_ranking_is_that_of_the_whole(queries: list[Ranking]) -> None:
    hits = evidence(queries)
    assert all(same(hits.ideal_top(k), hits.ideal.truncated(k)) for k in (1, 2, 1000))


@given(queries=lists_of_rankings())
def test_documents_are_counted_the_same_whether_queries_have_few_or_many(queries: list[Ranking]) -> None:
    hits = evidence(queries)
    with pytest.MonkeyPatch.context() as patch:
        counts = []
        for many in (0, 1 << 40):
            patch.setattr("cranfield.evidence.hits._MANY", many)
            fresh = replace(hits)
            counts.append(
                [fresh.count(fresh.relevant(1)), fresh.n_relevant(2), fresh.n_nonrelevant(), fresh.n_judged()]
            )
    assert np.array_equal(*counts)


def test_the_best_order_of_what_was_retrieved_leaves_out_what_was_missed() -> None:
    hits = several("?-+2", "1?3|9").resorted
    assert picture(hits) == [(1, 2), (2, 1), (3, 0), (1, 3), (2, 1)]
    assert hits.n_retrieved.tolist() == [4, 3]


def test_the_condensed_ranking_closes_the_gaps() -> None:
    hits = several("?-~?+", "??").condensed
    assert picture(hits) == [(1, 0), (2, 1)]
    assert hits.n_retrieved.tolist() == [2, 0]


def test_the_condensed_ranking_keeps_its_ties() -> None:
    hits = ranked("(?+)(-?2)?").condensed
    assert picture(hits) == [(1, 1), (2, 0), (3, 2)]
    assert hits.tie_start.tolist() == [1, 2, 2]
    assert hits.tie_size.tolist() == [1, 2, 2]


def test_a_truncated_ranking_ends_in_the_middle_of_a_tie() -> None:
    hits = ranked("+(-+2)", missed="+").truncated(3)
    assert picture(hits) == [(1, 1), (2, 0), (3, 1)]
    assert hits.n_retrieved.tolist() == [3]
    assert hits.tie_size.tolist() == [1, 2, 2]
    assert hits.n_relevant().tolist() == [4]


def test_filling_judges_the_unjudged() -> None:
    hits = filled(ranked("?+~-", missed="3"), 2)
    assert picture(hits) == [(1, 2), (2, 1), (3, 2), (4, 0)]
    assert hits.pool_grade.tolist() == [3, 2, 2, 1, 0]


def test_filling_stops_at_the_cut_off_even_within_a_tie() -> None:
    hits = filled(ranked("(?+?~)-"), 1, k=3)
    assert picture(hits) == [(1, 1), (2, 1), (3, 1), (4, -1), (5, 0)]
    assert hits.pool_grade.tolist() == [1, 1, 1, 0, -1]
    assert hits.tie_start.tolist() == [1, 1, 1, 1, 5]
    assert hits.tie_size.tolist() == [4, 4, 4, 4, 1]


@given(ranking=rankings())
def test_a_filled_ranking_is_the_ranking_with_the_gaps_filled(ranking: Ranking) -> None:
    for k in (None, 1, 4):
        done, wanted = filled(hits_of(ranking), 2, k), hits_of(ranking.filled(2, k))
        assert picture(done) == picture(wanted)
        assert done.pool_grade.tolist() == wanted.pool_grade.tolist()


@pytest.mark.parametrize(
    ("best", "wanted"), [(True, [(1, 2), (2, 1), (3, 0), (5, 1)]), (False, [(2, 0), (3, 1), (4, 2), (5, 1)])]
)
def test_tied_documents_stand_in_the_best_or_the_worst_order(best: bool, wanted: list[tuple[int, float]]) -> None:
    assert picture(reordered(ranked("(1?02)+"), best=best)) == wanted


@given(queries=lists_of_rankings())
def test_the_best_order_of_ties_is_never_worse_than_the_worst(queries: list[Ranking]) -> None:
    hits = evidence(queries)
    best, worst = reordered(hits, best=True), reordered(hits, best=False)
    for order in (best, worst):
        assert np.array_equal(np.sort(order.grade), np.sort(hits.grade))
        assert (order.rank >= order.tie_start).all()
        assert (order.rank < order.tie_start + order.tie_size).all()
    assert (best.sum(best.relevant() / best.rank) >= worst.sum(worst.relevant() / worst.rank)).all()


def test_pooled_queries_keep_the_length_of_each_ranking() -> None:
    hits = several("+-?", "+|+").pooled
    assert hits.size.tolist() == [2]
    assert hits.n_retrieved.tolist() == [4]
    assert hits.depth(2).tolist() == [3]
    assert hits.positions(2).tolist() == [4]
    assert hits.n_relevant().tolist() == [3]


def test_the_sum_of_no_parts_but_one_is_that_part() -> None:
    (only,) = each([ranking("+-")])
    assert same(sum_of([only]), only)


def test_judgments_in_another_order_than_their_documents_find_their_ranks_and_ties() -> None:
    row, grade = np.array([2, 0, 1]), np.array([3.0, 2.0, 1.0])
    judged = Judgments(Names.of(["q"]), np.array([0, 3]), Names.of(["a", "b", "c"]), row, grade)
    found = JudgedRanks(np.array([4]), np.array([1, 4, 3]), np.array([1, 3, 3]), np.array([1, 2, 2]), np.array([True]))
    made = hits(judged, found)
    assert picture(made) == [(1, 2), (3, 3), (4, 1)]
    assert (made.tie_start.tolist(), made.tie_size.tolist()) == ([1, 3, 3], [1, 2, 2])


def test_judged_ranks_add_if_they_are_for_the_same_judgments_and_other_queries() -> None:
    def ranks(rank: list[int], answered: list[bool]) -> JudgedRanks:
        column = np.array(rank)
        return JudgedRanks(np.array(answered) * 3, column, column, np.sign(column), np.array(answered))

    one, other = ranks([2, 0, 0], [True, False]), ranks([0, 1, 3], [False, True])
    assert (one + other).rank.tolist() == [2, 1, 3]
    assert (one + other).answered.tolist() == [True, True]
    shorter = ranks([0, 1], [False, True])
    for first, second in ((one, shorter), (shorter, one), (one, one)):
        with pytest.raises(ValueError, match="judged ranks can be added only if they are for the same judgments"):
            _ = first + second


def test_missed_documents_join_the_pool_of_their_query_best_first() -> None:
    both = ranked("2-", missed="1") + ranked("+")
    more = with_missed(both, np.array([1, 2]), 3)
    assert more.pool_unit.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert more.pool_grade.tolist() == [3, 2, 1, 0, 3, 3, 1]
    assert more.rank.tolist() == both.rank.tolist()
