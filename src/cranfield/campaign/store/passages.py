"""Highlighted passages, stored as append-only events that refer to a text by its hash."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, func, insert, select

from cranfield.campaign.rules.passages import Span, checked_spans, specificity
from cranfield.campaign.store import schema
from cranfield.campaign.store.benchmarks import display_names
from cranfield.campaign.store.current_labels import labels_of
from cranfield.campaign.store.topics_and_documents import document
from cranfield.errors import BadInput


def highlight(
    connection: Connection, benchmark: int, account: int, assignment: int, spans: list[Span], key: str, now: int
) -> float | None:
    """Store an assessor's highlighted passages, superseding earlier ones; returns the document's specificity."""
    share, pooled, table = schema.assignment, schema.pooled, schema.highlight
    name = connection.scalar(
        select(pooled.c.document)
        .select_from(schema.assigned)
        .where(share.c.id == assignment, share.c.account == account, share.c.benchmark == benchmark)
    )
    text = document(connection, benchmark, name) if name else None
    if text is None:
        raise BadInput("this document is not assigned to you, or has no text")
    checked = checked_spans(spans, len(text["text"]))
    before = connection.scalar(select(table.c.spans).where(table.c.assignment == assignment, table.c.key == key))
    if before is None:
        values = {"assignment": assignment, "key": key, "body": text["hash"], "spans": json.dumps(checked), "at": now}
        connection.execute(insert(table).values(**values))
    elif before != json.dumps(checked):
        raise BadInput("other passages were saved under this key")
    return specificity(checked, len(text["text"]))


def spans_of(connection: Connection, assignment: int) -> list[list[int]]:
    """An assessor's current highlighted passages in a document."""
    table = schema.highlight
    last = select(table.c.spans).where(table.c.assignment == assignment).order_by(table.c.id.desc()).limit(1)
    stored = connection.scalar(last)
    return list(json.loads(stored)) if stored else []


def passages(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """The highlighted documents: exhaustivity is the current grade, specificity the highlighted proportion."""
    table, share, pooled, topic = schema.highlight, schema.assignment, schema.pooled, schema.topic
    last = select(func.max(table.c.id)).group_by(table.c.assignment)
    rows = connection.execute(
        select(share.c.id, share.c.account, topic.c.name.label("topic"), pooled.c.document, table.c.spans, table.c.body)
        .select_from(schema.assigned.join(table))
        .where(table.c.id.in_(last), share.c.benchmark == benchmark)
        .order_by(topic.c.id, pooled.c.id, share.c.account)
    ).all()
    labels, names = labels_of(connection, benchmark), display_names(connection, benchmark)
    length = {name: _length(connection, benchmark, name) for name in {row.document for row in rows}}
    return [
        {"topic": row.topic, "document": row.document, "assessor": names[row.account], "text": row.body}
        | {"spans": json.loads(row.spans), "length": length[row.document]}
        | {"exhaustivity": labels[row.id][0].grade if row.id in labels else None}
        | {"specificity": specificity(json.loads(row.spans), length[row.document])}
        for row in rows
    ]


def _length(connection: Connection, benchmark: int, name: str) -> int:
    text = document(connection, benchmark, name)
    return len(text["text"]) if text else 0
