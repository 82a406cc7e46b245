"""What ARCHITECTURE.md says about modules is true of the tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
DECIDED = TEXT.partition("## Where it is decided\n")[2].partition("\n## ")[0]
PLACES = sorted({path for row in DECIDED.splitlines() for path in re.findall(r"`([a-z_]+(?:/[a-z_.]+)+)`", row)})


def test_the_table_of_decisions_names_many_places() -> None:
    assert len(PLACES) > 35


@pytest.mark.parametrize("place", PLACES)
def test_a_decision_is_where_the_table_says(place: str) -> None:
    base = ROOT / "src" / "cranfield" / place
    assert base.exists() or base.with_suffix(".py").is_file() or (ROOT / place).is_file(), place
