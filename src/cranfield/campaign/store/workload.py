"""The progress, pace and self-consistency of each assessor."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from cranfield.campaign.rules.assignments import hours_left
from cranfield.campaign.store import schema
from cranfield.campaign.store.benchmarks import display_names
from cranfield.campaign.store.current_labels import labels_of
from cranfield.campaign.store.live_waves import withheld
from cranfield.frozen import frozen


@frozen
class Repeated:
    """A document that an assessor judged twice through a hidden repeat."""

    account: int
    assessor: str
    topic: str
    document: str
    first: int
    again: int


def workload(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """For each person who judges: assigned documents, finished ones, and the hours left at their median pace."""
    cells, active, account = by_topic(connection, benchmark), _active(connection, benchmark), schema.account
    judging = {person for _, person in cells}
    people = select(account.c.id, account.c.name).where(account.c.id.in_(judging))
    assessors = []
    for row in connection.execute(people.order_by(account.c.name, account.c.id)):
        n_assigned, n_done = (
            sum(cell[name] for (_, person), cell in cells.items() if person == row.id)
            for name in ("n_assigned", "n_done")
        )
        one = {"assessor": row.name, "account": row.id, "n_assigned": n_assigned, "n_done": n_done}
        assessors.append(one | {"hours_left": hours_left(n_assigned - n_done, active.get(row.id, []))})
    return assessors


def progress(connection: Connection, benchmark: int) -> dict[str, int]:
    """The number of documents assigned to people, and how many of them are answered: with a grade or without one."""
    cells = by_topic(connection, benchmark).values()
    return {name: sum(cell[name] for cell in cells) for name in ("n_assigned", "n_done")}


def by_topic(connection: Connection, benchmark: int) -> dict[tuple[str, int], dict[str, int]]:
    """For each topic and person, the number of assigned documents, and how many of them are done.

    Documents beyond the budget of a wave judged live are not counted.
    """
    share, account = schema.assignment, schema.account
    rows = connection.execute(
        select(share.c.id, schema.topic.c.name, share.c.account)
        .select_from(schema.assigned.join(account))
        .where(share.c.benchmark == benchmark, account.c.kind == "person")
    ).all()
    labels = labels_of(connection, benchmark)
    spare = withheld(connection, benchmark, labels)
    cells: dict[tuple[str, int], dict[str, int]] = {}
    for key, name, person in rows:
        cell = cells.setdefault((name, person), {"n_assigned": -spare[name, person], "n_done": 0})
        cell["n_assigned"] += 1
        cell["n_done"] += key in labels and labels[key][0].kind != "later"
    return cells


def pace(connection: Connection, benchmark: int, account: int | None = None) -> float | None:
    """The hours per document of one assessor, or of all."""
    return hours_left(1, [time for times in _active(connection, benchmark, account).values() for time in times])


def repeated(connection: Connection, benchmark: int) -> list[Repeated]:
    """The judged hidden repeats, with both grades."""
    share, pooled, topic = schema.assignment, schema.pooled, schema.topic
    again = share.alias("again")
    rows = connection.execute(
        select(share.c.id, again.c.id.label("repeat"), share.c.account, topic.c.name, pooled.c.document)
        .select_from(schema.assigned)
        .join(again, (again.c.pooled == share.c.pooled) & (again.c.account == share.c.account))
        .where(share.c.benchmark == benchmark, share.c.repeat == 0, again.c.repeat == 1)
        .order_by(share.c.account, topic.c.id, pooled.c.id)
    ).all()
    labels, names = labels_of(connection, benchmark), display_names(connection, benchmark)
    repeats = []
    for key, repeat, assessor, need, document in rows:
        grades = [labels[assignment][0].grade if assignment in labels else None for assignment in (key, repeat)]
        if grades[0] is not None and grades[1] is not None:
            repeats.append(Repeated(assessor, names[assessor], need, document, grades[0], grades[1]))
    return repeats


def _active(connection: Connection, benchmark: int, account: int | None = None) -> dict[int, list[float]]:
    """The active time of each judgment with a grade, by assessor; unknown times are left out."""
    event = schema.event
    statement = select(event.c.account, event.c.active).where(
        event.c.benchmark == benchmark, event.c.kind == "grade", event.c.active > 0
    )
    times: dict[int, list[float]] = {}
    for row in connection.execute(statement if account is None else statement.where(event.c.account == account)):
        times.setdefault(row.account, []).append(row.active)
    return times
