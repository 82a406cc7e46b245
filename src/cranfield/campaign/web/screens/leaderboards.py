"""The leaderboard and its detail pages for a run, two runs, a topic or a document, all on one version of the qrels."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import HTTPException, Query

from cranfield.campaign.store import judgments, pools, submissions
from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.store.collection_manifest import collection_hash
from cranfield.campaign.web.cache import Run, cached_over_runs, cached_value, digest_of, keep, software
from cranfield.campaign.web.fields import At, Number, OptionalNumber
from cranfield.campaign.web.guard import Here, now
from cranfield.campaign.web.replies import Download, Page
from cranfield.campaign.web.screens.submitting import CARD
from cranfield.results.writing import comma_separated

Format = Literal["csv", "json", "tex"]
MEDIA = {"csv": "text/csv; charset=utf-8", "json": "application/json", "tex": "text/plain; charset=utf-8"}
LISTED = 10  # ranks shown when two lists are side by side
Name = Annotated[str | None, Query(max_length=1_000)]


def board_page(here: At, digest: str) -> Page:
    """A frozen leaderboard, unaffected by later judgments, submissions and withdrawals."""
    return Page("board.html", {"board": _frozen(here, digest)})


def download(here: At, digest: str, file_format: Format) -> Download:
    """A leaderboard as a file."""
    board = _frozen(here, digest)
    if file_format == "csv":
        content = _csv(board)
    else:
        content = board["latex"] if file_format == "tex" else json.dumps(board, indent=1)
    return Download(f"{here.at.slug}-{digest[:12]}.{file_format}", content.encode(), MEDIA[file_format])


def run_page(here: At, run: Number, version: OptionalNumber = None) -> Page:
    """A run: its values by topic next to the median and the best, and its precision-recall curve."""
    chosen, runs = evaluated(here, version)
    submission = _of(runs, run)
    detail = cached_over_runs(here, "run_detail", runs, **scoring(here, chosen), run=submission["name"])
    number = here.read(stored.topic_ids)
    topics = [topic | {"id": number.get(topic["topic"])} for topic in detail["topics"]]
    card = {name: submission[name] for name in CARD}
    others = [{"id": one["id"], "name": one["name"]} for one in runs if one["id"] != run]
    data = {"run": card, "others": others, "measure": here.at.measures[0], "version": chosen["version"]}
    ranked = _ranked_grades(here, chosen, submission)
    topics = [topic | {"cells": ranked.get(topic["topic"], [])} for topic in sorted(topics, key=_below_best)]
    return Page("run.html", data | detail | {"topics": topics})


def _ranked_grades(here: Here, chosen: dict[str, Any], run: Run) -> dict[str, list[dict[str, Any]]]:
    """The grades of the first documents of a run, by topic."""
    first = cached_over_runs(here, "first_documents", [run])[run["name"]]
    return {topic: _cells(listed, _grades(here, chosen, topic)) for topic, listed in first.items()}


def compare_page(here: At, first: OptionalNumber = None, second: OptionalNumber = None, topic: OptionalNumber = None,
                 version: OptionalNumber = None) -> Page:  # fmt: skip
    """Two runs: the difference on each topic, and their lists for one topic side by side."""
    chosen, runs = evaluated(here, version)
    listed = [{"id": run["id"], "name": run["name"]} for run in runs]
    data = {"runs": listed, "measure": here.at.measures[0], "version": chosen["version"], "contrast": None}
    if first is None or second is None or first == second:
        suggested = [run["id"] for run in runs if run["id"] != first][-1] if len(runs) > 1 else None
        return Page("compare.html", data | {"first": first, "second": suggested, "lists": None})
    pair = [_of(runs, first), _of(runs, second)]
    contrast = cached_over_runs(here, "contrast", pair, **scoring(here, chosen))
    number = here.read(stored.topic_ids)
    contrast["topics"] = [topic | {"id": number.get(topic["topic"])} for topic in contrast["topics"]]
    contrast["topics"].sort(key=lambda one: (-(one["difference"] or 0), one["topic"]))
    most = max(contrast["topics"], key=lambda one: abs(one["difference"] or 0), default={"id": None})["id"]
    shown: int | None = topic or most
    lists = _side_by_side(here, chosen, pair, shown) if shown else None
    return Page("compare.html", data | {"first": first, "second": second, "contrast": contrast, "lists": lists})


def topic_page(here: At, topic: Number, version: OptionalNumber = None) -> Page:
    """A topic: the grades of the first documents of every run."""
    chosen, runs = evaluated(here, version)
    need = _topic(here, topic)
    rankings, grades = _rankings(here, runs, need["name"]), _grades(here, chosen, need["name"])
    rows = [{"run": run["name"], "id": run["id"], "cells": _cells(rankings[run["name"]], grades)} for run in runs]
    judged: dict[str, Any] = {"n_judged": len(grades), "n_relevant": sum(map(here.at.scale.relevant, grades.values()))}
    judged["relevant"] = _relevant_documents(here, rankings, grades)
    data = judged | {"topic": need | {"id": topic}, "rows": rows, "version": chosen["version"]}
    return Page(
        "topic.html",
        data | {"grades": [{"value": grade.value, "label": grade.label} for grade in here.at.scale.grades]},
    )


def _relevant_documents(here: Here, rankings: dict[str, list[str]], grades: dict[str, int]) -> list[dict[str, Any]]:
    """The relevant documents, best first: which runs rank each highest, and how many runs retrieve it."""
    rows = []
    for document, grade in grades.items():
        if not here.at.scale.relevant(grade):
            continue
        rank = {run: listed.index(document) + 1 for run, listed in rankings.items() if document in listed}
        best = min(rank.values(), default=None)
        rows.append({"document": document, "grade": grade, "rank": best, "n_runs": len(rank),
                     "runs": sorted(run for run, place in rank.items() if place == best)})  # fmt: skip
    return sorted(rows, key=lambda row: (-row["grade"], row["rank"] or math.inf, row["document"]))


def document_page(here: At, topic: Number, name: Name = None, version: OptionalNumber = None) -> Page:
    """A document: its text, its grade, and its rank in each run that retrieved it."""
    chosen, runs = evaluated(here, version)
    need = _topic(here, topic)
    document = here.read(stored.shown_document, name or "")
    rankings, grades = _rankings(here, runs, need["name"]), _grades(here, chosen, need["name"])
    ranks = [{"run": run, "rank": listed.index(name) + 1} for run, listed in rankings.items() if name in listed]
    if document["text"] is None and name not in grades and not ranks:
        raise HTTPException(404, "there is no such document for this topic")
    label = here.at.scale[grades[name]].label if name in grades else None
    data = {"topic": need | {"id": topic}, "document": document, "version": chosen["version"]}
    return Page("document.html", data | {"grade": grades.get(name or ""), "label": label, "ranks": ranks})


def leaderboard(here: Here, chosen: dict[str, Any], runs: list[Run], measure: str = "") -> dict[str, Any]:
    """The leaderboard by one of the measures on a version of the qrels, stored permanently under its inputs' hash."""
    pooled = here.read(pools.contributors)
    known = {run["name"]: {"id": run["id"], "team": run["team"], "pooled": run["id"] in pooled} for run in runs}
    measures = sorted(here.at.measures, key=lambda one: one != measure)  # the ranking measure comes first
    arguments = scoring(here, chosen) | {"measures": measures}
    collection = {"sha256": collection_hash(here.store, here.at.id, now()), "licence": here.at.licence}
    hashes = {run["name"]: run["hash"] for run in runs}
    inputs = arguments | {"qrels": chosen["hash"], "version": chosen["version"], "runs": hashes, "runs of": known}
    inputs |= {"benchmark": here.at.id, "collection": collection}
    digest = digest_of(["frozen board", software(), inputs])
    if (frozen := cached_value(here, digest)) is not None:
        return dict(frozen)
    board = cached_over_runs(here, "board", runs, **arguments)
    for row in (*board["rows"], *board["unsettled"], *board["apart"]):
        row |= known[row["run"]]
    board |= {"benchmark": here.at.id, "digest": digest, "qrels": chosen["hash"], "version": chosen["version"]}
    board |= {"hashes": hashes, "collection": collection, "created": now(), "software": software()}
    keep(here, digest, board)
    return dict(board)


