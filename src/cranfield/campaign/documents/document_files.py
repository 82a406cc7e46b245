"""Collections in files and folders, read as a stream: only one document at a time, and the ids, are in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import PurePath, PurePosixPath

from cranfield.campaign.documents.archives import archived, is_archive
from cranfield.campaign.documents.document import Document
from cranfield.campaign.documents.inex_articles import inex_articles
from cranfield.campaign.documents.trec_documents import trec_documents
from cranfield.campaign.field_rows import FieldRow, delimited_rows, field_id, field_text, json_rows
from cranfield.campaign.markup import decoded_text
from cranfield.errors import BadInput
from cranfield.tables.column_roles import fields
from cranfield.tables.readers.limits import limits
from cranfield.tables.readers.streams import Stream, opened, source

DOCUMENT_FORMATS = "TREC documents, INEX articles, JSON Lines, CSV, or a zipped folder of text or HTML files"
_START = 1 << 16
_PACKED = (".gz", ".zst", ".bz2", ".lz4", ".xz")


def read_documents(path: str, name: str = "") -> Iterator[Document]:
    """The documents of a file or folder; duplicate ids are refused.

    `name` is the user's name for the file if it is stored under another one; articles without an id are named after it.
    """
    seen: set[bytes] = set()
    for document in _documents(path, name or path):
        digest = sha256(document.id.encode("utf-8", "surrogateescape")).digest()[:16]  # takes less memory than long ids
        if digest in seen:
            raise BadInput(f"{document.source}, line {document.line}: duplicate document {document.id!r}")
        seen.add(digest)
        yield document
    if not seen:
        raise BadInput(f"{path}: no documents")


def _documents(path: str, name: str) -> Iterator[Document]:
    if os.path.isdir(path):
        return _in_folder(path)
    return _in_archive(path) if is_archive(path) else _in_file(path, name)


def _in_file(path: str, name: str) -> Iterator[Document]:
    with opened(source(path)) as stream:
        start = stream.peek(_START).lstrip(b"\xef\xbb\xbf \t\r\n")
        lower = start.lower()
        if start[:1] == b"{":
            yield from (_from_row(row, stream.name) for row in json_rows(stream))
        elif b"<doc>" in lower:
            yield from trec_documents(stream)
        elif b"<article" in lower:
            yield from inex_articles(stream, _unpacked(PurePath(name)).stem)
        elif start[:1] == b"<":
            raise BadInput(f"{path}: neither TREC documents (<DOC>) nor INEX articles (<article>)")
        else:
            yield from (_from_row(row, stream.name) for row in delimited_rows(stream))


def _from_row(row: FieldRow, name: str) -> Document:
    number = field_id(row, "document id", name)
    if not fields(row.fields, "document text"):
        raise BadInput(f"{name}, line {row.line}: document {number!r} has no text; it needs a field text")
    title = " ".join(field_text(row, "document title", name).split())
    return Document(number, title, field_text(row, "document text", name), name, row.line)


def _in_folder(folder: str) -> Iterator[Document]:
    """Text files, HTML files and INEX articles, sorted by path; hidden files are skipped."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(parent, name)
            if name.startswith("."):
                continue
            if os.path.islink(path):
                raise BadInput(f"{path}: symbolic links are not followed; copy the file into the folder")
            with opened(source(path)) as stream:
                yield from _of_folder(stream, PurePath(os.path.relpath(path, folder)))


def _in_archive(path: str) -> Iterator[Document]:
    """The files of a zipped folder, as if it were extracted."""
    for stream, name in archived(path):
        yield from _of_folder(stream, PurePosixPath(name))


def _of_folder(stream: Stream, relative: PurePath) -> Iterator[Document]:
    relative = _unpacked(relative)
    number = relative.with_suffix("").as_posix()
    start = stream.peek(_START).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if relative.suffix.lower() == ".xml" or start.startswith(b"<article"):
        for document in inex_articles(stream, relative.stem):
            yield replace(document, id=number) if document.id == relative.stem else document
    elif relative.suffix.lower() in (".html", ".htm", ".xhtml") or start.startswith((b"<!doctype html", b"<html")):
        yield _from_html(stream, number)
    else:
        text = _whole(stream)
        yield Document(number, text.lstrip().partition("\n")[0].strip()[:200], text, stream.name, 1)


def _unpacked(path: PurePath) -> PurePath:
    """The name of a file without the endings of compression."""
    while path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    return path


def _whole(stream: Stream) -> str:
    parts, size = [], 0
    for text in decoded_text(stream):
        parts.append(text)
        size += len(text)
        if size > limits.line:
            raise BadInput(f"{stream.name}: longer than {limits.line:,} characters; a document must fit in memory")
    return "".join(parts)


def _from_html(stream: Stream, number: str) -> Document:
    page = _Page()
    page.feed(_whole(stream))
    page.close()
    lines = (" ".join(line.split()) for line in "".join(page.text).split("\n"))
    text = "\n".join(line for line in lines if line)
    return Document(number, " ".join("".join(page.title).split()), text, stream.name, 1)


class _Page(HTMLParser):
    """The title and visible text of a page."""

    HIDDEN = frozenset({"script", "style", "template", "noscript"})
    BLOCKS = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "pre"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.text: list[str] = []
        self._hidden: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        """Record where the title or hidden text begins."""
        if tag in self.HIDDEN:
            self._hidden.append(tag)
        self._in_title = tag == "title"
        if tag in self.BLOCKS:
            self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Record where the title or hidden text ends."""
        if tag in self._hidden:
            self._hidden.remove(tag)
        if tag == "title":
            self._in_title = False
        if tag in self.BLOCKS:
            self.text.append("\n")

    def handle_data(self, data: str) -> None:
        """Collect visible text."""
        if self._in_title:
            self.title.append(data)
        elif not self._hidden:
            self.text.append(data)
