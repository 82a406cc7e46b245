"""Pairs of documents assigned to assessors, and preferences as append-only events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select

from cranfield.campaign.rules.events import current, not_undone
from cranfield.campaign.rules.preferences import Choice, Dealt, Pair, Preference
from cranfield.campaign.store import schema
from cranfield.campaign.store.benchmarks import display_names
from cranfield.campaign.store.topics_and_documents import topic_ids
from cranfield.errors import BadInput


def first_pooled(connection: Connection, benchmark: int, depth: int) -> dict[str, list[str]]:
    """The first pooled documents of each topic."""
    pooled, topic = schema.pooled, schema.topic
    rows = connection.execute(
        select(topic.c.name, pooled.c.document)
        .select_from(pooled.join(topic))
        .where(topic.c.benchmark == benchmark, pooled.c.selected == 1)
        .order_by(topic.c.id, pooled.c.pool, pooled.c.position, pooled.c.id)
    )
    documents_of: dict[str, list[str]] = {}
    for row in rows:
        documents_of.setdefault(row.name, []).append(row.document)
    return {name: documents[:depth] for name, documents in documents_of.items()}


def add_pairs(connection: Connection, benchmark: int, dealt: Sequence[Dealt]) -> int:
    """Assign pairs to assessors, except pairs that an assessor already has in either order."""
    topic, table = topic_ids(connection, benchmark), schema.pair
    name = {number: topic_name for topic_name, number in topic.items()}
    rows = connection.execute(select(table).where(table.c.benchmark == benchmark)).all()
    known = {(row.account, Pair(name[row.topic], row.left, row.right).key) for row in rows}
    new = [
        {"benchmark": benchmark, "account": dealing.assessor, "position": len(rows) + dealing.position}
        | {"topic": topic[dealing.pair.topic], "left": dealing.pair.left, "right": dealing.pair.right}
        for dealing in dealt
        if (dealing.assessor, dealing.pair.key) not in known
    ]
    if not new:
        raise BadInput("all of these pairs are already assigned")
    connection.execute(insert(table), new)
    return len(new)


def own_pairs(connection: Connection, benchmark: int, account: int) -> list[dict[str, Any]]:
    """An assessor's pairs in order, with the assessor's latest choices and nothing about other assessors."""
    pair, topic = schema.pair, schema.topic
    rows = connection.execute(
        select(pair.c.id, topic.c.name.label("topic"), pair.c.left, pair.c.right)
        .join(topic, topic.c.id == pair.c.topic)
        .where(pair.c.benchmark == benchmark, pair.c.account == account)
        .order_by(pair.c.position, pair.c.id)
    ).all()
    choices = _choices(connection, benchmark)
    return [dict(row._mapping) | {"choice": choices.get(row.id)} for row in rows]


def prefer(
    connection: Connection,
    benchmark: int,
    account: int,
    pair: int,
    choice: Choice | None,
    note: str,
    key: str,
    now: int,
) -> None:
    """Store an assessor's choice for one of their pairs, or undo the last one; sending it again has no effect."""
    table, event = schema.pair, schema.preference
    assigned = select(table.c.id).where(table.c.id == pair, table.c.account == account, table.c.benchmark == benchmark)
    if connection.scalar(assigned) is None:
        raise BadInput("this pair is not assigned to you")
    kind = choice or "undo"
    before = connection.scalar(select(event.c.kind).where(event.c.pair == pair, event.c.key == key))
    if before is None:
        connection.execute(insert(event).values(pair=pair, key=key, kind=kind, note=note, at=now))
    elif before != kind:
        raise BadInput("another choice was saved under this key")


def last_judged(connection: Connection, benchmark: int, account: int) -> int | None:
    """The pair of an assessor's latest choice that has not been undone."""
    remaining = not_undone(_events(connection, benchmark, account), lambda event: event.pair)
    return remaining[-1].pair if remaining else None


def preferences(connection: Connection, benchmark: int) -> tuple[list[Preference], int]:
    """All current preferences, and the number of assigned pairs."""
    pair, topic = schema.pair, schema.topic
    rows = connection.execute(
        select(pair.c.id, topic.c.name, pair.c.left, pair.c.right, pair.c.account)
        .join(topic, topic.c.id == pair.c.topic)
        .where(pair.c.benchmark == benchmark)
        .order_by(topic.c.id, pair.c.id)
    ).all()
    choices, names = _choices(connection, benchmark), display_names(connection, benchmark)
    made = [
        Preference(Pair(need, left, right), names[assessor], choices[key])
        for key, need, left, right, assessor in rows
        if key in choices
    ]
    return made, len(rows)


def _choices(connection: Connection, benchmark: int) -> dict[int, Choice]:
    """The current choice for each pair."""
    last = current(_events(connection, benchmark), lambda event: event.pair)
    return {pair: event.kind for pair, event in last.items()}


def _events(connection: Connection, benchmark: int, account: int | None = None) -> Sequence[Any]:
    """The choices of one assessor or of all, including undone ones, in order."""
    table, event = schema.pair, schema.preference
    statement = select(event.c.pair, event.c.kind).join(table).where(table.c.benchmark == benchmark)
    statement = statement if account is None else statement.where(table.c.account == account)
    return connection.execute(statement.order_by(event.c.id)).all()
