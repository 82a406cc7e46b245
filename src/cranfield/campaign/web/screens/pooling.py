"""The pool, and its assignment to assessors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Form

from cranfield.campaign.rules.assessor_labels import as_completed
from cranfield.campaign.rules.assignments import shares
from cranfield.campaign.rules.conflicts import decided, rule_in_words
from cranfield.campaign.store import benchmarks, judgments, pools, submissions, taking_back
from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.store.conflicts import judged_documents
from cranfield.campaign.store.workload import by_topic, pace, progress, workload
from cranfield.campaign.web.cache import cached_over_runs, paths_of
from cranfield.campaign.web.fields import LARGEST, At, Line, Number
from cranfield.campaign.web.guard import now
from cranfield.campaign.web.replies import Done, Page
from cranfield.campaign.web.run_checks import some
from cranfield.campaign.web.screens.leaderboards import qrels_of, scoring
from cranfield.campaign.web.worker_processes import worked
from cranfield.errors import BadInput
from cranfield.pools.methods import METHODS, find_method

JUDGES = {"assessors": ("assessor",), "participants": ("participant",), "both": ("assessor", "participant")}
ROLES = ("assessor", "participant", "coordinator")  # that may judge


def pool_page(here: At) -> Page:
    """The waves of the pool, and the progress of judging by topic and by assessor."""
    with here.store.read() as connection:
        waves = pools.waves(connection, here.at.id)
        topics = pools.per_topic(connection, here.at.id)
        runs = [run["name"] for run in submissions.active(connection, here.at.id)]
        n_open = {topic: len(waiting) for topic, waiting in pools.unassigned(connection, here.at.id).items()}
        assessors = [assessor.id for assessor in pools.assessors(connection, here.at.id)]
        counts = progress(connection, here.at.id)
        people = workload(connection, here.at.id)
        cells = by_topic(connection, here.at.id)
        names = benchmarks.display_names(connection, here.at.id)
    columns: list[dict[str, Any]] = [
        {"id": one, "name": names[one]} for one in dict.fromkeys([*assessors, *(key[1] for key in cells)])
    ]
    for topic in topics:
        topic["n_open"] = n_open.get(topic["name"], 0)
        nothing = {"n_assigned": 0, "n_done": 0}
        topic["cells"] = [cells.get((topic["name"], column["id"]), nothing) for column in columns]
    data: dict[str, Any] = {"waves": waves, "topics": topics, "runs": runs}
    data["methods"] = [
        {"name": method.name, "title": method.title, "definition": method.definition, "adaptive": method.adaptive}
        | {"settings": list(method.settings)}
        for method in METHODS.values()
    ]
    data |= {"progress": counts, "people": people, "columns": columns, "assessors": assessors}
    return Page("pool.html", data | {"n_open": sum(n_open.values()), "n_assessors": len(assessors)})


def cost(here: At) -> Page:
    """The size of the depth-k pool of all runs for k up to 100, and the hours per document."""
    with here.store.read() as connection:
        runs = submissions.active(connection, here.at.id)
        topics = list(stored.topic_ids(connection, here.at.id))
        n_pooled = sum(wave["n_documents"] for wave in pools.waves(connection, here.at.id))
        hours = pace(connection, here.at.id)
    sizes = cached_over_runs(here, "depths", runs, topics=topics) if runs else []
    return Page("", {"n_documents": sizes, "n_pooled": n_pooled, "hours_each": hours})


def build(here: At, method: Annotated[str, Form(max_length=40)] = "depth",
          depth: Annotated[int | None, Form(ge=1, le=10_000)] = None,
          budget: Annotated[int | None, Form(ge=1, le=1_000_000)] = None,
          proportion: Annotated[float | None, Form(gt=0, le=1)] = None, strata: Line = "",
          seed: Annotated[int | None, Form(ge=0, le=LARGEST)] = None,
          burn_in: Annotated[int | None, Form(ge=0, le=10_000)] = None,
          run: Annotated[int | None, Form(ge=1, le=LARGEST)] = None,
          live: Annotated[bool, Form()] = False) -> Done:  # fmt: skip
    """Add a wave to the pool, chosen from all runs, or from one, by a pooling method; earlier waves do not change.

    With `live`, an adaptive method pools all documents down to the depth, and each judgment determines which
    document comes next until the topic's budget is used up.
    """
    requested = {"depth": depth, "budget": budget, "proportion": proportion, "strata": strata or None, "seed": seed}
    requested["burn_in"] = burn_in
    chosen = find_method(method)
    settings = chosen.checked({name: value for name, value in requested.items() if value is not None})
    with here.store.read() as connection:
        runs = [one for one in submissions.active(connection, here.at.id) if run in (None, one["id"])]
        topics = list(stored.topic_ids(connection, here.at.id))
        versions = judgments.versions(connection, here.at.id)
    if not runs:
        raise BadInput("there are no runs to pool yet" if run is None else "there is no such run, or it was withdrawn")
    if live and not chosen.adaptive:
        raise BadInput(f"{chosen.title} is not adaptive, so its pool cannot be judged live")
    if chosen.adaptive and not live and not versions:
        raise BadInput(f"{chosen.title} needs judgments: choose live, or judge a first wave and export the qrels")
    arguments: dict[str, Any] = {"topics": topics, "method": method, "settings": settings}
    files = paths_of(here, runs)
    if live:
        arguments |= {"method": "depth", "settings": {"depth": settings["depth"]}}
        settings |= {"live": True}
    elif chosen.adaptive:
        arguments |= {"qrels": qrels_of(here, versions[0]["version"]), "rel": here.at.scale.relevant_from}
    rows = worked("pool", runs=files, **arguments)
    settings |= {"runs": list(files)}
    wave = here.write(pools.add, rows, method=method, settings=settings, by=here.me.id, now=now())
    return Done(f"/b/{here.at.slug}/pool", {"wave": wave})


def quality_page(here: At) -> Page:
    """How much the results depend on each run's contribution to the pool."""
    with here.store.read() as connection:
        runs = submissions.active(connection, here.at.id)
        versions = judgments.versions(connection, here.at.id)
    if not versions or len(runs) < 2:
        return Page("pool_quality.html", {"quality": None, "version": None})
    teams = {run["name"]: run["team"] for run in runs}
    quality = cached_over_runs(here, "quality", runs, **scoring(here, versions[0]), teams=teams)
    return Page("pool_quality.html", {"quality": quality, "version": versions[0]["version"]})


