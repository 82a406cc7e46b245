"""TREC documents in SGML: <DOC> with <DOCNO>, a title and <TEXT>; other tags are removed, their text is kept."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from cranfield.campaign.documents.document import Document
from cranfield.campaign.field_rows import lines_of
from cranfield.errors import BadInput
from cranfield.tables.readers.limits import limits
from cranfield.tables.readers.streams import Stream

_DOC = re.compile(r"<(/?)DOC>", re.IGNORECASE)
_TITLES = ("title", "headline", "head", "hl", "ti")
_CLOSED = re.compile(rf"<(/?)(docno|text|{'|'.join(_TITLES)})>", re.IGNORECASE)  # these need an end tag; <P> does not
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)


def trec_documents(stream: Stream) -> Iterator[Document]:
    """The documents of a file, one after another."""
    began, size = 0, 0
    parts: list[str] = []
    for number, line in lines_of(stream):
        place = 0
        for match in _DOC.finditer(line):
            before = line[place : match.start()]
            place = match.end()
            if not match[1]:
                if began:
                    raise BadInput(f"{stream.name}, line {began}: <DOC> is not closed before the next in line {number}")
                began, parts, size = number, [], 0
            elif not began:
                raise BadInput(f"{stream.name}, line {number}: </DOC> without <DOC>")
            else:
                yield _document("".join([*parts, before]), stream.name, began)
                began, parts = 0, []
        if began:
            parts.append(line[place:])
            size += len(line)
            if size > limits.line:
                raise BadInput(f"{stream.name}, line {began}: <DOC> is not closed within {limits.line:,} characters")
    if began:
        raise BadInput(f"{stream.name}, line {began}: <DOC> is not closed by the end of the file")


def _document(content: str, name: str, line: int) -> Document:
    fields = _fields(content, name, line)
    number = " ".join(fields.get("docno", "").split())
    if not number:
        raise BadInput(f"{name}, line {line}: the document has no <DOCNO>")
    title = next((fields[tag] for tag in _TITLES if tag in fields), "")
    text = fields["text"] if "text" in fields else fields[""]
    return Document(number, _plain(title).replace("\n", " "), _plain(text), name, line)


def _fields(content: str, name: str, line: int) -> dict[str, str]:
    """The content of the relevant elements; text outside them is under the empty name."""
    fields: dict[str, str] = {"": ""}
    inside, place, began = "", 0, line
    for match in _CLOSED.finditer(content):
        tag, closing = match[2].lower(), bool(match[1])
        if inside and closing and tag == inside:
            fields[inside] = fields.get(inside, "") + content[place : match.start()]
            inside, place = "", match.end()
        elif not inside and not closing:
            fields[""] += content[place : match.start()]
            inside, place = tag, match.end()
            began = line + content[: match.start()].count("\n")
    if inside:
        raise BadInput(f"{name}, line {began}: element <{inside.upper()}> is not closed by </DOC>")
    fields[""] += content[place:]
    return fields


def _plain(text: str) -> str:
    """The text without tags, one paragraph per line."""
    lines = (" ".join(line.split()) for line in html.unescape(_TAG.sub(" ", text)).split("\n"))
    return "\n".join(lines).strip("\n")
