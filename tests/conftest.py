"""How the tests run: the same examples on every machine, few enough to be quick, and files of expected output."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import cranfield.testing
from beside_python import is_needed
from cranfield.engines import native
from cranfield.engines.choice import engine as engine_named
from cranfield.engines.protocol import Engine
from memory_folder import folder_in_memory
from time_limits import HANGS

settings.register_profile(
    "tests", max_examples=6, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("tests"), max_examples=3)  # make quick
settings.register_profile("thorough", settings.get_profile("tests"), max_examples=40)  # make test-all
settings.load_profile("tests")

# before anything imports Numba, which reads it once: ranx compiles for a minute what takes a second uncompiled
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """An option for those who changed what is printed, and looked at it."""
    parser.addoption("--regenerate-golden", action="store_true", help="write the files of expected output anew")


def pytest_configure() -> None:
    """Keep the folders of tests in memory if programs can be run there: SQLite waits for a disk at every commit."""
    memory = folder_in_memory()
    if memory is not None and not os.statvfs(memory).f_flag & os.ST_NOEXEC:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", memory)


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary() -> None:
    """Do not list the gates that tests provoke: a reader of a passing run must not see any that failed."""
    cranfield.testing._CHECKED.clear()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the garbage collector from going through all tests and modules again and again, now and in every test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[None]:
    """Tests have no examples in docstrings; to look for them takes as long as to collect the tests."""
    found: list[pytest.Collector] = yield
    return [file for file in found if type(file) is pytest.Module]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make quick` leaves out."""
    for item in items:
        if is_needed(item):
            item.add_marker("beside")


_states: dict[str, Any] = {}  # of the random numbers of a module, before its first test


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give every test the same random numbers, whichever tests of its module ran before."""
    module = getattr(item, "module", None)
    source = getattr(module, "RNG", None)
    if source is not None:
        source.bit_generator.state = _states.setdefault(module.__name__, source.bit_generator.state)


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept for the next time is kept apart from the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module", params=["local", "native"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Each engine in turn, as the one that "auto" stands for."""
    if request.param == "native" and not native.is_built():
        pytest.skip("the extension in C was not built")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "local":
            patch.setattr("cranfield.native.native", None)
        yield engine_named()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the file in tests/golden, or write the file with --regenerate-golden."""

    def compare(name: str, text: str) -> None:
        file = Path(__file__).parent / "golden" / name
        if request.config.getoption("--regenerate-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")

    return compare


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Callable[..., str]]:
    """One PostgreSQL server for all tests of a process: a function that gives the address of a new database."""
    from postgresql_server import postgres

    with postgres() as new_database:
        yield new_database


@pytest.fixture(scope="session")
def empty_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str | None]:
    """A function that copies an empty store to a folder and gives the address of its database, None for SQLite.

    To make the tables anew takes a tenth of a second.
    """
    from cranfield.campaign.store.database import Store

    @cache
    def made(database: str) -> tuple[Path, str | None]:
        url = request.getfixturevalue("postgresql")() if database == "PostgreSQL" else None
        folder = tmp_path_factory.mktemp("empty") / "campaigns"
        Store(folder, url).close()
        return folder, url

    def copied_to(folder: Path, database: str = "SQLite") -> str | None:
        before, url = made(database)
        shutil.copytree(before, folder, dirs_exist_ok=True)
        return None if url is None else request.getfixturevalue("postgresql")(url)

    return copied_to


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all tests of a process: two of Playwright's loops cannot run in one thread."""
    playwright = pytest.importorskip("playwright.sync_api", reason="pages are tested with Playwright")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("pages are tested in Chromium, which is not installed: apt-get install chromium")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=program, args=QUIET, timeout=1000 * HANGS)
        yield running
        running.close()
