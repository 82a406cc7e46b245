"""What coordinators take back: assignments that nobody has answered, waves that nobody has judged."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select

from cranfield.campaign.rules.assignments import Share
from cranfield.campaign.rules.events import OutOfDate
from cranfield.campaign.store import pools, schema
from cranfield.errors import BadInput

Taken = dict[str, int]  # what an act does, in numbers


def note_act(connection: Connection, benchmark: int, *, action: str, subject: str, by: int, now: int) -> None:
    """Keep an act of a coordinator in the audit."""
    values = {"benchmark": benchmark, "account": by, "action": action, "subject": subject, "at": now}
    connection.execute(insert(schema.act).values(**values))


def unanswered(connection: Connection, benchmark: int, account: int, topic: str, to: int | None) -> Taken:
    """What `take_back` would do: documents that would be taken back and given on, and those that stay as answered."""
    rows = _open(connection, benchmark, account, topic)
    share = schema.assignment
    of_person = select(func.count()).select_from(schema.assigned)
    of_person = of_person.where(share.c.benchmark == benchmark, share.c.account == account, share.c.repeat == 0)
    if topic:
        of_person = of_person.where(schema.topic.c.name == topic)
    n_documents = sum(not row.repeat for row in rows)
    n_given = len(_new_to(connection, benchmark, rows, to)) if to else 0
    return {"n_documents": n_documents, "n_repeats": len(rows) - n_documents, "n_given": n_given,
            "n_answered": (connection.scalar(of_person) or 0) - n_documents}  # fmt: skip


def take_back(
    connection: Connection, benchmark: int, *, account: int, topic: str, to: int | None, expected: int, by: int,
    now: int,
) -> Taken:  # fmt: skip
    """Take unanswered documents from an assessor (of one topic, if given), and give them to another one, if given.

    Hidden repeats among them end. Refused if their number is no longer the expected one.
    """
    done = unanswered(connection, benchmark, account, topic, to)
    if not done["n_documents"] + done["n_repeats"]:
        raise BadInput("this assessor has no unanswered documents here")
    if done["n_documents"] != expected:
        raise OutOfDate(
            f"meanwhile, {done['n_documents']:,} documents instead of {expected:,} are unanswered; try again"
        )
    rows = _open(connection, benchmark, account, topic)
    moved = _new_to(connection, benchmark, rows, to) if to else []
    share = schema.assignment
    for row in rows:
        connection.execute(delete(share).where(share.c.id == row.id))
    if to:
        pools.assign(connection, benchmark, [Share(one, to, place) for place, one in enumerate(moved, 1)])
    names = dict(connection.execute(select(schema.account.c.id, schema.account.c.name)).all())
    where = f" of topic {topic}" if topic else ""
    action = f"took back {expected:,} documents{where}" + (f", gave {len(moved):,} to {names[to]}" if to else "")
    note_act(connection, benchmark, action=action, subject=names[account], by=by, now=now)
    return done


def wave_in_numbers(connection: Connection, benchmark: int, wave: int) -> Taken:
    """The documents and assignments of a wave, and how many of its documents are judged."""
    pool, pooled, share, event = schema.pool, schema.pooled, schema.assignment, schema.event
    within = (pool.c.benchmark == benchmark, pool.c.wave == wave)
    documents = select(func.sum(pooled.c.selected)).join(pool, pool.c.id == pooled.c.pool).where(*within)
    n_documents = connection.scalar(documents)
    if n_documents is None:
        raise BadInput(f"there is no wave {wave}")
    assigned = pooled.join(pool).join(share, share.c.pooled == pooled.c.id)
    n_assigned = connection.scalar(select(func.count()).select_from(assigned).where(*within)) or 0
    judged = select(func.count(share.c.pooled.distinct())).select_from(
        assigned.join(event, event.c.assignment == share.c.id)
    )
    return {
        "n_documents": int(n_documents),
        "n_assigned": n_assigned,
        "n_judged": connection.scalar(judged.where(*within)) or 0,
    }


def delete_wave(connection: Connection, benchmark: int, wave: int, *, expected: int, by: int, now: int) -> Taken:
    """Delete the latest wave with its assignments; refused once a document of it is judged."""
    done = wave_in_numbers(connection, benchmark, wave)
    pool, pooled, share = schema.pool, schema.pooled, schema.assignment
    latest = connection.scalar(select(func.max(pool.c.wave)).where(pool.c.benchmark == benchmark))
    if wave != latest:
        raise BadInput(f"later waves leave out what wave {wave} contains; delete wave {latest} first")
    if done["n_judged"]:
        raise BadInput(f"{done['n_judged']:,} documents of wave {wave} are judged, so it stays")
    if done["n_assigned"] != expected:
        raise OutOfDate(f"meanwhile, wave {wave} has {done['n_assigned']:,} assignments; try again")
    key = connection.scalar(select(pool.c.id).where(pool.c.benchmark == benchmark, pool.c.wave == wave))
    documents: Select[Any] = select(pooled.c.id).where(pooled.c.pool == key)
    assignments = select(share.c.id).where(share.c.pooled.in_(documents))
    connection.execute(delete(schema.highlight).where(schema.highlight.c.assignment.in_(assignments)))
    connection.execute(delete(share).where(share.c.pooled.in_(documents)))
    connection.execute(delete(schema.contribution).where(schema.contribution.c.pooled.in_(documents)))
    connection.execute(delete(pooled).where(pooled.c.pool == key))
    connection.execute(delete(pool).where(pool.c.id == key))
    action = f"deleted a wave of {done['n_documents']:,} documents"
    note_act(connection, benchmark, action=action, subject=f"wave {wave}", by=by, now=now)
    return done


def _open(connection: Connection, benchmark: int, account: int, topic: str) -> list[Any]:
    """The assignments of an assessor without any answer or highlighted passage, in the order of the queue."""
    share, event, highlight = schema.assignment, schema.event, schema.highlight
    answered = select(event.c.assignment).where(event.c.benchmark == benchmark, event.c.assignment.is_not(None))
    statement = (
        select(share.c.id, share.c.pooled, share.c.repeat)
        .select_from(schema.assigned)
        .where(share.c.benchmark == benchmark, share.c.account == account, share.c.id.not_in(answered))
        .where(share.c.id.not_in(select(highlight.c.assignment)))
        .order_by(share.c.position)
    )
    statement = statement.where(schema.topic.c.name == topic) if topic else statement
    return list(connection.execute(statement))


def _new_to(connection: Connection, benchmark: int, rows: list[Any], to: int) -> list[int]:
    """The documents among the assignments that another person does not have yet."""
    share = schema.assignment
    theirs = set(
        connection.scalars(select(share.c.pooled).where(share.c.benchmark == benchmark, share.c.account == to))
    )
    return [row.pooled for row in rows if not row.repeat and row.pooled not in theirs]
