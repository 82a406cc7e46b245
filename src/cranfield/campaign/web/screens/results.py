"""The results page: versions of the qrels, their export and release."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form, HTTPException

from cranfield.campaign.rules.conflicts import RULES, TIES, Rule, Ties, is_open
from cranfield.campaign.rules.events import content_hash
from cranfield.campaign.store import benchmarks, judgments, submissions
from cranfield.campaign.store import machines as stored_machines
from cranfield.campaign.store.conflicts import judged_documents
from cranfield.campaign.web.fields import LARGEST, At, Number, OptionalNumber
from cranfield.campaign.web.guard import now
from cranfield.campaign.web.replies import Done, Download, Page
from cranfield.campaign.web.screens.leaderboards import Name, chosen_version, estimated, leaderboard, qrels_of


def results_page(here: At, version: OptionalNumber = None, measure: Name = None) -> Page:
    """The versions of the qrels, and the leaderboard of one (default: the latest), ranked by one of the measures."""
    if measure is not None and measure not in here.at.measures:
        raise HTTPException(404, f"{measure} is not a measure of this benchmark")
    with here.store.read() as connection:
        versions = judgments.versions(connection, here.at.id)
        runs = submissions.active(connection, here.at.id)
        exporting = here.may("release results")
        machines = stored_machines.listed(connection, here.at.id) if exporting else []
        documents = judged_documents(connection, here.at.id) if exporting else []
        data: dict[str, Any] = dict(zip(("rule", "tie"), judgments.current_rule(connection, here.at.id)))
    chosen = chosen_version(versions, version)
    board = leaderboard(here, chosen, runs, measure or "") if chosen and runs else None
    estimates = estimated(here, chosen, runs) if chosen and runs else None
    data |= {"versions": versions, "chosen": chosen, "board": board, "estimates": estimates}
    data |= {"rules": list(RULES), "ties": list(TIES), "released": here.at.released}
    data |= {"measures": list(here.at.measures), "measure": measure or here.at.measures[0]}
    listed = sorted(filter(is_open, documents), key=lambda one: (one.topic, one.document))
    data["left_out"] = [
        {"id": one.id, "topic": one.topic, "document": one.document, "graded": bool(one.grades)} for one in listed
    ]
    data["n_judged"] = len(documents)
    data["machines"] = [{"id": machine["id"], "name": machine["name"]} for machine in machines]
    return Page("results.html", data)


def export(
    here: At,
    rule: Annotated[Rule, Form()] = "majority",
    ties: Annotated[Ties, Form()] = "unresolved",
    machine: Annotated[int | None, Form(ge=1, le=LARGEST)] = None,
) -> Done:
    """Export the current labels as a version of the qrels; documents without a label are left out and listed."""
    made = here.write(judgments.export, rule=rule, ties=ties, machine=machine, by=here.me.id, now=now())
    return Done(f"/b/{here.at.slug}/results", made)


def download(here: At, version: Number) -> Download:
    """The qrels in TREC format."""
    text = qrels_of(here, version)
    return Download(f"{here.at.slug}-v{version}-{content_hash(text)[:12]}.qrels", text.encode())


def release(here: At, released: Annotated[bool, Form()]) -> Done:
    """Show the results to all members, or hide them again."""
    here.write(benchmarks.release, now() if released else None)
    return Done(f"/b/{here.at.slug}/results", {"released": released})
