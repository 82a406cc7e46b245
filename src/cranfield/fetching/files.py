"""What a fetch writes: the run, and beside it latencies, the row of the system, titles, and how it was fetched."""

from __future__ import annotations

import os

from cranfield.errors import BadInput
from cranfield.fetching.fetch import Fetched
from cranfield.results.writing import comma_separated, json_text, save
from cranfield.tables.system_names import system_name

UNFINISHED = ".part"


def beside(path: str) -> dict[str, str]:
    """The files beside a run, by what they hold."""
    stem = os.path.join(os.path.dirname(path), system_name(path))
    return {"latency": f"{stem}.latency.csv", "system": f"{stem}.system.csv", "titles": f"{stem}.titles.jsonl",
            "fetch": f"{stem}.fetch.json"}  # fmt: skip


def write(fetched: Fetched, path: str) -> list[str]:
    """Write the run and the files beside it; their names.

    The name of the system is that of the run's file. `NAME.latency.csv` has the milliseconds of each query
    as a measure, which `compare --values` and gates read; `NAME.system.csv` has the row for `--system-info`.
    """
    name, places = system_name(path), beside(path)
    if path in places.values():
        raise BadInput(f"{path}: this is the name of another file of the fetch; end the name of the run in .run")
    written = [path]
    save(path, run_text(fetched, name))
    answered = [query for query in fetched.queries if query.error is None]
    times = [[query.query, name, "latency", query.milliseconds] for query in answered]
    save(places["latency"], comma_separated(["query", "system", "measure", "value"], times))
    (latency,) = fetched.latency
    about = {"engine": fetched.settings["engine"], "version": fetched.version} | {
        f"latency {what} (ms)": getattr(latency, what) for what in ("mean", "p50", "p95")
    }
    row = [name, *about.values()]
    save(places["system"], comma_separated(["system", *about], [row], digits=3))
    written += [places["latency"], places["system"]]
    titles = {result.document: result.title for result in fetched.results if result.title}
    if titles:
        import json

        lines = (json.dumps({"id": document, "text": title}, ensure_ascii=False) for document, title in titles.items())
        save(places["titles"], "\n".join(lines) + "\n")
        written.append(places["titles"])
    document = fetched.to_dict()
    del document["results"]
    save(places["fetch"], json_text(document))
    return [*written, places["fetch"]]


def run_text(fetched: Fetched, name: str) -> str:
    """The run in TREC's six fields."""
    lines, rank, query = [], 0, None
    for row in fetched.results:
        rank = rank + 1 if row.query == query else 1
        query = row.query
        lines.append(f"{row.query} Q0 {row.document} {rank} {row.score!r} {name}\n")
    return "".join(lines)
