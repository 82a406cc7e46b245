"""The pages that are made from the code are those that the code makes now."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.docs.generate import PAGES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_up_to_date(name: str) -> None:
    assert (DOCS / "reference" / name).read_text() == PAGES[name](), "run: python -m tools.docs.generate"
