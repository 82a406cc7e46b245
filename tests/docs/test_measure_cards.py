"""Every measure of the reference has its formula, settings, example, range, undefined cases and other tools."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cranfield.advice.measures import everything

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "measures.md").read_text("utf-8")
CARDS = re.split(r"^#### ", PAGE, flags=re.MULTILINE)[1:]


def test_every_measure_has_a_card() -> None:
    assert len(CARDS) == len(everything())


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.partition("\n")[0])
def test_a_card_is_complete(card: str) -> None:
    assert re.search(r"^`[^`]+`|^Algorithm: ", card, re.MULTILINE)
    assert "| setting" in card
    for fact in ("example", "undefined", "range", "aggregation over \\w+", "also computed by"):
        assert len(re.findall(rf"^{fact}: \S", card, re.MULTILINE)) == 1, fact


def test_the_index_links_every_card() -> None:
    index = PAGE.partition("## All measures")[2].partition("\n## ")[0]
    assert re.findall(r"\[([^]]+)\]\(#", index) == [card.partition(":")[0] for card in CARDS]
    anchors = re.findall(r"\]\(#([^)]+)\)", index)
    assert len(set(anchors)) == len(anchors)
