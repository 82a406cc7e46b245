"""A server with one benchmark, and a person of each role, on both databases.

Tests in a browser, and those about files alone (`@pytest.mark.sqlite`), are on SQLite only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from sqlalchemy import select

from campaign.web.campaign import Campaign, exported, pooled, signed_in_again, submitted_to
from campaign_server import Served, serving
from cranfield.campaign.store import schema
from cranfield.campaign.store.database import Store

SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
Made = tuple[Campaign, str | None]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "database" in metafunc.fixturenames:
        alone = "browser" in metafunc.fixturenames or metafunc.definition.get_closest_marker("sqlite")
        metafunc.parametrize("database", [SQLITE] if alone else [SQLITE, POSTGRESQL])


@pytest.fixture
def served(empty_store: Callable[..., str | None], database: str, tmp_path: Path) -> Iterator[Served]:
    store = Store(tmp_path, empty_store(tmp_path, database))
    with serving(store) as running:
        yield running
    store.close()


@pytest.fixture(scope="session")
def made_on(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Made]:
    """A campaign that is ready to be judged, or has a leaderboard; its store is closed, so that it can be copied."""
    made: dict[Any, Made] = {}

    def campaign_on(database: str, make: Callable[[Served], Campaign] = pooled) -> Made:
        if (database, make) not in made:
            url = request.getfixturevalue("postgresql")() if database == POSTGRESQL else None
            store = Store(tmp_path_factory.mktemp("made") / "campaigns", url)
            with serving(store) as running:
                made[database, make] = make(running), url
            store.close()
        return made[database, make]

    return campaign_on


@pytest.fixture(scope="session")
def copy_of(request: pytest.FixtureRequest) -> Callable[[Made, Path], Store]:
    """The store of a copy of a campaign."""

    def copied_to(made: Made, folder: Path) -> Store:
        before, url = made
        copy = None if url is None else request.getfixturevalue("postgresql")(url)
        return Store(Path(copytree(before.served.store.folder, folder)), copy)

    return copied_to


@pytest.fixture
def copied(made_on: Any, copy_of: Any, database: str, tmp_path: Path) -> tuple[Campaign, Store]:
    """A campaign that is ready to be judged, and the store of a copy of it."""
    made = made_on(database)
    return made[0], copy_of(made, tmp_path / "copy")


@pytest.fixture
def campaign(copied: Any) -> Iterator[Campaign]:
    """A copy of that campaign, served."""
    with served_again(*copied) as running:
        yield running


@pytest.fixture
def submitted(made_on: Any, copy_of: Any, database: str, tmp_path: Path) -> Iterator[Campaign]:
    """A copy of a campaign with runs and no pool, served."""
    made = made_on(database, submitted_to)
    with served_again(made[0], copy_of(made, tmp_path / "copy")) as running:
        yield running


@pytest.fixture
def judged(made_on: Any, copy_of: Any, database: str, tmp_path: Path) -> Iterator[Campaign]:
    """A copy of a campaign with qrels and a leaderboard, served."""
    made = made_on(database, exported)
    with served_again(made[0], copy_of(made, tmp_path / "copy")) as running:
        yield running


@pytest.fixture(scope="session")
def standing(made_on: Any, copy_of: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Campaign]]:
    """One copy of a campaign that all tests share that change nothing."""
    running: dict[Any, Campaign] = {}
    with ExitStack() as ends:

        def campaign_on(database: str, make: Callable[[Served], Campaign]) -> Campaign:
            if (database, make) not in running:
                made = made_on(database, make)
                store = copy_of(made, tmp_path_factory.mktemp("standing") / "copy")
                running[database, make] = ends.enter_context(served_again(made[0], store))
            return running[database, make]

        yield campaign_on


@pytest.fixture
def unchanged(standing: Any, database: str) -> Iterator[Campaign]:
    """A campaign that is ready to be judged, and still is when the test ends."""
    yield from the_same_afterwards(standing(database, pooled))


@pytest.fixture
def released(standing: Any, database: str) -> Iterator[Campaign]:
    """A campaign with a leaderboard that the test only looks at."""
    yield from the_same_afterwards(standing(database, exported))


@contextmanager
def served_again(before: Campaign, store: Store) -> Iterator[Campaign]:
    with serving(store) as running:
        yield signed_in_again(running, before)
    store.close()


def the_same_afterwards(campaign: Campaign) -> Iterator[Campaign]:
    before = rows(campaign.served.store)
    yield campaign
    assert rows(campaign.served.store) == before


def rows(store: Store) -> dict[str, set[str]]:
    """All rows of each table, but for what looking at pages leaves behind."""
    tables = [table for name, table in schema.metadata.tables.items() if name not in ("session", "score")]
    with store.read() as connection:
        return {table.name: set(map(repr, connection.execute(select(table)))) for table in tables}
