"""The audit log: every change to a benchmark, in chronological order."""

from __future__ import annotations

from typing import Any, Literal, get_args

from sqlalchemy import Connection, Select, Text, cast, func, literal, select, union_all

from cranfield.campaign.store import schema

Kind = Literal["judgments", "decisions", "runs", "pools", "qrels", "proposals", "invitations", "corrections"]
KINDS: tuple[Kind, ...] = get_args(Kind)
COLUMNS = ("at", "kind", "person", "action", "topic", "subject", "note")


def changes(
    connection: Connection, benchmark: int, *, kind: str = "", person: str = "", most: int | None = None
) -> list[dict[str, Any]]:
    """The changes, latest first: time, kind, person, content, and topic, document or run."""
    merged = union_all(*(part for name, part in _parts(benchmark).items() if kind in ("", name))).subquery()
    columns = merged.c  # kind and action decide where rows of different tables share time and number
    order = (columns.at.desc(), columns.id.desc(), columns.kind, columns.action)
    statement = select(merged).order_by(*order).limit(most)
    if person:
        statement = statement.where(merged.c.person == person)
    return [{column: row[column] for column in COLUMNS} for row in connection.execute(statement).mappings()]


def people(connection: Connection, benchmark: int) -> list[str]:
    """The names of everyone who made a change."""
    merged = union_all(*_parts(benchmark).values()).subquery()
    return sorted(connection.scalars(select(merged.c.person).distinct()))


def _parts(benchmark: int) -> dict[Kind, Select[Any]]:
    event, run, pool, topic, account = schema.event, schema.run, schema.pool, schema.topic, schema.account
    qrels, proposal, invitation, act = schema.qrels, schema.proposal, schema.invitation, schema.act

    def rows(table: Any, kind: Kind, action: Any, who: Any, at: Any, **shown: Any) -> Select[Any]:
        cells = {name: shown.get(name, literal("")) for name in ("topic", "subject", "note")}
        columns = [table.c.id, at.label("at"), literal(kind).label("kind"), account.c.name.label("person")]
        columns += [action.label("action"), *(cell.label(name) for name, cell in cells.items())]
        selected = select(*columns).select_from(table).join(account, account.c.id == who)
        return selected.where(table.c.benchmark == benchmark, at.is_not(None))

    action = func.coalesce(event.c.kind + literal(" ") + cast(event.c.grade, Text), event.c.kind)
    judged = {"topic": topic.c.name, "subject": event.c.document, "note": event.c.note}
    judgments = rows(event, "judgments", action, event.c.account, event.c.at, **judged)
    decisions = rows(event, "decisions", action, event.c.account, event.c.at, **judged)
    submitted, withdrawn = (
        rows(run, "runs", literal(action), run.c.account, at, subject=run.c.name, note=note)
        for action, at, note in (("submitted", run.c.created, run.c.hash), ("withdrawn", run.c.withdrawn, literal("")))
    )
    return {
        "judgments": judgments.join(topic, topic.c.id == event.c.topic).where(event.c.assignment.is_not(None)),
        "decisions": decisions.join(topic, topic.c.id == event.c.topic).where(event.c.assignment.is_(None)),
        "runs": select(union_all(submitted, withdrawn).subquery()),
        "pools": rows(pool, "pools", pool.c.method, pool.c.created_by, pool.c.created, note=pool.c.settings),
        "qrels": rows(qrels, "qrels", qrels.c.rule, qrels.c.created_by, qrels.c.created, note=qrels.c.hash),
        "proposals": rows(
            proposal, "proposals", literal("proposed"), proposal.c.account, proposal.c.created, subject=proposal.c.title
        ),
        "invitations": rows(
            invitation, "invitations", invitation.c.role, invitation.c.created_by, invitation.c.created,
            note=invitation.c.note,
        ),
        "corrections": rows(act, "corrections", act.c.action, act.c.account, act.c.at, subject=act.c.subject),
    }  # fmt: skip
