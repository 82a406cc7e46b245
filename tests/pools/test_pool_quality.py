"""Leave-one-out against figures computed by hand and against evaluations with fewer judgments."""

from __future__ import annotations

import itertools
import math
import warnings

import pytest
from scipy import stats

import cranfield
from cranfield.errors import BadSetting, CranfieldWarning
from pools.simulated import collection

# two topics; relevant documents are r1, r2, …
QRELS = {"1": {"r1": 1, "r2": 1, "n1": 0, "n2": 0}, "2": {"r3": 1, "r4": 2, "n3": 0}}
RUNS = {
    "a": {"1": {"r1": 3, "r2": 2, "n1": 1}, "2": {"r3": 2, "n3": 1}},
    "b": {"1": {"r1": 2, "n2": 1}, "2": {"n3": 3, "r3": 2, "x": 1}},
    "c": {"1": {"n1": 2, "r1": 1}, "2": {"r4": 2, "n3": 1}},
}


def omission(quality, run, left_out="run"):
    return next(each for each in quality.omissions if (each.run, each.left_out) == (run, left_out))


def test_leave_one_run_out_by_hand():
    quality = cranfield.pool_quality(QRELS, RUNS)
    # a: AP is (1 + 1) / 2 = 1 and 1/2; b: 1/2 and (1/2) / 2; c: (1/2) / 2 and 1/2
    assert [omission(quality, run).score for run in "abc"] == [0.75, 0.375, 0.375]
    # without a, r2 of topic 1 is unjudged: a 1 and 1/2; b 1 and 1/4; c 1/2 and 1/2
    a = omission(quality, "a")
    assert (a.unique, a.unique_relevant, a.score_without, a.change) == (1, 1, 0.75, 0.0)
    assert (a.rank, a.rank_without) == (1, 1)
    # without c, r4 of topic 2 is unjudged: a 1 and 1, b 1/2 and 1/2, c 1/4 and 0
    c = omission(quality, "c")
    assert (c.unique, c.unique_relevant, c.score_without, c.change) == (1, 1, 0.125, -0.25)
    assert (c.rank, c.rank_without) == (2, 3)
    # b contributes n2 alone, which is not relevant
    b = omission(quality, "b")
    assert (b.unique, b.unique_relevant, b.change, b.tau) == (1, 0, 0.0, 1.0)


def test_leave_one_team_out_by_hand():
    quality = cranfield.pool_quality(QRELS, RUNS, teams={"a": "x", "b": "x"})
    # without a and b, r2, n2 and r3 are unjudged: topic 1 has r1 and n1, topic 2 r4 and n3
    a, b = (omission(quality, run, "team") for run in "ab")
    assert (a.unique, a.unique_relevant) == (b.unique, b.unique_relevant) == (3, 2)
    assert (a.score_without, b.score_without) == (0.5, 0.5)
    assert (a.rank_without, b.rank_without) == (2, 2)  # c has 1/2 and 1
    assert [each.left_out for each in quality.omissions] == ["run"] * 3 + ["team"] * 2


def test_overlap_judged_depth_and_missing_by_hand():
    quality = cranfield.pool_quality(QRELS, RUNS)
    # a judged r1 r2 n1 r3 n3; b r1 n2 n3 r3; c n1 r1 r4 n3
    overlap = {(each.run, each.other): (each.shared, each.overlap) for each in quality.overlaps}
    assert overlap == {("a", "b"): (3, 3 / 6), ("a", "c"): (3, 3 / 6), ("b", "c"): (2, 2 / 6)}
    judged = {(each.run, each.k): each.judged for each in quality.judged}
    assert judged["b", 10] == pytest.approx((1 + 2 / 3) / 2)
    # topic 1: r1 by three, r2 by one; topic 2: r3 by two, r4 by one
    assert [(each.once, each.twice, each.missing) for each in quality.missing] == [(1, 0, 0.0), (1, 1, 0.0)]


def test_missing_relevant_documents_are_estimated_as_chao_does():
    qrels = {"q": {f"r{n}": 1 for n in range(6)}}
    runs = {"a": {"q": {"r0": 9, "r1": 8, "r2": 7, "r5": 1}}, "b": {"q": {"r3": 9, "r4": 8, "r5": 7}}}
    assert cranfield.pool_quality(qrels, runs).missing[0].missing == 0.5 * 5 * 4 / (2 * 2)


def test_one_team_cannot_show_what_it_missed():
    quality = cranfield.pool_quality(QRELS, RUNS, teams=dict.fromkeys(RUNS, "t"))
    assert all(math.isnan(each.missing) for each in quality.missing)


def test_documents_below_the_depth_of_the_pool_are_no_contribution():
    assert omission(cranfield.pool_quality(QRELS, RUNS, depth=1), "a").unique_relevant == 1  # r3; r1 is also b's
    with pytest.raises(BadSetting, match="depth must be a positive integer, not 0"):
        cranfield.pool_quality(QRELS, RUNS, depth=0)


def decisions(result) -> dict[tuple[str, str], int]:
    """The significant pairs, by SciPy's paired t-test and Holm's correction by hand."""
    p, sign = {}, {}
    for first, second in itertools.combinations(result.systems, 2):
        x, y = ([*result.per_query("AP", system).values()] for system in (first, second))
        found = stats.ttest_rel(x, y)
        p[first, second], sign[first, second] = float(found.pvalue), 1 if found.statistic > 0 else -1
    significant, ordered = {}, sorted(p, key=p.__getitem__)
    for place, pair in enumerate(ordered):
        if p[pair] * (len(ordered) - place) >= 0.05:
            break
        significant[pair] = sign[pair]
    return significant


def test_leave_one_out_is_an_evaluation_with_fewer_judgments():
    qrels, runs = collection(n_systems=6, n_topics=12, n_documents=150, n_relevant=15)
    teams = {"system 0": "t", "system 3": "t", "system 4": "t"}
    quality = cranfield.pool_quality(qrels, runs, teams=teams, depth=10)
    ranked = {s: {q: sorted(d, key=d.get, reverse=True)[:10] for q, d in own.items()} for s, own in runs.items()}
    full = cranfield.evaluate(qrels, runs, "AP")
    flipped = 0
    for each in quality.omissions:
        members = {each.run} if each.left_out == "run" else set(teams)
        reduced = {}
        for query, grades in qrels.items():
            others = {name for system in runs if system not in members for name in ranked[system][query]}
            own = {name for system in members for name in ranked[system][query]}
            reduced[query] = {name: grade for name, grade in grades.items() if name not in own - others}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CranfieldWarning)
            without = cranfield.evaluate(reduced, runs, "AP")
        assert each.unique == sum(len(qrels[q]) - len(reduced[q]) for q in qrels)
        assert each.score_without == pytest.approx(without[each.run, "AP"], abs=1e-12)
        before, after = (list(result["AP"].values()) for result in (full, without))
        assert each.tau == pytest.approx(stats.kendalltau(before, after).statistic)
        assert each.rank_without == 1 + sum(value > without[each.run, "AP"] + 1e-12 for value in after)
        pairs = itertools.combinations(runs, 2)
        first, second = decisions(full), decisions(without)
        assert each.flipped == sum(first.get(pair, 0) != second.get(pair, 0) for pair in pairs)
        flipped += each.flipped
    assert flipped > 0


def test_a_team_of_an_unknown_run_is_refused():
    with pytest.raises(BadSetting, match="no run 'z'"):
        cranfield.pool_quality(QRELS, RUNS, teams={"z": "t"})
