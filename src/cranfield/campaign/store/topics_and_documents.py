"""The topics and documents of a benchmark; texts are stored once, under their hash."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, astuple
from typing import Any

from sqlalchemy import Connection, func, insert, select

from cranfield.campaign.store import schema
from cranfield.errors import BadInput
from cranfield.tables.collections.documents import Document
from cranfield.tables.collections.topics import NearDuplicate, Topic, in_words, near_duplicates, structured_title

AT_ONCE = 500
COMPONENT = "/article["  # separates the path of a component in its name


def add_topics(connection: Connection, benchmark: int, topics: Sequence[Topic]) -> int:
    """Add topics; existing ones are refused."""
    known = set(topic_ids(connection, benchmark))
    for topic in topics:
        _require_id(topic.id, topic.line)
        if topic.id in known:
            where = "" if topic.line is None else f"line {topic.line}: "
            raise BadInput(f"{where}there is already a topic {topic.id!r}")
        known.add(topic.id)
        connection.execute(insert(schema.topic).values(benchmark=benchmark, name=topic.id, **topic_fields(topic)))
    return len(topics)


def topic_fields(topic: Topic) -> dict[str, str]:
    """The stored fields of a topic, except its id."""
    names = ("title", "description", "narrative", "keywords", "kind")
    structured = json.dumps(topic.structure and asdict(topic.structure))
    return {name: getattr(topic, name) for name in names} | {"structured": structured}


def add_documents(connection: Connection, benchmark: int, documents: Sequence[Document]) -> int:
    """Add documents and return the number of new ones.

    Existing documents are unchanged, so an interrupted import can be repeated. A different text under an existing name
    is refused.
    """
    n_new = 0
    for start in range(0, len(documents), AT_ONCE):
        part = documents[start : start + AT_ONCE]
        new = new_documents(connection, benchmark, part)
        texts = {one.digest: one.text for one in new}
        stored = set(connection.scalars(select(schema.body.c.hash).where(schema.body.c.hash.in_(list(texts)))))
        if bodies := [{"hash": key, "text": text} for key, text in texts.items() if key not in stored]:
            connection.execute(insert(schema.body), bodies)
        rows = [
            {"benchmark": benchmark, "name": one.id, "title": one.title, "body": one.digest}
            | {"elements": json.dumps([astuple(element) for element in one.elements])}
            for one in new
        ]
        if rows:
            connection.execute(insert(schema.document), rows)
        n_new += len(rows)
    return n_new


def new_documents(connection: Connection, benchmark: int, documents: Sequence[Document]) -> list[Document]:
    """The documents that are not stored yet; a different text under an existing name is refused."""
    table = schema.document
    names = [document.id for document in documents]
    rows = connection.execute(
        select(table.c.name, table.c.body).where(table.c.benchmark == benchmark, table.c.name.in_(names))
    )
    known = {row.name: row.body for row in rows}
    for document in documents:
        _require_id(document.id, document.line)
        if "\0" in document.text or "\0" in document.title:
            raise BadInput(f"line {document.line}: the document {document.id!r} contains a NUL character")
        if known.get(document.id, document.digest) != document.digest:
            raise BadInput(f"line {document.line}: there is already a document {document.id!r} with a different text")
    return [document for document in documents if document.id not in known]


def topic_ids(connection: Connection, benchmark: int) -> dict[str, int]:
    """The database's number of each topic."""
    table = schema.topic
    rows = connection.execute(select(table.c.name, table.c.id).where(table.c.benchmark == benchmark))
    return {row.name: row.id for row in rows}


def topics(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """The topics with their content."""
    columns = ("name", "title", "description", "narrative", "keywords", "kind")
    rows = topic_rows(connection, benchmark)
    return [{column: getattr(row, column) for column in columns} | {"words": words_of(row)} for row in rows]


def topic_rows(connection: Connection, benchmark: int) -> Sequence[Any]:
    """The topics as they are stored, in the order in which they were added."""
    table = schema.topic
    return connection.execute(select(table).where(table.c.benchmark == benchmark).order_by(table.c.id)).all()


def near_duplicates_of(connection: Connection, benchmark: int) -> list[NearDuplicate]:
    """Pairs of very similar topics."""
    return near_duplicates([topic_of(row, row.name) for row in topic_rows(connection, benchmark)])


def n_documents(connection: Connection, benchmark: int) -> int:
    """The number of documents."""
    table = schema.document
    return connection.scalar(select(func.count()).select_from(table).where(table.c.benchmark == benchmark)) or 0


def unknown_documents(connection: Connection, benchmark: int, names: Sequence[str]) -> list[str]:
    """The names that are neither documents nor components of the collection; none if it has no documents."""
    if not n_documents(connection, benchmark):
        return []
    table, known = schema.document, set()
    articles = {name: name.partition(COMPONENT)[0] for name in names}
    looked_up = sorted({*articles, *articles.values()})
    for start in range(0, len(looked_up), AT_ONCE):
        part = looked_up[start : start + AT_ONCE]
        stored = select(table.c.name).where(table.c.benchmark == benchmark, table.c.name.in_(part))
        known |= set(connection.scalars(stored))
    return [name for name, article in articles.items() if name not in known and article not in known]


def document(connection: Connection, benchmark: int, name: str) -> dict[str, Any] | None:
    """The title, text and hash of a document or component, such as `article/article[1]/bdy[1]/sec[2]`."""
    whole = _document(connection, benchmark, name)
    if whole is not None or COMPONENT not in name:
        return whole and {"name": name, "title": whole.title, "text": whole.text, "hash": whole.body}
    article, _, rest = name.partition(COMPONENT)
    whole, path = _document(connection, benchmark, article), COMPONENT + rest
    places = {element[0]: element[1:] for element in json.loads(whole.elements)} if whole else {}
    if whole is None or path not in places:
        return None
    start, end = places[path]
    return {"name": name, "title": whole.title, "text": whole.text[start:end], "hash": whole.body}


def shown_document(connection: Connection, benchmark: int, name: str) -> dict[str, Any]:
    """The name, title and text of a document; without a text if the collection does not have it."""
    known = document(connection, benchmark, name) or {"title": "", "text": None}
    return {"name": name, "title": known["title"], "text": known["text"]}


def _document(connection: Connection, benchmark: int, name: str) -> Any:
    table = schema.document
    return connection.execute(
        select(table.c.title, table.c.elements, table.c.body, schema.body.c.text)
        .join(schema.body, schema.body.c.hash == table.c.body)
        .where(table.c.benchmark == benchmark, table.c.name == name)
    ).first()


def topic_of(row: Any, number: str) -> Topic:
    """The topic with the id replaced."""
    structure = structured_title(json.loads(row.structured or "null"))
    return Topic(number, row.title, row.description, row.narrative, row.keywords, row.kind, structure)


def words_of(row: Any) -> str:
    """A sentence describing what an INEX topic asks for; empty for other topics."""
    return in_words(topic_of(row, row.name)) if row.kind else ""


def _require_id(name: str, line: int | None) -> None:
    """Refuse ids that cannot be written in a run or qrels file."""
    if not name.isprintable() or any(char.isspace() for char in name):
        where = "" if line is None else f"line {line}: "
        raise BadInput(f"{where}the id {name!r} must not contain white space or control characters")