def separation_page(here: At) -> Page:
    """Whether there are enough judgments to separate the best run from those behind it; only complete topics count."""
    with here.store.read() as connection:
        runs = submissions.active(connection, here.at.id)
        waiting = pools.unassigned(connection, here.at.id)
        cells = by_topic(connection, here.at.id)
        documents = judged_documents(connection, here.at.id)
        n_topics = len(stored.topic_ids(connection, here.at.id))
        rule, ties = judgments.current_rule(connection, here.at.id)
    open_topics = {name for (name, _), cell in cells.items() if cell["n_done"] < cell["n_assigned"]} | waiting.keys()
    complete = {name for name, _ in cells} - open_topics
    labels = as_completed(documents, complete, rule, ties)
    n_undecided = sum(one.topic in complete and decided(one, rule, ties).reason == "conflict" for one in documents)
    outcome = None
    if labels and len(runs) > 1:
        outcome = cached_over_runs(here, "separation", runs, labels=labels, **scoring(here))
    words = _separation(outcome, len(labels), n_topics, n_undecided)
    data = {"rule": rule_in_words(rule, ties), "n_undecided": n_undecided}
    data |= {"n_complete": len(labels), "n_topics": n_topics, "separation": outcome, "words": words}
    return Page("separation.html", data)


def _separation(separation: dict[str, Any] | None, n_complete: int, n_topics: int, n_undecided: int) -> str:
    """A sentence on whether enough documents are judged."""
    if separation is None and n_undecided:
        conflicts = "1 open conflict" if n_undecided == 1 else f"{n_undecided:,} open conflicts"
        return f"The topics that are completely judged have {conflicts}; decide them to see whether there are enough."
    if separation is None:
        return "At least two runs and one completely judged topic are needed to see whether there are enough judgments."
    if separation["reason"]:
        return str(separation["reason"])
    best, measure = separation["best"], separation["measure"]
    topics = f"after {n_complete:,} of {n_topics:,} topics"
    undecided = [row["run"] for row in separation["behind"] if row["after"] is None]
    if not undecided:
        return f"There are enough judgments: {best} is separated from the runs behind it in {measure}, {topics}."
    more = " More topics are needed." if n_complete == n_topics else ""
    return f"There are not enough judgments yet to separate {best} from {some(undecided)} in {measure}, {topics}.{more}"


