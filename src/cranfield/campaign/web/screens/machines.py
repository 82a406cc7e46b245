"""Machine assessors: creation, assignment of documents, answers, and comparison with people."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Form, HTTPException, Request
from pydantic import BaseModel, Field

from cranfield.campaign.rules.assignments import Share, ToJudge, shares
from cranfield.campaign.rules.conflicts import JudgedDocument, Rule, Ties
from cranfield.campaign.rules.events import LONGEST_NOTE, Judged
from cranfield.campaign.rules.machine_comparison import (
    MACHINE,
    PEOPLE,
    Compared,
    compared,
    confusion,
    labels_of_machine,
    leniency,
)
from cranfield.campaign.store import judgments, pools, submissions
from cranfield.campaign.store import machines as stored
from cranfield.campaign.store.conflicts import judged_documents
from cranfield.campaign.store.judgments import Sent
from cranfield.campaign.store.machines import MODEL, Answered
from cranfield.campaign.web.cache import Run, cached, cached_over_runs
from cranfield.campaign.web.fields import LARGEST, At, EventKey, Line, Number, visible_lines
from cranfield.campaign.web.guard import Here, now
from cranfield.campaign.web.replies import Done, Page, address_of
from cranfield.campaign.web.screens.leaderboards import scoring
from cranfield.errors import BadInput
from cranfield.labelling.model_answers import LONGEST_ANSWER, reply_of
from cranfield.labelling.scale import Scale


class AnswerSent(BaseModel):
    """A model's verbatim answer about one document; the server extracts the grade."""

    key: EventKey
    assignment: int = Field(ge=1, le=LARGEST)
    answer: str = Field(max_length=LONGEST_ANSWER)
    model: str = Field(min_length=1, max_length=200)
    prompt: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the prompt")
    settings: dict[str, str | int | float | bool | None] = Field(default={}, max_length=50)
    milliseconds: int = Field(default=0, ge=0, le=10**9)


def answer(here: At, sent: AnswerSent) -> Done:
    """Store the answer of a machine assessor; without a grade on the scale it counts as "cannot tell"."""
    if here.me.kind != MODEL:
        raise BadInput("only machine assessors send answers; people judge on the judging screen")
    item = here.read(judgments.item, here.me.id, sent.assignment)
    document = item["document"] if item else {}
    judged = judgment_of(sent.answer, here.at.scale, f"{document.get('title')}\n{document.get('text')}")
    answers = Sent(sent.assignment, sent.key, judged, active=0)
    verbatim = sent.answer.replace("\0", "\ufffd")
    answered = Answered(visible_lines(sent.model), sent.prompt, verbatim, sent.settings, sent.milliseconds)
    at = here.write(stored.record, here.me.id, answers, answered, now())
    return Done("", {"key": sent.key, "kind": judged.kind, "grade": judged.grade, "saved": at})


def judgment_of(answer: str, scale: Scale, document: str = "") -> Judged:
    """The judgment in a model's answer about a document; "cannot tell" if it has no grade on the scale."""
    reply = reply_of(answer, scale, document)
    return Judged(
        "cannot tell" if reply.grade is None else "grade", reply.grade, (reply.problem or reply.reason)[:LONGEST_NOTE]
    )


def machines_page(request: Request, here: At) -> Page:
    """The machine assessors, and how each compares with people."""
    return _page(request, here, None)


def create(request: Request, here: At, name: Line) -> Page:
    """A new machine assessor; its token is shown once."""
    if not name:
        raise BadInput("a name is needed, such as that of the model")
    _, secret = here.write(stored.create, name, now())
    return _page(request, here, secret)


def assign(here: At, account: Number, most: Annotated[int, Form(ge=1, le=10_000_000)] = 1_000,
           seed: Annotated[int, Form(ge=0)] = 0) -> Done:  # fmt: skip
    """Assign up to this many pooled documents, in random order, to a machine assessor."""
    waiting = here.read(stored.not_assigned, account)
    if not waiting:
        raise BadInput("all pooled documents are already assigned to this assessor")
    chosen = random.Random(seed).sample(waiting, min(most, len(waiting)))
    shared = [Share(document, account, place) for place, document in enumerate(chosen, 1)]
    here.write(pools.assign, shared)
    return Done(f"/b/{here.at.slug}/machines", {"n_assigned": len(shared)})


def sample(here: At, account: Number, size: Annotated[int, Form(ge=1, le=100_000)] = 100,
           seed: Annotated[int, Form(ge=0)] = 0) -> Done:  # fmt: skip
    """Assign a random sample of what a machine labelled to people, who do not see its labels, for the audit."""
    with here.store.read() as connection:
        labelled = stored.labelled(connection, here.at.id, account)
        free = pools.unassigned(connection, here.at.id)
        people = pools.assessors(connection, here.at.id)
    waiting = [(topic, one) for topic, listed in sorted(free.items()) for one in listed if one.id in labelled]
    if not waiting:
        raise BadInput("people already judge all documents that this assessor labelled")
    chosen: dict[str, list[ToJudge]] = {}
    for topic, one in random.Random(seed).sample(waiting, min(size, len(waiting))):
        chosen.setdefault(topic, []).append(one)
    shared = shares(chosen, people, seed=seed)
    here.write(pools.assign, shared)
    return Done(f"/b/{here.at.slug}/machines", {"n_assigned": len(shared)})


