"""Judged documents with the labels of all assessors (hidden repeats left out), and adjudications."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, func, insert, select, true

from cranfield.campaign.rules.conflicts import (
    Adjudication,
    JudgedDocument,
    Opinion,
    check_adjudication,
    check_adjudicator,
)
from cranfield.campaign.rules.events import OutOfDate, current
from cranfield.campaign.store import schema
from cranfield.campaign.store.benchmarks import display_names
from cranfield.campaign.store.current_labels import labels_of
from cranfield.errors import BadInput
from cranfield.labelling.scale import Scale


def judged_documents(connection: Connection, benchmark: int, *, everybody: bool = False) -> list[JudgedDocument]:
    """The documents judged by people (with `everybody`, also by machine assessors), in the order of topics and pool.

    Hidden repeats are left out.
    """
    share, pooled, topic, account = schema.assignment, schema.pooled, schema.topic, schema.account
    rows = connection.execute(
        select(share.c.id, share.c.pooled, topic.c.id.label("topic"), topic.c.name, pooled.c.document,
               account.c.id.label("account"), account.c.kind)
        .select_from(schema.assigned.join(account))
        .where(share.c.benchmark == benchmark, share.c.repeat == 0, true() if everybody else account.c.kind == "person")
        .order_by(topic.c.id, pooled.c.id, account.c.id)
    ).all()  # fmt: skip
    names = display_names(connection, benchmark)
    labels, adjudications = labels_of(connection, benchmark), _adjudications(connection, benchmark)
    documents: dict[int, tuple[Any, list[Opinion]]] = {}
    for row in rows:
        if (label := labels.get(row.id)) is not None:
            opinion = Opinion(row.account, names[row.account], *label, row.kind)
            documents.setdefault(row.pooled, (row, []))[1].append(opinion)
    return [
        JudgedDocument(key, row.name, row.document, tuple(opinions), adjudications.get((row.topic, row.document)))
        for key, (row, opinions) in documents.items()
    ]


def judged_document(connection: Connection, benchmark: int, key: int) -> JudgedDocument | None:
    """One judged document."""
    return next((one for one in judged_documents(connection, benchmark) if one.id == key), None)


def adjudicate(
    connection: Connection,
    benchmark: int,
    key: int,
    *,
    by: int,
    grade: int | None,
    reason: str,
    scale: Scale,
    event_key: str,
    now: int,
    seen: int | None = None,
) -> None:
    """Store a decision as an event; without a grade, undo the last one.

    Refused if somebody else has decided since: `seen` is the number of decisions that the adjudicator knows of; without
    it, a decision is only stored if there is none.
    """
    locked = select(schema.pooled.c.id).where(schema.pooled.c.id == key).with_for_update()
    connection.execute(locked)  # so that another server on the database waits
    document = judged_document(connection, benchmark, key)
    if document is None:
        raise BadInput("this document has not been judged yet")
    check_adjudicator(document, by)
    known = document.adjudication is None or grade is None if seen is None else seen == n_decisions(connection, key)
    if not known:
        raise OutOfDate(_meanwhile(document.adjudication, scale))
    if grade is not None:
        check_adjudication(document, grade, reason, scale)
    elif document.adjudication is None:
        raise BadInput("there is no decision on this document to undo")
    topic = connection.scalar(select(schema.pooled.c.topic).where(schema.pooled.c.id == key))
    values = {"topic": topic, "document": document.document, "key": event_key, "note": reason, "at": now}
    values |= {"kind": "undo" if grade is None else "grade", "grade": grade, "active": 0, "away": 0, "input": ""}
    connection.execute(insert(schema.event).values(benchmark=benchmark, account=by, assignment=None, **values))


def n_decisions(connection: Connection, key: int) -> int:
    """The number of decisions on a document so far, and of their reversals."""
    event, pooled = schema.event, schema.pooled
    same = (event.c.topic == pooled.c.topic) & (event.c.document == pooled.c.document)
    statement = select(func.count()).select_from(event.join(pooled, same))
    return connection.scalar(statement.where(pooled.c.id == key, event.c.assignment.is_(None))) or 0


def _meanwhile(decision: Adjudication | None, scale: Scale) -> str:
    if decision is None or decision.grade is None:
        return "somebody reversed the decision on this document since you opened it; open it again before you decide"
    return (
        f"{decision.adjudicator} has decided {decision.grade} {scale[decision.grade].label} on this document since you "
        f"opened it: “{decision.note}”. Open it again if you want to change that decision."
    )


def _adjudications(connection: Connection, benchmark: int) -> dict[tuple[int, str], Adjudication]:
    """The current adjudication of each document, by topic and document name."""
    event, account = schema.event, schema.account
    rows = connection.execute(
        select(event, account.c.name)
        .join(account, account.c.id == event.c.account)
        .where(event.c.benchmark == benchmark, event.c.assignment.is_(None))
        .order_by(event.c.id)
    )
    return {
        pair: Adjudication(row.kind, row.grade, row.note, row.account, row.name, row.at)
        for pair, row in current(rows, lambda row: (row.topic, row.document)).items()
    }
