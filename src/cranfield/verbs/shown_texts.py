"""The text of queries and documents that a report shows, from dicts or files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from cranfield.campaign.documents.document_files import read_documents
from cranfield.campaign.topics.topic_files import read_topic_file
from cranfield.engines.watched_runs import Watched
from cranfield.present.report.texts import LONGEST, Excerpt, Texts
from cranfield.tables.adapters.known_collections import texts_path
from cranfield.tables.names import decode

TextSource = Mapping[str, str] | str | os.PathLike[str]  # texts by id, or the path of a file or folder


def texts_of(queries: TextSource | None, documents: TextSource | None, runs: Iterable[Watched]) -> Texts:
    """The text of all queries, and of the documents at the top of the runs."""
    if isinstance(queries, str | os.PathLike):
        file = texts_path(os.fspath(queries), "queries.jsonl")
        queries = {topic.id: topic.title for topic in read_topic_file(file)}
    if documents is None:
        return Texts(queries or {})
    shown = {decode(name) for run in runs for names in run.first.values() for name in names}
    return Texts(queries or {}, dict(_excerpts(documents, shown)))


def _excerpts(documents: TextSource, shown: set[str]) -> Iterable[tuple[str, Excerpt]]:
    if not isinstance(documents, str | os.PathLike):
        return ((name, Excerpt("", documents[name])) for name in shown if name in documents)
    return (
        (document.id, Excerpt(document.title, document.text[: LONGEST + 1]))
        for document in read_documents(texts_path(os.fspath(documents), "corpus.jsonl"))
        if document.id in shown
    )
