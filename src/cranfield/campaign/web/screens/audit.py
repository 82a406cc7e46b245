"""The audit log of a benchmark."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import Query

from cranfield.campaign.store import audit as stored
from cranfield.campaign.web.fields import At
from cranfield.campaign.web.replies import Download, Page
from cranfield.results.writing import comma_separated

Kind = Literal[""] | stored.Kind
Name = Annotated[str, Query(max_length=200)]
SHOWN = 200


def audit_page(here: At, kind: Kind = "", person: Name = "") -> Page:
    """The latest changes, optionally of one kind or by one person."""
    with here.store.read() as connection:
        listed = stored.changes(connection, here.at.id, kind=kind, person=person, most=SHOWN + 1)
        people = stored.people(connection, here.at.id)
    changes = [one | {"at": moment(one["at"])} for one in listed[:SHOWN]]
    data: dict[str, Any] = {"changes": changes, "people": people}
    return Page("audit.html", data | {"kinds": list(stored.KINDS), "kind": kind, "person": person,
                                      "n_shown": SHOWN, "more": len(listed) > SHOWN})  # fmt: skip


def download(here: At, kind: Kind = "", person: Name = "") -> Download:
    """All changes as CSV."""
    listed = here.read(stored.changes, kind=kind, person=person)
    rows = [[moment(one["at"]), *(one[column] for column in stored.COLUMNS[1:])] for one in listed]
    return Download(f"{here.at.slug}-audit.csv", comma_separated(stored.COLUMNS, rows).encode(), "text/csv")


def moment(at: int) -> str:
    """A human-readable time in UTC."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
