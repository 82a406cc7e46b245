"""Topics in files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cranfield.campaign.field_rows import FieldRow, delimited_rows, field_id, field_text, json_rows
from cranfield.campaign.topics.inex_topics import inex_topics
from cranfield.campaign.topics.topic import Topic
from cranfield.campaign.topics.trec_topics import trec_topics
from cranfield.errors import BadInput
from cranfield.tables.readers.streams import Stream, opened, source

TOPIC_FORMATS = "INEX or TREC topics, JSON Lines, CSV or TSV"
_START = 1 << 16
_CLOSED = re.compile(rb"</(num|title|desc)>", re.IGNORECASE)
_TEXTS = ("topic title", "description", "narrative", "keywords")


def read_topic_file(path: str) -> tuple[Topic, ...]:
    """The topics of a file; duplicate ids are refused."""
    with opened(source(path)) as stream:
        topics = tuple(_topics(stream))
    seen: dict[str, Topic] = {}
    for topic in topics:
        if topic.id in seen:
            first = seen[topic.id].line
            raise BadInput(f"{path}, line {topic.line}: duplicate topic {topic.id!r} (first on line {first})")
        seen[topic.id] = topic
    if not topics:
        raise BadInput(f"{path}: no topics; supported: {TOPIC_FORMATS}")
    return topics


def _topics(stream: Stream) -> Iterator[Topic]:
    start = stream.peek(_START).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] == b"{":
        return (_from_row(row, stream.name) for row in json_rows(stream))
    if start[:1] == b"<" or start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        is_trec = b"<top>" in start.lower() and not _CLOSED.search(start)
        return trec_topics(stream) if is_trec else inex_topics(stream)
    return (_from_row(row, stream.name) for row in delimited_rows(stream))


def _from_row(row: FieldRow, name: str) -> Topic:
    number = field_id(row, "topic id", name)
    title, description, narrative, keywords = (" ".join(field_text(row, role, name).split()) for role in _TEXTS)
    if not title:
        raise BadInput(f"{name}, line {row.line}: topic {number!r} has no title; it needs a field title or query")
    return Topic(number, title, description, narrative, keywords, line=row.line)
