"""Importing topics and documents, and topics that participants propose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import File, UploadFile

from cranfield.campaign.store import proposals
from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.store.collection_manifest import collection_hash
from cranfield.campaign.web.fields import At, Line, Lines, Number
from cranfield.campaign.web.guard import Here, now
from cranfield.campaign.web.replies import Done, Page
from cranfield.campaign.web.uploads import beside, file_name, received
from cranfield.campaign.web.worker_processes import LONGEST, worked
from cranfield.errors import BadInput
from cranfield.tables.collections.documents import Document, Element
from cranfield.tables.collections.topics import Topic, structured_title

AT_ONCE = 500  # documents per transaction: judgments are saved in between


def add_topics(here: At, file: UploadFile) -> Done:
    """Import topics from a file in any supported format."""
    n_topics = here.write(stored.add_topics, _topics(here, file))
    return Done(f"/b/{here.at.slug}/topics", {"n_topics": n_topics})


def add_documents(here: At, file: UploadFile) -> Done:
    """Import documents from a file in any supported format, or from a zipped folder."""
    with received(here.store, file, keep=False) as (path, _, _), beside(path) as listed:
        name = file_name(file)
        n_read = worked("read_documents", seconds=LONGEST, path=str(path), into=str(listed), name=name)
        for part in _parts(listed):  # all or nothing
            here.read(stored.new_documents, part)
        n_new = sum(here.write(stored.add_documents, part) for part in _parts(listed))
    collection_hash(here.store, here.at.id, now())  # now, so that the next page does not wait for it
    return Done(f"/b/{here.at.slug}/topics", {"n_documents": n_new, "n_known": n_read - n_new})


def proposals_page(here: At) -> Page:
    """The proposed topics: the person's own, or all of them for the coordinator."""
    account = None if here.may("set up") else here.me.id
    listed = here.read(proposals.listed, account=account)
    return Page("proposals.html", {"proposals": listed, "all": account is None})


def propose(here: At, title: Line = "", description: Lines = "", narrative: Lines = "", keywords: Line = "",
            file: Annotated[UploadFile | None, File()] = None) -> Done:  # fmt: skip
    """Propose a topic, or the topics of a file."""
    topics = _topics(here, file) if file is not None and file.filename else []
    if title:
        topics.append(Topic("", title, description, narrative, keywords))
    if not topics:
        raise BadInput("give the title of the topic that you propose, or a file of topics")
    keys = here.write(proposals.propose, here.me.id, topics, now())
    return Done(f"/b/{here.at.slug}/proposals", {"proposals": keys})


def accept(here: At, proposal: Number, topic: Line) -> Done:
    """Accept a proposal as a topic with this id."""
    here.write(proposals.accept, proposal, topic)
    return Done(f"/b/{here.at.slug}/proposals", {"proposal": proposal, "topic": topic})


def decline(here: At, proposal: Number, reason: Line = "") -> Done:
    """Decline a proposal."""
    here.write(proposals.decline, proposal, reason, now())
    return Done(f"/b/{here.at.slug}/proposals", {"proposal": proposal})


def _topics(here: Here, file: UploadFile) -> list[Topic]:
    with received(here.store, file, keep=False) as (path, _, _):
        listed: list[dict[str, Any]] = worked("read_topics", path=str(path))
    return [Topic(**fields | {"structure": structured_title(fields["structure"])}) for fields in listed]


def _parts(listed: Path) -> Iterator[list[Document]]:
    """The documents that a worker has read, in batches, so memory does not grow with their number."""
    with listed.open(encoding="utf-8") as lines:
        part = []
        for line in lines:
            name, title, text, number, elements = json.loads(line)
            part.append(Document(name, title, text, "", number, tuple(Element(*element) for element in elements)))
            if len(part) == AT_ONCE:
                yield part
                part = []
    if part:
        yield part
