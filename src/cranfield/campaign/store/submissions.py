"""Submitted runs: the description of each, and its file under a name chosen by the server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, update

from cranfield.campaign.store import schema
from cranfield.errors import BadInput
from cranfield.frozen import frozen


@frozen
class Submission:
    """A run as submitted."""

    name: str
    team: str
    description: str
    kind: str  # automatic or manual
    file: str
    hash: str
    size: int
    n_rows: int
    n_topics: int
    remarks: Sequence[str]
    system: str = ""
    tags: Sequence[str] = ()
    models: Sequence[str] = ()  # language and embedding models that the system uses


LISTS = ("remarks", "tags", "models")  # stored as JSON


def add(connection: Connection, benchmark: int, account: int, run: Submission, now: int) -> int:
    """Store a run; its name must be unique in the benchmark."""
    table = schema.run
    if connection.scalar(select(table.c.id).where(table.c.benchmark == benchmark, table.c.name == run.name)):
        raise BadInput(f"there is already a run {run.name!r}; choose another name")
    values = {name: getattr(run, name) for name in Submission.__dataclass_fields__}
    values |= {name: json.dumps(list(values[name])) for name in LISTS}
    made = insert(table).values(benchmark=benchmark, account=account, created=now, **values).returning(table.c.id)
    return int(connection.execute(made).scalar_one())


def listed(connection: Connection, benchmark: int, *, account: int | None = None) -> list[dict[str, Any]]:
    """The runs of a benchmark, or only those of one account."""
    table = schema.run
    statement = select(table).where(table.c.benchmark == benchmark).order_by(table.c.id)
    if account is not None:
        statement = statement.where(table.c.account == account)
    runs = (dict(row._mapping) for row in connection.execute(statement))
    return [run | {name: json.loads(run[name]) for name in LISTS} for run in runs]


def active(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """The runs that are not withdrawn."""
    return [run for run in listed(connection, benchmark) if run["withdrawn"] is None]


def withdraw(connection: Connection, benchmark: int, run: int, now: int, *, account: int | None = None) -> None:
    """Withdraw a run from pools and leaderboards; its file is kept."""
    table = schema.run
    change = update(table).where(table.c.id == run, table.c.benchmark == benchmark, table.c.withdrawn.is_(None))
    if account is not None:
        change = change.where(table.c.account == account)
    if connection.execute(change.values(withdrawn=now)).rowcount != 1:
        raise BadInput("you have no such run to withdraw")
