"""A database of the first release opens in the current one, with all that it held."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from cranfield.store import judgments, pools, submissions
from cranfield.store import topics_and_documents as stored
from cranfield.store.database import Store, _engines, _migrate

ROWS = {  # as the first release wrote them
    "account": [{"id": 1, "email": "a@b.c", "name": "Ann", "password": "x", "administrator": 1, "kind": "person"}],
    "session": [{"id": 1, "token_hash": "h", "account": 1, "csrf": "c", "created": 5, "expires": 9}],
    "benchmark": [
        {"id": 1, "slug": "b", "name": "B", "purpose": "", "guidelines": "", "created": 1, "created_by": 1}
        | {
            "scale": '{"grades": [{"value": 0, "label": "no", "gain": 0}, {"value": 1, "label": "yes", "gain": 1}], '
            '"relevant_from": 1}',
            "measures": '["AP"]',
        }
    ],
    "membership": [{"account": 1, "benchmark": 1, "role": "assessor", "team": ""}],
    "topic": [
        {"id": 1, "benchmark": 1, "name": "09", "title": "wait", "description": "", "narrative": "", "keywords": ""}
        | {
            "kind": "CAS",
            "structured": '{"target": "sec", "conditions": [{"words": "w", "path": "", "negated": true}]}',
        }
    ],
    "body": [{"hash": "h1", "text": "Sleep."}],
    "document": [{"id": 1, "benchmark": 1, "name": "d1", "title": "D", "body": "h1"}],
    "run": [
        {"id": 1, "benchmark": 1, "account": 1, "name": "r", "team": "t", "description": "", "kind": "automatic"}
        | {"file": "f", "hash": "h", "size": 1, "n_rows": 1, "n_topics": 1, "remarks": '["x"]', "created": 1}
    ],
    "pool": [
        {"id": 1, "benchmark": 1, "wave": 1, "method": "depth", "settings": "{}", "created": 1, "created_by": 1},
    ],
    "pooled": [{"id": 1, "pool": 1, "topic": 1, "document": "d1", "position": 1, "stratum": "1", "probability": 1.0}],
    "contribution": [{"pooled": 1, "run": 1, "rank": 1}],
    "assignment": [{"id": 1, "benchmark": 1, "pooled": 1, "account": 1, "position": 1, "repeat": 0}],
    "event": [
        {"id": 1, "benchmark": 1, "assignment": 1, "account": 1, "topic": 1, "document": "d1", "key": "k", "grade": 1}
        | {"kind": "grade", "note": "n", "at": 5, "active": 1, "away": 0, "input": "key"}
    ],
    "qrels": [
        {"id": 1, "benchmark": 1, "version": 1, "hash": "h", "rule": "majority", "text": "09 0 d1 1\n"}
        | {"n_judgments": 1, "created": 1, "created_by": 1}
    ],
}


def filled(connection: Connection) -> None:
    for table, rows in ROWS.items():
        for row in rows:
            values = row | ({"created": 1} if table == "account" else {})
            names = ", ".join(f'"{name}"' for name in values)
            places = ", ".join(f":{name}" for name in values)
            connection.execute(text(f'INSERT INTO "{table}" ({names}) VALUES ({places})'), values)


@pytest.mark.parametrize("database", ["SQLite", "PostgreSQL"])
def test_a_database_of_the_first_release_opens_with_all_that_it_held(
    request: pytest.FixtureRequest, tmp_path: Path, database: str
) -> None:
    url = request.getfixturevalue("postgresql")() if database == "PostgreSQL" else None
    writing, reading = _engines(tmp_path, url)
    _migrate(writing, to="first_release")
    with writing.begin() as connection:
        filled(connection)
    writing.dispose()
    reading.dispose()
    store = Store(tmp_path, url)
    with store.read() as connection:
        (item,) = judgments.queue(connection, 1, 1, relevant_from=1)
        (topic,) = stored.topics(connection, 1)
        (run,) = submissions.active(connection, 1)
        (wave,) = pools.waves(connection, 1)
        (version,) = judgments.versions(connection, 1)
        document = stored.document(connection, 1, "d1")
        used = connection.scalar(text("SELECT used FROM session"))
    exported = store.write(
        lambda connection: judgments.export(connection, 1, rule="majority", ties="unresolved", by=1, now=9)
    )
    store.close()
    assert (item["topic"], item["grade"], item["note"]) == ("09", 1, "n")
    assert topic["words"] == "Retrieve the element sec: not about “w” anywhere."
    assert (run["remarks"], run["system"], run["tags"], run["models"]) == (["x"], "", [], [])
    assert document is not None
    assert (document["text"], wave["n_documents"], used) == ("Sleep.", 1, 5)
    assert version["rule"] == "most frequent grade; higher grade if tied"
    assert exported["version"] == 2
