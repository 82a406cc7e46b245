"""Backups while others write, restored on either database; damaged ones are refused; the doctor finds damage."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from campaign.store.test_kill import one_document_to_judge
from cranfield.campaign.rules.events import Judged
from cranfield.campaign.store import accounts, judgments, schema
from cranfield.campaign.store.backups import backup, restore
from cranfield.campaign.store.database import FILE, Store
from cranfield.campaign.store.health import examined
from cranfield.campaign.store.judgments import Sent
from cranfield.cli.main import main
from cranfield.errors import BadInput

NAME = "0123456789abcdef0123456789abcdef"
RUN = b"q Q0 d 1 1 r\n"


def judge(store: Store, key: str) -> None:
    sent = Sent(1, key, Judged("grade", 1))
    store.record(lambda connection: judgments.record(connection, 1, 1, sent, 0)).result()


def content(store: Store) -> dict[str, list[Any]]:
    with store.read() as connection:
        return {
            table.name: sorted(map(tuple, connection.execute(select(table))))
            for table in schema.metadata.tables.values()
        }


def test_a_database_that_refers_to_other_files_is_not_restored(tmp_path: Path) -> None:
    """The hashes of a crafted archive match, but a run is a file of the machine."""
    (tmp_path / "secret").write_bytes(RUN)
    store = Store(tmp_path / "made")
    store.write(one_document_to_judge)
    (tmp_path / "made" / "uploads" / NAME).write_bytes(RUN)
    values = {"file": NAME, "hash": hashlib.sha256(RUN).hexdigest()}
    store.write(lambda connection: connection.execute(update(schema.run).values(**values)))
    store.close()
    backup(tmp_path / "made", None, tmp_path / "honest.zip")
    with zipfile.ZipFile(tmp_path / "honest.zip") as honest:
        content = {name: honest.read(name) for name in honest.namelist()}
    for file in ("../../secret", str(tmp_path / "secret"), "f" * 32):
        (tmp_path / "crafted.db").write_bytes(content[FILE])
        with sqlite3.connect(tmp_path / "crafted.db") as database:
            database.execute("UPDATE run SET file = ?", [file])
        database.close()
        changed = content | {FILE: (tmp_path / "crafted.db").read_bytes()}
        manifest = json.loads(content["manifest.json"])
        manifest["files"][FILE] = hashlib.sha256(changed[FILE]).hexdigest()
        changed["manifest.json"] = json.dumps(manifest).encode()
        archive = tmp_path / "crafted.zip"
        with zipfile.ZipFile(archive, "w") as crafted:
            for name, written in changed.items():
                crafted.writestr(name, written)
        with pytest.raises(BadInput, match=r"crafted.zip is damaged: .*run 'r'"):
            restore(archive, tmp_path / "restored", None)
        assert not (tmp_path / "restored" / FILE).exists()


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def made(
    request: pytest.FixtureRequest, empty_store: Callable[..., str | None], tmp_path: Path
) -> tuple[Path, str | None]:
    """A campaign with one run, one session and a few judgments."""
    url = empty_store(tmp_path / "made", request.param)
    store = Store(tmp_path / "made", url)
    store.write(one_document_to_judge)
    values = {"file": NAME, "hash": hashlib.sha256(RUN).hexdigest()}
    store.write(lambda connection: connection.execute(update(schema.run).values(**values)))
    store.write(lambda connection: accounts.start_session(connection, 1, "secret", 0))
    (tmp_path / "made" / "uploads" / NAME).write_bytes(RUN)
    for n in range(3):
        judge(store, f"judgment-{n}")
    store.close()
    return tmp_path / "made", url


@pytest.mark.parametrize("target", ["SQLite", "PostgreSQL"])
def test_a_backup_restores_everything_but_sessions(
    made: tuple[Path, str | None], target: str, tmp_path: Path, postgresql: Callable[[], str]
) -> None:
    folder, url = made
    assert main(["backup", str(folder), str(tmp_path / "b.zip"), *(["--database", url] if url else [])]) == 0
    new = postgresql() if target == "PostgreSQL" else None
    restored = restore(tmp_path / "b.zip", tmp_path / "restored", new)
    assert (restored.n_runs, restored.n_rows["event"]) == (1, 3)
    before, after = Store(folder, url), Store(tmp_path / "restored", new)
    assert content(after) == content(before) | {"session": []}
    judge(after, "after the restore")  # numbers go on behind those that were restored
    assert len(content(after)["event"]) == 4
    assert (tmp_path / "restored" / "uploads" / NAME).read_bytes() == RUN
    before.close()
    after.close()


def test_a_backup_under_load_is_one_state(made: tuple[Path, str | None], tmp_path: Path) -> None:
    folder, url = made
    store, stop = Store(folder, url), threading.Event()

    def pairs() -> None:
        n = 0
        while not stop.wait(0.002):  # often, but not so often that backups grow large
            n += 1
            values = [{"key": f"{side} {n}", "value": "", "created": 0} for side in ("left", "right")]
            store.write(lambda connection, values=values: connection.execute(insert(schema.score), values))  # type: ignore[misc]

    writing = threading.Thread(target=pairs)
    writing.start()
    try:
        for n in range(3):
            backup(folder, url, tmp_path / f"{n}.zip")
    finally:
        stop.set()
        writing.join()
        store.close()
    for n in range(3):
        restore(tmp_path / f"{n}.zip", tmp_path / f"r{n}", None)
        opened = Store(tmp_path / f"r{n}")
        keys = [row[0].split() for row in content(opened)["score"]]
        opened.close()
        assert sorted(n for side, n in keys if side == "left") == sorted(n for side, n in keys if side == "right")


def test_nothing_is_overwritten(made: tuple[Path, str | None], tmp_path: Path) -> None:
    folder, url = made
    backup(folder, url, tmp_path / "b.zip")
    with pytest.raises(BadInput, match="already exists"):
        backup(folder, url, tmp_path / "b.zip")
    with pytest.raises(BadInput, match="already contains a campaign"):
        restore(tmp_path / "b.zip", folder, None)
    if url:
        with pytest.raises(BadInput, match="use an empty one"):
            restore(tmp_path / "b.zip", tmp_path / "other", url)


def rewritten(archive: Path, changed: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with zipfile.ZipFile(archive) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    change(files)
    with zipfile.ZipFile(changed, "w") as opened:
        for name, data in files.items():
            opened.writestr(name, data)
    return changed


def traversal(files: dict[str, bytes]) -> None:
    manifest = json.loads(files["manifest.json"])
    manifest["files"]["../evil"] = hashlib.sha256(b"x").hexdigest()
    files |= {"../evil": b"x", "manifest.json": json.dumps(manifest).encode()}


DAMAGE: dict[str, tuple[Callable[[dict[str, bytes]], Any], str]] = {
    "a changed run": (lambda files: files.update({f"uploads/{NAME}": b"q Q0 e 1 1 r\n"}), "damaged"),
    "a longer file": (lambda files: files.update({f"uploads/{NAME}": b"x" * 10_000_000}), "larger"),
    "a missing run": (lambda files: files.pop(f"uploads/{NAME}"), "not a cranfield backup"),
    "a path outside": (traversal, "not a cranfield backup"),
    "no list": (lambda files: files.pop("manifest.json"), "not a cranfield backup"),
    "a list that is none": (lambda files: files.update({"manifest.json": b"[]"}), "not a cranfield backup"),
    "a later format": (lambda files: files.update({"manifest.json": b'{"format": 9}'}), "later release"),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("made", ["SQLite"], indirect=True)
def test_damaged_archives_are_refused_and_leave_nothing(made: Any, damage: str, tmp_path: Path) -> None:
    backup(*made, tmp_path / "b.zip")
    change, words = DAMAGE[damage]
    changed = rewritten(tmp_path / "b.zip", tmp_path / "changed.zip", change)
    with pytest.raises(BadInput, match=words):
        restore(changed, tmp_path / "restored", None)
    assert list((tmp_path / "restored").iterdir()) == []
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("made", ["SQLite"], indirect=True)
def test_a_backup_is_private_and_refuses_a_damaged_run(made: Any, tmp_path: Path) -> None:
    folder, _ = made
    backup(*made, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").stat().st_mode & 0o777 == 0o600
    (folder / "uploads" / NAME).write_bytes(b"changed")
    with pytest.raises(BadInput, match="the file of run 'r' is damaged"):
        backup(*made, tmp_path / "c.zip")
    assert not (tmp_path / "c.zip").exists()


def test_a_folder_without_a_campaign_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backup", str(tmp_path), str(tmp_path / "b.zip")]) == 1
    assert "does not contain a campaign" in capsys.readouterr().err
    assert main(["restore", __file__, str(tmp_path / "new")]) == 1
    assert "is not a cranfield backup" in capsys.readouterr().err


def test_the_doctor_finds_nothing_wrong(made: tuple[Path, str | None]) -> None:
    checks = list(examined(*made))
    assert not [check for check in checks if check.state == "fault"]
    assert "the files of all 1 runs are unchanged since they were submitted" in [check.words for check in checks]


@pytest.mark.parametrize("made", ["SQLite"], indirect=True)
def test_the_doctor_finds_changed_runs_qrels_and_lost_judgments(made: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = made
    (folder / "uploads" / NAME).write_bytes(b"changed")
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("UPDATE assignment SET account = 99")
        columns = "(benchmark, version, hash, rule, text, n_judgments, created, created_by, unresolved)"
        connection.execute(f"INSERT INTO qrels {columns} VALUES (1, 1, 'wrong', '', 'q 0 d 1', 1, 0, 1, '[]')")
    assert main(["doctor", str(folder)]) == 1
    seen = capsys.readouterr()
    assert "the file of run 'r' has changed" in seen.out
    assert "3 judgments belong to no assignment" in seen.out
    assert "version 1 of the qrels does not match its hash" in seen.out
    assert "3 of 6 checks failed" in seen.err
