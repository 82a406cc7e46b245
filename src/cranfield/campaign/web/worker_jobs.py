"""The jobs of workers: reading untrusted files, and computing figures by calls to the public verbs.

Decided here: what a worker can compute.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from itertools import accumulate
from typing import Any

from cranfield.agreement.agree import agree, reorder
from cranfield.auditing.audit import audit
from cranfield.campaign.web import boards
from cranfield.campaign.web.boards import ranks, scaled
from cranfield.campaign.web.run_checks import check_run
from cranfield.correlation.correlate import correlate
from cranfield.errors import BadSetting
from cranfield.pools import pool as pools
from cranfield.pools.pool import pool_quality
from cranfield.pools.result import top_of_runs
from cranfield.tables.collections import documents as document_files
from cranfield.tables.collections.topics import read_topic_file
from cranfield.tables.sources import as_runs

DEEPEST = 100  # largest depth whose pool size is computed in advance


def read_topics(path: str) -> list[dict[str, Any]]:
    """The topics of a file."""
    return [asdict(topic) for topic in read_topic_file(path)]


def read_documents(path: str, into: str, name: str) -> int:
    """The number of documents in a file; each is written to the file `into` as a line, so memory stays bounded."""
    n_documents = 0
    with open(into, "w", encoding="utf-8") as file:
        for one in document_files.read_documents(path, name):
            elements = [[element.path, element.start, element.end] for element in one.elements]
            file.write(json.dumps([one.id, one.title, one.text, one.line, elements], ensure_ascii=False) + "\n")
            n_documents += 1
    return n_documents


def pool(
    runs: dict[str, str], topics: list[str], method: str, settings: dict[str, Any], qrels: str = "", rel: float = 1
) -> list[dict[str, Any]]:
    """The documents that a method pools for each topic; adaptive methods use the judgments in `qrels`."""
    judged: dict[str, Any] = {"judgments": qrels, "rel": rel} if qrels else {}
    rows = pools.pool(runs, method, **judged, **settings).content()["pool"]
    known = set(topics)
    return [row for row in rows if row["query"] in known]


def depths(runs: dict[str, str], topics: list[str]) -> list[int]:
    """The size of the depth-k pool of the topics, for every k up to 100."""
    requested = {topic.encode() for topic in topics}
    best_rank: dict[tuple[bytes, bytes], int] = {}
    for top in top_of_runs(as_runs(runs), DEEPEST):
        for topic in top.keys() & requested:
            for rank, document in enumerate(top[topic], 1):
                best_rank[topic, document] = min(rank, best_rank.get((topic, document), rank))
    ranks = Counter(best_rank.values())
    return list(accumulate(ranks[rank] for rank in range(1, DEEPEST + 1)))


def quality(
    runs: dict[str, str], qrels: str, measures: list[str], teams: dict[str, str], scale: dict[str, Any]
) -> dict[str, Any]:
    """The effect of leaving out each run or team, the overlap of the runs, judged@k, and missing relevant documents."""
    (measure,) = scaled(measures[:1], scale)
    result = pool_quality(qrels, runs, measure, teams=teams, rel=scale["relevant_from"])
    content = result.to_dict()
    return {name: content[name] for name in ("left_out", "overlap", "judged", "missing", "settings", "notes")}


def agreement(
    labels: dict[str, dict[str, dict[str, int]]], periods: dict[str, dict[str, dict[str, int]]], order: list[int]
) -> list[dict[str, Any]]:
    """All agreement coefficients: over all assessors, and by pair, topic and period."""
    rows = agree(labels, order=order).to_dict()["agreement"]
    if periods:
        by_period = agree(periods, per=("topic",), order=order).to_dict()["agreement"]
        rows += [row | {"scope": "period"} for row in by_period]
    return list(rows)


def reordered(
    labels: dict[str, dict[str, dict[str, int]]], runs: dict[str, str], measures: list[str], scale: dict[str, Any]
) -> list[dict[str, Any]]:
    """How the ranking of the runs by the first measure depends on whose grades are used."""
    reordering = reorder(labels, runs, scaled(measures[:1], scale), combined=())
    return list(reordering.to_dict()["orders"])


def effect(
    labels: dict[str, dict[str, dict[str, int]]], people: str, machine: str, runs: dict[str, str], measures: list[str],
    scale: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """How a machine's labels change the ranking of all runs, and of people's ten best, by the first measure."""
    (measure,) = scaled(measures[:1], scale)
    reordering = reorder(labels, runs, [measure], combined=())
    (row,) = reordering.to_dict()["orders"]
    values = dict(zip(reordering.judges, reordering.values[:, :, 0], strict=True))
    value = {judge: dict(zip(reordering.systems, map(float, column))) for judge, column in values.items()}
    rank = {judge: dict(zip(reordering.systems, ranks(column, measure))) for judge, column in values.items()}
    best = sorted(reordering.systems, key=lambda name: (rank[people][name], name))
    top = best[:10]
    one, other = ({name: value[judge][name] for name in top} for judge in (people, machine))
    moved = [
        {"run": name, "people": value[people][name], "machine": value[machine][name]}
        | {"rank": rank[people][name], "machine_rank": rank[machine][name]}
        for name in best
    ]
    correlated = correlate(one, other, "tau-b").to_dict()["correlations"] if len(top) > 1 else []
    return row | {"top": top, "top_tau": correlated[0]["value"] if correlated else None, "runs": moved}


def audited(
    people: dict[str, dict[str, int]], machine: dict[str, dict[str, int]], runs: dict[str, str], measures: list[str],
    scale: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """The audit of a machine's labels by those of people on some of the documents: its answer and its figures."""
    relevant_from = scale["relevant_from"]
    for measure in (*scaled(measures[:1], scale), f"P(rel={relevant_from})@10"):
        with suppress(BadSetting):  # the measure cannot be estimated from single documents
            result = audit(people, machine, runs or None, str(measure), rel=relevant_from)
            return {"answer": result.answer, "verdict": result.verdict, **result.records()}
    raise AssertionError


JOBS: dict[str, Callable[..., Any]] = {
    job.__name__: job
    for job in (
        check_run, read_topics, read_documents, pool, depths, quality, agreement, reordered, effect, audited,
        boards.board, boards.run_detail, boards.contrast, boards.corrected, boards.estimates, boards.first_documents,
        boards.report_html, boards.history_html, boards.separation, boards.strip,
    )
}  # fmt: skip
