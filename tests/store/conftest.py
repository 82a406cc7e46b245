"""The same store on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cranfield.store.database import Store


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = request.getfixturevalue("postgresql")() if request.param == "PostgreSQL" else None
    opened = Store(tmp_path, url)
    yield opened
    opened.close()
