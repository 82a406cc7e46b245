"""Highlighted passages, as sent by the judging screen and as shown to coordinators."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cranfield.campaign.rules.passages import MOST
from cranfield.campaign.store import passages as stored
from cranfield.campaign.web.fields import LARGEST, At, EventKey
from cranfield.campaign.web.guard import now
from cranfield.campaign.web.replies import Done, Page

Offset = Annotated[int, Field(ge=0, le=LARGEST)]


class HighlightSent(BaseModel):
    """The highlighted passages of a document as character offsets; they replace all earlier ones."""

    key: EventKey
    assignment: int = Field(ge=1, le=LARGEST)
    spans: list[tuple[Offset, Offset]] = Field(max_length=MOST)


def highlight(here: At, sent: HighlightSent) -> Done:
    """Store the highlighted passages of a document and return its specificity."""
    specific = here.write(stored.highlight, here.me.id, sent.assignment, list(sent.spans), sent.key, now())
    return Done("", {"assignment": sent.assignment, "specificity": specific})


def passages_page(here: At) -> Page:
    """Exhaustivity and specificity of the highlighted documents."""
    listed = here.read(stored.passages)
    return Page("passages.html", {"passages": listed})
