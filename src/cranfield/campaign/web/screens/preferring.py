"""Preference judgments: two documents side by side, and the assessors' choices."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import Form

from cranfield.campaign.rules.preferences import Choice, alike, cycles, deal, preference_lines
from cranfield.campaign.store import accounts, pools
from cranfield.campaign.store import preferences as stored
from cranfield.campaign.store import topics_and_documents as texts
from cranfield.campaign.web.fields import LARGEST, At, EventKey, Lines
from cranfield.campaign.web.guard import now
from cranfield.campaign.web.replies import Done, Download, Page
from cranfield.errors import BadInput

Key = Annotated[EventKey, Form()]


def prefer_page(here: At) -> Page:
    """The assessor's next pair, with both texts."""
    with here.store.read() as connection:
        listed = stored.own_pairs(connection, here.at.id, here.me.id)
        pair = next((one for one in listed if one["choice"] is None), None)
        shown: dict[str, Any] | None = None
        if pair is not None:
            need = next(topic for topic in texts.topics(connection, here.at.id) if topic["name"] == pair["topic"])
            sides = {side: texts.shown_document(connection, here.at.id, pair[side]) for side in ("left", "right")}
            shown = {"id": pair["id"], "topic": need} | sides
    n_done = sum(one["choice"] is not None for one in listed)
    return Page("prefer.html", {"pair": shown, "key": accounts.new_secret(), "n": len(listed), "n_done": n_done})


def prefer(here: At, pair: Annotated[int, Form(ge=1, le=LARGEST)], choice: Annotated[Choice, Form()], key: Key,
           note: Lines = "") -> Done:  # fmt: skip
    """Store a preference; sending it again with the same key has no effect."""
    here.write(stored.prefer, here.me.id, pair, choice, note[:2_000], key, now())
    return Done(f"/b/{here.at.slug}/prefer", {"pair": pair, "choice": choice})


def undo(here: At) -> Done:
    """Undo the assessor's last preference."""
    last = here.read(stored.last_judged, here.me.id)
    if last is None:
        raise BadInput("there is nothing to undo")
    here.write(stored.prefer, here.me.id, last, None, "", accounts.new_secret(), now())
    return Done(f"/b/{here.at.slug}/prefer", {"pair": last, "choice": None})


def preferences_page(here: At) -> Page:
    """The assessors' preferences: counts, agreement, and cycles."""
    with here.store.read() as connection:
        made, n_pairs = stored.preferences(connection, here.at.id)
        n_assessors = len(pools.assessors(connection, here.at.id))
    n_several, n_same = alike(made)
    rows = [
        {"topic": one.pair.topic, "left": one.pair.left, "right": one.pair.right, "assessor": one.assessor}
        | {"choice": one.choice, "better": one.strict[0] if one.strict else ""}
        for one in made
    ]
    data = {"preferences": rows, "counts": Counter(one.choice for one in made), "n_pairs": n_pairs}
    data |= {"n_several": n_several, "n_same": n_same, "n_cycles": cycles(made), "n_assessors": n_assessors}
    return Page("preferences.html", data)


def deal_pairs(
    here: At,
    most: Annotated[int, Form(ge=1, le=10_000)] = 20,
    depth: Annotated[int, Form(ge=2, le=1_000)] = 10,
    judges: Annotated[int, Form(ge=1, le=100)] = 1,
    seed: Annotated[int, Form(ge=0)] = 0,
) -> Done:
    """Assign pairs of the first `depth` pooled documents of each topic to assessors, at most `most` per topic."""
    with here.store.read() as connection:
        topics = stored.first_pooled(connection, here.at.id, depth)
        assessors = [assessor.id for assessor in pools.assessors(connection, here.at.id)]
    if not topics:
        raise BadInput("there is no pool to take pairs from yet")
    if not assessors:
        raise BadInput("there are no assessors; invite some first")
    dealt = deal(topics, assessors, most=most, judges=judges, seed=seed)
    return Done(f"/b/{here.at.slug}/preferences", {"n_pairs": here.write(stored.add_pairs, dealt)})


def download(here: At) -> Download:
    """The strict preferences in TREC format."""
    made, _ = here.read(stored.preferences)
    return Download(f"{here.at.slug}.prefs", preference_lines(made).encode())
