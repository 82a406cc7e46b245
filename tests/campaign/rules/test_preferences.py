"""Pairs are dealt exactly, sides are at random, circles are counted, and only judged preferences are written."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield
from cranfield.campaign.rules.preferences import Pair, Preference, alike, cycles, deal, preference_lines
from cranfield.errors import BadInput
from cranfield.tables.sources import as_judgments


def said(left: str, choice: str, right: str, assessor: str = "ann", topic: str = "1") -> Preference:
    return Preference(Pair(topic, left, right), assessor, choice)  # type: ignore[arg-type]


@given(st.integers(2, 7), st.integers(1, 4), st.integers(1, 30), st.integers(0, 5))
def test_each_pair_goes_to_exactly_so_many_assessors_once_each(n, judges, most, seed):
    topics = {"1": [f"d{place}" for place in range(n)], "2": ["a", "b"]}
    dealt = deal(topics, [1, 2, 3, 4], most=most, judges=judges, seed=seed)
    seen = Counter((one.pair.topic, frozenset((one.pair.left, one.pair.right))) for one in dealt)
    assert set(seen.values()) == {judges}
    assert len(seen) == min(most, n * (n - 1) // 2) + 1
    assert len({(one.assessor, one.pair.topic, frozenset((one.pair.left, one.pair.right))) for one in dealt}) == len(
        dealt
    )
    assert dealt == deal(topics, [1, 2, 3, 4], most=most, judges=judges, seed=seed)


def test_sides_are_at_random():
    dealt = deal({"1": [f"d{place:02}" for place in range(20)]}, [1], most=190)
    n_in_order = sum(one.pair.left < one.pair.right for one in dealt)
    assert 60 < n_in_order < 130


def test_more_judges_than_assessors_are_refused():
    with pytest.raises(BadInput, match="between 1 and 2 assessors, not 3"):
        deal({"1": ["a", "b"]}, [1, 2], most=1, judges=3)


def brute_force(edges: set[tuple[str, str]]) -> int:
    names = {name for edge in edges for name in edge}
    return sum({(a, b), (b, c), (c, a)} <= edges for a, b, c in permutations(names, 3)) // 3


@given(st.sets(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")).filter(lambda edge: edge[0] != edge[1])))
def test_circles_are_counted_once(edges):
    assert cycles(said(better, "left", worse) for better, worse in edges) == brute_force(edges)


def test_a_circle_is_of_one_assessor_and_one_topic():
    round_ = [said("a", "left", "b"), said("c", "right", "b"), said("c", "left", "a")]
    assert cycles(round_) == 1
    assert cycles([*round_[:2], said("c", "left", "a", "bob")]) == 0
    assert cycles([*round_[:2], said("c", "left", "a", topic="2")]) == 0
    assert cycles([*round_[:2], said("c", "equal", "a")]) == 0


def test_only_strict_preferences_are_written_and_the_measures_read_them(tmp_path):
    made = [said("a", "left", "b"), said("c", "right", "a"), said("b", "equal", "c"), said("a", "cannot tell", "d")]
    text = preference_lines(made)
    assert text == "1 pair1 0 a 2\n1 pair1 0 b 1\n1 pair2 0 a 2\n1 pair2 0 c 1\n"
    path = tmp_path / "prefs.txt"
    path.write_text(text)
    judgments = as_judgments(path, form="prefs")
    run = {"1": {"a": 2.0, "b": 3.0, "c": 1.0}}  # b over a is wrong, a over c is right
    assert cranfield.evaluate(judgments, run, "prefs_simp")["prefs_simp"] == 0.5


def test_agreement_ignores_the_side():
    made = [
        said("a", "left", "b"),
        said("b", "right", "a", "bob"),
        said("a", "equal", "c"),
        said("a", "left", "c", "bob"),
    ]
    assert alike(made) == (2, 1)
