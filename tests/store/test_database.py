"""The database: migrations and the writer."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import event, insert, select, text

from cranfield.campaign.events import Judged
from cranfield.errors import BadInput, NotSaved
from cranfield.store import schema
from cranfield.store.database import FILE, Store
from store.small_campaign import Small


def put(key: str, value: str = "") -> object:
    return lambda connection: connection.execute(insert(schema.score).values(key=key, value=value, created=0))


def keys(store: Store) -> set[str]:
    with store.read() as connection:
        return set(connection.scalars(select(schema.score.c.key)))


def test_migrations_make_the_tables_of_the_schema(store: Store) -> None:
    with store._writing.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []


def test_a_database_is_migrated_once(tmp_path: Path) -> None:
    for _ in range(2):
        Store(tmp_path).close()


def test_a_database_of_a_later_release_is_refused(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'later'")
    with pytest.raises(BadInput, match="later"):
        Store(tmp_path)


def test_sqlite_syncs_every_commit_and_uses_its_log(tmp_path: Path) -> None:
    store = Store(tmp_path)
    pragmas = ("journal_mode", "synchronous", "foreign_keys")
    found = store.write(lambda connection: [connection.scalar(text(f"PRAGMA {name}")) for name in pragmas])
    assert found == ["wal", 2, 1]
    store.close()


def test_readers_cannot_write(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.read() as connection, pytest.raises(Exception, match="readonly"):
        put("x")(connection)  # type: ignore[operator]
    store.close()


def test_a_change_that_fails_is_undone_alone(store: Store) -> None:
    def fails(connection: object) -> None:
        put("half")(connection)  # type: ignore[operator]
        raise BadInput("no")

    changes = [put("a"), fails, put("b")]
    waiting = [store._writer.submit(change) for change in changes]  # type: ignore[arg-type]
    assert [type(future.exception()) for future in waiting] == [type(None), BadInput, type(None)]
    assert keys(store) == {"a", "b"}


def test_many_threads_write_and_nothing_is_lost(store: Store) -> None:
    threads = [
        threading.Thread(target=lambda t=t: [store.write(put(f"{t} {n}")) for n in range(25)])  # type: ignore[misc]
        for t in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert keys(store) == {f"{t} {n}" for t in range(16) for n in range(25)}


def test_changes_that_wait_share_one_commit(store: Store) -> None:
    commits: list[object] = []
    event.listen(store._writing, "commit", commits.append)
    started, go_on = threading.Event(), threading.Event()

    def busy(_: object) -> None:
        started.set()
        go_on.wait()

    first = store.record(busy)
    started.wait()
    waiting = [store.record(put(str(n))) for n in range(40)]  # type: ignore[arg-type]
    go_on.set()
    for future in (first, *waiting):
        future.result()
    assert len(commits) == 2
    assert keys(store) == {str(n) for n in range(40)}


def test_what_is_remembered_never_outlives_a_change(store: Store) -> None:
    found = [store.remembered("keys", lambda connection: set(connection.scalars(select(schema.score.c.key))))]
    for key in ("a", "b"):
        store.write(put(key))  # type: ignore[arg-type]
        found.append(store.remembered("keys", lambda connection: set(connection.scalars(select(schema.score.c.key)))))
    assert found == [set(), {"a"}, {"a", "b"}]


def test_a_value_is_remembered_for_a_second(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    moment = [1000.0]
    monkeypatch.setattr("cranfield.store.database.time.monotonic", lambda: moment[0])
    assert not store.remembers("x")
    for _ in range(3):
        store.remembered("x", reads.append)
    assert len(reads) == 1
    assert store.remembers("x")
    moment[0] += 1.1  # another process may have changed it
    assert not store.remembers("x")
    store.remembered("x", reads.append)
    assert len(reads) == 2


def test_a_full_disk_saves_nothing_and_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(put("before"))  # type: ignore[arg-type]
    store.write(lambda connection: connection.execute(text("PRAGMA max_page_count = 1")))  # as small as it is now
    with pytest.raises(NotSaved, match="full"):
        store.write(put("large", "x" * 10_000_000))  # type: ignore[arg-type]
    store.write(lambda connection: connection.execute(text("PRAGMA max_page_count = 1000000")))
    store.write(put("after"))  # type: ignore[arg-type]
    assert keys(store) == {"before", "after"}
    store.close()


def test_other_databases_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="mysql"):
        Store(tmp_path, "mysql://localhost/x")


def test_a_judgment_costs_one_statement(store: Store) -> None:
    small, statements = Small(store), list[str]()
    event.listen(store._writing, "before_cursor_execute", lambda *values: statements.append(values[2]))
    small.judge("ann", "d1", Judged("grade", 2))
    assert [words.split()[0] for words in statements if not words.startswith("BEGIN")] == ["INSERT"]
