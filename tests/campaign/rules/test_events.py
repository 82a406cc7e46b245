"""The current label is a view of events that are only ever added; the same labels have the same hash."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield
from cranfield.campaign.rules.events import Judged, checked, content_hash, current
from cranfield.errors import BadInput
from cranfield.labelling.scale import FOUR_GRADES
from cranfield.tables.judgments import qrels_text

UNDO = Judged("undo")


def said(grade: int) -> Judged:
    return Judged("grade", grade)


@pytest.mark.parametrize(
    ("events", "label"),
    [
        ([], None),
        ([said(1)], said(1)),
        ([said(1), said(3)], said(3)),
        ([said(1), said(3), UNDO], said(1)),
        ([said(1), UNDO, UNDO, said(2)], said(2)),  # an undo too many takes nothing back
        ([said(1), Judged("later"), UNDO], said(1)),
        ([said(1), Judged("cannot tell", note="cut off")], Judged("cannot tell", note="cut off")),
        ([said(1), said(2), said(3), UNDO, UNDO], said(1)),
    ],
)
def test_the_current_label_is_the_last_that_was_not_undone(events, label):
    assert current(events, lambda _: "document").get("document") == label


@given(st.lists(st.integers(0, 3), max_size=8), st.integers(0, 3))
def test_a_judgment_and_its_undo_change_nothing(grades, grade):
    events = [said(each) for each in grades]
    subject = lambda _: "document"  # noqa: E731
    assert current([*events, said(grade), UNDO], subject) == current(events, subject)


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        (said(4), "4 is not on the scale 0, 1, 2, 3"),
        (Judged("later", 1), "must have a grade if"),
        (Judged("grade"), "must have a grade if"),
        (Judged("maybe"), "must be one of"),  # type: ignore[arg-type]
        (Judged("later", note="x" * 2001), "at most 2,000 characters"),
    ],
)
def test_what_cannot_be_kept_is_refused(judged, words):
    with pytest.raises(BadInput, match=words):
        checked(judged, "key-12345", FOUR_GRADES)


def test_qrels_have_one_order_and_one_hash_and_are_read_back(tmp_path):
    grades = {("9", "d2"): 1, ("09", "d1"): 0, ("9", "d10"): 3}
    text = qrels_text(grades)
    assert text == "09 0 d1 0\n9 0 d10 3\n9 0 d2 1\n"
    assert text == qrels_text(dict(reversed(grades.items())))
    assert content_hash(text) == hashlib.sha256(text.encode()).hexdigest()
    path = tmp_path / "qrels.txt"
    path.write_text(text)
    result = cranfield.evaluate(path, {"09": {"d1": 1}, "9": {"d10": 2, "d2": 1}}, "AP")
    assert result.per_query("AP")["9"] == 1.0
    assert result.provenance.inputs[0].digest == content_hash(text)