def estimated(here: Here, chosen: dict[str, Any], runs: list[Run]) -> dict[str, Any] | None:
    """AP and nDCG estimated from the first wave of the pool if it is a sample, or the reason why they cannot be yet."""
    with here.store.read() as connection:
        waves = pools.waves(connection, here.at.id)
        if not waves or not waves[0]["n_left_out"]:
            return None
        sample = pools.sampled(connection, here.at.id, waves[0]["wave"])
    size = {"n_sampled": waves[0]["n_documents"], "n_pooled": waves[0]["n_documents"] + waves[0]["n_left_out"]}
    text = qrels_of(here, chosen["version"])
    judged = {(topic, document) for topic, document, grade in _rows(text) if grade >= 0}
    n_open = sum((row["query"], row["document"]) not in judged for row in sample if row["selected"])
    if n_open:
        return size | {"rows": [], "reason": f"{n_open:,} sampled documents have no label yet"}
    arguments = {"qrels": text, "sample": sample, "rel": here.at.scale.relevant_from}
    values = cached_over_runs(here, "estimates", runs, **arguments)
    return size | {"rows": values, "reason": ""}


def chosen_version(versions: list[dict[str, Any]], version: int | None) -> dict[str, Any] | None:
    """The requested version of the qrels, or the latest."""
    chosen = next((one for one in versions if version in (None, one["version"])), None)
    if version is not None and chosen is None:
        raise HTTPException(404, f"there is no version {version} of the qrels")
    return chosen


