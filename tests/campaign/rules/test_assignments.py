"""Every document has exactly as many judges as it should, and nobody alone judges what only their team found."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.campaign.rules.assignments import Assessor, ToJudge, hours_left, shares
from cranfield.errors import BadInput

TEAMS = ["x", "y", "z"]


def topics(sizes: list[int], teams: list[frozenset[str]]) -> dict[str, list[ToJudge]]:
    """Topics of these sizes, whose documents were found by these teams in turn."""
    found: dict[str, list[ToJudge]] = {}
    number = 0
    for place, size in enumerate(sizes):
        found[f"{place:02}"] = [ToJudge(number + own, teams[(number + own) % len(teams)]) for own in range(size)]
        number += size
    return found


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    found_by=st.lists(st.frozensets(st.sampled_from(TEAMS), min_size=1), min_size=1, max_size=7),
    staff=st.lists(st.sampled_from(["", *TEAMS]), min_size=3, max_size=6).filter(lambda own: len({*own}) > 1),
    double=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]),
    judges=st.integers(2, 3),
    repeats=st.sampled_from([0.0, 0.05, 0.5]),
    seed=st.integers(0, 99),
)
def test_sharing_keeps_its_promises(sizes, found_by, staff, double, judges, repeats, seed):
    given_topics = topics(sizes, found_by)
    assessors = [Assessor(10 + number, team) for number, team in enumerate(staff)]
    shared = shares(given_topics, assessors, double=double, judges=judges, repeats=repeats, seed=seed)
    team = {one.id: one.team for one in assessors}
    by_document = defaultdict(list)
    for share in shared:
        if not share.repeat:
            by_document[share.document].append(share.assessor)
    for documents in given_topics.values():
        n_judges = [len(by_document[one.id]) for one in documents]
        assert all(len({*by_document[one.id]}) == n for one, n in zip(documents, n_judges, strict=True))
        n_several = int(double * len(documents) + 0.5)
        assert sorted(n_judges) == [1] * (len(documents) - n_several) + [judges] * n_several
        for one in documents:
            assert any(one.teams != {team[judge]} for judge in by_document[one.id])
    for assessor in team:
        own = [share for share in shared if share.assessor == assessor]
        assert [share.position for share in own] == list(range(1, len(own) + 1))
        first = {share.document: share.position for share in own if not share.repeat}
        assert all(first[share.document] < share.position for share in own if share.repeat)
    assert shared == shares(given_topics, assessors, double=double, judges=judges, repeats=repeats, seed=seed)


def test_the_work_is_shared_evenly_and_topics_stay_together():
    shared = shares(topics([20] * 6, [frozenset({"x", "y"})]), [Assessor(1), Assessor(2), Assessor(3)])
    assert Counter(share.assessor for share in shared) == {1: 40, 2: 40, 3: 40}
    topic_of = {share.document: share.document // 20 for share in shared}
    assert all(len({share.assessor for share in shared if topic_of[share.document] == t}) == 1 for t in range(6))


def test_repeats_are_a_proportion_of_what_an_assessor_judges_and_are_not_other_documents():
    shared = shares(topics([40], [frozenset({"x", "y"})]), [Assessor(1)], repeats=0.05)
    repeated = [share.document for share in shared if share.repeat]
    assert len(repeated) == 2
    assert {*repeated} <= {share.document for share in shared if not share.repeat}


@pytest.mark.parametrize(
    ("assessors", "settings", "words"),
    [
        ([], {}, "there are no assessors"),
        ([Assessor(1)], {"double": 0.5}, "at least 2 assessors; got 1"),
        ([Assessor(1), Assessor(2)], {"double": 0.5, "judges": 3}, "3 times needs at least 3 assessors; got 2"),
        ([Assessor(1), Assessor(2)], {"double": 1.5}, "between 0 and 1, not 1.5"),
        ([Assessor(1)], {"repeats": -1}, "between 0 and 1"),
        ([Assessor(1, "x"), Assessor(2, "x")], {}, "only team 'x' retrieved some documents"),
    ],
)
def test_what_cannot_be_shared_is_refused(assessors, settings, words):
    with pytest.raises(BadInput, match=words):
        shares(topics([4], [frozenset({"x"})]), assessors, **settings)


def test_hours_follow_from_the_measured_pace():
    assert hours_left(120, [20_000, 30_000, 400_000]) == 1.0
    assert hours_left(120, []) is None
