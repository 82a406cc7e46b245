"""The queue of an assessor, judgment events, current labels, and versions of the qrels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Table, bindparam, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from cranfield.campaign.rules.conflicts import (
    RULE_IN_WORDS,
    Decision,
    JudgedDocument,
    Rule,
    Ties,
    decided,
    is_left_out,
    rule_in_words,
)
from cranfield.campaign.rules.events import Judged, OutOfDate, content_hash, not_undone
from cranfield.campaign.rules.machine_comparison import filled
from cranfield.campaign.store import schema
from cranfield.campaign.store.conflicts import judged_documents
from cranfield.campaign.store.current_labels import judgment_events, labels_of
from cranfield.campaign.store.live_waves import in_live_order, live_shares
from cranfield.campaign.store.pools import pooled_documents
from cranfield.campaign.store.topics_and_documents import shown_document, words_of
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.judgments import qrels_text

UNSAMPLED = -1


@frozen
class Sent:
    """A judgment as sent by an assessor's browser; the key makes sending it twice harmless."""

    assignment: int
    key: str
    judged: Judged
    active: int = 0  # milliseconds
    away: int = 0
    input: str = ""
    seen: int | None = None  # how many of the assessor's answers on this document, undone ones too, were known


def queue(connection: Connection, benchmark: int, account: int, relevant_from: int) -> list[dict[str, Any]]:
    """The documents assigned to an assessor, in order, with the assessor's current labels and nothing about others.

    In a wave judged live, the order depends on the assessor's judgments; `relevant_from` is the lowest relevant grade.
    """
    share, topic = schema.assignment, schema.topic
    rows = connection.execute(
        select(share.c.id, topic.c.name.label("topic"))
        .select_from(schema.assigned)
        .where(share.c.benchmark == benchmark, share.c.account == account)
        .order_by(share.c.position)
    ).all()
    labels = {key: label for key, (label, _) in labels_of(connection, benchmark, account).items()}
    seen = Counter(event.assignment for event in judgment_events(connection, benchmark, account))
    items = [
        {"assignment": row.id, "topic": row.topic, "seen": seen[row.id]} | _shown(labels.get(row.id)) for row in rows
    ]
    live = [wave for waves in live_shares(connection, benchmark, account).values() for wave in waves]
    return in_live_order(items, live, labels, relevant_from)


def history(connection: Connection, benchmark: int, account: int) -> list[dict[str, Any]]:
    """The assessor's judgments that were not undone, in order; the last one is undone first."""
    events = not_undone(judgment_events(connection, benchmark, account), lambda event: event.assignment)
    return [{name: getattr(event, name) for name in ("assignment", "kind", "grade", "note")} for event in events]


def item(connection: Connection, benchmark: int, account: int, assignment: int) -> dict[str, Any] | None:
    """A document with its topic, for the assessor it is assigned to."""
    share, pooled, topic = schema.assignment, schema.pooled, schema.topic
    columns = (topic.c.title, topic.c.description, topic.c.narrative, topic.c.keywords, topic.c.kind)
    row = connection.execute(
        select(pooled.c.document, topic.c.name, topic.c.structured, *columns)
        .select_from(schema.assigned)
        .where(share.c.id == assignment, share.c.account == account, share.c.benchmark == benchmark)
    ).first()
    if row is None:
        return None
    shown = shown_document(connection, benchmark, row.document)
    need = {column.name: getattr(row, column.name) for column in columns} | {"words": words_of(row)}
    return {"assignment": assignment, "topic": {"name": row.name} | need, "document": shown}


@frozen
class Received:
    """A judgment with its benchmark, its assessor and the time of its arrival."""

    benchmark: int
    account: int
    sent: Sent
    now: int


def record(connection: Connection, benchmark: int, account: int, sent: Sent, now: int) -> int:
    """Store a judgment and return the time at which it was first stored; sending it again has no effect."""
    return record_all(connection, [Received(benchmark, account, sent, now)])[0]


def record_all(connection: Connection, received: list[Received]) -> list[int]:
    """Store judgments as `record` does, in one round trip; if one is refused, so are all."""
    statement = _RECORD[connection.dialect.name]
    if connection.execute(statement, [_parameters(judgment) for judgment in received]).rowcount == len(received):
        return [judgment.now for judgment in received]
    return [_recorded(connection, judgment.account, judgment.sent) for judgment in received]


def _parameters(one: Received) -> dict[str, Any]:
    sent, judged = one.sent, one.sent.judged
    values = {"benchmark": one.benchmark, "account": one.account, "assignment": sent.assignment, "key": sent.key}
    values |= {"kind": judged.kind, "grade": judged.grade, "note": judged.note, "active": sent.active}
    values |= {"away": sent.away, "input": sent.input, "at": one.now}
    return {f"new_{name}": value for name, value in values.items()} | {"seen": sent.seen}


_SENT = ("benchmark", "account", "assignment", "key", "kind", "grade", "note", "active", "away", "input", "at")