def qrels_of(here: Here, version: int) -> str:
    """A version of the qrels."""
    qrels = here.read(judgments.qrels, version)
    if qrels is None:
        raise HTTPException(404, f"there is no version {version} of the qrels")
    return qrels[0]


def _frozen(here: Here, digest: str) -> dict[str, Any]:
    board = cached_value(here, digest) if len(digest) == 64 else None
    if not isinstance(board, dict) or board.get("benchmark") != here.at.id or "digest" not in board:
        raise HTTPException(404, "there is no such leaderboard")
    return board


def evaluated(here: Here, version: int | None) -> tuple[dict[str, Any], list[Run]]:
    """The version of the qrels and the runs that are not withdrawn."""
    with here.store.read() as connection:
        versions = judgments.versions(connection, here.at.id)
        runs = submissions.active(connection, here.at.id)
    chosen = chosen_version(versions, version)
    if chosen is None or not runs:
        raise HTTPException(404, "there are no results yet")
    return chosen, runs


def scoring(here: Here, chosen: dict[str, Any] | None = None) -> dict[str, Any]:
    """The measures of the leaderboard, the scale's gains and relevance threshold, and a version of the qrels."""
    scale = here.at.scale
    gains = [[grade.value, grade.gain] for grade in scale.grades]
    settings = {"measures": list(here.at.measures), "scale": {"gains": gains, "relevant_from": scale.relevant_from}}
    return settings if chosen is None else settings | {"qrels": qrels_of(here, chosen["version"])}


def _of(runs: list[Run], number: int) -> Run:
    run = next((run for run in runs if run["id"] == number), None)
    if run is None:
        raise HTTPException(404, "there is no such run, or it was withdrawn")
    return run


def _topic(here: Here, number: int) -> dict[str, Any]:
    with here.store.read() as connection:
        names = {topic_id: name for name, topic_id in stored.topic_ids(connection, here.at.id).items()}
        listed = {topic["name"]: topic for topic in stored.topics(connection, here.at.id)}
    if number not in names:
        raise HTTPException(404, "there is no such topic")
    return listed[names[number]]


def _rankings(here: Here, runs: list[Run], topic: str) -> dict[str, list[str]]:
    """The first documents of each run for a topic."""
    rankings: dict[str, list[str]] = cached_over_runs(here, "strip", runs, topic=topic)
    return rankings


def _grades(here: Here, chosen: dict[str, Any], topic: str) -> dict[str, int]:
    rows = _rows(qrels_of(here, chosen["version"]))
    return {document: grade for name, document, grade in rows if name == topic and grade >= 0}


def _rows(qrels: str) -> Iterator[tuple[str, str, int]]:
    """Topic, document and grade of each line."""
    for line in qrels.splitlines():
        topic, _, document, grade = line.split(" ")
        yield topic, document, int(grade)


def _cells(listed: list[str], grades: dict[str, int]) -> list[dict[str, Any]]:
    return [{"rank": rank, "document": one, "grade": grades.get(one)} for rank, one in enumerate(listed, 1)]


def _side_by_side(here: Here, chosen: dict[str, Any], pair: list[Run], topic: int) -> dict[str, Any]:
    """The first documents of two runs with their titles, texts, grades and ranks in the other list."""
    need = _topic(here, topic)
    rankings, grades = _rankings(here, pair, need["name"]), _grades(here, chosen, need["name"])
    lists = []
    for run, other in (pair, pair[::-1]):
        elsewhere = {one: rank for rank, one in enumerate(rankings[other["name"]], 1)}
        cells = _cells(rankings[run["name"]][:LISTED], grades)
        for cell in cells:
            text = here.read(stored.shown_document, cell["document"])
            cell |= {"title": text["title"], "text": text["text"], "other_rank": elsewhere.get(cell["document"])}
        lists.append({"run": run["name"], "documents": cells})
    return {"topic": need | {"id": topic}, "lists": lists}


def _below_best(one: dict[str, Any]) -> tuple[float, str]:
    """Sort key: topics on which a run is furthest below the best come first."""
    return (one["value"] or 0.0) - (one["best"] or 0.0), one["topic"]


def _csv(board: dict[str, Any]) -> str:
    """One row per run; those that are not ranked have no tier."""
    titles = [measure["measure"] for measure in board["measures"]]
    heads = ["run", "team", "tiers", "pooled"] + [
        f"{title}{bound}" for title in titles for bound in ("", " low", " high")
    ]
    rows = [
        [row["run"], row["team"], " ".join(map(str, row["tiers"])), "yes" if row["pooled"] else "no"]
        + [value[bound] for value in row["values"] for bound in ("value", "low", "high")]
        for row in (*board["rows"], *board.get("unsettled", ()))
    ]
    return comma_separated(heads, rows)
