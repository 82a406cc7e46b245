"""Measures of sets: what is refused, and what is counted."""

from __future__ import annotations

import pytest

from cranfield.errors import BadSetting
from cranfield.measures.naming import parse
from pictures import ranked, several


@pytest.mark.parametrize("name", ["Fallout", "Generality", "SetAccuracy"])
def test_a_collection_smaller_than_what_was_seen_is_refused(name: str) -> None:
    hits = ranked("+-?", missed="++")
    parse(f"{name}(collection=5)").values(hits)
    with pytest.raises(BadSetting, match="collection=4 is too small: query q alone has 5 documents"):
        parse(f"{name}(collection=4)").values(hits)


def test_empty_ranks_count_as_not_relevant() -> None:
    hits = ranked("+++")
    assert parse("P@10").values(hits) == pytest.approx([0.3])
    for name in ("F@10", "Dice@10"):
        assert parse(name).values(hits) == pytest.approx([2 * 3 / (10 + 3)])
    assert parse("Jaccard@10").values(hits) == pytest.approx([3 / 10])
    assert parse("P").values(hits) == [1]


def test_the_micro_average_counts_each_ranking_to_its_own_cut_off() -> None:
    hits = several("+?????", "+")  # at 2: two documents of the first, one of the second, whose next rank is empty
    assert parse("Jaccard@2").micro(hits) == pytest.approx(2 / 4)
    assert parse("NumRet@2").micro(hits) == 3
    assert parse("P@2").micro(hits) == pytest.approx(2 / 4)


def test_the_micro_average_skips_the_unjudged_before_it_pools() -> None:
    hits = several("??+-", "?-+")
    assert parse("P(unjudged='skip')@1").micro(hits) == 1 / 2


def test_f_takes_beta_or_alpha_but_not_both() -> None:
    hits = ranked("+-", missed="+")
    assert parse("F(alpha=0.2)").values(hits) == pytest.approx(parse("F(beta=2)").values(hits))
    with pytest.raises(BadSetting, match="F takes beta or alpha, not both"):
        parse("F(beta=2, alpha=0.3)").values(hits)