def disable(here: At, account: Number) -> Done:
    """Disable a machine assessor; its judgments are kept."""
    here.write(stored.disable, account, now())
    return Done(f"/b/{here.at.slug}/machines")


def answers_page(here: At, account: Number) -> Page:
    """All answers of a machine assessor, verbatim."""
    with here.store.read() as connection:
        machine = next((one for one in stored.listed(connection, here.at.id) if one["id"] == account), None)
        if machine is None:
            raise HTTPException(404, "there is no such machine assessor")
        listed = stored.answers(connection, here.at.id, account)
    return Page("answers.html", {"machine": machine, "answers": listed})


def _page(request: Request, here: Here, secret: str | None) -> Page:
    with here.store.read() as connection:
        listed = stored.listed(connection, here.at.id)
        documents = judged_documents(connection, here.at.id, everybody=True)
        runs = submissions.active(connection, here.at.id)
        rule = judgments.current_rule(connection, here.at.id)
    rows = [one | {"comparison": _comparison(here, one, documents, runs, rule)} for one in listed]
    grades = [{"value": grade.value, "label": grade.label} for grade in here.at.scale.grades]
    data = {"machines": rows, "grades": grades, "secret": secret, "address": address_of(request)}
    return Page("machines.html", data, status=200 if secret is None else 201)


def _comparison(
    here: Here,
    machine: dict[str, Any],
    documents: list[JudgedDocument],
    runs: list[dict[str, Any]],
    rule: tuple[Rule, Ties],
) -> dict[str, Any] | None:
    """Confusion matrix, agreement, leniency, and the effect on the leaderboard; None without common documents."""
    comparison = compared(documents, machine["id"], *rule)
    if not comparison.pairs:
        return None
    scale = here.at.scale
    generous = leniency(comparison.pairs, scale)
    arguments = {"labels": comparison.labels, "periods": {}, "order": [grade.value for grade in scale.grades]}
    rows = cached(here, "agreement", **arguments)
    return {
        "n_documents": len(comparison.pairs), "n_cannot_tell": comparison.n_cannot_tell,
        "confusion": confusion(comparison.pairs, scale), "leniency": generous and asdict(generous),
        "agreement": [row for row in rows if row["scope"] == "all"], "effect": _effect(here, comparison.labels, runs),
        "topics": [row for row in rows if row["scope"] == "topic" and row["measure"] == "Agreement"],
        "audit": _audit(here, machine, documents, comparison, runs),
        "circular": _circular(machine, runs), "corrected": _corrected(here, machine, documents, comparison, runs),
    }  # fmt: skip


def _audit(
    here: Here, machine: dict[str, Any], documents: list[JudgedDocument], comparison: Compared, runs: list[Run]
) -> dict[str, Any]:
    """The audit of the machine's labels, as `cranfield audit` has it."""
    by_machine = labels_of_machine(documents, machine["id"])
    arguments = {"people": comparison.labels[PEOPLE], "machine": by_machine} | scoring(here)
    result: dict[str, Any] = cached_over_runs(here, "audited", runs, **arguments)
    return result


def _effect(here: Here, labels: Any, runs: list[dict[str, Any]]) -> dict[str, Any] | None:
    """How the leaderboard and its top ten change if the machine's labels replace those of people."""
    if len(runs) < 2:
        return None
    arguments = {"labels": labels, "people": PEOPLE, "machine": MACHINE} | scoring(here)
    effect: dict[str, Any] = cached_over_runs(here, "effect", runs, **arguments)
    return effect


def _corrected(
    here: Here, machine: dict[str, Any], documents: list[JudgedDocument], comparison: Compared, runs: list[Run]
) -> dict[str, Any] | None:
    """P@10 on all documents that the machine labelled, corrected by people's labels; None if people labelled all."""
    by_machine = labels_of_machine(documents, machine["id"])
    n_labelled = sum(map(len, by_machine.values()))
    if not runs or n_labelled == len(comparison.pairs):
        return None
    arguments = {"people": comparison.labels[PEOPLE], "machine": by_machine, "scale": scoring(here)["scale"]}
    estimates: dict[str, Any] = cached_over_runs(here, "corrected", runs, **arguments)
    return estimates | {"n_labelled": n_labelled}


def _circular(machine: dict[str, Any], runs: list[dict[str, Any]]) -> list[str]:
    """The runs whose description names a model of the assessor: a system should not be judged by its own model."""
    models = [one["model"].casefold() for one in machine["models"]]
    cards = {run["name"]: " ".join([run["description"], *run["models"]]).casefold() for run in runs}
    return [name for name, card in cards.items() if any(model in card for model in models)]
