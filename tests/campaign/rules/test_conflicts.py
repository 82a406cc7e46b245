"""Several opinions on a document become one label only by agreement, a decision, or a rule that is named."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.campaign.rules.assessor_labels import (
    CURRENT,
    as_completed,
    by_period,
    by_topic,
    judged_by_several,
    substituted,
)
from cranfield.campaign.rules.assignments import Assessor, further_judges
from cranfield.campaign.rules.conflicts import (  # fmt: skip
    RULES,
    TIES,
    Adjudication,
    JudgedDocument,
    Opinion,
    conflicts,
    decided,
    is_open,
    rule_in_words,
    size,
)
from cranfield.campaign.rules.events import Judged
from cranfield.errors import BadInput
from cranfield.labelling.scale import FOUR_GRADES, Grade, Scale

GRADES = st.lists(st.integers(0, 3), min_size=1, max_size=6)


def judged(grades: list[int | None], *, key: int = 1, adjudicated: int | None = None, at: int = 0) -> JudgedDocument:
    """A document; None is an assessor who cannot tell."""
    opinions = tuple(
        Opinion(place, f"a{place}", Judged("cannot tell") if grade is None else Judged("grade", grade), at)
        for place, grade in enumerate(grades)
    )
    decision = None if adjudicated is None else Adjudication("grade", adjudicated, "why", 99, "carla")
    return JudgedDocument(key, "t", f"d{key}", opinions, decision)


@given(GRADES, st.sampled_from(RULES), st.sampled_from(TIES))
def test_a_grade_that_more_than_half_gave_wins_under_the_rule_of_the_majority(grades, rule, ties):
    found = decided(judged(grades), rule, ties)
    winner = [grade for grade in set(grades) if 2 * grades.count(grade) > len(grades)]
    if rule == "majority" and winner:
        assert found.grade == winner[0]
    if rule != "majority":
        assert found.grade == sorted(grades)[0 if rule == "lowest" else -1]


@given(GRADES, st.integers(0, 3), st.sampled_from(RULES), st.sampled_from(TIES))
def test_an_adjudication_decides_whatever_the_rule(grades, grade, rule, ties):
    assert decided(judged(grades, adjudicated=grade), rule, ties).grade == grade


@given(GRADES)
def test_ties_are_left_open_unless_a_setting_says_otherwise(grades):
    open_, higher, lower = (decided(judged(grades), "majority", ties).grade for ties in TIES)
    if open_ is None:
        assert lower < higher
        assert grades.count(lower) == grades.count(higher) >= max(map(grades.count, grades))
    else:
        assert open_ == higher == lower
    assert is_open(judged(grades)) == (open_ is None)


@pytest.mark.parametrize(
    ("grades", "reason"),
    [([2], "one assessor"), ([2, 2], "agreed"), ([0, 2, 2], "majority"), ([0, 2], "conflict"),
     ([None, 1], "one assessor"), ([None, None], "no grade"),
     ([], "no grade"), ([0, 1, 2], "conflict"), ([0, 0, 2, 2, 1], "conflict")],
)  # fmt: skip
def test_every_label_says_where_it_comes_from(grades, reason):
    assert decided(judged(grades), "majority", "unresolved").reason == reason


def test_each_rule_has_words_of_its_own():
    words = {rule_in_words(rule, ties) for rule, ties in product(RULES, TIES)}
    assert len(words) == 3 + 2  # ties matter to the majority only


def test_conflicts_come_widest_first_in_steps_of_the_scale():
    scale = Scale((Grade(0, "no", 0), Grade(1, "some", 1), Grade(10, "all", 5)), relevant_from=1)
    documents = [judged([1, 10], key=1), judged([0, 10], key=2), judged([0, 0], key=3), judged([None, None], key=4)]
    found = conflicts(documents, scale)
    assert [(one.id, size(one, scale)) for one in found] == [(2, 2), (1, 1), (4, 0)]


def test_a_document_that_only_one_could_not_judge_is_no_conflict():
    assert conflicts([judged([None, 2])], FOUR_GRADES) == []


def test_another_assessor_is_the_least_busy_who_has_not_judged_it():
    people = [Assessor(1), Assessor(2), Assessor(3), Assessor(4)]
    shares = further_judges({10: frozenset({1, 2}), 11: frozenset({1, 3}), 12: frozenset({1, 2})}, people, {3: 5, 4: 6})
    assert [(one.document, one.assessor, one.position) for one in shares] == [(10, 3, 1), (11, 2, 1), (12, 3, 2)]
    with pytest.raises(BadInput, match="invite another one"):
        further_judges({10: frozenset({1, 2})}, people[:2], {})


def test_documents_are_grouped_by_the_time_of_their_last_judgment():
    day = 24 * 3600 * 1000
    documents = [judged([0, 1], key=n, at=(40 - n) * day) for n in range(40)]
    periods = by_period(documents)["a0"]
    assert [len(own) for own in periods.values()] == [10, 10, 10, 10]
    assert next(iter(periods)) == "1. 1970-01-02 to 1970-01-11"
    assert set(periods["1. 1970-01-02 to 1970-01-11"]) == {f"t d{n}" for n in range(30, 40)}
    assert by_period(documents[:19]) == {}


def test_the_labels_of_an_assessor_replace_the_current_ones_where_they_judged():
    documents = [judged([0, 3], key=1), judged([2, 2], key=2), judged([1], key=3), judged([0, 1], key=4, adjudicated=3)]
    assert by_topic(judged_by_several(documents))["a1"] == {"t": {"d1": 3, "d2": 2, "d4": 1}}
    assert substituted(documents, "majority", "unresolved") == {
        CURRENT: {"t": {"d2": 2, "d3": 1, "d4": 3}},
        "a0": {"t": {"d1": 0, "d2": 2, "d3": 1, "d4": 0}},
        "a1": {"t": {"d1": 3, "d2": 2, "d3": 1, "d4": 1}},
    }
    assert substituted([judged([1])], "majority", "unresolved") == {}


def test_topics_are_in_the_order_of_their_last_judgment_and_open_ones_are_left_out():
    documents = [
        replace(judged([grade], key=key, at=at), topic=topic)
        for key, (topic, grade, at) in enumerate([("x", 1, 5), ("y", 2, 3), ("x", 0, 1), ("y", None, 4), ("z", 3, 2)])
    ]
    assert as_completed(documents, {"x", "y"}, "majority", "higher") == [("y", {"d1": 2}), ("x", {"d0": 1, "d2": 0})]
