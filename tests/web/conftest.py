"""A server with one benchmark, and a person of each role, on both databases.

Tests in a browser, and those about files alone (`@pytest.mark.sqlite`), are on SQLite only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from campaign_server import Served, serving
from cranfield.store.database import Store
from web.campaign import Campaign, pooled, signed_in_again

SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
Made = tuple[Campaign, str | None]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "database" in metafunc.fixturenames:
        alone = "browser" in metafunc.fixturenames or metafunc.definition.get_closest_marker("sqlite")
        metafunc.parametrize("database", [SQLITE] if alone else [SQLITE, POSTGRESQL])


@pytest.fixture
def served(request: pytest.FixtureRequest, database: str, tmp_path: Path) -> Iterator[Served]:
    url = request.getfixturevalue("postgresql")() if database == POSTGRESQL else None
    store = Store(tmp_path / "campaigns", url)
    with serving(store) as running:
        yield running
    store.close()


@pytest.fixture(scope="session")
def made_on(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Made]:
    """A campaign whose pool is ready to be judged; its store is closed, so that it can be copied."""
    made: dict[str, Made] = {}

    def campaign_on(database: str) -> Made:
        if database not in made:
            url = request.getfixturevalue("postgresql")() if database == POSTGRESQL else None
            store = Store(tmp_path_factory.mktemp("made") / "campaigns", url)
            with serving(store) as running:
                made[database] = pooled(running), url
            store.close()
        return made[database]

    return campaign_on


@pytest.fixture
def copied(
    request: pytest.FixtureRequest, made_on: Callable[[str], Made], database: str, tmp_path: Path
) -> tuple[Campaign, Store]:
    """That campaign, and the store of a copy of it."""
    before, url = made_on(database)
    copy = None if url is None else request.getfixturevalue("postgresql")(url)
    return before, Store(Path(copytree(before.served.store.folder, tmp_path / "copy")), copy)


@pytest.fixture
def campaign(copied: Any) -> Iterator[Campaign]:
    """A copy of that campaign, served."""
    before, store = copied
    with serving(store) as running:
        yield signed_in_again(running, before)
    store.close()
