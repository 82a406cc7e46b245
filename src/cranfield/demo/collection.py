"""The test collection of the demonstration: documents, topics and relevance judgments."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib import resources

from cranfield.frozen import frozen

Judgments = dict[str, dict[str, int]]


@frozen
class Collection:
    """Documents by name, queries by topic, and grades by topic and document."""

    documents: Mapping[str, str]
    queries: Mapping[str, str]
    judgments: Judgments
    n_left_out: int  # judgments of names missing from the running Python

    @property
    def n_judgments(self) -> int:
        """The number of judgments used."""
        return sum(map(len, self.judgments.values()))

    def qrels(self) -> str:
        """The judgments in TREC format."""
        return "".join(
            f"{topic} 0 {name} {grade}\n" for topic, grades in self.judgments.items() for name, grade in grades.items()
        )


def collection(documents: Mapping[str, str]) -> Collection:
    """The collection with these documents; judgments of others are left out."""
    judged = _judgments()
    available = {
        topic: {name: grade for name, grade in grades.items() if name in documents} for topic, grades in judged.items()
    }
    n_left_out = sum(map(len, judged.values())) - sum(map(len, available.values()))
    queries = {row["topic"]: row["query"] for row in csv.DictReader(topics_text().splitlines(), delimiter="\t")}
    return Collection(documents, queries, available, n_left_out)


def topics_text() -> str:
    """The topics: tab-separated columns topic, query and narrative."""
    return _data("topics.tsv")


def passes() -> list[tuple[str, str, str, str]]:
    """The grades of both passes of judging, before adjudication: topic, document, pass and grade."""
    rows = list(csv.DictReader(_data("passes.csv").splitlines()))
    return [(row["topic"], row["item"], name, row[name]) for row in rows for name in ("first", "second")]


def _judgments() -> Judgments:
    judged: Judgments = {}
    for line in _data("qrels.txt").splitlines():
        topic, _, name, grade = line.split()
        judged.setdefault(topic, {})[name] = int(grade)
    return judged


def _data(name: str) -> str:
    return (resources.files("cranfield.demo") / "data" / name).read_text("utf-8")