def assign(
    here: At,
    double: Annotated[float, Form(ge=0, le=100)] = 0,
    judges: Annotated[int, Form(ge=2, le=100)] = 2,
    repeats: Annotated[float, Form(ge=0, le=100)] = 0,
    seed: Annotated[int, Form(ge=0)] = 0,
    who: Annotated[Literal["assessors", "participants", "both"], Form()] = "assessors",
    topic: Line = "",
    assessor: Annotated[int | None, Form(ge=1, le=LARGEST)] = None,
) -> Done:
    """Assign the unassigned documents to the assessors, the participants, or both.

    `topic` restricts this to the documents of one topic, `assessor` to one person.

    No team is the only judge of documents that only its own runs retrieved. `double` percent of each topic go to
    exactly `judges` assessors. `repeats` percent of an assessor's documents for a topic are shown again at its end,
    unmarked, to measure their consistency.
    """
    with here.store.read() as connection:
        waiting = pools.unassigned(connection, here.at.id)
        assessors = pools.assessors(connection, here.at.id, JUDGES[who])
    waiting = {name: documents for name, documents in waiting.items() if topic in ("", name)}
    assessors = [one for one in assessors if assessor in (None, one.id)]
    if not waiting:
        raise BadInput(f"all pooled documents{f' of topic {topic}' if topic else ''} are already assigned")
    shared = shares(waiting, assessors, double=double / 100, judges=judges, repeats=repeats / 100, seed=seed)
    here.write(pools.assign, shared)
    return Done(f"/b/{here.at.slug}/pool", {"n_assigned": len(shared)})


def take_back(
    here: At,
    assessor: Annotated[int, Form(ge=1, le=LARGEST)],
    topic: Line = "",
    to: Annotated[int | None, Form(ge=1, le=LARGEST)] = None,
    expected: Annotated[int | None, Form(ge=0, le=LARGEST)] = None,
) -> Page | Done:
    """Take back the unanswered documents of an assessor, of one topic or of all, and give them to another, if given.

    Without `expected`, the number of documents, nothing changes: the answer says what would be done.
    """
    if to == assessor:
        raise BadInput("choose somebody else to give the documents to")
    names = {person["id"]: person["name"] for person in here.read(benchmarks.people)}
    if assessor not in names or (to is not None and to not in {one.id for one in here.read(pools.assessors, ROLES)}):
        raise BadInput("this person does not judge in this benchmark")
    if expected is not None:
        who: dict[str, Any] = {"account": assessor, "topic": topic, "to": to, "expected": expected}
        done = here.write(taking_back.take_back, **who, by=here.me.id, now=now())
        return Done(f"/b/{here.at.slug}/pool", dict(done))
    planned = here.read(taking_back.unanswered, assessor, topic, to)
    where = f" of topic {topic}" if topic else ""
    words = f"{planned['n_documents']:,} unanswered documents{where} are taken from {names[assessor]}"
    if to:
        words += f" and {planned['n_given']:,} of them given to {names[to]}, who does not have them yet"
    words += f"; {planned['n_answered']:,} answered ones stay. "
    if planned["n_repeats"]:
        words += f"{planned['n_repeats']:,} hidden repeats end. "
    words += "What is not given to anybody can be assigned again."
    fields = {"assessor": assessor, "topic": topic, "expected": planned["n_documents"]} | ({"to": to} if to else {})
    return _confirmation(planned, "Take back", words, "/assignments/back", fields)


def delete_wave(here: At, wave: Number, expected: Annotated[int | None, Form(ge=0, le=LARGEST)] = None) -> Page | Done:
    """Delete the latest wave, with its assignments, while none of its documents is judged.

    Without `expected`, the number of assignments, nothing changes: the answer says what would be done.
    """
    if expected is not None:
        done = here.write(taking_back.delete_wave, wave, expected=expected, by=here.me.id, now=now())
        return Done(f"/b/{here.at.slug}/pool", dict(done))
    planned = here.read(taking_back.wave_in_numbers, wave)
    words = f"Wave {wave} has {planned['n_documents']:,} documents and {planned['n_assigned']:,} assignments. "
    if planned["n_judged"]:
        raise BadInput(f"{planned['n_judged']:,} documents of wave {wave} are judged, so it stays")
    words += "None of them is judged. Building the pool with the same settings brings it back."
    fields = {"expected": planned["n_assigned"]}
    return _confirmation(planned, f"Delete wave {wave}", words, f"/pool/{wave}/delete", fields)


def _confirmation(planned: dict[str, int], title: str, words: str, path: str, fields: dict[str, Any]) -> Page:
    """The page that asks before an act."""
    data = {"title": title, "tab": "Pool", "words": words, "path": path, "fields": fields, "back": "/pool"}
    return Page("confirm.html", data | planned)
