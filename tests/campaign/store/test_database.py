"""The database: migrations and the writer."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, event, insert, select, text

from campaign.store.small_campaign import Small
from cranfield.campaign.rules.events import Judged
from cranfield.campaign.store import judgments, schema
from cranfield.campaign.store.database import FILE, Store
from cranfield.campaign.store.judgments import Received, Sent
from cranfield.errors import BadInput, NotSaved
from time_limits import HANGS


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


def test_a_value_is_remembered_for_some_seconds(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    moment = [1000.0]
    monkeypatch.setattr("cranfield.campaign.store.database.time.monotonic", lambda: moment[0])
    assert not store.remembers("x")
    for _ in range(3):
        store.remembered("x", reads.append)
    assert len(reads) == 1
    assert store.remembers("x")
    moment[0] += 10.1 if store.local else 1.1  # then another process may have changed it
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


def outcomes(small: Small, *sent: tuple[int, str]) -> list[object]:
    """What becomes of judgments of Ann (assignment and key) that arrive while the writer is busy."""
    started, go_on = threading.Event(), threading.Event()

    def busy(_: object) -> None:
        started.set()
        go_on.wait()

    small.store.record(busy)
    started.wait()
    futures = [
        small.store.record_joint(
            judgments.record_all,
            Received(small.benchmark.id, small.people["ann"], Sent(assignment, key, Judged("grade", 1)), at),
        )
        for at, (assignment, key) in enumerate(sent)
    ]
    go_on.set()
    return [future.result() if future.exception() is None else str(future.exception()) for future in futures]


def test_judgments_that_wait_share_one_statement(store: Store) -> None:
    small, statements = Small(store), list[str]()
    event.listen(store._writing, "before_cursor_execute", lambda *values: statements.append(values[2]))
    assert outcomes(small, (1, "a"), (2, "b"), (3, "c")) == [0, 1, 2]
    assert [words.split()[0] for words in statements if not words.startswith("BEGIN")] == ["INSERT"]


def test_judgments_that_wait_are_refused_one_by_one(store: Store) -> None:
    small = Small(store)
    assert outcomes(small, (1, "a")) == [0]
    refused = "this document is not assigned to you"
    assert outcomes(small, (2, "b"), (1, "a"), (99, "c"), (2, "b")) == [0, 0, refused, 0]
    assert outcomes(small, (3, "d"), (3, "a")) == [0, "another judgment was saved under this key"]


def test_a_change_that_nobody_waits_for_does_not_end_the_writer(store: Store) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(_: Connection) -> None:
        begun.set()
        go_on.wait(HANGS)

    waiting = store.record(slow)
    begun.wait(HANGS)
    assert waiting.cancel()  # as when a request is cut off
    go_on.set()
    assert store.record(lambda _: 7).result(HANGS) == 7
