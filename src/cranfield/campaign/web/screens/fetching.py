"""Fetching a run from an engine that the administrator listed."""

from __future__ import annotations

import io
import threading
from typing import Annotated

from fastapi import Form, Request, UploadFile

from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.web.engines import LONGEST_WAIT, TRIES, only_at
from cranfield.campaign.web.fields import At, Line
from cranfield.campaign.web.replies import Done
from cranfield.campaign.web.screens.submitting import submit
from cranfield.errors import BadInput, TooBusy
from cranfield.fetching.fetch import fetch
from cranfield.fetching.files import run_text
from cranfield.tables.collections.topics import Topic

_one = threading.Lock()  # one fetch at a time, so that the server's load on engines is bounded


def fetch_run(request: Request, here: At, engine: Line, name: Line = "",
              k: Annotated[int, Form(ge=1, le=1_000)] = 100) -> Done:  # fmt: skip
    """Fetch a run for the topics of the benchmark from one of the listed engines, check it, and store it."""
    engines = request.app.state.engines
    if engine not in engines:
        known = ", ".join(engines) or "none"
        raise BadInput(f"there is no engine {engine!r} to fetch from; the administrator listed: {known}")
    settings = dict(engines[engine]) | {"k": k}
    url = settings.pop("url")
    settings |= {"timeout": min(settings.get("timeout", LONGEST_WAIT), LONGEST_WAIT), "tries": TRIES}
    topics = {
        topic["name"]: Topic(
            topic["name"], topic["words"] or topic["title"], topic["description"], topic["narrative"], topic["keywords"]
        )
        for topic in here.read(stored.topics)
    }
    if not topics:
        raise BadInput("the benchmark has no topics yet; runs can be fetched once it has some")
    if not _one.acquire(blocking=False):
        raise TooBusy("another run is being fetched at the moment; try again in a minute")
    try:
        fetched = fetch(topics, url, allowed=only_at(url), **settings)
    finally:
        _one.release()
    if fetched.failed:
        first = next(query for query in fetched.queries if query.error is not None)
        raise BadInput(f"{fetched.answer} {first.query}: {first.error}")
    name = name or engine
    text = run_text(fetched, name)
    if not text:
        raise BadInput(f"{engine} has no results for any topic")
    upload = UploadFile(io.BytesIO(text.encode()), filename=f"{name}.run")
    system = f"{fetched.title} {fetched.version}".strip()
    when = fetched.settings["time"].replace("T", " ").removesuffix("Z")
    return submit(here, upload, name, f"fetched from {engine}, {when} UTC", "automatic", system)
