"""The judging screen and its requests."""

from __future__ import annotations

from asyncio import wrap_future
from dataclasses import asdict
from typing import Any, Literal

from fastapi import HTTPException
from pydantic import BaseModel, Field

from cranfield.campaign.rules.events import Judged, Kind, checked
from cranfield.campaign.store import judgments, pools
from cranfield.campaign.store.judgments import Received, Sent
from cranfield.campaign.store.live_waves import live_shares
from cranfield.campaign.store.machines import MODEL
from cranfield.campaign.store.passages import spans_of
from cranfield.campaign.store.workload import pace
from cranfield.campaign.web.fields import LARGEST, At, EventKey, Number, visible_lines
from cranfield.campaign.web.guard import Here, now
from cranfield.campaign.web.replies import Done, Page, rendered
from cranfield.errors import BadInput

DAY = 24 * 3600 * 1000


class JudgmentSent(BaseModel):
    """A judgment as sent by the screen; sending it again with the same key has no effect."""

    key: EventKey
    assignment: int = Field(ge=1, le=LARGEST)
    kind: Kind
    grade: int | None = Field(default=None, ge=0, le=1_000)
    note: str = Field(default="", max_length=2_000)
    active: int = Field(default=0, ge=0, le=DAY)
    away: int = Field(default=0, ge=0, le=30 * DAY)
    input: Literal["", "key", "pointer"] = ""
    seen: int | None = Field(default=None, ge=0, le=LARGEST, description="answers known before this one")


def judging_page(here: At) -> Page:
    """The screen; its script fetches the documents."""
    data = {"grades": [asdict(grade) for grade in here.at.scale.grades], "nothing": _nothing(here)}
    return Page("judge.html", data | {"guidelines": str(rendered(here.at.guidelines))})


def queue(here: At) -> Page:
    """The assessor's documents in order, their labels, the judgments that can be undone, and the hours per document."""
    with here.store.read() as connection:
        relevant_from = here.at.scale.relevant_from
        data: dict[str, Any] = {"items": judgments.queue(connection, here.at.id, here.me.id, relevant_from)}
        data["live"] = bool(live_shares(connection, here.at.id, here.me.id))
        data["history"] = judgments.history(connection, here.at.id, here.me.id)
        return Page("", data | {"pace": pace(connection, here.at.id, here.me.id)})


def item(here: At, assignment: Number) -> Page:
    """A document with its topic."""
    with here.store.read() as connection:
        document = judgments.item(connection, here.at.id, here.me.id, assignment)
        if document is None:
            raise HTTPException(404, "this document is not assigned to you")
        spans = spans_of(connection, assignment) if document["topic"]["kind"] else []
    return Page("", document | {"spans": spans})


async def judge(here: At, sent: JudgmentSent) -> Done:
    """Store a judgment; the response is sent once it is on disk, and no thread blocks for it."""
    if here.me.kind == MODEL:
        raise BadInput("machine assessors must send their answers verbatim to judge/answers")
    judged = checked(Judged(sent.kind, sent.grade, visible_lines(sent.note)), sent.key, here.at.scale)
    decoded = Sent(sent.assignment, sent.key, judged, sent.active, sent.away, sent.input, sent.seen)
    received = Received(here.at.id, here.me.id, decoded, now())
    at = await wrap_future(here.store.record_joint(judgments.record_all, received))
    return Done("", {"key": sent.key, "saved": at})


def _nothing(here: Here) -> dict[str, str]:
    """Why an assessor has no documents, and what to do next."""
    if here.may("assign"):
        words = "No documents are assigned to you. As a coordinator you can assign the pool to the assessors."
        return {"words": words, "path": "/pool", "link": "Assign the pool"}
    is_pooled = bool(here.read(pools.waves))
    if is_pooled:
        words = "No documents are assigned to you yet. They will appear here as soon as the coordinator assigns some."
    else:
        words = "The pool will be built once the runs are submitted. The coordinator will then assign documents to you."
    return {"words": words, "path": "", "link": f"Back to {here.at.name}"}
