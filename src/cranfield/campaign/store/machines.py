"""Machine assessors: their accounts, assignments, and verbatim answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from cranfield.campaign.store import accounts, judgments, schema
from cranfield.campaign.store.judgments import Sent
from cranfield.errors import BadInput
from cranfield.frozen import frozen

MODEL = "model"  # the kind of their accounts


@frozen
class Answered:
    """The origin of a judgment: model, hash of the prompt, settings, and verbatim answer."""

    model: str
    prompt: str
    answer: str
    settings: Mapping[str, Any]
    milliseconds: int


def create(connection: Connection, benchmark: int, name: str, now: int) -> tuple[int, str]:
    """A machine assessor of a benchmark and its token; nobody can sign in with its account."""
    address = f"{accounts.new_secret()[:12].casefold()}@machine.invalid"
    values = {"email": address, "name": name, "password": "", "administrator": 0, "kind": MODEL, "created": now}
    made = connection.execute(insert(schema.account).values(**values).returning(schema.account.c.id)).scalar_one()
    member = {"account": made, "benchmark": benchmark, "role": "assessor", "team": ""}
    connection.execute(insert(schema.membership).values(**member))
    return made, accounts.create_token(connection, made, name, now)


def listed(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """The machine assessors of a benchmark: the number of assigned documents, and the models and prompts used."""
    account, membership = schema.account, schema.membership
    rows = connection.execute(
        select(account.c.id, account.c.name, account.c.disabled)
        .join(membership, membership.c.account == account.c.id)
        .where(membership.c.benchmark == benchmark, account.c.kind == MODEL)
        .order_by(account.c.id)
    ).all()
    return [
        {"id": row.id, "name": row.name, "disabled": row.disabled is not None}
        | {"n_assigned": _n_assigned(connection, benchmark, row.id), "models": _models(connection, benchmark, row.id)}
        for row in rows
    ]


def disable(connection: Connection, benchmark: int, account: int, now: int) -> None:
    """Revoke all tokens of a machine assessor; its judgments are kept."""
    _require(connection, benchmark, account)
    connection.execute(update(schema.account).where(schema.account.c.id == account).values(disabled=now))


def not_assigned(connection: Connection, benchmark: int, account: int) -> list[int]:
    """The pooled documents not yet assigned to a machine assessor."""
    _require(connection, benchmark, account)
    share, pooled, pool = schema.assignment, schema.pooled, schema.pool
    assigned = select(share.c.pooled).where(share.c.account == account)
    unassigned = (
        select(pooled.c.id)
        .join(pool, pool.c.id == pooled.c.pool)
        .where(pool.c.benchmark == benchmark, pooled.c.selected == 1, pooled.c.id.not_in(assigned))
        .order_by(pooled.c.id)
    )
    return list(connection.scalars(unassigned))


def record(connection: Connection, benchmark: int, account: int, sent: Sent, answer: Answered, now: int) -> int:
    """Store an answer with its judgment; sending it again has no effect."""
    at = judgments.record(connection, benchmark, account, sent, now)
    event, table = schema.event, schema.answer
    key = connection.execute(select(event.c.id).where(event.c.account == account, event.c.key == sent.key)).scalar_one()
    if connection.scalar(select(table.c.event).where(table.c.event == key)) is None:
        values: dict[str, Any] = {"model": answer.model, "prompt": answer.prompt, "answer": answer.answer}
        values |= {"settings": json.dumps(dict(answer.settings), sort_keys=True), "milliseconds": answer.milliseconds}
        connection.execute(insert(table).values(event=key, **values))
    return at


def answers(connection: Connection, benchmark: int, account: int) -> list[dict[str, Any]]:
    """All answers of a machine assessor and their interpretations, in order."""
    event, table, topic = schema.event, schema.answer, schema.topic
    columns = (table.c.model, table.c.prompt, table.c.settings, table.c.answer, table.c.milliseconds)
    rows = connection.execute(
        select(topic.c.name.label("topic"), event.c.document, event.c.kind, event.c.grade, event.c.at, *columns)
        .join(table, table.c.event == event.c.id)
        .join(topic, topic.c.id == event.c.topic)
        .where(event.c.benchmark == benchmark, event.c.account == account)
        .order_by(event.c.id)
    )
    return [dict(row._mapping) | {"settings": json.loads(row.settings)} for row in rows]


def _require(connection: Connection, benchmark: int, account: int) -> None:
    if all(one["id"] != account for one in listed(connection, benchmark)):
        raise BadInput("there is no such machine assessor in this benchmark")


def _n_assigned(connection: Connection, benchmark: int, account: int) -> int:
    table = schema.assignment
    counted = select(func.count()).select_from(table).where(table.c.benchmark == benchmark, table.c.account == account)
    return connection.scalar(counted) or 0


def labelled(connection: Connection, benchmark: int, account: int) -> set[int]:
    """The pooled documents that a machine assessor gave a grade."""
    _require(connection, benchmark, account)
    share, event = schema.assignment, schema.event
    rows = connection.scalars(
        select(share.c.pooled)
        .join(event, event.c.assignment == share.c.id)
        .where(share.c.benchmark == benchmark, share.c.account == account, event.c.grade.is_not(None))
    )
    return set(rows)


def _models(connection: Connection, benchmark: int, account: int) -> list[dict[str, Any]]:
    """Each model and prompt: how many answers it gave, how many had a grade, and what they took."""
    event, table = schema.event, schema.answer
    columns = (table.c.model, table.c.prompt, table.c.settings, table.c.milliseconds, event.c.grade)
    rows = connection.execute(
        select(*columns)
        .join(event, event.c.id == table.c.event)
        .where(event.c.benchmark == benchmark, event.c.account == account)
        .order_by(table.c.model, table.c.prompt, event.c.id)
    )
    versions: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        settings = json.loads(row.settings)
        one = versions.setdefault(
            (row.model, row.prompt),
            {"model": row.model, "prompt": row.prompt, "name": settings.get("prompt", ""), "n_answers": 0}
            | {"n_graded": 0, "milliseconds": 0, "tokens": 0, "cost": 0.0},
        )
        one["n_answers"] += 1
        one["n_graded"] += row.grade is not None
        one["milliseconds"] += row.milliseconds
        one["tokens"] += _number(settings, "tokens_in") + _number(settings, "tokens_out")
        one["cost"] += _number(settings, "cost")
    return list(versions.values())


def _number(settings: Mapping[str, Any], name: str) -> Any:
    value = settings.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0
