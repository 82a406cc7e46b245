"""Specificity is the proportion of the characters that some passage covers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.campaign.rules.passages import checked_spans, merged, specificity
from cranfield.errors import BadInput

SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 10)).map(lambda one: (one[0], one[0] + one[1])), max_size=8
)


@given(SPANS)
def test_passages_cover_the_same_characters_once(spans):
    covered = {place for start, end in spans for place in range(start, end)}
    joined = merged(spans)
    assert [place for start, end in joined for place in range(start, end)] == sorted(covered)
    assert all(first[1] < second[0] for first, second in pairwise(joined))
    assert specificity(spans, 50) == len(covered) / 50


def test_an_empty_text_has_no_specificity_and_no_passage():
    assert specificity([], 0) is None
    for span in ((0, 1), (3, 3), (-1, 2), (4, 2)):
        with pytest.raises(BadInput, match="is not within the 0 characters"):
            checked_spans([span], 0)
