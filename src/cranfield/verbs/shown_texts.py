"""The text of queries and documents that a report shows, from dicts or files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cranfield.campaign.documents.document_files import read_documents
from cranfield.campaign.topics.topic_files import read_topic_file
from cranfield.engines.watched_runs import Watched
from cranfield.present.report.texts import LONGEST, Excerpt, Texts
from cranfield.tables.names import decode


def texts_of(
    queries: Mapping[str, str] | str | None, documents: Mapping[str, str] | str | None, runs: Iterable[Watched]
) -> Texts:
    """The text of all queries, and of the documents at the top of the runs."""
    if isinstance(queries, str):
        queries = {topic.id: topic.title for topic in read_topic_file(queries)}
    if documents is None:
        return Texts(queries or {})
    shown = {decode(name) for run in runs for names in run.first.values() for name in names}
    return Texts(queries or {}, dict(_excerpts(documents, shown)))


def _excerpts(documents: Mapping[str, str] | str, shown: set[str]) -> Iterable[tuple[str, Excerpt]]:
    if not isinstance(documents, str):
        return ((name, Excerpt("", documents[name])) for name in shown if name in documents)
    return (
        (document.id, Excerpt(document.title, document.text[: LONGEST + 1]))
        for document in read_documents(documents)
        if document.id in shown
    )
