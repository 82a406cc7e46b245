"""TREC topic files: <top> with <num>, <title>, <desc> and <narr>, which have no end tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cranfield.campaign.field_rows import lines_of
from cranfield.campaign.topics.topic import Topic
from cranfield.errors import BadInput
from cranfield.tables.readers.streams import Stream

_TAG = re.compile(r"<(/?)(top|num|title|desc|narr|head|dom|con|fac|def|smry|nat|time)>", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(Number|Topic|Description|Narrative|Concept\(s\)|Summary|Domain)\s*:", re.IGNORECASE)


def trec_topics(stream: Stream) -> Iterator[Topic]:
    """The topics of a TREC topic file."""
    fields: dict[str, str] | None = None
    began, current = 0, ""
    for number, line in lines_of(stream):
        place = 0
        for match in _TAG.finditer(line):
            if fields is not None and current:
                fields[current] += line[place : match.start()]
            place = match.end()
            closing, tag = bool(match[1]), match[2].lower()
            if tag == "top" and not closing:
                if fields is not None:
                    raise BadInput(f"{stream.name}, line {began}: <top> is not closed before the next in line {number}")
                fields, began, current = {}, number, ""
            elif fields is None:
                raise BadInput(f"{stream.name}, line {number}: {match[0]} outside of <top>")
            elif tag == "top":
                yield _topic(fields, stream.name, began)
                fields, current = None, ""
            else:
                current = "" if closing else tag
                if current:
                    fields[current] = fields.get(current, "")
        if fields is not None and current:
            fields[current] += line[place:]
    if fields is not None:
        raise BadInput(f"{stream.name}, line {began}: <top> is not closed by the end of the file")


def _topic(fields: dict[str, str], name: str, line: int) -> Topic:
    texts = {tag: " ".join(_LABEL.sub("", text).split()) for tag, text in fields.items()}
    for tag in ("num", "title"):
        if not texts.get(tag):
            raise BadInput(f"{name}, line {line}: the topic has no <{tag}>")
    description, narrative, keywords = (texts.get(tag, "") for tag in ("desc", "narr", "con"))
    return Topic(texts["num"], texts["title"], description, narrative, keywords, line=line)
