"""The home page of a benchmark, and its topics."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cranfield.campaign.rules.conflicts import JudgedDocument, Rule, Ties, decided, is_open
from cranfield.campaign.store import benchmarks, judgments, pools, submissions
from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.store.collection_manifest import collection_hash
from cranfield.campaign.store.conflicts import judged_documents
from cranfield.campaign.store.workload import progress
from cranfield.campaign.web.fields import At
from cranfield.campaign.web.guard import Here, now
from cranfield.campaign.web.replies import Page
from cranfield.campaign.web.screens.benchmark import described


def benchmark_page(here: At) -> Page:
    """The state of the campaign, and the next step for the person's role."""
    with here.store.read() as connection:
        counts = {
            "topics": len(stored.topic_ids(connection, here.at.id)),
            "documents": stored.n_documents(connection, here.at.id),
        }
        waves = pools.waves(connection, here.at.id)
        versions = judgments.versions(connection, here.at.id) if here.may("see results") else []
        runs = submissions.active(connection, here.at.id) if here.may("pool") else []
        if here.may("pool"):
            counts |= {"runs": len(runs), "pooled": sum(wave["n_documents"] for wave in waves)}
            counts |= progress(connection, here.at.id)
            counts |= {"qrels": len(versions), "assessors": len(pools.assessors(connection, here.at.id))}
            counts["conflicts"] = sum(map(is_open, judged_documents(connection, here.at.id)))
        relevant_from = here.at.scale.relevant_from
        mine = judgments.queue(connection, here.at.id, here.me.id, relevant_from) if here.may("judge") else []
        people = benchmarks.people(connection, here.at.id) if here.may("invite people") else []
    own_counts = {"n_own": len(mine), "n_own_open": sum(one["kind"] in (None, "later") for one in mine)}
    data = described(here) | {"counts": counts, "role": here.role, "versions": versions} | own_counts
    roles = (person["role"] if person["kind"] == "person" else f"machine {person['role']}" for person in people)
    data["people"] = dict(Counter(roles))
    dates = {
        "runs": max((run["created"] for run in runs), default=None),
        "pool": waves[-1]["created"] if waves else None,
        "results": versions[0]["created"] if versions else None,
    }
    data["collection"] = collection_hash(here.store, here.at.id, now())
    data["steps"] = _steps(counts, dates) if here.may("pool") else []
    return Page("overview.html", data | {"next": _next(here, counts, own_counts)})


def topics_page(here: At) -> Page:
    """The topics and the number of documents; coordinators see the progress of each topic."""
    with here.store.read() as connection:
        listed = stored.topics(connection, here.at.id)
        n_documents = stored.n_documents(connection, here.at.id)
        alike = stored.near_duplicates_of(connection, here.at.id) if here.may("set up") else []
        numbers = stored.topic_ids(connection, here.at.id)
        pooled = {one["name"]: one["n_pooled"] for one in pools.per_topic(connection, here.at.id)}
        judged = judged_documents(connection, here.at.id) if here.may("see judgments") else None
        has_results = here.may("see results") and bool(judgments.versions(connection, here.at.id))
        rule = judgments.current_rule(connection, here.at.id)
    if judged is not None:
        of_topic: dict[str, list[JudgedDocument]] = {}
        for document in judged:
            of_topic.setdefault(document.topic, []).append(document)
        listed = [
            one | {"pooled": pooled.get(one["name"], 0)} | _labels(here, of_topic.get(one["name"], []), rule)
            for one in listed
        ]
    listed = [one | {"id": numbers[one["name"]]} for one in listed]
    data = {"topics": listed, "n_documents": n_documents}
    shown = {"alike": [one._asdict() for one in alike], "counted": judged is not None, "has_results": has_results}
    return Page("topics.html", data | shown)


def _labels(here: Here, documents: list[JudgedDocument], rule: tuple[Rule, Ties]) -> dict[str, Any]:
    """For a topic, the number of graded and of relevant documents, and how often its assessors agree."""
    grades = [decided(document, *rule).grade for document in documents]
    known = [grade for grade in grades if grade is not None]
    several = [document.grades for document in documents if len(document.grades) > 1]
    same = sum(len(set(grades)) == 1 for grades in several)
    counts = {"judged": len(known), "relevant": sum(map(here.at.scale.relevant, known))}
    return counts | {"agreement": same / len(several) if several else None}


def _steps(counts: dict[str, int], dates: dict[str, int | None]) -> list[dict[str, Any]]:
    """The steps of the campaign and their states, for coordinators."""
    n_assigned, n_done = counts["n_assigned"], counts["n_done"]
    pooled, qrels = counts["pooled"], counts["qrels"]
    rows = (
        ("Setup", f"{counts['documents']:,} documents", "/settings", bool(counts["documents"]), None),
        ("Topics", f"{counts['topics']:,} topics", "/topics", bool(counts["topics"]), None),
        ("Runs", f"{counts['runs']:,} runs", "/runs", bool(counts["runs"]), dates["runs"]),
        ("Pool", f"{pooled:,} documents", "/pool", bool(pooled), dates["pool"]),
        ("Judging", f"{n_done:,} of {n_assigned:,}", "/pool", bool(n_assigned) and n_done == n_assigned, None),
        ("Results", f"{qrels:,} {'version' if qrels == 1 else 'versions'}", "/results", bool(qrels), dates["results"]),
    )
    return [
        {"name": name, "words": words, "path": path, "done": done, "at": at} for name, words, path, done, at in rows
    ]


def _next(here: Here, counts: dict[str, int], own_counts: dict[str, int]) -> dict[str, Any]:
    """The next action: its label and its page."""
    if here.may("pool"):
        undecided = 0 if counts["qrels"] else counts["conflicts"]
        steps = (
            (not counts["topics"], "Import topics", "/topics"),
            (not counts["documents"], "Import the documents", "/topics"),
            (not counts["runs"], "Submit a run, or wait for the participants' runs", "/runs"),
            (not counts["pooled"], "Build the pool", "/pool"),
            (not counts["n_assigned"] and not counts["assessors"], "Invite assessors", "/people"),
            (not counts["n_assigned"], "Assign the pool to the assessors", "/pool"),
            (counts["n_done"] < counts["n_assigned"], "Follow the assessors’ progress", "/pool"),
            (undecided > 0, f"Decide {undecided} open {'conflict' if undecided == 1 else 'conflicts'}", "/conflicts"),
            (not counts["qrels"], "Export the qrels", "/results"),
            (True, "See the leaderboard", "/results"),
        )
        words, path = next((words, path) for needed, words, path in steps if needed)
    elif own_counts["n_own_open"]:
        words, path = f"Judge {own_counts['n_own_open']} documents", "/judge"
    elif here.role == "participant":
        words, path = "Submit a run", "/runs"
    elif here.may("see results"):
        words, path = "See the leaderboard", "/results"
    else:
        waits = {"viewer": "the results appear here once the coordinator releases them"}
        otherwise = "the coordinator will assign documents to you"
        if own_counts["n_own"]:
            return {"words": f"All {own_counts['n_own']} judged. Thank you", "path": ""}
        words, path = f"Nothing to do for now: {waits.get(here.role or '', otherwise)}", ""
    return {"words": words, "path": path}
