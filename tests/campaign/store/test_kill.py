"""What was acknowledged is kept, once, however the server dies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, select, text

from campaign.store import kill_rounds
from cranfield.campaign.store import accounts, benchmarks, pools, schema, submissions
from cranfield.campaign.store.database import Store
from cranfield.campaign.store.submissions import Submission
from time_limits import HANGS

ROUNDS = int(os.environ.get("KILL_ROUNDS", "20"))  # make torture: 200


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def url(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue("postgresql")() if request.param == "PostgreSQL" else ""


def one_document_to_judge(connection: Connection) -> None:
    """Assignment 1: a pooled document for account 1 in benchmark 1."""
    account = accounts.create(connection, email="a@b.c", name="Ann", password="", now=0)
    benchmark = benchmarks.create(connection, slug="b", name="B", purpose="", by=account.id, now=0)
    fields = {
        "name": "q",
        "title": "",
        "description": "",
        "narrative": "",
        "keywords": "",
        "kind": "",
        "structured": "",
    }
    connection.execute(insert(schema.topic).values(benchmark=benchmark.id, **fields))
    submissions.add(connection, benchmark.id, account.id, Submission("r", "", "", "", "", "", 1, 1, 1, ()), 0)
    row = {"query": "q", "document": "d", "order": 1, "stratum": 1, "probability": 1.0, "contributors": {"r": 1}}
    pools.add(connection, benchmark.id, [row], method="depth", settings={}, by=account.id, now=0)
    values = {"benchmark": 1, "pooled": 1, "account": 1, "position": 1, "repeat": 0}
    connection.execute(insert(schema.assignment).values(**values))


def test_no_acknowledged_judgment_is_lost_or_doubled(tmp_path: Path, url: str) -> None:
    store = Store(tmp_path, url or None)
    store.write(one_document_to_judge)
    store.close()
    command = [sys.executable, kill_rounds.__file__, str(tmp_path), url, str(ROUNDS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 0, done.stderr
    acknowledged = json.loads(done.stdout)
    store = Store(tmp_path, url or None)
    with store.read() as connection:
        stored = Counter(connection.scalars(select(schema.event.c.key)))
        if not url:
            assert connection.scalar(text("PRAGMA integrity_check")) == "ok"
    store.close()
    assert len(acknowledged) > ROUNDS
    assert set(acknowledged) <= set(stored)
    assert set(stored.values()) == {1}
