"""A tiny collection to label: two topics, six documents, two runs, and a model that knows the answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from model_server import Said, asked_about, chat

TOPICS = {"1": "black bears", "2": "white swans"}
DOCUMENTS = {
    "d1": "Black bears live in forests.", "d2": "Bears sleep in winter.", "d3": "Swans are mostly white.",
    "d4": "A white swan on a lake.", "d5": "Nothing at all.", "d6": "More about nothing.",
}  # fmt: skip
GRADES = {("1", "d1"): 3, ("1", "d2"): 1, ("2", "d3"): 2, ("2", "d4"): 3}
RUNS = {
    "a": {"1": ["d1", "d2", "d5"], "2": ["d3", "d5", "d4"]},
    "b": {"1": ["d5", "d1", "d6"], "2": ["d4", "d3", "d6"]},
}
PAIRS = {(query, name) for run in RUNS.values() for query, names in run.items() for name in names}
NAME_OF = {text: name for name, text in DOCUMENTS.items()}
QUERY_OF = {title: query for query, title in TOPICS.items()}


class Files(NamedTuple):
    """The files of the collection."""

    topics: str
    documents: str
    runs: list[str]

    @property
    def words(self) -> list[str]:
        """The arguments of the command."""
        return [*self.runs, "--topics", self.topics, "--documents", self.documents]


def written(folder: Path) -> Files:
    """The collection in a folder."""
    topics, documents = folder / "topics.tsv", folder / "docs.jsonl"
    topics.write_text("topic\tquery\n" + "".join(f"{name}\t{title}\n" for name, title in TOPICS.items()))
    documents.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in DOCUMENTS.items()))
    for run, rankings in RUNS.items():
        rows = [
            f"{query} Q0 {name} {rank} {-rank} {run}\n"
            for query, names in rankings.items() for rank, name in enumerate(names, 1)
        ]  # fmt: skip
        (folder / f"{run}.run").write_text("".join(rows))
    return Files(str(topics), str(documents), [str(folder / f"{run}.run") for run in RUNS])


def pair_of(request: dict[str, Any]) -> tuple[str, str]:
    """The topic and the document that a request is about."""
    content = asked_about(request)
    return QUERY_OF[content["topic"]["title"]], NAME_OF[content["document"]["text"]]


def knowing(request: dict[str, Any]) -> Said:
    """The answer of a model that knows."""
    return chat(
        json.dumps({"grade": GRADES.get(pair_of(request), 0), "reason": "so it is"}),
        {"prompt_tokens": 100, "completion_tokens": 10},
    )
