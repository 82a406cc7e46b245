"""A scale is a list of ordered grades; what is not one is refused with words."""

from __future__ import annotations

import pytest

from cranfield.errors import BadInput
from cranfield.labelling.scale import FOUR_GRADES, Grade, Scale
from cranfield.tables.collections.documents import Document

NO, SOME, HIGH = Grade(0, "No", 0), Grade(1, "Some", 1), Grade(3, "High", 7)


def test_grades_may_leave_values_out_and_relevance_begins_where_it_is_said():
    scale = Scale((NO, SOME, HIGH), relevant_from=3)
    assert [scale.relevant(value) for value in (0, 1, 3)] == [False, False, True]
    assert scale[3].gain == 7
    assert 2 not in scale
    assert 3 in FOUR_GRADES


@pytest.mark.parametrize(
    ("grades", "relevant_from", "words"),
    [
        ((NO,), 1, "at least two"),
        ((SOME, NO), 1, "must ascend"),
        ((NO, SOME, SOME), 1, "must ascend"),
        ((NO, Grade(1, "Some", 2), HIGH, Grade(4, "Top", 3)), 1, "gain of 'Top'"),
        ((NO, Grade(1, "no", 1)), 1, "labels of the grades must be distinct"),
        ((NO, Grade(1, " ", 1)), 1, "labels of the grades must be distinct"),
        ((NO, Grade(1, "Some", float("nan"))), 1, "finite"),
        ((Grade(-1, "Spam", 0), SOME), 1, "negative"),
        ((NO, SOME), 0, "must be one of 1, not 0"),
        ((NO, SOME), 2, "must be one of 1, not 2"),
    ],
)
def test_what_is_no_scale_is_refused(grades, relevant_from, words):
    with pytest.raises(BadInput, match=words):
        Scale(grades, relevant_from)


def test_a_value_that_is_not_on_the_scale_is_refused():
    with pytest.raises(BadInput, match="2 is not on the scale 0, 1, 3"):
        Scale((NO, SOME, HIGH), 1)[2]


def test_documents_with_the_same_content_have_the_same_digest_and_others_have_another():
    assert Document("1", "ab", "c").digest == Document("2", "ab", "c", "other.xml", 7).digest
    assert Document("1", "ab", "c").digest != Document("1", "a", "bc").digest
