"""Opening a campaign's database, SQLite in a folder or PostgreSQL at a URL, and migrating it to the current schema."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, MetaData, create_engine, event, make_url
from sqlalchemy.exc import SQLAlchemyError

from cranfield.campaign.store.columns import NAMING
from cranfield.campaign.store.writer import JointChange, Writer
from cranfield.errors import BadInput, MissingExtra, pip_line

A = TypeVar("A")
T = TypeVar("T")
FILE = "campaign.db"
MIGRATIONS = Path(__file__).parent / "migrations"
REMEMBERED = {True: 10.0, False: 1.0}  # seconds; only a server with SQLite knows of all changes (its own)
MOST_REMEMBERED = 10_000
WAIT = 5_000  # how many milliseconds SQLite waits for a lock
PRAGMAS = (f"busy_timeout = {WAIT}", "foreign_keys = ON", "synchronous = FULL")


class Store:
    """A campaign's database with one writer and many readers, and the folder of its uploaded files."""

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.folder = folder
        self.local = url is None  # SQLite file: small reads are too fast to be worth a thread
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "uploads").mkdir(exist_ok=True, mode=0o700)
        writing, self._reading = _engines(folder, url)
        _migrate(writing)
        self._writing = writing
        self._writer = Writer(writing)
        self._changes = count(1)
        self._generation = 0
        self._remembered: dict[Hashable, tuple[int, float, Any]] = {}

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees a consistent snapshot of the database."""
        with self._reading.connect() as connection:
            yield connection

    def remembered(self, key: Hashable, find: Callable[[Connection], T]) -> T:
        """The result of `find`, cached for some seconds and never past a change made by `write`.

        With PostgreSQL, it is cached for a second, after which a change made by another server process takes effect.
        """
        generation, moment = self._generation, time.monotonic()  # read before the query
        if (known := self._recalled(key)) is not None:
            return cast(T, known[2])
        with self.read() as connection:
            value = find(connection)
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered = {}
        self._remembered[key] = generation, moment + REMEMBERED[self.local], value
        return value

    def remembers(self, key: Hashable) -> bool:
        """Whether `remembered` returns without a query."""
        return self._recalled(key) is not None

    def _recalled(self, key: Hashable) -> tuple[int, float, Any] | None:
        known = self._remembered.get(key)
        return known if known is not None and known[0] == self._generation and known[1] > time.monotonic() else None

    def record(self, change: Callable[[Connection], T]) -> Future[T]:
        """Queue a change that only adds events; it is on disk when the future is done."""
        return self._writer.submit(change)

    def record_joint(self, change: JointChange[A, T], argument: A) -> Future[T]:
        """Queue events that are added in one call for all that wait; they are on disk when the future is done."""
        return self._writer.submit_joint(change, argument)

    def write(self, change: Callable[[Connection], T]) -> T:
        """Make a change; it is on disk when this returns."""
        value = self._writer.submit(change).result()
        self._generation = next(self._changes)
        return value

    def close(self) -> None:
        """Finish the pending changes and close all connections."""
        self._writer.close()
        self._reading.dispose()
        self._writing.dispose()


@contextmanager
def read_only(folder: Path, url: str | None) -> Iterator[Connection]:
    """A read-only snapshot of a campaign's database, for programs other than the server; it is not migrated."""
    if url is None and not (folder / FILE).is_file():
        raise BadInput(f"{folder} does not contain a campaign: there is no {FILE} in it")
    writing, reading = _engines(folder, url)
    writing.dispose()
    try:
        isolated = reading if url is None else reading.execution_options(isolation_level="REPEATABLE READ")
        with isolated.connect() as connection:
            _require_current(connection)
            yield connection
    except SQLAlchemyError as error:
        raise BadInput(f"the database cannot be read: {error.args[0] if error.args else error}") from None
    finally:
        reading.dispose()


def _require_current(connection: Connection) -> None:
    latest = _scripts()[1].get_current_head()
    try:
        stored = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    except SQLAlchemyError:
        raise BadInput("the database does not contain a campaign; start the server on it first") from None
    if stored != latest:
        raise BadInput(
            f"the database belongs to another release ({stored}, not {latest}): start this release's server on it once"
        )


def _scripts() -> tuple[Config, ScriptDirectory]:
    """The migrations."""
    settings = Config()
    settings.set_main_option("script_location", os.fspath(MIGRATIONS))
    settings.set_main_option("path_separator", "os")
    return settings, ScriptDirectory.from_config(settings)


def _engines(folder: Path, url: str | None) -> tuple[Engine, Engine]:
    """The engine that writes and the one that reads."""
    if url is None:
        file = (folder / FILE).absolute()
        file.touch(mode=0o600)
        reading = _sqlite(f"sqlite:///file:{file}?mode=ro&uri=true", "BEGIN")
        return _sqlite(f"sqlite:///{file}", "BEGIN IMMEDIATE"), reading
    address = make_url(url)
    if address.get_backend_name() != "postgresql":
        raise BadInput(f"the database {address.render_as_string()} is not supported; use postgresql://… or a folder")
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise MissingExtra(f"PostgreSQL needs psycopg: {pip_line('postgres')}") from None
    address = address.set(drivername="postgresql+psycopg")
    return create_engine(address, pool_pre_ping=True), create_engine(address, pool_pre_ping=True)


def _sqlite(url: str, begin: str) -> Engine:
    engine = create_engine(url)

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # SQLAlchemy starts transactions, not the driver
        if "mode=ro" not in url:
            connection.execute("PRAGMA journal_mode = WAL")
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _migrate(engine: Engine) -> None:
    """Migrate the tables to the current schema; a database from a later release is refused."""
    settings, scripts = _scripts()

    def steps(revision: Any, _: Any) -> Any:
        return scripts._upgrade_revs("head", revision)

    try:
        with engine.begin() as connection, EnvironmentContext(settings, scripts, fn=steps) as environment:
            environment.configure(
                connection=connection, target_metadata=MetaData(naming_convention=NAMING), render_as_batch=True
            )
            environment.run_migrations()
    except CommandError as error:
        raise BadInput(f"the database is from a later release of cranfield: {error}") from None
    except SQLAlchemyError as error:
        raise BadInput(f"the database cannot be opened: {error.args[0] if error.args else error}") from None
