"""A disposable process that reads strangers' files and computes scores: no secrets, limited time and memory.

The server starts it with `python -m cranfield.web.worker`, writes one job as JSON to its standard input, and reads the
answer as JSON from its standard output.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from itertools import accumulate
from pathlib import Path
from typing import Any

from cranfield.arrays import Floats
from cranfield.errors import BadInput, CranfieldError
from cranfield.web.worker_places import Places
from cranfield.web.worker_progress import PATH

SECONDS, LONGEST = 120, 3_600  # for a request that waits, and outside the requests
MEMORY = 4 << 30
LONGEST_LINE = "1M"  # of a run; documents may be longer
LOOKED_UP, MOST_LOOKED_UP = 10, 5_000  # documents of each topic of a run, and of all, that the collection should have
DEEPEST = 100  # pool whose size is computed in advance
PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "VIRTUAL_ENV")  # nothing else of the environment


_places = Places(max(2, os.cpu_count() or 1), waiting=16)


def worked(job: str, *, seconds: float = SECONDS, progress: Path | None = None, **arguments: Any) -> Any:
    """The answer of a process of its own; the text of judgments, `qrels`, becomes a file for it."""
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    if job == "check_run":
        environment["CRANFIELD_MAX_LINE"] = LONGEST_LINE
    if progress is not None:
        environment[PATH] = str(progress)
    with _places.one(), tempfile.TemporaryDirectory(prefix="cranfield-job-") as folder:
        environment["TMPDIR"] = folder
        if "qrels" in arguments:
            file = Path(folder) / "qrels.txt"
            file.write_text(arguments["qrels"], encoding="utf-8")
            arguments = arguments | {"qrels": str(file)}
        return _answered({"job": job, "arguments": arguments}, environment, seconds)


def _answered(request: dict[str, Any], environment: dict[str, str], seconds: float) -> Any:
    command = [sys.executable, "-m", "cranfield.web.worker"]
    settings: dict[str, Any] = {"capture_output": True, "text": True, "timeout": seconds, "env": environment}
    try:
        done = subprocess.run(command, input=json.dumps(request), **settings)
    except subprocess.TimeoutExpired:
        raise BadInput(f"this took longer than {seconds:g} seconds, and was stopped") from None
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise BadInput("the file could not be read within the limits on memory and time") from None
    if "error" in answer:
        raise BadInput(answer["error"])
    return answer["value"]


def check_run(path: str, topics: list[str]) -> dict[str, Any]:
    """The size of a run, and remarks; what the readers refuse is refused with its line."""
    from cranfield.engines.top_documents import top_documents
    from cranfield.tables.names import decode
    from cranfield.tables.sources import as_runs

    (source,) = as_runs({"the run": path})
    seen: set[str] = set()
    first: dict[str, None] = {}  # documents, in order
    n_rows = 0
    for part in source.parts():
        batch = part()
        names = [decode(name) for name in batch.queries]
        if scattered := not seen.isdisjoint(names):  # over the file: look at all of it at once
            batch = source.whole()
            seen, n_rows, names = set(), 0, [decode(name) for name in batch.queries]
        seen.update(names)
        n_rows += len(batch.scores)
        for place in range(len(names)):
            if len(first) < MOST_LOOKED_UP:
                first |= dict.fromkeys(map(decode, top_documents(batch, place, LOOKED_UP)))
        if scattered:
            break
    if not n_rows:
        raise BadInput("the file is empty")
    known = set(topics)
    if not seen & known:
        raise BadInput(f"no topic of the run is one of the benchmark's; the first is {min(seen)!r}")
    remarks = []
    if missing := sorted(known - seen):
        remarks.append(f"topics missing from the run: {some(missing)}")
    if unknown := sorted(seen - known):
        remarks.append(f"topics unknown to the benchmark: {some(unknown)}")
    return {"n_rows": n_rows, "n_topics": len(seen & known), "remarks": remarks, "first": list(first)}


def some(names: list[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def read_topics(path: str) -> list[dict[str, Any]]:
    """The topics of a file."""
    from cranfield.campaign.topics.topic_files import read_topic_file

    return [asdict(topic) for topic in read_topic_file(path)]


def read_documents(path: str, into: str) -> int:
    """The number of documents of a file; each is a line of the file `into`, so that memory stays bounded."""
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
    """The documents of the topics that a method chooses; adaptive ones by the judgments in `qrels`."""
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
    """What would change without each run or team; overlap of the runs, judged@k, and missing relevant documents."""
    from cranfield.verbs.pools import pool_quality
    from cranfield.web.boards import scaled

    (measure,) = scaled(measures[:1], scale)
    result = pool_quality(qrels, runs, measure, teams=teams, rel=scale["relevant_from"])
    content = json.loads(result.to_json())
    return {name: content[name] for name in ("left_out", "overlap", "judged", "missing", "settings", "notes")}


def agreement(
    labels: dict[str, dict[str, dict[str, int]]], periods: dict[str, dict[str, dict[str, int]]], order: list[int]
) -> list[dict[str, Any]]:
    """All coefficients: of all assessors, each pair, each topic and each period."""
    from cranfield.verbs.agreement import agree

    rows = json.loads(agree(labels, order=order).to_json())["agreement"]
    if periods:
        by_period = json.loads(agree(periods, per=("topic",), order=order).to_json())["agreement"]
        rows += [row | {"scope": "period"} for row in by_period]
    return list(rows)


def reordered(
    labels: dict[str, dict[str, dict[str, int]]], runs: dict[str, str], measures: list[str], scale: dict[str, Any]
) -> list[dict[str, Any]]:
    """How the order of the runs changes with the assessor whose grades are used, by the first measure."""
    from cranfield.verbs.agreement import reorder
    from cranfield.web.boards import scaled

    reordering = reorder(labels, runs, scaled(measures[:1], scale), combined=())
    return list(json.loads(reordering.to_json())["orders"])


def _ranks(value: Floats) -> list[int]:
    """The rank of each run by value, highest first: one more than the number of higher ones up to rounding."""
    from cranfield.evidence.rounding import merged

    values = merged(value, abs(value))
    return [1 + int((values > run_value).sum()) for run_value in values]


def effect(
    labels: dict[str, dict[str, dict[str, int]]], people: str, machine: str, runs: dict[str, str], measures: list[str],
    scale: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """What the labels of a machine do to the order of the runs by the first measure, and to the ten best by people."""
    from cranfield.results.correlation import better
    from cranfield.verbs.agreement import reorder
    from cranfield.verbs.correlation import correlate
    from cranfield.web.boards import scaled

    (measure,) = scaled(measures[:1], scale)
    reordering = reorder(labels, runs, [measure], combined=())
    (row,) = json.loads(reordering.to_json())["orders"]
    value = {
        judge: dict(zip(reordering.systems, map(float, reordering.values[place, :, 0]), strict=True))
        for place, judge in enumerate(reordering.judges)
    }
    ranks = {
        judge: dict(zip(reordering.systems, _ranks(better(reordering.values[place, :, 0], measure)), strict=True))
        for place, judge in enumerate(reordering.judges)
    }
    best = sorted(reordering.systems, key=lambda name: (ranks[people][name], name))
    top = best[:10]
    one, other = ({name: value[judge][name] for name in top} for judge in (people, machine))
    moved = [
        {"run": name, "people": value[people][name], "machine": value[machine][name]}
        | {"rank": ranks[people][name], "machine_rank": ranks[machine][name]}
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
    "estimates",
    "first_documents",
    "report_html",
    "separation",
    "strip",
)  # jobs of `boards`, which only they import


def main() -> None:
    """Do the job on standard input."""
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    request = json.load(sys.stdin)
    answer: dict[str, Any]
    try:
        answer = {"value": _job(request["job"])(**request["arguments"])}
    except CranfieldError as error:
        answer = {"error": _without_paths(str(error), request["arguments"])}
    except MemoryError:
        answer = {"error": "the file needs more memory than a worker may use"}
    json.dump(answer, sys.stdout)


def _job(name: str) -> Callable[..., Any]:
    if name in BOARDS:
        from cranfield.web import boards

        return getattr(boards, name)
    return JOBS[name]


def _without_paths(words: str, arguments: dict[str, Any]) -> str:
    """An error that names the file as its owner knows it, not where the server keeps it."""
    paths = [arguments.get("path", ""), arguments.get("qrels", ""), *arguments.get("runs", {}).values()]
    for path in filter(None, paths):
        words = words.replace(path, "the file")
    return words


if __name__ == "__main__":
    main()
