"""Topics proposed by participants, and the coordinator's decision on each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, update

from cranfield.campaign.store import schema
from cranfield.campaign.store.topics_and_documents import add_topics, topic_fields, topic_of, topic_rows
from cranfield.errors import BadInput
from cranfield.tables.collections.topics import Topic, in_words, near_duplicates

MOST = 200  # open proposals of one account


def propose(connection: Connection, benchmark: int, account: int, topics: Sequence[Topic], now: int) -> list[int]:
    """Store proposals and return their ids."""
    table = schema.proposal
    waiting = select(table.c.id).where(
        table.c.benchmark == benchmark, table.c.account == account, table.c.topic.is_(None), table.c.declined.is_(None)
    )
    if len(connection.execute(waiting).all()) + len(topics) > MOST:
        raise BadInput(f"at most {MOST} of your proposals can be open at a time")
    fixed = {"benchmark": benchmark, "account": account, "created": now, "reason": ""}
    inserts = [insert(table).values(**fixed, **topic_fields(topic)).returning(table.c.id) for topic in topics]
    return [connection.execute(statement).scalar_one() for statement in inserts]


def listed(connection: Connection, benchmark: int, *, account: int | None = None) -> list[dict[str, Any]]:
    """All proposals, or those of one account, with their state and similar topics and proposals."""
    table, topic, person = schema.proposal, schema.topic, schema.account
    rows = connection.execute(
        select(table, topic.c.name.label("topic_name"), person.c.name.label("proposer"))
        .join(person, person.c.id == table.c.account)
        .outerjoin(topic, topic.c.id == table.c.topic)
        .where(table.c.benchmark == benchmark)
        .order_by(table.c.id)
    ).all()
    waiting = {f"proposal {row.id}": row for row in rows if row.topic is None and row.declined is None}
    topics = [topic_of(row, f"topic {row.name}") for row in topic_rows(connection, benchmark)]
    alike: dict[str, list[str]] = {}
    for one in near_duplicates([*topics, *(topic_of(row, name) for name, row in waiting.items())]):
        alike.setdefault(one.second, []).append(one.first)
        alike.setdefault(one.first, []).append(one.second)
    return [
        _shown(row) | {"alike": alike.get(f"proposal {row.id}", [])} for row in rows if account in (None, row.account)
    ]


def accept(connection: Connection, benchmark: int, proposal: int, name: str) -> None:
    """Accept a proposal as a topic of the benchmark with this id."""
    row = _waiting(connection, benchmark, proposal)
    if not name:
        raise BadInput("give the topic an id, such as 45")
    add_topics(connection, benchmark, [topic_of(row, name)])
    table, topic = schema.proposal, schema.topic
    made = select(topic.c.id).where(topic.c.benchmark == benchmark, topic.c.name == name).scalar_subquery()
    connection.execute(update(table).where(table.c.id == proposal).values(topic=made))


def decline(connection: Connection, benchmark: int, proposal: int, reason: str, now: int) -> None:
    """Decline a proposal; it is kept, with the reason."""
    _waiting(connection, benchmark, proposal)
    table = schema.proposal
    connection.execute(update(table).where(table.c.id == proposal).values(declined=now, reason=reason))


def _waiting(connection: Connection, benchmark: int, proposal: int) -> Any:
    table = schema.proposal
    row = connection.execute(select(table).where(table.c.id == proposal, table.c.benchmark == benchmark)).first()
    if row is None or row.topic is not None or row.declined is not None:
        raise BadInput("there is no such open proposal")
    return row


def _shown(row: Any) -> dict[str, Any]:
    texts = {name: getattr(row, name) for name in ("title", "description", "narrative", "keywords", "kind")}
    words = in_words(topic_of(row, "")) if row.kind else ""
    state = "accepted" if row.topic is not None else "declined" if row.declined is not None else "proposed"
    known = {"id": row.id, "proposer": row.proposer, "state": state, "topic": row.topic_name, "reason": row.reason}
    return known | texts | {"words": words}
