"""The current label of each assignment, derived from the events of judging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select

from cranfield.campaign.rules.events import Judged, current
from cranfield.campaign.store import schema


def labels_of(connection: Connection, benchmark: int, account: int | None = None) -> dict[int, tuple[Judged, int]]:
    """The current label of each assignment, of one assessor or of all, and the time of its judgment."""
    last = current(judgment_events(connection, benchmark, account), lambda event: event.assignment)
    return {key: (Judged(event.kind, event.grade, event.note), event.at) for key, event in last.items()}


def judgment_events(connection: Connection, benchmark: int, account: int | None = None) -> Sequence[Any]:
    """The judgments of one assessor or of all, including undone ones, in order."""
    event = schema.event
    statement = select(event.c.assignment, event.c.kind, event.c.grade, event.c.note, event.c.at).where(
        event.c.benchmark == benchmark, event.c.assignment.is_not(None)
    )
    statement = statement if account is None else statement.where(event.c.account == account)
    return connection.execute(statement.order_by(event.c.id)).all()
