"""Submitting and withdrawing runs."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Annotated, Any, Literal

from fastapi import Form, Request, UploadFile

from cranfield.campaign.store import benchmarks, submissions
from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.store.submissions import Submission
from cranfield.campaign.web.fields import At, Line, Number
from cranfield.campaign.web.guard import Here, now
from cranfield.campaign.web.replies import Done, Page, address_of
from cranfield.campaign.web.run_checks import some
from cranfield.campaign.web.uploads import file_name, received
from cranfield.campaign.web.worker_processes import worked
from cranfield.errors import BadInput

CARD = ("id", "name", "team", "system", "description", "kind", "tags", "models", "n_rows", "n_topics", "hash")
SHOWN = (*CARD, "size", "remarks", "withdrawn")
MOST = 20  # tags, or models
_NAME = re.compile(r"\w[\w.+-]{0,99}")


def runs_page(request: Request, here: At) -> Page:
    """The person's own runs; all runs for the coordinator."""
    listed = here.read(submissions.listed, account=_only(here))
    runs = [{field: run[field] for field in SHOWN} for run in listed]
    engines = [*request.app.state.engines] if here.may("pool") else []
    data = {"runs": runs, "all": _only(here) is None, "address": address_of(request), "engines": engines}
    return Page("runs.html", data)


def submit(here: At, file: UploadFile, name: Line = "", description: Line = "",
           kind: Annotated[Literal["automatic", "manual"], Form()] = "automatic", system: Line = "",
           tags: Line = "", models: Line = "") -> Done:  # fmt: skip
    """Check and store a run with its description; tags and models are separated by commas."""
    name = name or PurePath(file_name(file)).stem
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"the name {name!r} of a run may have letters, digits and . + - _, at most 100, "
            "and begins with a letter or a digit"
        )
    with here.store.read() as connection:
        topics = list(stored.topic_ids(connection, here.at.id))
        people = benchmarks.people(connection, here.at.id)
    if not topics:
        raise BadInput("the benchmark has no topics yet; runs can be submitted once it has some")
    team = next((person["team"] or person["name"] for person in people if person["id"] == here.me.id), here.me.name)
    with received(here.store, file) as (path, digest, size):
        checked: dict[str, Any] = worked("check_run", path=str(path), topics=topics)
        checked["remarks"] += _unknown(here, checked.pop("first"))
        card: dict[str, Any] = {"system": system, "tags": _listed(tags), "models": _listed(models)}
        run = Submission(name, team, description, kind, path.name, digest, size, **checked, **card)
        key = here.write(submissions.add, here.me.id, run, now())
    return Done(f"/b/{here.at.slug}/runs", {"id": key, "name": name, "hash": digest} | checked)


def withdraw(here: At, run: Number) -> Done:
    """Withdraw a run from later pools and leaderboards."""
    here.write(submissions.withdraw, run, now(), account=_only(here))
    return Done(f"/b/{here.at.slug}/runs")


def _listed(text: str) -> list[str]:
    """The parts of a comma-separated list."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) > MOST:
        raise BadInput(f"at most {MOST} tags or models are allowed; got {len(parts)}")
    return parts


def _unknown(here: Here, first: list[str]) -> list[str]:
    """A remark if some top-ranked documents of the run are not in the collection."""
    missing = here.read(stored.unknown_documents, first)
    return [f"documents that are not in the collection: {some(missing)}"] if missing else []


def _only(here: Here) -> int | None:
    """The account whose runs the person may see; None for all."""
    return None if here.may("pool") else here.me.id
