"""Documents on which assessors disagree, and the decision on each."""

from __future__ import annotations

import math
from collections import Counter
from typing import Annotated, Any

from fastapi import Form, HTTPException, Query

from cranfield.campaign.rules.assignments import further_judges
from cranfield.campaign.rules.conflicts import JudgedDocument, conflicts, decided, is_open, size
from cranfield.campaign.store import accounts, pools
from cranfield.campaign.store import conflicts as stored
from cranfield.campaign.store import topics_and_documents as texts
from cranfield.campaign.web.fields import LARGEST, At, Lines, Number
from cranfield.campaign.web.guard import Here, now
from cranfield.campaign.web.replies import Done, Page
from cranfield.errors import BadInput

AT_ONCE = 100  # conflicts on one page
Seen = Annotated[int | None, Form(ge=0, le=LARGEST)]


def conflicts_page(
    here: At, topic: Annotated[str, Query(max_length=200)] = "", part: Annotated[int, Query(ge=1, le=LARGEST)] = 1
) -> Page:
    """The documents with different grades or with none, largest disagreement first, a hundred at a time."""
    documents = _conflicts(here)
    judges = here.read(pools.judges)
    chosen = [document for document in documents if topic in ("", document.topic)]
    shown = [
        _row(here, document) | {"n_waiting": _n_waiting(document, judges)}
        for document in chosen[(part - 1) * AT_ONCE : part * AT_ONCE]
    ]
    data: dict[str, Any] = {
        "conflicts": shown,
        "topic": topic,
        "topics": dict(sorted(Counter(one.topic for one in documents).items())),
    }
    data |= {"part": part, "n_parts": max(1, math.ceil(len(chosen) / AT_ONCE))}
    return Page("conflicts.html", data | {"n_open": sum(map(is_open, documents)), "n_all": len(documents)})


def conflict_page(here: At, document: Number) -> Page:
    """A document with its topic, all grades and notes, and the decision form."""
    with here.store.read() as connection:
        conflict = stored.judged_document(connection, here.at.id, document)
        if conflict is None or not conflict.is_conflict:
            raise HTTPException(404, "there is no conflict about this document")
        seen = stored.n_decisions(connection, document)
        whole = texts.shown_document(connection, here.at.id, conflict.document)
        topic = next(topic for topic in texts.topics(connection, here.at.id) if topic["name"] == conflict.topic)
    has_judged = any(opinion.account == here.me.id for opinion in conflict.opinions)
    grades = [{"value": grade.value, "label": grade.label} for grade in here.at.scale.grades]
    shown = {part: whole[part] for part in ("title", "text")}
    data = {"conflict": _row(here, conflict), "need": topic, "shown": shown, "has_judged": has_judged, "seen": seen}
    return Page("conflict.html", data | {"grades": grades, "after": _following(here, document)})


def decide(here: At, document: Number, grade: Annotated[int, Form(ge=0, le=1_000)], reason: Lines,
           seen: Seen = None) -> Done:  # fmt: skip
    """Decide a conflict, with a reason; refused if somebody else has decided since it was shown.

    `seen` is the number that the page of the conflict gives; it is needed to change a decision.
    """
    _adjudicate(here, document, grade, reason, seen)
    after = _following(here, document)
    return Done(f"/b/{here.at.slug}/conflicts{f'/{after}' if after else ''}", {"document": document, "grade": grade})


def take_back(here: At, document: Number, seen: Seen = None) -> Done:
    """Undo the last decision on a document."""
    _adjudicate(here, document, None, "", seen)
    return Done(f"/b/{here.at.slug}/conflicts/{document}", {"document": document, "grade": None})


def ask_another(here: At) -> Done:
    """Assign each open conflict to one more assessor, who judges it blind like the others."""
    with here.store.read() as connection:
        judges = pools.judges(connection, here.at.id)
        assessors = pools.assessors(connection, here.at.id)
    busy = {assessor.id: sum(assessor.id in judge_ids for judge_ids in judges.values()) for assessor in assessors}
    waiting = {one.id: judges[one.id] for one in _conflicts(here) if is_open(one) and not _n_waiting(one, judges)}
    if not waiting:
        raise BadInput("every open conflict is already assigned to another assessor")
    shared = further_judges(waiting, assessors, busy)
    here.write(pools.assign, shared)
    return Done(f"/b/{here.at.slug}/conflicts", {"n_assigned": len(shared)})


def _conflicts(here: Here) -> list[JudgedDocument]:
    return conflicts(here.read(stored.judged_documents), here.at.scale)


def _adjudicate(here: Here, document: int, grade: int | None, reason: str, seen: int | None) -> None:
    event: dict[str, Any] = {"event_key": accounts.new_secret(), "by": here.me.id, "now": now(), "seen": seen}
    here.write(stored.adjudicate, document, grade=grade, reason=reason[:2_000], scale=here.at.scale, **event)


def _following(here: Here, document: int) -> int | None:
    """The next open conflict."""
    return next((one.id for one in _conflicts(here) if is_open(one) and one.id != document), None)


def _n_waiting(one: JudgedDocument, judges: dict[int, frozenset[int]]) -> int:
    """The number of a document's assessors who have not judged it yet."""
    done = {opinion.account for opinion in one.opinions if opinion.judged.kind != "later"}
    return len(judges.get(one.id, frozenset()) - done)


def _row(here: Here, one: JudgedDocument) -> dict[str, Any]:
    scale, decision = here.at.scale, one.adjudication
    opinions = [
        {"assessor": opinion.assessor}
        | {part: getattr(opinion.judged, part) for part in ("kind", "grade", "note")}
        | {"label": opinion.judged.kind if opinion.judged.grade is None else scale[opinion.judged.grade].label}
        for opinion in one.opinions
    ]
    made = decision and {
        "grade": decision.grade, "reason": decision.note, "adjudicator": decision.adjudicator, "at": decision.at,
        "label": scale[decision.grade].label if decision.grade is not None else "",
    }  # fmt: skip
    return {
        "id": one.id, "topic": one.topic, "document": one.document, "size": size(one, scale), "opinions": opinions,
        "decision": made, "majority": decided(one, "majority", "unresolved").grade, "open": is_open(one),
    }  # fmt: skip
