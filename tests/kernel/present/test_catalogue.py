"""Whatever is declared can be read about."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from cranfield.advice.measures import KINDS, card, everything, known_as, lists, record
from cranfield.errors import UnknownMeasure
from cranfield.measures.declaration import Declaration, Kind
from cranfield.present.formats import aligned


def named(declared: Declaration) -> str:
    return f"{declared.kind}-{declared.name}"


@pytest.mark.parametrize("declared", everything(), ids=named)
def test_a_card_tells_the_definition_and_every_setting(declared: Declaration) -> None:
    text = aligned(card(declared))
    assert declared.definition in text
    assert all(setting in text for setting in declared.settings)


@pytest.mark.parametrize("declared", everything(), ids=named)
def test_a_record_is_json(declared: Declaration) -> None:
    read = json.loads(json.dumps(record(declared), allow_nan=False))
    assert read["name"] == declared.name
    assert [setting["name"] for setting in read["settings"]] == list(declared.settings)


def test_every_kind_has_a_name() -> None:
    assert set(KINDS) == set(get_args(Kind))


def test_every_measure_is_listed_once() -> None:
    listed = [row[0].value for table in lists() for row in table.rows]
    assert sorted(map(str, listed)) == sorted(declared.name for declared in everything())


def test_a_measure_is_known_by_the_names_of_other_tools() -> None:
    assert known_as("ndcg_cut_10")[0].name == "nDCG"
    assert known_as("AP(rel=2)@5")[0].name == "AP"


def test_a_name_may_stand_for_a_measure_of_each_kind() -> None:
    assert len({declared.kind for declared in known_as("AP")}) == len(known_as("AP"))
    assert [declared.kind for declared in known_as("AP", "ranking")] == ["ranking"]


def test_an_unknown_name_is_refused_with_what_comes_near() -> None:
    with pytest.raises(UnknownMeasure, match="did you mean nDCG"):
        known_as("NDGC")
