"""Agreement between assessors, and how disagreement affects the ranking of the runs."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations
from typing import Any

from cranfield.campaign.rules.assessor_labels import CURRENT, by_period, by_topic, judged_by_several, substituted
from cranfield.campaign.rules.conflicts import JudgedDocument, is_open
from cranfield.campaign.rules.machine_comparison import confusion
from cranfield.campaign.store import judgments, submissions
from cranfield.campaign.store.conflicts import judged_documents
from cranfield.campaign.store.workload import Repeated, repeated
from cranfield.campaign.web.cache import cached, cached_over_runs
from cranfield.campaign.web.fields import At
from cranfield.campaign.web.guard import Here
from cranfield.campaign.web.replies import Page
from cranfield.campaign.web.screens.leaderboards import scoring

WEIGHTED = "Kappa(weights='quadratic')"
SCOPES = ("all", "pair", "topic", "period")


def agreement_page(here: At) -> Page:
    """Whether assessors who judged the same document agree, and whether it affects the results."""
    with here.store.read() as connection:
        documents = judged_documents(connection, here.at.id)
        runs = submissions.active(connection, here.at.id)
        twice = repeated(connection, here.at.id)
    shared = judged_by_several(documents)
    order = [grade.value for grade in here.at.scale.grades]
    arguments = {"labels": by_topic(shared), "periods": by_period(shared), "order": order}
    rows = cached(here, "agreement", **arguments) if shared else []
    data: dict[str, Any] = {"n_several": len(shared), "agreement": rows}
    data |= {
        "n_different": sum(len(set(document.grades)) > 1 for document in shared),
        "n_open": sum(map(is_open, documents)),
    }
    data["tables"] = {scope: _table([row for row in rows if row["scope"] == scope]) for scope in SCOPES}
    data |= {"pairs": _pairs(here, shared, rows), "grades": [asdict(grade) for grade in here.at.scale.grades]}
    data["repeats"] = _consistency(here, twice)
    return Page("agreement.html", data | {"order": order_of_runs(here, documents, runs)})


def _pairs(here: Here, shared: list[JudgedDocument], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """For each pair of assessors, quadratically weighted kappa and the confusion matrix of their grades."""
    names = sorted(
        {opinion.assessor for document in shared for opinion in document.opinions if opinion.judged.grade is not None}
    )
    kappa = {row["name"]: row for row in rows if row["scope"] == "pair" and row["measure"] == WEIGHTED}
    grades_of: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for document in shared:
        opinions = ((opinion.assessor, opinion.judged.grade) for opinion in document.opinions)
        graded = sorted((name, grade) for name, grade in opinions if grade is not None)
        for (first, grade), (second, other) in combinations(graded, 2):
            grades_of.setdefault((first, second), []).append((grade, other))
    listed = [
        {"first": first, "second": second, "n": len(pairs), "counts": confusion(pairs, here.at.scale)}
        | {"kappa": (kappa.get(f"{first} & {second}") or kappa.get(f"{second} & {first}") or {"value": None})["value"]}
        for (first, second), pairs in sorted(grades_of.items())
    ]
    return {"assessors": names, "listed": listed}


def _consistency(here: Here, twice: list[Repeated]) -> dict[str, Any] | None:
    """Whether assessors give a document the same grade when they see it again; None without hidden repeats."""
    if not twice:
        return None
    place = {grade.value: step for step, grade in enumerate(here.at.scale.grades)}
    assessors = []
    for name in dict.fromkeys(one.assessor for one in twice):
        steps = [place[one.again] - place[one.first] for one in twice if one.assessor == name]
        assessors.append({"assessor": name, "n": len(steps), "n_same": steps.count(0), "mean": sum(steps) / len(steps)})
    labels: dict[str, dict[str, dict[str, int]]] = {"first": {}, "again": {}}
    for one in twice:
        item = f"{one.document} {one.assessor}"
        labels["first"].setdefault(one.topic, {})[item] = one.first
        labels["again"].setdefault(one.topic, {})[item] = one.again
    rows = cached(here, "agreement", labels=labels, periods={}, order=list(place))
    return {"assessors": assessors, "agreement": [row for row in rows if row["scope"] == "all"]}


def order_of_runs(here: Here, documents: list[JudgedDocument], runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Kendall's tau between the leaderboard by each assessor's labels and the one by the current labels."""
    labels = substituted(documents, *here.read(judgments.current_rule))
    if not labels or len(runs) < 2:
        return []
    rows = cached_over_runs(here, "reordered", runs, labels=labels, **scoring(here))
    return sorted(rows, key=lambda row: CURRENT not in (row["judge"], row["other"]))


def _table(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One row per pair, topic or period, and one column per coefficient."""
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    names = dict.fromkeys(row["name"] for row in rows)
    cells = {(row["name"], row["measure"]): row for row in rows}
    listed = [
        {"name": name, "n": cells[name, measures[0]]["n_items"]}
        | {"values": [cells[name, measure] for measure in measures]}
        for name in names
    ]
    return {"measures": measures, "rows": listed}