def _recording(insert: Callable[[Table], Any]) -> Any:
    """A statement that stores a judgment of a document assigned to the assessor.

    Nothing is stored if its key already exists, or if another tab has answered since the document was shown.
    """
    share, pooled, before = schema.assignment, schema.pooled, schema.event.alias("before")
    new = {name: bindparam(f"new_{name}", type_=schema.event.c[name].type) for name in _SENT}
    assigned = share.c.id == new["assignment"], share.c.account == new["account"], share.c.benchmark == new["benchmark"]
    selected = select(pooled.c.topic, pooled.c.document, *new.values())
    selected = selected.join(share, share.c.pooled == pooled.c.id).where(*assigned)
    seen = bindparam("seen", type_=schema.event.c.grade.type)
    n_before = select(func.count()).select_from(before).where(before.c.assignment == share.c.id).scalar_subquery()
    selected = selected.where(seen.is_(None) | (n_before == seen))
    return (
        insert(schema.event)
        .from_select(["topic", "document", *new], selected)
        .on_conflict_do_nothing(index_elements=["account", "key"])
        .execution_options(preserve_rowcount=True)  # or PostgreSQL's is lost, and each judgment is looked up again
    )


_RECORD = {"sqlite": _recording(sqlite.insert), "postgresql": _recording(postgresql.insert)}


def export(
    connection: Connection, benchmark: int, *, rule: Rule, ties: Ties, by: int, now: int, machine: int | None = None
) -> dict[str, Any]:
    """A version of the qrels; exporting the same content again returns the existing version.

    Pooled documents outside the sample have the grade -1, which infAP needs and other measures treat as unjudged.
    Documents without a label, because of an open conflict or because nobody gave a grade, are left out and listed. The
    labels are those of people; with `machine`, documents that no person judged have the label of that assessor, which
    is noted in the version.
    """
    documents = judged_documents(connection, benchmark, everybody=machine is not None)
    if machine is not None:
        if all(opinion.account != machine for document in documents for opinion in document.opinions):
            raise BadInput("this machine assessor has judged nothing in this benchmark")
        documents = [filled(document, machine) for document in documents]
    decisions = [(document, decided(document, rule, ties)) for document in documents]
    graded = {(one.topic, one.document): made.grade for one, made in decisions if made.grade is not None}
    if not graded:
        raise BadInput("there are no judgments to export yet")
    unresolved = [
        {"topic": one.topic, "document": one.document, "reason": made.reason}
        for one, made in decisions
        if is_left_out(one, rule, ties)
    ]
    unsampled = dict.fromkeys(pooled_documents(connection, benchmark, sampled=False) - graded.keys(), UNSAMPLED)
    text = qrels_text(graded | unsampled)
    table = schema.qrels
    values: dict[str, Any] = {"hash": content_hash(text), "rule": rule_in_words(rule, ties) + _by_machine(decisions)}
    values["unresolved"] = json.dumps(unresolved)
    same = [table.c[name] == value for name, value in values.items()]
    version = connection.scalar(select(table.c.version).where(table.c.benchmark == benchmark, *same))
    if version is None:
        version = 1 + (connection.scalar(select(func.max(table.c.version)).where(table.c.benchmark == benchmark)) or 0)
        values |= {"version": version, "text": text, "n_judgments": len(graded), "created": now, "created_by": by}
        connection.execute(insert(table).values(benchmark=benchmark, **values))
    return {"version": version, "hash": values["hash"], "rule": values["rule"], "unresolved": unresolved}


def _by_machine(decisions: list[tuple[JudgedDocument, Decision]]) -> str:
    """A note on the number of labels from a machine assessor, if any."""
    opinions = [opinion for one, made in decisions if made.grade is not None for opinion in one.opinions]
    names = [opinion.assessor for opinion in opinions if opinion.kind != "person"]
    return f"; {len(names):,} labels by machine assessor {names[0]} alone" if names else ""


def versions(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """The versions of the qrels, latest first."""
    table = schema.qrels
    columns = (table.c.version, table.c.hash, table.c.rule, table.c.n_judgments, table.c.created, table.c.unresolved)
    rows = connection.execute(select(*columns).where(table.c.benchmark == benchmark).order_by(table.c.version.desc()))
    return [dict(row._mapping) | {"unresolved": json.loads(row.unresolved)} for row in rows]


def current_rule(connection: Connection, benchmark: int) -> tuple[Rule, Ties]:
    """The rule for several grades that all pages use: that of the latest version; before, ties stay unresolved."""
    latest = versions(connection, benchmark)[:1]
    return next(
        (chosen for version in latest for words, chosen in RULE_IN_WORDS.items() if version["rule"].startswith(words)),
        ("majority", "unresolved"),
    )


def qrels(connection: Connection, benchmark: int, version: int) -> tuple[str, str] | None:
    """The text and hash of a version."""
    table = schema.qrels
    row = connection.execute(
        select(table.c.text, table.c.hash).where(table.c.benchmark == benchmark, table.c.version == version)
    ).first()
    return (row.text, row.hash) if row else None


def _recorded(connection: Connection, account: int, sent: Sent) -> int:
    """When a judgment with this key was stored; the same key for a different judgment is refused."""
    event = schema.event
    row = connection.execute(select(event).where(event.c.account == account, event.c.key == sent.key)).first()
    if row is None:
        share = schema.assignment
        assigned = select(share.c.id).where(share.c.id == sent.assignment, share.c.account == account)
        if sent.seen is not None and connection.execute(assigned).first():
            raise OutOfDate("this document was answered in another tab or window; look at that answer first")
        raise BadInput("this document is not assigned to you")
    if (row.assignment, row.kind, row.grade, row.note) != (
        sent.assignment, sent.judged.kind, sent.judged.grade, sent.judged.note,
    ):  # fmt: skip
        raise BadInput("another judgment was saved under this key")
    return int(row.at)


def _shown(label: Judged | None) -> dict[str, Any]:
    return {"kind": label and label.kind, "grade": label and label.grade, "note": label.note if label else ""}
