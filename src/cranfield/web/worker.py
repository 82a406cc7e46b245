"""The jobs of workers: disposable processes, without secrets, that read untrusted files and compute scores.

`worker_processes` starts `python -m cranfield.web.worker` with a socket as its standard input. This process imports
what jobs need, once, and then forks a worker for each connection that it receives. The worker reads a job as JSON,
answers in JSON and ends; its time and memory are limited.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import socket
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from itertools import accumulate
from typing import Any, NoReturn

from cranfield.errors import CranfieldError
from cranfield.web.run_checks import check_run

DEEPEST = 100  # largest depth whose pool size is computed in advance
NICENESS = 10  # of workers: judgments come before computations


def read_topics(path: str) -> list[dict[str, Any]]:
    """The topics of a file."""
    from cranfield.campaign.topics.topic_files import read_topic_file

    return [asdict(topic) for topic in read_topic_file(path)]


def read_documents(path: str, into: str) -> int:
    """The number of documents in a file; each is written to the file `into` as a line, so memory stays bounded."""
    from cranfield.campaign.documents import document_files

    n_documents = 0
    with open(into, "w", encoding="utf-8") as file:
        for one in document_files.read_documents(path):
            elements = [[element.path, element.start, element.end] for element in one.elements]
            file.write(json.dumps([one.id, one.title, one.text, one.line, elements], ensure_ascii=False) + "\n")
            n_documents += 1
    return n_documents


def pool(
    runs: dict[str, str], topics: list[str], method: str, settings: dict[str, Any], qrels: str = "", rel: float = 1
) -> list[dict[str, Any]]:
    """The documents that a method pools for each topic; adaptive methods use the judgments in `qrels`."""
    from cranfield.verbs import pools

    judged: dict[str, Any] = {"judgments": qrels, "rel": rel} if qrels else {}
    rows = pools.pool(runs, method, **judged, **settings).content()["pool"]
    known = set(topics)
    return [row for row in rows if row["query"] in known]


def depths(runs: dict[str, str], topics: list[str]) -> list[int]:
    """The size of the depth-k pool of the topics, for every k up to 100."""
    from cranfield.campaign.candidates import top_of_runs
    from cranfield.tables.sources import as_runs

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
    from cranfield.verbs.pools import pool_quality
    from cranfield.web.boards import scaled

    (measure,) = scaled(measures[:1], scale)
    result = pool_quality(qrels, runs, measure, teams=teams, rel=scale["relevant_from"])
    content = json.loads(result.to_json())
    return {name: content[name] for name in ("left_out", "overlap", "judged", "missing", "settings", "notes")}


def agreement(
    labels: dict[str, dict[str, dict[str, int]]], periods: dict[str, dict[str, dict[str, int]]], order: list[int]
) -> list[dict[str, Any]]:
    """All agreement coefficients: over all assessors, and by pair, topic and period."""
    from cranfield.verbs.agreement import agree

    rows = json.loads(agree(labels, order=order).to_json())["agreement"]
    if periods:
        by_period = json.loads(agree(periods, per=("topic",), order=order).to_json())["agreement"]
        rows += [row | {"scope": "period"} for row in by_period]
    return list(rows)


def reordered(
    labels: dict[str, dict[str, dict[str, int]]], runs: dict[str, str], measures: list[str], scale: dict[str, Any]
) -> list[dict[str, Any]]:
    """How the ranking of the runs by the first measure depends on whose grades are used."""
    from cranfield.verbs.agreement import reorder
    from cranfield.web.boards import scaled

    reordering = reorder(labels, runs, scaled(measures[:1], scale), combined=())
    return list(json.loads(reordering.to_json())["orders"])


def effect(
    labels: dict[str, dict[str, dict[str, int]]], people: str, machine: str, runs: dict[str, str], measures: list[str],
    scale: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """How a machine's labels change the ranking of all runs, and of people's ten best, by the first measure."""
    from cranfield.verbs.agreement import reorder
    from cranfield.verbs.correlation import correlate
    from cranfield.web.boards import ranks, scaled

    (measure,) = scaled(measures[:1], scale)
    reordering = reorder(labels, runs, [measure], combined=())
    (row,) = json.loads(reordering.to_json())["orders"]
    value = {
        judge: dict(zip(reordering.systems, map(float, reordering.values[place, :, 0]), strict=True))
        for place, judge in enumerate(reordering.judges)
    }
    rank = {
        judge: dict(zip(reordering.systems, ranks(reordering.values[place, :, 0], measure), strict=True))
        for place, judge in enumerate(reordering.judges)
    }
    best = sorted(reordering.systems, key=lambda name: (rank[people][name], name))
    top = best[:10]
    one, other = ({name: value[judge][name] for name in top} for judge in (people, machine))
    moved = [
        {"run": name, "people": value[people][name], "machine": value[machine][name]}
        | {"rank": rank[people][name], "machine_rank": rank[machine][name]}
        for name in best
    ]
    among_top = (
        json.loads(correlate(one, other, "tau-b").to_json())["correlations"][0]["value"] if len(top) > 1 else None
    )
    return row | {"top": top, "top_tau": among_top, "runs": moved}


JOBS = {
    job.__name__: job
    for job in (check_run, read_topics, read_documents, pool, depths, quality, agreement, reordered, effect)
}
BOARDS = (
    "board",
    "run_detail",
    "contrast",
    "corrected",
    "estimates",
    "first_documents",
    "report_html",
    "separation",
    "strip",
)  # these jobs alone import `boards`


IMPORTED = (  # what jobs would import
    *("cranfield.campaign.candidates", "cranfield.campaign.documents.document_files"),
    *("cranfield.campaign.topics.topic_files", "cranfield.engines.tie_breaking", "cranfield.tables.sources"),
    *("cranfield.verbs.agreement", "cranfield.verbs.correlation", "cranfield.verbs.pools", "cranfield.web.boards"),
    *("pyarrow", "scipy.stats"),
)


def main() -> None:
    """Fork a worker for each connection that arrives, until the server closes the socket: then all workers end."""
    os.nice(NICENESS)
    for name in IMPORTED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # workers that have ended are not waited for
    signal.signal(signal.SIGTERM, _end_all)
    with socket.socket(fileno=sys.stdin.fileno()) as connections:
        while received := socket.recv_fds(connections, 1, 1)[1]:
            with socket.socket(fileno=received[0]) as connection:
                if os.fork() == 0:
                    connections.close()
                    _work(connection)
    _end_all()


def _end_all(*_: object) -> None:
    """End this process and its workers, which are its process group."""
    os.killpg(0, signal.SIGKILL)


def _work(connection: socket.socket) -> NoReturn:
    """Do one job, and end."""
    try:
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        warnings.simplefilter("ignore")
        with connection.makefile("r", encoding="utf-8") as requests:
            request = json.load(requests)
        resource.setrlimit(resource.RLIMIT_DATA, (request["memory"], request["memory"]))
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])  # which ends the process
        os.environ.update(request["environment"])
        tempfile.tempdir = None  # is read from the environment again
        answer = json.dumps(_answer(request["job"], request["arguments"]))
        connection.sendall(answer.encode())
    except BaseException:  # a fault of ours, which belongs into the log of the server
        traceback.print_exc()
    finally:
        os._exit(0)


def _answer(job: str, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"value": _job(job)(**arguments)}
    except CranfieldError as error:
        return {"error": _without_paths(str(error), arguments)}
    except MemoryError:
        return {"error": "the file needs more memory than a worker may use"}


def _job(name: str) -> Callable[..., Any]:
    if name in BOARDS:
        from cranfield.web import boards

        return getattr(boards, name)
    return JOBS[name]


def _without_paths(words: str, arguments: dict[str, Any]) -> str:
    """The error with the file's original name in place of its path on the server."""
    paths = [arguments.get("path", ""), arguments.get("qrels", ""), *arguments.get("runs", {}).values()]
    for path in filter(None, paths):
        words = words.replace(path, "the file")
    return words


if __name__ == "__main__":
    main()
