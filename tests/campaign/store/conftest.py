"""The same store on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cranfield.campaign.store.database import Store


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def store(request: pytest.FixtureRequest, empty_store: Callable[..., str | None], tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path, empty_store(tmp_path, request.param))
    yield opened
    opened.close()
